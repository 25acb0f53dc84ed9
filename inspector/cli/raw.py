"""Bytes that are sent as they are, for a command: what was sent, what came, and which exit status that is."""

from pathlib import Path
from typing import Any, TextIO

import msgspec

from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit
from inspector.errors import AuthorizationNeeded, Disconnected, RequestFailed, RequestTimeout, UsageError
from inspector.protocol import jsonrpc
from inspector.protocol.drafts import oddities
from inspector.protocol.frames import Frame
from inspector.protocol.headers import headers_for
from inspector.session.exactly import Ended, Sent
from inspector.viewmodels.lines import Line, span
from inspector.viewmodels.text import decode, human_size


def read_bytes(given: str, stdin: TextIO) -> bytes:
    """The bytes that an option names: a text, `@FILE`, or `-` for stdin. Raises: UsageError."""
    if given == "-":
        buffer = getattr(stdin, "buffer", None)
        return buffer.read() if buffer is not None else stdin.read().encode("utf-8", "surrogateescape")
    if not given.startswith("@"):
        return given.encode("utf-8", "surrogateescape")
    try:
        return Path(given[1:]).read_bytes()
    except OSError as error:
        raise UsageError(f"--raw {given}: the file can't be read: {error.strerror}") from None


async def send_raw(visit: Visit, payload: bytes, wait_s: float, *, plain: bool) -> ExitStatus:
    """Send them, write what came. `plain`: with no HTTP header of the revision.

    Raises: AuthorizationNeeded, Disconnected, RequestFailed, RequestTimeout, where no answer came to a request.
    """
    for oddity in oddities(payload):
        visit.output.narrate(oddity)
    sent = await visit.session.by_hand.send(payload, headers={} if plain else _headers(visit, payload), wait_s=wait_s)
    came = _payloads(visit, sent)
    if visit.output.as_json:
        visit.output.data(_as_json(sent, came))
    else:
        visit.output.lines(_lines(came) or [_body(sent)])
    return _judge(visit, sent, came)


def _headers(visit: Visit, payload: bytes) -> dict[str, str]:
    revision = visit.session.revision
    assert revision is not None, "a visit is open"
    first = jsonrpc.read(payload)[0]
    if isinstance(first, jsonrpc.Request | jsonrpc.Notification):
        return headers_for(revision, first.method, first.params)
    return {}


def _payloads(visit: Visit, sent: Sent) -> list[bytes]:
    entries = (visit.session.journal.store.entry(number).what for number in sent.came)
    return [entry.payload for entry in entries if isinstance(entry, Frame)]


def _as_json(sent: Sent, came: list[bytes]) -> dict[str, Any]:
    return {
        "ended": sent.ended,
        "sent": len(sent.frames),
        "unanswered": sent.unanswered,
        "status": sent.status,
        "came": [_exact(payload) for payload in came],
        "body": decode(sent.body) if sent.body else None,
    }


def _exact(payload: bytes) -> Any:
    """A frame as it came if it is JSON, else its text."""
    try:
        msgspec.json.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return decode(payload)
    return msgspec.Raw(payload)


def _lines(came: list[bytes]) -> list[Line]:
    return [(span(decode(payload), limit=None),) for payload in came]


def _body(sent: Sent) -> Line:
    said = f"HTTP {sent.status}" if sent.status else "nothing came"
    return ((said, "muted"), *((("  ", "text"), span(decode(sent.body))) if sent.body else ()))


def _judge(visit: Visit, sent: Sent, came: list[bytes]) -> ExitStatus:
    """An error among the answers counts as one; a request without an answer is a failure of its own kind."""
    size = human_size(sum(map(len, came)))
    match sent.ended:
        case Ended.LOST:
            raise Disconnected(f"no answer: {sent.why}", hint=sent.hint)
        case Ended.REFUSED if sent.status in (401, 403):
            raise AuthorizationNeeded(f"the server answered with HTTP {sent.status}", hint="Give it credentials.")
        case Ended.REFUSED if not came:
            raise RequestFailed(f"no answer: HTTP {sent.status}; {decode(sent.body[:200])}".rstrip("; "))
        case Ended.SILENT if sent.unanswered:
            raise RequestTimeout(f"no answer within {sent.seconds:g} s", hint="Give it longer with --wait.")
        case _:
            visit.output.narrate(f"{sent.ended}: {len(came)} frame{'' if len(came) == 1 else 's'} came, {size}")
    answers = (message for payload in came for message in jsonrpc.read(payload))
    failed = any(isinstance(answer, jsonrpc.ErrorAnswer) for answer in answers)
    return ExitStatus.TOOL_ERROR if failed else ExitStatus.OK
