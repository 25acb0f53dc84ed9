"""The trace of one operation: everything that happened for it and at the same time, in order, on one page.

It includes the requests of the operation (retries, pages, polls), their responses, late or duplicate ones too, its
progress, server requests meanwhile with their responses, and the HTTP exchanges that carried all that. Log messages,
stderr, process and connection events of that window are shown next to them, because their cause is unknown.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Literal

import msgspec

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.messages import exchange_at
from inspector.capture.store.columns import EntryKind, MessageKind
from inspector.capture.store.store import beginning
from inspector.present import spans as signs
from inspector.present import words
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Fact, Role, Span, fact, lay
from inspector.present.traffic.columns import seconds
from inspector.present.words import state_of
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import HttpFact
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.request_meta import LOG_MESSAGE
from inspector.protocol.server_requests import ServerRequest

MOST_STEPS = 2000
"""Maximum steps; a longer trace shows its first and last ones."""
_MOST_BESIDE = 500
"""Maximum log messages and lines of stderr; the first ones are shown."""
_MOST_QUESTIONS = 1000
_BESIDE = (EntryKind.STDERR, EntryKind.PROCESS, EntryKind.CONNECTION)
_IS_BESIDE = bytes(kind in _BESIDE for kind in range(256))

Way = Literal["to_server", "from_server", "to_host", "to_view", "beside"]
_WAY_OF: dict[Direction, Way] = {
    Direction.TO_SERVER: "to_server",
    Direction.FROM_SERVER: "from_server",
    Direction.FROM_VIEW: "to_host",
    Direction.TO_VIEW: "to_view",
}
Part = Literal[
    "request", "answer", "progress", "question", "reply", "cancel", "late", "notification", "log", "http", "stderr",
    "event",
]  # fmt: skip

MOST_BYTES = 4096
"""Maximum bytes of each payload."""
_MOST_ARROWS = 200
"""Maximum arrows in the diagram: renderers fail on larger ones."""
_MAX_LABEL_CHARS = 90
_PAYLOADS = frozenset(("request", "answer", "question", "reply", "late", "cancel"))
"""Steps whose messages are quoted."""
_PLAIN = re.compile(r"[^A-Za-z0-9 .,:/()_=+*?!'-]")
_END = re.compile(r"\bend\b", re.IGNORECASE)
"""A keyword that ends a block of a diagram wherever it appears."""
_TICKS = re.compile(r"`+")
_ARROWS = {"request": "->>", "question": "->>", "answer": "-->>", "reply": "-->>", "late": "--x"}
_WAYS: dict[str, Span] = {
    "to_server": (signs.TO_SERVER, "to_server"),
    "from_server": (signs.FROM_SERVER, "from_server"),
    "to_host": (signs.TO_SERVER, "to_server"),
    "to_view": (signs.FROM_SERVER, "from_server"),
    "beside": (signs.NOTE, "event"),
}
_NESTED = ("progress", "question", "reply", "log", "notification", "http", "stderr", "event")
"""Steps that are shown below the operation's own messages."""

_PARTIES = {"to_server": ("C", "S"), "from_server": ("S", "C"), "to_host": ("V", "C"), "to_view": ("C", "V")}


class TraceStep(msgspec.Struct, frozen=True):
    """Something that happened. Its texts are safe to show."""

    n: int
    """Entry."""
    after_ns: int
    """Nanoseconds since the start of the trace."""
    way: Way
    part: Part
    title: str
    summary: str = msgspec.field(name="said")
    """Summary of the step; "" for none."""
    role: Role = "text"


class Trace(msgspec.Struct, frozen=True):
    """One operation. Its texts are safe to show."""

    title: str
    facts: tuple[Fact, ...]
    steps: tuple[TraceStep, ...]
    left_out: int
    """Number of steps left out in the middle."""
    first: int
    """First entry."""
    open: bool
    """Whether more steps may follow."""
    server: str
    """Name that the server reports, or ""."""


