"""Content of the detail: one entry with its exchange, its exact bytes and its HTTP headers.

Payload bytes are passed on unchanged; the widget that lays them out (tree, raw text, hex dump) makes them safe. All
other text here is safe already.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, assert_never

from inspector import text
from inspector.capture.format.records import Entry, joined_payload
from inspector.capture.journal import Journal
from inspector.capture.messages import exchange_at, result_response_of
from inspector.documents import UNDECODABLE
from inspector.forms.typed import json_text
from inspector.present import spans, words
from inspector.present.changes.captures import change_lines
from inspector.present.http import header_facts, http_sections, masked_url
from inspector.present.json_text import JsonLines
from inspector.present.server_log import requested_level
from inspector.present.spans import Fact as SpansFact
from inspector.present.spans import Line, Section, Span, fact, plain
from inspector.present.trace import TraceRows, trace_of
from inspector.present.traffic.columns import seconds
from inspector.present.traffic.tail import cause_of
from inspector.present.words import progress_spans, state_of
from inspector.protocol import peek
from inspector.protocol.changes import differences
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import ConnectionFact, Fact, HttpFact, ProcessEvent, ProcessFact, SseNote, Stderr
from inspector.protocol.frames import Cause, Channel, Direction, Frame
from inspector.protocol.jsonrpc import Message, Notification, NotJsonRpc, Request, decode_in_pieces, encode, read
from inspector.protocol.listed_items import LISTS, Tool
from inspector.protocol.request_meta import trace_context
from inspector.protocol.tracking.catalogue import Listing
from inspector.protocol.unreadable import messages_of
from inspector.protocol.unreadable import reason as reason_of

_NAMES = ("bytes", "request", "notification", "response", "response", "bytes", "batch")
"""Indexed by the kind of message."""
_LOOKED_BACK = 300
"""Maximum number of earlier exchanges searched for an equal request."""
_MOST_COMPARED = 1_000_000
"""Maximum size of a message that is compared, in bytes."""
_SCHEMA_LINES = 500
"""Maximum number of lines of one schema."""
_MOST = 50
"""Maximum number of items named in each part."""
_MOMENT_NAMES = 20

_WHERE = {
    Direction.TO_SERVER: "to the server",
    Direction.FROM_SERVER: "from the server",
    Direction.FROM_VIEW: "from the app to its host",
    Direction.TO_VIEW: "from the host to the app",
}

_CAUSES = {
    Cause.USER: "for the user",
    Cause.OPENING: "to open the session",
    Cause.REFRESH: "to refresh a list",
    Cause.CHECK: "for check",
    Cause.PROBE: "as a probe",
    Cause.RETRY: "as a retry",
    Cause.POLL: "to follow a task",
    Cause.ANSWER: "as a response to the server",
    Cause.CANCEL: "to cancel a request",
    Cause.IN_PLACE: "in place of the server",
}


@dataclass(frozen=True, slots=True)
class PayloadSide:
    """A payload with its name."""

    name: str
    """"request", "response", "notification", "stderr", "bytes" and similar."""
    n: int
    """Number of its entry."""
    payload: bytes
    missing: bool = False
    """Whether the bytes can't be read back; `payload` is empty then."""


@dataclass(frozen=True, slots=True)
class Detail:
    """One entry in full."""

    n: int
    title: Line
    facts: tuple[spans.Fact, ...]
    sides: tuple[PayloadSide, ...]
    """Request and response; a single side for anything else; empty for a fact without bytes."""
    shown: int
    """Index of the entry's own side."""
    headers: tuple[Section, ...] = ()
    """HTTP headers; empty for other transports."""

    @property
    def side(self) -> PayloadSide | None:
        """The entry's own side."""
        return self.sides[self.shown] if self.sides else None


def detail_of(journal: Journal, n: int, *, reveal: bool = False, now_ns: int | None = None) -> Detail:
    """Return the detail of entry n; a response comes with its request and vice versa.

    `reveal` shows secret header values. `now_ns` is used for the age of pending requests; None omits it.
    """
    entry = journal.store.entry(n)
    if isinstance(entry.what, Frame):
        return _of_frame(journal, entry, entry.what, reveal, now_ns)
    return _of_fact(journal, entry, entry.what, reveal)


