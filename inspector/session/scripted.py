"""Prepared answers to server requests, from a file: the first that matches is used.

    [{"kind": "elicitation", "message": "which city", "answer": "accept", "content": {"city": "Oslo"}},
     {"kind": "sampling", "tool": "sampling_request", "answer": "text", "text": "42"}]

`message` is a regular expression searched in the request's text, for at most 0.25 s a request; `tool` is the name of
the tool that is being called; both are optional. `answer` is accept, decline, cancel, text or error. accept without
`content` fills in the schema's defaults, else the smallest valid value. `delay_ms` waits first; `malformed` is sent
as the result unchanged.
"""

import asyncio
import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.documents import UnreadableDocument, prepared_type, read_json, read_yaml
from inspector.errors import UsageError
from inspector.forms.arguments import smallest_valid
from inspector.protocol import server_requests
from inspector.protocol.server_requests import ErrorReply, Reply, RequestKind, Result, ServerRequest
from inspector.session.inbox import Policy

if TYPE_CHECKING:
    import regex

PATTERN_S = 0.25
"""Timeout in seconds of the pattern of one prepared answer on one request."""

_ANSWERS = {
    RequestKind.ELICITATION: ("accept", "decline", "cancel", "error"),
    RequestKind.SAMPLING: ("text", "error"),
    RequestKind.ROOTS: ("error",),
}
_MEMBERS = {"kind", "message", "tool", "answer", "content", "text", "code", "delay_ms", "malformed", "model"}


@prepared_type
class Prepared(msgspec.Struct, frozen=True):
    kind: RequestKind
    answer: str = ""
    message: str = ""
    tool: str = ""
    content: Any = None
    text: str = ""
    code: int = server_requests.REJECTED
    model: str = "prepared"
    delay_ms: float = 0
    malformed: Any = msgspec.UNSET

    def fits(self, server_request: ServerRequest, tool: str) -> bool:
        """Return whether it matches a server request during a call of `tool` ("" for no call).

        Raises: TimeoutError if its pattern takes too long on this request.
        """
        if server_request.kind is not self.kind or (self.tool and self.tool != tool):
            return False
        return not self.message or _compiled(self.message).search(_asked(server_request), timeout=PATTERN_S) is not None

    def reply(self, server_request: ServerRequest) -> Reply:
        """Return the answer."""
        if self.malformed is not msgspec.UNSET:
            return Result(self.malformed)
        if self.answer == "error":
            return ErrorReply(self.code, self.text or "a prepared response rejects this")
        if self.kind is RequestKind.SAMPLING:
            return server_requests.sampled(server_requests.text_block(self.text), model=self.model)
        return self._elicited(server_request)

    def _elicited(self, server_request: ServerRequest) -> Reply:
        if self.answer != "accept":
            return server_requests.declined() if self.answer == "decline" else server_requests.dismissed()
        if server_request.mode != "form":
            return server_requests.accepted()
        content = self.content if isinstance(self.content, dict) else smallest_valid(server_request.schema)
        return server_requests.accepted(content if isinstance(content, dict) else {})


def read_answers(path: Path) -> tuple[Prepared, ...]:
    """Read the entries of a file, JSON or YAML depending on its suffix.

    Raises: UsageError, naming the entry and what is wrong with it.
    """
    hint = "It must be a list of responses, as JSON or YAML."
    try:
        text = path.read_text(encoding="utf-8")
        entries = read_yaml(text) if path.suffix in (".yaml", ".yml") else read_json(text)
    except UnreadableDocument as error:
        raise UsageError(f"--responses {path}: {error.placed}", hint=hint) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--responses {path}: {error}", hint=hint) from None
    if not isinstance(entries, list):
        raise UsageError(f"--responses {path}: a list is expected", hint="Put the responses between [ and ].")
    return tuple(prepared(entry, f"--responses {path}, entry {number}") for number, entry in enumerate(entries, 1))


def policy(prepared: tuple[Prepared, ...], tool_of: Callable[[int | None], str]) -> Policy:
    """Return a policy that answers with the first matching entry.

    `tool_of` returns the tool that an exchange calls, "" if it calls none.
    """

    async def answer(server_request: ServerRequest) -> Reply | None:
        tool = tool_of(server_request.cause)
        try:
            entry = next((each for each in prepared if each.fits(server_request, tool)), None)
        except TimeoutError:
            why = f"the `message` pattern of a prepared response takes more than {PATTERN_S:g} s on this request"
            return ErrorReply(server_requests.REJECTED, why)
        if entry is None:
            return None
        if entry.delay_ms:
            await asyncio.sleep(entry.delay_ms / 1000)
        return entry.reply(server_request)

    return answer


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    """Compile a pattern for searches with a time limit: on untrusted text, `(a|a)*$` may never end."""
    import regex  # 12 ms, only if needed

    return regex.compile(pattern, regex.VERSION0)


def _demand_pattern(pattern: str, where: str) -> None:
    """Check a pattern. Raises: UsageError if it is invalid."""
    if not pattern:
        return
    import regex

    try:
        _compiled(pattern)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        raise UsageError(f"{where}: `message` is not a regular expression: {error}") from None


def _asked(server_request: ServerRequest) -> str:
    """Return the text that a message pattern is searched in: the server's message; for sampling all of its text."""
    return server_request.message or json.dumps(server_request.params, ensure_ascii=False)


def prepared(entry: Any, where: str) -> Prepared:
    """Parse one entry of a file. `where` names it in error messages. Raises: UsageError."""
    if not isinstance(entry, dict):
        raise UsageError(f"{where}: an object is expected")
    if unknown := sorted(map(str, set(entry) - _MEMBERS)):
        raise UsageError(
            f"{where}: {unknown[0]!r} means nothing here", hint=f"There are {', '.join(sorted(_MEMBERS))}."
        )
    try:
        found = msgspec.convert(entry, Prepared)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}") from None
    _demand_pattern(found.message, where)
    if found.malformed is msgspec.UNSET and found.answer not in _ANSWERS[found.kind]:
        allowed = ", ".join(_ANSWERS[found.kind])
        raise UsageError(f"{where}: {found.answer!r} answers no {found.kind}", hint=f"{found.kind} takes {allowed}.")
    return found