class _Cast(msgspec.Struct):
    """The exchanges of a trace."""

    own: list[Exchange]
    server_requests: list[ServerRequest]
    asked: list[Exchange]
    """Server requests made during the operation."""
    mine: set[int]
    """Numbers of `own`."""

    @property
    def all(self) -> list[Exchange]:
        return [*self.own, *self.asked]

    @property
    def numbers(self) -> set[int]:
        """Numbers of all of them."""
        return {each.number for each in self.all}


def entries_of(journal: Journal, n: int) -> list[int]:
    """Return all entries of the trace of entry n; empty if it belongs to no operation."""
    exchange = exchange_at(journal, n)
    return [] if exchange is None else _entries(journal, _cast(journal, _cause(journal, exchange)))[1]


def entries_of_all(journal: Journal, wanted: Iterable[int]) -> list[int]:
    """Return these entries and all entries of their traces. Many of them in a long journal take seconds."""
    found = set[int]()
    for n in wanted:
        if n not in found and 0 < n <= journal.count:
            found.update(entries_of(journal, n), (n,))
    return sorted(found)


def _entries(journal: Journal, cast: "_Cast") -> tuple[int, list[int]]:
    """Return the first entry of the operation, and all of its entries with those that happened at the same time."""
    first, last = _window(journal, cast)
    return first, sorted({*_own_entries(journal, cast), *_beside(journal, first, last)})