def _of_frame(journal: Journal, entry: Entry, frame: Frame, reveal: bool, now_ns: int | None) -> Detail:
    exchange = _exchange(journal, entry.n)
    sides = _edited_sides(journal, entry, frame) or _sides(journal, entry, frame, exchange)
    http = frame.http if frame.http is not None else exchange.http if exchange is not None else None
    return Detail(
        entry.n,
        _title(journal, entry.n, frame, exchange),
        (
            *_frame_facts(entry, frame, cause_of(journal, frame, exchange)),
            *_edit_facts(journal, entry.n),
            *_exchange_facts(journal, exchange, now_ns),
        ),
        sides,
        next(at for at, side in enumerate(sides) if side.n == entry.n),
        http_sections(journal, http, reveal=reveal),
    )


def _exchange(journal: Journal, n: int) -> Exchange | None:
    number, exchanges = journal.store.exchange(n), journal.conversation.exchanges
    return exchanges[number - 1] if 0 < number <= len(exchanges) else None


def _edited_sides(journal: Journal, entry: Entry, frame: Frame) -> tuple[PayloadSide, ...]:
    """Return what each party saw of a message changed by a proxy; () if it was not changed."""
    changed = [edit for edit in journal.edits.get(entry.n, ()) if edit.raw is not None or edit.b64 is not None]
    if not changed:
        return ()
    parties = ("Client sent", "Server saw") if frame.direction is Direction.TO_SERVER else ("Server sent", "Client saw")
    edited = joined_payload(changed[-1].raw, changed[-1].b64)
    return PayloadSide(parties[0], entry.n, frame.payload, entry.missing), PayloadSide(parties[1], 0, edited)


def _edit_facts(journal: Journal, n: int) -> Iterator[SpansFact]:
    for edit in journal.edits.get(n, ()):
        yield fact(f"tap: {edit.act}", " ".join(filter(None, (f"by {edit.by}" if edit.by else "", edit.why))))


def _sides(journal: Journal, entry: Entry, frame: Frame, exchange: Exchange | None) -> tuple[PayloadSide, ...]:
    """Return the request before its response; a notification about an exchange is alone."""
    own = PayloadSide(_name(journal, entry.n), entry.n, frame.payload, entry.missing)
    if exchange is None or own.name not in ("request", "response"):
        return (own,)
    other = exchange.answer_frame if exchange.request_frame == entry.n else exchange.request_frame
    if other is None or other == entry.n or not 0 < other <= journal.count:
        return (own,)
    partner = journal.store.entry(other)
    if not isinstance(partner.what, Frame):
        return (own,)
    name = "response" if own.name == "request" else "request"
    found = PayloadSide(name, other, partner.what.payload, partner.missing)
    return (own, found) if own.name == "request" else (found, own)


def _name(journal: Journal, n: int) -> str:
    return _NAMES[journal.store.message_kind(n)]


def _title(journal: Journal, n: int, frame: Frame, exchange: Exchange | None) -> Line:
    to_server = frame.direction.is_towards_server
    way: Line = ((f"{spans.TO_SERVER} ", "to_server") if to_server else (f"{spans.FROM_SERVER} ", "from_server"),)
    name = _name(journal, n)
    method = journal.store.method(n) or (exchange.method if exchange is not None else "")
    if not method:
        reason = reason_of(frame) if frame.cut else getattr(read(frame.payload[:100_000])[0], "reason", "")
        return (*way, (name if not reason else f"not JSON-RPC: {reason}", "warning" if reason else "method"))
    parts: Line = (*way, spans.span(method, "method", limit=200))
    if name != "request" and name != "notification":
        parts = (*way, (f"{name} to ", "muted"), spans.span(method, "method", limit=200))
    if exchange is not None and exchange.target and name != "notification":
        parts = (*parts, (" ", "text"), spans.span(exchange.target, "target", limit=200))
    return parts


