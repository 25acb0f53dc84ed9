"""Rules for stdio: lines on stdout, and the end of the process. Each is reported once per connection.

The diagnoses of bytes have the corresponding fixes.
"""

import json
from collections.abc import Iterator
from typing import Any

from inspector.checks.findings import JSON_RPC, Severity
from inspector.checks.registry import Violation, rules_of
from inspector.checks.state import CheckMoment
from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.protocol.frames import Channel, Direction, Eol
from inspector.protocol.jsonrpc import NotJsonRpc

error, warning, hint = rules_of("stdio")

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_NEVER = 1 << 62
_PATIENCE_NS = 2_000_000_000
_COMPUTING_NS = 5_000_000_000
"""Time that a process which ends by itself may take: it is computing, or the machine is busy."""
_MARK = b"\xef\xbb\xbf"


def _once(case: CheckMoment, name: str) -> bool:
    return case.state.is_sampled(name, 1, _NEVER)


def _line(case: CheckMoment) -> bytes | None:
    """Return a complete line of stdout that is not a message; None for anything else."""
    frame, message = case.frame, case.message
    if frame is None or frame.channel is not Channel.STDOUT or not isinstance(message, NotJsonRpc):
        return None
    return None if frame.eol is Eol.NONE and frame.payload.startswith(b"{") else frame.payload


def _is_piece(line: bytes) -> bool:
    """Whether a line can only be part of a value that continues on the next line."""
    return line.strip() in (b"{", b"[", b"}", b"]", b"},", b"],") or (line[:1] in b" \t" and line.lstrip()[:1] == b'"')


@error("Extra output on stdout", "garbled")
def stdout_extra_output(case: CheckMoment) -> Iterator[Violation]:
    """“The server MUST NOT write anything to its stdout that is not a valid MCP message.”

    Fix: Write everything but messages to stderr.
    """
    line = _line(case)
    if line is not None and line.strip() and not _is_piece(line) and not line.lstrip().startswith(b"{"):
        if _once(case, "stdout-extra-output"):
            yield Violation("the server writes text to stdout that is not a message", span=(0, len(line)))


@error("Line feed inside a message", "garbled")
def embedded_newline(case: CheckMoment) -> Iterator[Violation]:
    """“Messages are delimited by newlines, and MUST NOT contain embedded newlines.”

    Fix: Write each message on one line.
    """
    line = _line(case)
    if line is not None and line.strip() in (b"{", b"[") and _once(case, "embedded-newline"):
        yield Violation("a message spans several lines", span=(0, len(line)))


@hint("Unusual line ending, byte-order mark or blank line", "frame")
def irregular_line_bytes(case: CheckMoment) -> Iterator[Violation]:
    """CR LF, a byte-order mark, blank lines: most clients accept them.

    Fix: End each message with LF, without a byte-order mark or blank lines.
    """
    frame = case.frame
    if frame is None or frame.channel is not Channel.STDOUT:
        return
    if frame.eol is Eol.CRLF and _once(case, "irregular-line-bytes ends"):
        yield Violation("lines end with CR LF")
    if frame.payload.startswith(_MARK) and _once(case, "irregular-line-bytes mark"):
        yield Violation("a line begins with a byte-order mark", span=(0, 3))
    if not frame.payload.strip() and frame.eol is not Eol.NONE and _once(case, "irregular-line-bytes blank"):
        yield Violation("a line is blank")


@warning("Process outlives its stdin", "end", mild_until="2025-11-25", mild=_HINT)
def process_outlives_stdin(case: CheckMoment) -> Iterator[Violation]:
    """“The server SHOULD exit promptly when its stdin is closed”, since 2026.

    Fix: Exit when stdin is closed.
    """
    closed: int | None = None
    for n, time_ns, fact in case.state.process.facts:
        if fact.event is ProcessEvent.STDIN_EOF:
            closed = time_ns if closed is None else closed
        elif closed is not None and fact.event in (ProcessEvent.EXIT, ProcessEvent.SIGNAL):
            by_itself = fact.event is ProcessEvent.EXIT or fact.was_computing  # a timer may fire early
            if time_ns - closed >= (_COMPUTING_NS if by_itself else _PATIENCE_NS * 9 // 10):
                sentence = f"the process was still running {(time_ns - closed) / 1e9:.1f} s after its stdin was closed"
                yield Violation(sentence, frames=(n,), instead=True)
            return


@hint("Process exited unexpectedly", "end")
def unexpected_exit(case: CheckMoment) -> Iterator[Violation]:
    """The server exited by itself with a failure code, or with open requests.

    Fix: Respond to open requests before the process exits, with exit code 0.
    """
    ended = _ended_by_itself(case)
    if ended is None or case.state.opening is None or case.state.process.provoked is not None:
        return
    n, fact = ended
    waiting = [
        each
        for (side, _), each in case.state.requests.open.items()
        if side is Direction.TO_SERVER and each.cancelled is None
    ]
    code = f"with code {fact.code}" if fact.code is not None else f"by {fact.signal}"
    if waiting:
        more = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
        sentence = (
            f"the process exited {code} while {waiting[0].method[:60]} (id {waiting[0].id!r}){more} had no response"
        )
        yield Violation(sentence, frames=(n, waiting[0].frame), instead=True, severity=_WARNING)
    elif fact.code != 0:
        yield Violation(f"the process exited {code}", frames=(n,), instead=True)


def _ended_by_itself(case: CheckMoment) -> tuple[int, ProcessFact] | None:
    asked_to = False
    for n, _, fact in case.state.process.facts:
        asked_to = asked_to or fact.event in (ProcessEvent.SIGNAL, ProcessEvent.STDIN_EOF)
        if fact.event is ProcessEvent.EXIT:
            return None if asked_to else (n, fact)
    return None


@error("Invalid UTF-8", "frame", since="2025-03-26")
def invalid_utf8(case: CheckMoment) -> Iterator[Violation]:
    """“JSON-RPC messages MUST be UTF-8 encoded.”

    Fix: Encode messages as UTF-8.
    """
    payload = case.frame.payload if case.frame is not None else b""
    try:
        payload.decode("utf-8")
    except UnicodeDecodeError as error:
        if _once(case, "invalid-utf8"):
            yield Violation("a message is not valid UTF-8", span=(error.start, error.end))


_WHOLE = 64 * 1024


def _is_sampled(case: CheckMoment) -> bool:
    frame = case.frame
    return (
        frame is not None
        and len(frame.payload) <= _WHOLE
        and case.state.is_sampled(f"ambiguous-json {case.method[:80]}", 10, 100)
    )


@hint(
    "Duplicate member in a JSON object",
    "answer",
    "error",
    "request",
    "notification",
    topic=JSON_RPC,
    heavy=True,
    wanted=_is_sampled,
)
def ambiguous_json(case: CheckMoment) -> Iterator[Violation]:
    """Parsers take the first of two members with one name, the last, or reject both.

    Fix: Write each member once.
    """
    twice: list[str] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            twice.extend(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        return found

    try:
        json.loads(case.frame.payload if case.frame is not None else b"", object_pairs_hook=keep)
    except (ValueError, RecursionError):
        return
    if twice:
        yield Violation(f"the member {twice[0][:60]!r} occurs twice in one object")