def trace_of(journal: Journal, n: int) -> Trace | None:
    """Return the trace of the operation that entry n belongs to; None if it belongs to none."""
    exchange = exchange_at(journal, n)
    if exchange is None:
        return None
    cast = _cast(journal, _cause(journal, exchange))
    first, numbers = _entries(journal, cast)
    left_out = max(0, len(numbers) - MOST_STEPS)
    if left_out:
        numbers = [*numbers[: MOST_STEPS // 2], *numbers[-MOST_STEPS // 2 :]]
    began = journal.store.time_ns(first)
    steps = tuple(_step(journal, each, began, cast) for each in numbers)
    return Trace(
        _title(cast.own[0]),
        tuple(_facts(journal, cast, steps)),
        steps,
        left_out,
        first,
        journal.live and any(each.is_open for each in cast.all),
        _server(journal),
    )


# Exchanges of a trace.


def _cause(journal: Journal, exchange: Exchange) -> Exchange:
    """Return the exchange that caused a server request, if known; else the exchange itself."""
    if exchange.sender is Direction.TO_SERVER:
        return exchange
    for server_request in reversed(journal.conversation.server_requests[-_MOST_QUESTIONS:]):
        if server_request.exchange == exchange.number and server_request.cause is not None:
            return journal.conversation.exchanges[server_request.cause - 1]
    return exchange


def _cast(journal: Journal, exchange: Exchange) -> _Cast:
    exchanges = journal.conversation.exchanges
    numbers: Sequence[int] = (exchange.number,)
    if exchange.operation is not None:
        numbers = journal.conversation.operations.operation(exchange.operation).exchanges
    mine = {*numbers, exchange.number}
    own = [exchanges[number - 1] for number in sorted(mine)]
    server_requests = [
        each for each in journal.conversation.server_requests if each.cause in mine or each.exchange in mine
    ]
    asked = {each.exchange for each in server_requests if each.exchange not in mine}
    return _Cast(own, server_requests, [exchanges[number - 1] for number in sorted(asked)], mine)


def _window(journal: Journal, cast: _Cast) -> tuple[int, int]:
    """Return the first and the last entry of the trace; an open trace lasts until the newest entry."""
    first = min(each.request_frame for each in cast.all)
    if any(each.is_open for each in cast.all):
        return first, journal.count
    last = max(journal.store.of_any_exchange(cast.numbers, first, journal.count), default=first)
    ended = max((each.ended_ns or 0 for each in cast.all), default=0)
    entries = range(first, journal.count + 1)
    return first, max(last, first + bisect_left(entries, ended, hi=len(entries) - 1, key=journal.store.time_ns))


def _own_entries(journal: Journal, cast: _Cast) -> Iterator[int]:
    first = min(each.request_frame for each in cast.all)
    yield from journal.store.of_any_exchange(cast.numbers, first, journal.count)
    for each in cast.all:
        yield each.request_frame
        carried = journal.http_exchanges.get(each.http) if each.http is not None else None
        if carried is not None:
            yield from (n for n in (carried.request_n, carried.response_n, carried.end_n) if n)


def _beside(journal: Journal, first: int, last: int) -> Iterator[int]:
    store = journal.store
    part = store.columns(first, last)
    found = list(compress(range(first, last + 1), part.kinds.translate(_IS_BESIDE)))
    log = store.method_number(LOG_MESSAGE)
    if log > 0:
        found += [first + at for at, number in enumerate(part.methods) if number == log]
    yield from sorted(found)[:_MOST_BESIDE]


# Steps of a trace.


def _step(journal: Journal, n: int, began: int, cast: _Cast) -> TraceStep:
    after = journal.store.time_ns(n) - began
    entry = beginning(journal.store, n)
    what = entry.what
    if isinstance(what, Frame):
        return _of_frame(journal, n, what, after, cast)
    message, role = words.sentence(what)
    kind = journal.store.kind(n)
    if isinstance(what, HttpFact):
        way: Way = "to_server" if what.event.value == "request" else "from_server"
        return TraceStep(n, after, way, "http", f"HTTP {what.http}", message, "muted")
    return TraceStep(
        n, after, "beside", "stderr" if kind is EntryKind.STDERR else "event", kind.name.lower(), message, role
    )


def _of_frame(journal: Journal, n: int, frame: Frame, after: int, cast: _Cast) -> TraceStep:
    exchange, store = exchange_at(journal, n), journal.store
    way = _WAY_OF[frame.direction]
    message, role = words.of_payload(frame.payload)
    method, kind = text.visible(store.method(n), limit=200), store.message_kind(n)
    if kind is MessageKind.NOTIFICATION:
        part, role = _notification(method)
        return TraceStep(n, after, way, part, method, message, role)
    if exchange is None:
        return TraceStep(n, after, way, "notification", method or kind.name.lower(), message, role)
    own = exchange.number in cast.mine
    title = _title(exchange)
    if kind is MessageKind.REQUEST or n == exchange.request_frame:
        again = own and exchange.number != cast.own[0].number and cast.own[0].method == exchange.method
        message = message if not again else f"retry: {message}" if message else "again"
        return TraceStep(
            n, after, way, "request" if own else "question", title, message, "method" if own else "warning"
        )
    if n != exchange.answer_frame or exchange.state is ExchangeState.LATE:
        return TraceStep(n, after, way, "late", f"late response to {title}", message, "warning")
    state, state_role = words.status_in(journal, exchange)
    return TraceStep(n, after, way, "answer" if own else "reply", f"{state}  {title}", message, state_role)


def _notification(method: str) -> tuple[Part, Role]:
    if method == "notifications/progress":
        return "progress", "pending"
    if method == "notifications/cancelled":
        return "cancel", "warning"
    return ("log", "muted") if method == LOG_MESSAGE else ("notification", "notification")


def _title(exchange: Exchange) -> str:
    return text.visible(f"{exchange.method} {exchange.target}".strip(), limit=300)


def _server(journal: Journal) -> str:
    opening = journal.conversation.opening
    name = opening.server.get("name") if opening is not None else None
    return text.visible(name, limit=60) if isinstance(name, str) else ""


def _facts(journal: Journal, cast: _Cast, steps: Sequence[TraceStep]) -> Iterable[Fact]:
    begun, last = cast.own[0], cast.own[-1]
    state, role = words.status_in(journal, last)
    yield Fact("outcome", state, role)
    if last.why:
        yield fact("why", last.why, "warning")
    ended = [each.ended_ns for each in cast.own]
    if all(end is not None for end in ended):
        yield Fact("duration", text.human_duration(max(0, max(end or 0 for end in ended) - begun.started_ns)))
    yield Fact("requests", _requests(cast))
    task = journal.conversation.tasks.of_operation(begun.operation)
    if task is not None:
        yield Fact("task", f"{text.visible(task.id, limit=60)}  {state_of(task)[0]}", state_of(task)[1])
    if cast.server_requests:
        yield Fact("questions", _server_requests(cast))
    counts = {part: sum(step.part == part for step in steps) for part in ("progress", "log", "stderr", "late")}
    names = {"progress": "progress", "log": "log messages", "stderr": "lines of stderr", "late": "late responses"}
    yield from (Fact(names[part], f"{count:,}") for part, count in counts.items() if count)
    if begun.revision:
        yield fact("protocol version", begun.revision)
    yield Fact("begun", f"#{begun.request_frame} at {text.clock(journal.store.wall_ns(begun.request_frame))}")
    yield from _http(journal, cast)


def _requests(cast: _Cast) -> str:
    ids = ", ".join(f"#{each.request_frame} (id {text.visible(repr(each.id), limit=40)})" for each in cast.own[:10])
    more = f" and {len(cast.own) - 10} more" if len(cast.own) > 10 else ""
    return f"{len(cast.own)}: {ids}{more}"


def _server_requests(cast: _Cast) -> str:
    waited = sum(each.duration_ns or 0 for each in cast.asked)
    kinds = ", ".join(dict.fromkeys(server_request.kind.value for server_request in cast.server_requests))
    return f"{len(cast.server_requests)} ({kinds})" + (
        f", response after {text.human_duration(waited)}" if waited else ""
    )


def _http(journal: Journal, cast: _Cast) -> Iterator[Fact]:
    for each in cast.own[:10]:
        found = journal.http_exchanges.get(each.http) if each.http is not None else None
        response = found.response if found is not None else None
        if found is not None and response is not None:
            asked, came = found.requested_ns, found.responded_ns
            after = f" after {text.human_duration(came - asked)}" if asked is not None and came is not None else ""
            reason = text.visible(response.reason, limit=80)
            yield Fact(f"HTTP {found.http}", f"{response.status} {reason}".strip() + after, "muted")


# A trace as Markdown, with a Mermaid sequence diagram: for an issue, a chat, a report.


def markdown_of(trace: Trace, journal: Journal) -> str:
    """Return the trace as a complete Markdown page."""
    return "\n".join(_page(trace, journal)) + "\n"


def _page(trace: Trace, journal: Journal) -> Iterator[str]:
    yield f"# {code(trace.title)}"
    yield ""
    yield "| | |"
    yield "|---|---|"
    for each in trace.facts:
        yield f"| {each.key} | {code(each.value).replace('|', chr(92) + '|')} |"
    yield ""
    yield "## Sequence"
    yield ""
    yield "```mermaid"
    yield from _diagram(trace)
    yield "```"
    yield ""
    yield "## Steps"
    yield ""
    for at, step in enumerate(trace.steps):
        if trace.left_out and at == len(trace.steps) // 2:
            yield from (f"*{trace.left_out:,} steps not shown here.*", "")
        yield from _step_lines(step, journal)


def _step_lines(step: TraceStep, journal: Journal) -> Iterator[str]:
    sign = _WAYS[step.way][0]
    message = f": {code(step.summary)}" if step.summary and step.part not in _PAYLOADS else ""
    yield f"- **{_after(step)}** {sign} {code(step.title)}{message}, entry {step.n}"
    what = journal.store.entry(step.n).what if step.part in _PAYLOADS else None
    if isinstance(what, Frame):
        yield ""
        yield from block(journal, step.n)
        yield ""


def block(journal: Journal, n: int) -> Iterator[str]:
    """Yield the message in a code block that its content cannot end."""
    what = beginning(journal.store, n).what
    payload = what.payload if isinstance(what, Frame) else b""
    shown = text.visible(text.decode(payload[:MOST_BYTES]), newlines=True).rstrip("\n")
    longest = max((len(run) for run in _TICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"  {fence}json"
    yield from (f"  {line}" for line in shown.split("\n"))
    yield f"  {fence}"
    size = journal.store.size(n)
    if size > MOST_BYTES:
        yield ""
        yield f"  *the first {MOST_BYTES:,} of {size:,} bytes*"


def _after(step: TraceStep) -> str:
    return f"{'' if step.after_ns < 0 else '+'}{seconds(step.after_ns)} s"


def code(message: str) -> str:
    """Return a text as inline code: it contains no markup, mentions or links."""
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(message)), default=0))
    room = " " if message.startswith("`") or message.endswith("`") else ""
    return f"{ticks}{room}{message.replace(chr(10), ' ') or ' '}{room}{ticks}"


# Diagram.


def _diagram(trace: Trace) -> Iterator[str]:
    yield "sequenceDiagram"
    if any(step.way in ("to_host", "to_view") for step in trace.steps):
        yield "    participant V as View"
    yield "    participant C as Client"
    yield f"    participant S as {_label(trace.server) or 'Server'}"
    arrows = [step for step in trace.steps if step.part != "http"]
    for step in arrows[:_MOST_ARROWS]:
        yield f"    {_arrow(step)}"
    if len(arrows) > _MOST_ARROWS or trace.left_out:
        yield f"    Note over C,S: {len(arrows) - len(arrows[:_MOST_ARROWS]) + trace.left_out} more"


def _arrow(step: TraceStep) -> str:
    label = _label(f"{step.title} {step.summary}".strip() if step.part in ("stderr", "log") else step.title)
    if step.way == "beside":
        return f"Note right of S: {_after(step)} {label}"
    one, other = _PARTIES[step.way]
    return f"{one}{_ARROWS.get(step.part, '-)')}{other}: {label} ({_after(step)})"


def _label(message: str) -> str:
    """Return a text without special meaning in a diagram: special characters become numeric codes."""
    short = message if len(message) <= _MAX_LABEL_CHARS else message[: _MAX_LABEL_CHARS - 1] + "…"
    return _END.sub("#101;nd", _PLAIN.sub(lambda found: f"#{ord(found[0])};", short))


# The steps of a trace as rows: time, direction, title and summary.


class TraceRows(RowSource):
    """The steps, and the number left out in the middle of a long trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def show(self, trace: Trace) -> None:
        """Show a newer state of the same trace."""
        if trace != self.trace:
            self.trace = trace
            self._generation += 1

    @property
    def count(self) -> int:
        return len(self.trace.steps)

    def step(self, index: int) -> TraceStep | None:
        return self.trace.steps[index] if 0 <= index < self.count else None

    def header(self, width: int) -> Sequence[Span]:
        left_out = f"   {self.trace.left_out:,} steps in the middle not shown" if self.trace.left_out else ""
        return lay([(f"{'seconds':>10}    event{left_out}", "muted")], width)

    def row(self, index: int, width: int) -> RowView:
        step = self.trace.steps[index]
        number = f"#{step.n}"
        indent = f"{signs.BRANCH} " if step.part in _NESTED else ""
        title: list[Span] = [(indent, "faint"), (step.title, _title_role(step))]
        parts: list[Span] = [("  ", "text"), (step.summary, _role(step))] if step.summary else []
        when: Span = (seconds(step.after_ns).rjust(10) + "  ", "muted")
        room = max(0, width - 14 - len(number) - 2)
        return RowView([when, _WAYS[step.way], (" ", "text"), *lay([*title, *parts], room), (f"  {number}", "faint")])


def facts_line(facts: Sequence[Fact], most: int = 12) -> list[Span]:
    """Return the facts of a trace in one line."""
    spans: list[Span] = []
    for each in facts[:most]:
        between: list[Span] = [(f"  {signs.NOTE}  ", "faint")] if spans else []
        spans += [*between, (f"{each.key} ", "muted"), (text.fit(each.value, min(60, len(each.value))), each.role)]
    return spans


def _title_role(step: TraceStep) -> Role:
    return step.role if step.part not in ("stderr", "log") else "faint"


def _role(step: TraceStep) -> Role:
    return "stderr" if step.part == "stderr" else "text" if step.part == "log" else "muted"