def _frame_facts(entry: Entry, frame: Frame, cause: Cause) -> list[spans.Fact]:
    where = f"{_WHERE[frame.direction]} on {frame.channel.value}"
    facts = [
        spans.Fact("entry", f"#{entry.n} at {text.clock(entry.wall_ns)}"),
        spans.Fact("crossed", f"{where}, {_CAUSES[cause]}" if cause else where),
        spans.Fact("size", _size(len(frame.payload))),
    ]
    if frame.cut:
        whole = f"truncated: {_size(len(frame.payload) + frame.cut)} is over the limit"
        facts.append(spans.Fact("cut", f"{whole}; --max message=SIZE raises it", "warning"))
    elif frame.channel is Channel.STDOUT and any(isinstance(m, NotJsonRpc) for m in _messages(frame)):
        facts.append(spans.Fact("advice", "stdout must contain messages only; write logs to stderr", "warning"))
    if entry.missing:
        facts.append(spans.Fact("problem", "cannot read the message from the capture", "error"))
    if frame.eol.value == "crlf":
        facts.append(spans.Fact("line end", "CR LF"))
    if frame.http is not None:
        facts.append(spans.Fact("HTTP exchange", str(frame.http)))
    if frame.sse is not None:
        parts = {"event": frame.sse.event, "id": frame.sse.id, "retry": frame.sse.retry}
        described = ", ".join(f"{key} {value}" for key, value in parts.items() if value is not None)
        facts.append(spans.fact("SSE event", described or "data only"))
    for message in _messages(frame):
        if isinstance(message, Request | Notification) and (context := trace_context(message.params)) is not None:
            sampled = "sampled" if context.sampled else "not sampled"
            facts.append(spans.Fact("trace", f"{context.trace}, parent span {context.parent}, {sampled}"))
    defects = [defect for message in _messages(frame) for defect in message.defects]
    facts += [spans.fact("defect", defect, "warning") for defect in dict.fromkeys(defects)]
    return facts


def _messages(frame: Frame) -> tuple[Message, ...]:
    """Return the messages of a frame; empty for a large one, which would take too long."""
    return messages_of(frame) if len(frame.payload) <= 1_000_000 else ()


def _size(size: int) -> str:
    return text.human_size(size) if size < 1000 else f"{text.human_size(size)} ({size:,} bytes)"


def _exchange_facts(journal: Journal, exchange: Exchange | None, now_ns: int | None) -> list[spans.Fact]:
    if exchange is None:
        return []
    state, role = words.status_in(journal, exchange)
    took = exchange.duration_ns
    if took is None and now_ns is not None and journal.live:
        took = now_ns - exchange.started_ns
    after = "" if took is None else f" after {text.human_duration(max(0, took))}"
    facts = [spans.fact("exchange", f"{exchange.number}, id {exchange.id!r}"), spans.Fact("state", state + after, role)]
    if exchange.why:
        facts.append(spans.fact("why", exchange.why, "warning"))
    if exchange.progress is not None:
        facts.append(spans.fact("progress", f"{words.progress_words(exchange.progress)} ({exchange.progress.count} ×)"))
    if exchange.revision:
        facts.append(spans.fact("protocol version", exchange.revision))
    return facts


def _of_fact(journal: Journal, entry: Entry, fact: Fact, reveal: bool) -> Detail:
    message, role = words.sentence(fact)
    facts = (spans.Fact("entry", f"#{entry.n} at {text.clock(entry.wall_ns)}"), *_fact_facts(fact))
    sides: tuple[PayloadSide, ...] = ()
    headers: tuple[Section, ...] = ()
    match fact:
        case Stderr():
            sides = (PayloadSide("stderr", entry.n, fact.payload, entry.missing),)
        case SseNote():
            sides = (PayloadSide("event", entry.n, fact.raw, entry.missing),)
            headers = http_sections(journal, fact.http, reveal=reveal)
        case HttpFact():
            headers = http_sections(journal, fact.http, reveal=reveal) or (
                Section("Headers", header_facts(fact, reveal=reveal)),
            )
        case ConnectionFact() | ProcessFact():
            pass
        case _:
            assert_never(fact)
    return Detail(entry.n, ((f"{spans.EVENT} ", role), (message or "(empty line)", role)), facts, sides, 0, headers)


