"""Export to a Markdown report: participants, operations, errors.

All server and client text is in code spans and code blocks, so that it can't produce links, images, HTML or
mentions. `mcp-inspect trace` writes a single operation in detail, with a diagram.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from inspector import text
from inspector.capture.store.columns import EntryKind
from inspector.features.export.selection import Selection, is_message
from inspector.present.http import masked_url
from inspector.present.trace import block, code
from inspector.present.traffic.columns import seconds
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import SENDERS

_MAX_MESSAGE_CHARS = 120
_MOST_WRONG = 100
"""Maximum number of errors and invalid frames that are quoted."""
_WORDS = {
    ExchangeState.PENDING: "no answer",
    ExchangeState.ANSWERED: "ok",
    ExchangeState.ERROR: "error",
    ExchangeState.CANCELLED: "cancelled",
    ExchangeState.LATE: "answered too late",
    ExchangeState.LOST: "lost",
}


def report(selection: Selection) -> Iterator[bytes]:
    """Yield the report line by line."""
    for line in _lines(selection):
        yield line.encode("utf-8", "replace") + b"\n"


def _lines(selection: Selection) -> Iterator[str]:
    yield from ("# A recorded MCP session", "", "| | |", "|---|---|")
    for name, value in _facts(selection):
        yield f"| {name} | {_cell(value)} |"
    yield from _notes(selection)
    yield from ("", "## Requests", "")
    yield from ("| entry | seconds | from | method | target | outcome | took |", "|---:|---:|---|---|---|---|---:|")
    wrong: list[Exchange] = []
    for exchange in _exchanges(selection):
        yield _row(selection, exchange)
        if (exchange.state is not ExchangeState.ANSWERED or exchange.tool_error) and len(wrong) < _MOST_WRONG:
            wrong.append(exchange)
    yield from _failures(selection, wrong)
    yield from _noise(selection)
    yield from _stderr(selection)


def _facts(selection: Selection) -> Iterator[tuple[str, str]]:
    journal, connection = selection.journal, selection.connection
    opening = journal.conversation.opening
    if opening is not None:
        yield "server", _named(opening.server)
        yield "client", _named(opening.client)
        yield "revision", opening.revision.date
    if connection is not None:
        url = connection.url if selection.keep_secrets else masked_url(connection.url)
        yield "transport", connection.transport
        yield "target", url if connection.url else " ".join(connection.argv)
    if journal.count:
        yield "began", _moment(journal.store.wall_ns(1))
        yield "lasted", f"{seconds(journal.store.time_ns(journal.count) - journal.store.time_ns(1))} s"
    yield "entries", f"{len(selection.chosen):,} of {journal.count:,}"


def _notes(selection: Selection) -> Iterator[str]:
    """Yield the user's notes. They are escaped like foreign text."""
    notes, marks = selection.notes, [*selection.marks(selection.chosen)]
    if not notes.remark and not marks and not notes.views and not notes.reference:
        return
    yield from ("", "## Notes", "")
    if notes.remark:
        yield from (*(f"> {_cell(line) or ' '}" for line in notes.remark.splitlines()), "")
    for mark in marks:
        yield f"- entry {mark.n} ({mark.color})" + (f": {_cell(mark.text)}" if mark.text else "")
    if notes.reference:
        yield f"- times count from entry {notes.reference}"
    for view in notes.views:
        yield f"- view {_cell(view.name)}: {_cell(view.filter) or 'no filter'}"


def _moment(wall_ns: int) -> str:
    try:
        return f"{datetime.fromtimestamp(wall_ns // 1_000_000_000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return "at an invalid time"


def _named(who: dict[str, object]) -> str:
    return f"{peek.text(who, 'name') or ''} {peek.text(who, 'version') or ''}".strip()


def _cell(message: str) -> str:
    """Return a text as code in a table; "" stays empty."""
    return code(text.visible(message, limit=_MAX_MESSAGE_CHARS)).replace("|", "\\|") if message else ""


def _exchanges(selection: Selection) -> Iterator[Exchange]:
    """Yield the exchanges whose request was chosen, in order."""
    whole = len(selection.chosen) == selection.journal.count
    chosen = None if whole else set(selection.chosen)
    for exchange in selection.journal.conversation.exchanges:
        if chosen is None or exchange.request_frame in chosen:
            yield exchange


def _row(selection: Selection, exchange: Exchange) -> str:
    after = seconds(exchange.started_ns - selection.journal.store.time_ns(1))
    sender = SENDERS[exchange.sender]
    took = f"{seconds(exchange.duration_ns)} s" if exchange.duration_ns is not None else ""
    cells = (str(exchange.request_frame), after, sender, _cell(exchange.method), _cell(exchange.target))
    return f"| {' | '.join(cells)} | {_outcome(exchange)} | {took} |"


def _outcome(exchange: Exchange) -> str:
    if exchange.state is ExchangeState.ERROR:
        return f"error {exchange.error_code}" if exchange.error_code is not None else "error"
    return "tool error" if exchange.tool_error else "asks" if exchange.asks else _WORDS[exchange.state]


def _failures(selection: Selection, wrong: list[Exchange]) -> Iterator[str]:
    if not wrong:
        return
    yield from ("", "## What went wrong", "")
    for exchange in wrong:
        message = f": {code(text.visible(exchange.why, limit=_MAX_MESSAGE_CHARS))}" if exchange.why else ""
        target = f" {_cell(exchange.target)}" if exchange.target else ""
        yield f"- entry {exchange.request_frame}, {_cell(exchange.method)}{target}: {_outcome(exchange)}{message}"
        if exchange.answer_frame is not None:
            yield ""
            yield from block(selection.journal, exchange.answer_frame)
            yield ""


def _noise(selection: Selection) -> Iterator[str]:
    """Yield the frames that are not messages."""
    found = 0
    for frame in selection.frames():
        if is_message(frame):
            continue
        if not found:
            yield from ("", "## Invalid messages", "")
        found += 1
        if found <= _MOST_WRONG:
            sender = SENDERS[frame.direction]
            yield f"- entry {frame.n}, from the {sender}: {_cell(text.decode(frame.payload[:1000]))}"
    if found > _MOST_WRONG:
        yield f"- and {found - _MOST_WRONG:,} more"


def _stderr(selection: Selection) -> Iterator[str]:
    store, is_first = selection.journal.store, True
    for n in selection.entries():
        what = store.entry(n).what if store.kind(n) is EntryKind.STDERR else None
        if isinstance(what, Stderr):
            if is_first:
                yield from ("", "## What the server wrote to stderr", "")
                is_first = False
            yield f"- entry {n}: {_cell(text.decode(what.payload))}"
