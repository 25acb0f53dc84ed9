"""What can be copied of a message and of a value in it: the value, its path, the message, a command to resend it.

A copy is made only when it is requested. HTTP secrets are left out unless they are revealed: a shell variable takes
the place of each, so the command works once that is set.
"""

import shlex
from collections.abc import Callable, Sequence

import msgspec

from inspector.capture.journal import Journal
from inspector.config.targets import WEB_SCHEMES
from inspector.documents import prepared_type
from inspector.present.http import as_curl, masked_url
from inspector.present.json_text import Step, json_path, pointer
from inspector.protocol import peek
from inspector.protocol.facts import ConnectionFact, HttpFact
from inspector.protocol.frames import Direction, Frame
from inspector.text import decode, for_clipboard, human_size

LARGEST = 8_000_000
"""Maximum number of characters that are passed to the terminal for its clipboard."""
_BEGIN = 400
_SHORT = 100_000
"""Bytes up to which a request is read just to preview its copy."""

_LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "templates",
    "prompts/list": "prompts",
}


class Copy(msgspec.Struct, frozen=True):
    """One thing to copy."""

    key: str
    name: str
    make: Callable[[], str]
    """Returns its text, as received, which may be as large as the payload."""
    begin: str
    """Preview of the text, cheap to make; foreign."""


class Copied(msgspec.Struct, frozen=True):
    """Text for the clipboard."""

    text: str
    """Without characters that would act where it is pasted; "" if it is too large, or if there is none."""
    name: str
    """What it is ("JSON"); "" if only its size is shown."""
    removed: int = 0
    """Number of characters that were removed."""
    is_too_large: bool = False

    def message(self, *, is_certain: bool = True) -> str:
        """Return the message for the user. `is_certain`: the clipboard is known to have taken the text."""
        if self.is_too_large:
            return f"{self.name} is too large for the clipboard. Use the pager or the editor."
        if not self.text:
            return "There is nothing to copy."
        what = f"{self.name}, " if self.name else ""
        size = human_size(len(self.text.encode(errors="replace")))
        done = f"Copied {what}{size}." if is_certain else f"Sent to the terminal: {what}{size}."
        many = "s were" if self.removed != 1 else " was"
        return f"{done} {self.removed:,} control character{many} removed." if self.removed else done


@prepared_type
class _RequestParts(msgspec.Struct):
    """The parts of a request that a command line needs."""

    method: str
    params: msgspec.Raw = msgspec.Raw(b"")


@prepared_type
class _Target(msgspec.Struct):
    """Target of a well-known request."""

    name: str = ""
    uri: str = ""
    arguments: msgspec.Raw = msgspec.Raw(b"")


def copied(name: str, text: str) -> Copied:
    """Remove characters that would act where the text is pasted."""
    if len(text) > LARGEST:
        return Copied("", human_size(len(text)), is_too_large=True)
    kept, removed = for_clipboard(text)
    return Copied(kept, name, removed)


def of_place(value: bytes, steps: Sequence[Step], payload: bytes) -> list[Copy]:
    """Return the copies of a value in a payload: as text, as JSON, its path, and the payload as received."""
    begin = decode(value[:_BEGIN])
    return [
        Copy("v", "value", lambda: _plain(value), begin.removeprefix('"').removesuffix('"')),
        Copy("j", "JSON", lambda: decode(value), begin),
        Copy("p", "JSONPath", lambda: json_path(steps), json_path(steps)),
        Copy("o", "JSON pointer", lambda: pointer(steps), pointer(steps) or "whole message"),
        *of_payload(payload),
    ]


def of_payload(payload: bytes) -> list[Copy]:
    """Return the only copy of a payload without paths."""
    return [Copy("r", "raw message", lambda: decode(payload), decode(payload[:_BEGIN]))]


def _plain(value: bytes) -> str:
    """Return the text that a JSON string stands for; any other value unchanged."""
    found = peek.decoded_as(str, value)
    return decode(value) if found is None else found


def of_request(journal: Journal, n: int, *, reveal: bool = False) -> list[Copy]:
    """Return commands that resend the request of an entry: curl if it was sent over HTTP, and mcp-inspect."""
    frame = _request(journal, n)
    if frame is None:
        return []
    found: list[Copy] = []
    exchange = journal.http_exchanges.get(frame.http) if frame.http is not None else None
    request = exchange.request if exchange is not None else None
    if request is not None:
        found.append(
            Copy(
                "c", "curl", lambda: as_curl(request, frame.payload, reveal=reveal, one_line=True), _short_curl(request)
            )
        )
    connection = journal.connection_facts.connection
    if connection is not None and (connection.argv or connection.url.startswith(WEB_SCHEMES)):
        words = _command_arguments(frame.payload) if len(frame.payload) <= _SHORT else ["request"]
        begin = " ".join(["mcp-inspect", *(word[:_BEGIN] for word in words)])
        found.append(Copy("m", "command", lambda: command(connection, frame.payload, reveal=reveal), begin))
    return found


def _request(journal: Journal, n: int) -> Frame | None:
    """Return the request of an entry that is a request or its response."""
    if not 0 < n <= journal.count:
        return None
    number, exchanges = journal.store.exchange(n), journal.conversation.exchanges
    if 0 < number <= len(exchanges):
        n = exchanges[number - 1].request_frame
    what = journal.store.entry(n).what if 0 < n <= journal.count else None
    return what if isinstance(what, Frame) and what.direction is Direction.TO_SERVER else None


def _short_curl(request: HttpFact) -> str:
    return f"curl -X {request.method} {masked_url(request.target)}"


def command(connection: ConnectionFact, payload: bytes, *, reveal: bool = False) -> str:
    """Return the mcp-inspect command line that sends the same request."""
    words = ["mcp-inspect", *_command_arguments(payload)]
    if connection.url:
        words.append(connection.url if reveal else masked_url(connection.url))
    else:
        words += ["--", *connection.argv]
    return shlex.join(words)


def _is_word(name: str) -> bool:
    """Whether a foreign name is safe as an argument: mcp-inspect would take one with a leading "-" for an option."""
    return bool(name) and not name.startswith("-")


def _command_arguments(payload: bytes) -> list[str]:
    """Return the command's arguments that precede the server."""
    asked = peek.decoded_as(_RequestParts, payload)
    if asked is None:
        return ["request", "--raw", decode(payload)]
    target = peek.decoded_as(_Target, asked.params or b"{}") or _Target()
    arguments = decode(bytes(target.arguments))
    if asked.method.startswith("-"):
        return ["request", "--raw", decode(payload)]
    match asked.method:
        case "tools/call" if _is_word(target.name):
            return ["call", target.name, *(["--args", arguments] if arguments else [])]
        case "resources/read" if _is_word(target.uri):
            return ["read", target.uri]
        case "ping":
            return ["ping"]
        case method if method in _LISTS:
            return ["list", _LISTS[method]]
        case method:
            params = decode(bytes(asked.params))
            return ["request", method, *(["--params", params] if params else [])]