def _fact_facts(fact: Fact) -> list[spans.Fact]:
    match fact:
        case Stderr():
            size = spans.Fact("size", _size(len(fact.payload)))
            return [size, spans.Fact("line end", "none yet", "warning")] if fact.partial else [size]
        case ConnectionFact():
            members = {
                "transport": words.TRANSPORTS.get(fact.transport, fact.transport),
                "command": words.command_line(fact.argv),
                "directory": fact.cwd,
                "url": masked_url(fact.url),
                "variables": ", ".join(fact.env_names),
                "why": fact.why,
            }
        case ProcessFact():
            code = "" if fact.code is None else str(fact.code)
            members = {"process": str(fact.pid), "exit code": code, "signal": fact.signal}
        case HttpFact():
            members = {"HTTP exchange": str(fact.http), "why": fact.why}
        case SseNote():
            retry = "" if fact.retry is None else f"{fact.retry} ms"
            members = {"HTTP exchange": str(fact.http), "event": fact.event or "", "id": fact.id or "", "retry": retry}
        case _:
            assert_never(fact)
    return [spans.fact(key, value) for key, value in members.items() if value]


# More about an exchange: its trace, the schemas of its tool, and the differences from the previous one.


def previous_of(journal: Journal, exchange: Exchange | None) -> Exchange | None:
    """Return the previous exchange with the same method and target, if both have a response; otherwise None."""
    if exchange is None or exchange.answer_frame is None:
        return None
    exchanges = journal.conversation.exchanges
    for number in range(exchange.number - 1, max(0, exchange.number - _LOOKED_BACK), -1):
        other = exchanges[number - 1]
        if (other.method, other.target, other.sender) == (exchange.method, exchange.target, exchange.sender):
            return other if other.answer_frame is not None else None
    return None


def tool_of(journal: Journal, exchange: Exchange | None) -> Tool | None:
    """Return the called tool from the current list; None for another method, or if the tool is not listed."""
    if exchange is None or exchange.method != "tools/call":
        return None
    listed = journal.conversation.catalogue.listings["tools"].items
    return next((Tool(raw) for raw in listed if peek.text(raw, "name") == exchange.target), None)


def trace_sections(journal: Journal, n: int, width: int) -> tuple[Section, ...]:
    """Return the trace of entry n's operation, with steps `width` cells wide."""
    trace = trace_of(journal, n)
    if trace is None:
        return (Section("Trace", note="This entry belongs to no request"),)
    rows = TraceRows(trace)
    steps = tuple(tuple(rows.row(index, width).spans) for index in range(rows.count))
    return Section(f"Trace of {trace.title}", trace.facts), Section("Steps", lines=steps)


def schema_sections(tool: Tool) -> tuple[Section, ...]:
    return tuple(
        Section(name, lines=tuple(tuple(line) for line in _json_lines(tool.raw[name])))
        for name in ("inputSchema", "outputSchema")
        if name in peek.mapping(tool.raw)
    )


def _json_lines(value: Any) -> Iterator[Line]:
    lines = JsonLines(json_text(value).encode("utf-8", "replace"))
    yield from (tuple(lines.line(index)) for index in range(min(lines.count, _SCHEMA_LINES)))
    if lines.count > _SCHEMA_LINES:
        yield (("Truncated. Raw of tools/list shows all.", "warning"),)


def diff_sections(journal: Journal, exchange: Exchange, before: Exchange) -> tuple[Section, ...]:
    """Return the differences from an earlier exchange, in the params and the response."""
    parts = (
        ("Params", before.request_frame, exchange.request_frame, ("params",)),
        ("Response", before.answer_frame or 0, exchange.answer_frame or 0, ("result", "error")),
    )
    found = []
    for title, old, new, members in parts:
        sides = [
            {key: raw[key] for key in members if key in raw} for raw in map(partial(_message, journal), (old, new))
        ]
        changes = differences(*sides)
        lines = tuple(line for change in changes for line in change_lines(change))
        found.append(Section(f"{title}  #{old} → #{new}", lines=lines, note="" if changes else "Unchanged"))
    return tuple(found)


def _message(journal: Journal, n: int) -> Mapping[str, Any]:
    """Return the message of an entry; empty if it can't be read or is too large to compare at once."""
    frame = journal.store.entry(n).what if 0 < n <= journal.count else None
    if not isinstance(frame, Frame) or len(frame.payload) > _MOST_COMPARED:
        return {}
    try:
        return peek.mapping(decode_in_pieces(frame.payload))
    except UNDECODABLE:
        return {}


# State at an entry: protocol version, capabilities, lists and their freshness, watched resources, pending requests.


def moment_sections(journal: Journal) -> tuple[Section, ...]:
    """Return the state right after the newest entry of this journal."""
    sections = (
        Section("State", tuple(_moment(journal))),
        Section(
            "Pending", lines=tuple(_in_flight(journal)), note="" if journal.conversation.pairs.count_open else "nothing"
        ),
        Section("Lists", tuple(_lists(journal))),
        Section("Watched", tuple(_watched(journal))),
        Section("Tasks", tuple(_tasks(journal))),
        Section("Server requests", tuple(_asked(journal))),
        Section("Can", tuple(_capabilities(journal))),
    )
    return tuple(section for section in sections if section.facts or section.lines or section.note)


def _moment(journal: Journal) -> Iterable[SpansFact]:
    count, opening = journal.count, journal.conversation.opening
    if not count:
        yield SpansFact("entry", "no messages yet", "muted")
        return
    since = max(0, journal.store.time_ns(count) - journal.started_ns)
    yield SpansFact(
        "entry", f"#{count:,} at {text.clock(journal.store.wall_ns(count))}, {seconds(since)} s after the start"
    )
    if opening is None:
        yield SpansFact("protocol version", "not negotiated yet", "warning")
    else:
        name, version = peek.text(opening.server, "name") or "", peek.text(opening.server, "version") or ""
        yield fact("protocol version", f"{opening.revision.date} ({opening.era})")
        yield fact("server", f"{name} {version}".strip() or "no serverInfo")
    yield from _process(journal)
    yield from _level(journal)


def _process(journal: Journal) -> Iterable[SpansFact]:
    if journal.ended is not None:
        yield fact("connection", f"ended: {journal.ended.why or 'closed'}", "warning")
    elif journal.connection is not None:
        yield SpansFact("connection", "open", "ok")
    steps = [entry.what for entry in journal.processes if isinstance(entry.what, ProcessFact)]
    steps = [each for each in steps if each.event is not ProcessEvent.STALL]
    if steps:
        gone = steps[-1].event is ProcessEvent.EXIT
        how = steps[-1].signal or f"code {steps[-1].code}"
        yield fact(
            "process", f"{steps[-1].pid} " + (f"ended with {how}" if gone else "runs"), "warning" if gone else "ok"
        )


def _level(journal: Journal) -> Iterable[SpansFact]:
    entries = journal.store.of_method("logging/setLevel")
    setting = exchange_at(journal, entries[-1]) if entries else None
    found, _ = requested_level(journal, setting, "")
    words = plain(found[2:]).strip()
    if words:
        yield SpansFact("log level", words, "muted")


def _in_flight(journal: Journal) -> Iterable[Line]:
    now = journal.store.time_ns(journal.count) if journal.count else 0
    pending = journal.conversation.pairs.pending
    for exchange in pending[:_MOST]:
        sent = exchange.sender.is_towards_server
        way: Span = (spans.TO_SERVER, "to_server") if sent else (spans.FROM_SERVER, "from_server")
        named = text.visible(f"{exchange.method} {exchange.target}".strip(), limit=200)
        waits = text.human_duration(max(0, now - exchange.started_ns))
        progress = progress_spans(exchange.progress, running=True) if exchange.progress is not None else []
        yield (
            way,
            (f" {named}", "method"),
            (f"  #{exchange.request_frame}", "faint"),
            (f"  {spans.PENDING} for {waits}", "pending"),
            *(() if not progress else (("  ", "text"), *progress)),
        )
    if len(pending) > _MOST:
        yield ((f"and {len(pending) - _MOST:,} more", "muted"),)


def _lists(journal: Journal) -> Iterable[SpansFact]:
    for kind, listing in journal.conversation.catalogue.listings.items():
        if not listing.asked:
            yield SpansFact(kind, "not listed yet", "faint")
            continue
        names = [peek.text(item, "name") or peek.text(item, "uri") or "?" for item in listing.items[:_MOMENT_NAMES]]
        more = f" and {len(listing.items) - _MOMENT_NAMES:,} more" if len(listing.items) > _MOMENT_NAMES else ""
        count = f"{len(listing.items):,}" + ("" if listing.next_cursor is None else " so far")
        yield fact(kind, f"{count}: {', '.join(names)}{more}" if names else count)
        if listing.outdated:
            yield SpansFact("", f"{spans.WARNING} stale{_since(journal, kind, listing)}", "warning")


def _since(journal: Journal, kind: str, listing: Listing) -> str:
    """Return which notification made a list stale: the first one after its last request."""
    listed = LISTS[kind]
    asked = max(journal.store.of_method(listed.method), default=0)
    changed_at = next((n for n in journal.store.of_method(listed.changed) if n > asked), None)
    return f" since #{changed_at} ({listed.changed})" if changed_at is not None else ""


def _watched(journal: Journal) -> Iterable[SpansFact]:
    watching = journal.conversation.subscriptions
    for uri in watching.watched[:_MOST]:
        update = watching.updates.get(uri)
        yield fact(uri, "watched" if update is None else f"updated {update.count} times, last in #{update.frame}")
    for stream in watching.open_streams[:_MOST]:
        granted = "not acknowledged yet" if stream.granted is None else _json(stream.granted.as_json())
        yield fact(f"stream #{stream.exchange.request_frame}", granted)


def _tasks(journal: Journal) -> Iterable[SpansFact]:
    for task in journal.conversation.tasks.all[-_MOST:]:
        if not task.ended:
            words, role = state_of(task)
            of = f", of #{journal.conversation.exchanges[task.exchange - 1].request_frame}" if task.exchange else ""
            yield SpansFact(text.visible(task.id, limit=60), words + of, role)


def _asked(journal: Journal) -> Iterable[SpansFact]:
    conversation = journal.conversation
    for server_request in conversation.server_requests[-_MOST:]:
        exchange = conversation.exchanges[server_request.exchange - 1] if server_request.exchange else None
        if exchange is not None and (exchange.is_open or (exchange.asks and not exchange.retried)):
            yield fact(
                server_request.kind, f"{server_request.message or 'no message'}  #{server_request.frame}", "warning"
            )
    roots = _roots(journal)
    if roots is not None:
        yield fact("roots", ", ".join(roots) or "none")


def _roots(journal: Journal) -> list[str] | None:
    """Return the roots in the last response to the server; None if there was none."""
    for n in reversed(journal.store.of_method("roots/list")[-_MOST:]):
        exchange = exchange_at(journal, n)
        answer = result_response_of(journal, exchange) if exchange is not None else None
        if answer is not None:
            return [peek.text(root, "uri") or "?" for root in peek.items(answer.result, "roots")[:_MOMENT_NAMES]]
    return None


def _capabilities(journal: Journal) -> Iterable[SpansFact]:
    opening = journal.conversation.opening
    if opening is not None:
        yield fact("server", _json(opening.capabilities))
        yield fact("client", _json(opening.client_capabilities))


def _json(value: object) -> str:
    return encode(value).decode(errors="replace")
