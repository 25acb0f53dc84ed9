"""The story of one operation: everything that happened for it and beside it, in its order, on one page.

Its own are the requests that serve it (retries, pages, polls), their answers, also those that came late or twice, its
progress, what the server asked meanwhile and was answered, and the HTTP exchanges that carried all that. Log messages,
stderr and what became of process and connection in that window are told beside them: nobody can say whose they are.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Literal

import msgspec

from inspector.capture.beginnings import beginning
from inspector.capture.journal import Journal
from inspector.capture.store import EntryKind, MessageKind
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import HttpFact
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.log_levels import LOG_MESSAGE
from inspector.protocol.questions import Question
from inspector.viewmodels import previews, text, words
from inspector.viewmodels.lines import Fact, fact
from inspector.viewmodels.roles import Role
from inspector.viewmodels.task_state import state_of

MOST_STEPS = 2000
"""Of a longer story the first and the last are told."""
_MOST_BESIDE = 500
"""Log messages and lines of stderr that are told; of more the first."""
_MOST_QUESTIONS = 1000
_BESIDE = (EntryKind.STDERR, EntryKind.PROCESS, EntryKind.CONNECTION)
_IS_BESIDE = bytes(kind in _BESIDE for kind in range(256))

Way = Literal["to_server", "from_server", "beside"]
Part = Literal[
    "request", "answer", "progress", "question", "reply", "cancel", "late", "notification", "log", "http", "stderr",
    "event",
]  # fmt: skip


class Step(msgspec.Struct, frozen=True):
    """Something that happened. Its texts are safe to show."""

    n: int
    """The entry."""
    after_ns: int
    """Since the story began."""
    way: Way
    part: Part
    title: str
    said: str
    """The gist of it; "" for none."""
    role: Role = "text"


class Story(msgspec.Struct, frozen=True):
    """One operation. Its texts are safe to show."""

    title: str
    facts: tuple[Fact, ...]
    steps: tuple[Step, ...]
    left_out: int
    """Steps that are not told, in the middle."""
    first: int
    """The entry that it begins with."""
    open: bool
    """Whether it may go on."""
    server: str
    """What the server calls itself, or ""."""


class _Cast(msgspec.Struct):
    """Whose story it is."""

    own: list[Exchange]
    questions: list[Question]
    asked: list[Exchange]
    """Requests of the server's own that were asked in it."""

    @property
    def all(self) -> list[Exchange]:
        """All exchanges."""
        return [*self.own, *self.asked]


def entries_of(journal: Journal, n: int) -> list[int]:
    """The entries that such a story tells of, all of them; none if entry n belongs to no operation."""
    exchange = _exchange(journal, n)
    return [] if exchange is None else _entries(journal, _cast(journal, _cause(journal, exchange)))[1]


def entries_of_all(journal: Journal, wanted: Iterable[int]) -> list[int]:
    """The same of each of these, and themselves. Of many in a long journal it takes seconds."""
    found = set[int]()
    for n in wanted:
        if n not in found and 0 < n <= journal.count:
            found.update(entries_of(journal, n), (n,))
    return sorted(found)


def _entries(journal: Journal, cast: "_Cast") -> tuple[int, list[int]]:
    """The first one of its own, and all of them with what happened beside them."""
    first, last = _window(journal, cast)
    return first, sorted({*_own_entries(journal, cast), *_beside(journal, first, last)})


def story_of(journal: Journal, n: int) -> Story | None:
    """The story of the operation that entry n belongs to; None if it belongs to none."""
    exchange = _exchange(journal, n)
    if exchange is None:
        return None
    cast = _cast(journal, _cause(journal, exchange))
    first, told = _entries(journal, cast)
    left_out = max(0, len(told) - MOST_STEPS)
    if left_out:
        told = [*told[: MOST_STEPS // 2], *told[-MOST_STEPS // 2 :]]
    began = journal.store.time_ns(first)
    steps = tuple(_step(journal, each, began, cast) for each in told)
    return Story(
        _title(cast.own[0]),
        tuple(_facts(journal, cast, steps)),
        steps,
        left_out,
        first,
        journal.live and any(each.is_open for each in cast.all),
        _server(journal),
    )


# --- whose story it is


def _exchange(journal: Journal, n: int) -> Exchange | None:
    number = journal.store.exchange(n) if 0 < n <= journal.count else 0
    return journal.conversation.exchanges[number - 1] if number else None


def _cause(journal: Journal, exchange: Exchange) -> Exchange:
    """What a request of the server's was asked for, where that is known; else the exchange itself."""
    if exchange.sender is Direction.TO_SERVER:
        return exchange
    for question in reversed(journal.conversation.questions[-_MOST_QUESTIONS:]):
        if question.exchange == exchange.number and question.cause is not None:
            return journal.conversation.exchanges[question.cause - 1]
    return exchange


def _cast(journal: Journal, exchange: Exchange) -> _Cast:
    exchanges = journal.conversation.exchanges
    numbers: Sequence[int] = (exchange.number,)
    if exchange.operation is not None:
        numbers = journal.conversation.operations.operation(exchange.operation).exchanges
    mine = {*numbers, exchange.number}
    own = [exchanges[number - 1] for number in sorted(mine)]
    questions = [each for each in journal.conversation.questions if each.cause in mine or each.exchange in mine]
    asked = {each.exchange for each in questions if each.exchange not in mine}
    return _Cast(own, questions, [exchanges[number - 1] for number in sorted(asked)])


def _window(journal: Journal, cast: _Cast) -> tuple[int, int]:
    """The first entry of it and the last one; of what is open, the newest."""
    first = min(each.request_frame for each in cast.all)
    if any(each.is_open for each in cast.all):
        return first, journal.count
    last = max(max(journal.store.of_exchange(each.number, first, journal.count), default=first) for each in cast.all)
    ended = max((each.ended_ns or 0 for each in cast.all), default=0)
    entries = range(first, journal.count + 1)
    return first, max(last, first + bisect_left(entries, ended, hi=len(entries) - 1, key=journal.store.time_ns))


def _own_entries(journal: Journal, cast: _Cast) -> Iterator[int]:
    for each in cast.all:
        yield each.request_frame
        yield from journal.store.of_exchange(each.number, each.request_frame, journal.count)
        carried = journal.http_exchanges.get(each.http) if each.http is not None else None
        if carried is not None:
            yield from (n for n in (carried.request_n, carried.response_n, carried.end_n) if n)


def _beside(journal: Journal, first: int, last: int) -> Iterator[int]:
    """What happened in the window and is nobody's."""
    store = journal.store
    part = store.columns(first, last)
    found = list(compress(range(first, last + 1), part.kinds.translate(_IS_BESIDE)))
    log = store.method_number(LOG_MESSAGE)
    if log > 0:
        found += [first + at for at, number in enumerate(part.methods) if number == log]
    yield from sorted(found)[:_MOST_BESIDE]


# --- what is told of it


def _step(journal: Journal, n: int, began: int, cast: _Cast) -> Step:
    after = journal.store.time_ns(n) - began
    entry = beginning(journal.store, n)
    what = entry.what
    if isinstance(what, Frame):
        return _of_frame(journal, n, what, after, cast)
    said, role = words.sentence(what)
    kind = journal.store.kind(n)
    if isinstance(what, HttpFact):
        way: Way = "to_server" if what.event.value == "request" else "from_server"
        return Step(n, after, way, "http", f"HTTP {what.http}", said, "muted")
    return Step(n, after, "beside", "stderr" if kind is EntryKind.STDERR else "event", kind.name.lower(), said, role)


def _of_frame(journal: Journal, n: int, frame: Frame, after: int, cast: _Cast) -> Step:
    exchange, store = _exchange(journal, n), journal.store
    way: Way = "to_server" if frame.direction is Direction.TO_SERVER else "from_server"
    said, role = previews.of_payload(frame.payload)
    method, kind = text.visible(store.method(n), limit=200), store.message_kind(n)
    if kind is MessageKind.NOTIFICATION:
        part, role = _notification(method)
        return Step(n, after, way, part, method, said, role)
    if exchange is None:
        return Step(n, after, way, "notification", method or kind.name.lower(), said, role)
    own = exchange in cast.own
    title = _title(exchange)
    if kind is MessageKind.REQUEST or n == exchange.request_frame:
        again = own and exchange is not cast.own[0] and cast.own[0].method == exchange.method
        said = said if not again else f"again: {said}" if said else "again"
        return Step(n, after, way, "request" if own else "question", title, said, "method" if own else "warning")
    if n != exchange.answer_frame or exchange.state is ExchangeState.LATE:
        return Step(n, after, way, "late", f"late answer to {title}", said, "warning")
    state, state_role = words.status(exchange, live=journal.live)
    return Step(n, after, way, "answer" if own else "reply", f"{state}  {title}", said, state_role)


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


def _facts(journal: Journal, cast: _Cast, steps: Sequence[Step]) -> Iterable[Fact]:
    begun, last = cast.own[0], cast.own[-1]
    state, role = words.status(last, live=journal.live)
    yield Fact("outcome", state, role)
    if last.why:
        yield fact("why", last.why, "warning")
    ended = [each.ended_ns for each in cast.own]
    if all(end is not None for end in ended):
        yield Fact("took", text.human_duration(max(0, max(end or 0 for end in ended) - begun.started_ns)))
    yield Fact("requests", _requests(cast))
    task = journal.conversation.tasks.of_operation(begun.operation)
    if task is not None:
        yield Fact("task", f"{text.visible(task.id, limit=60)}  {state_of(task)[0]}", state_of(task)[1])
    if cast.questions:
        yield Fact("questions", _questions(cast))
    counts = {part: sum(step.part == part for step in steps) for part in ("progress", "log", "stderr", "late")}
    names = {"progress": "progress", "log": "log messages", "stderr": "lines of stderr", "late": "late answers"}
    yield from (Fact(names[part], f"{count:,}") for part, count in counts.items() if count)
    if begun.revision:
        yield fact("revision", begun.revision)
    yield Fact("begun", f"#{begun.request_frame} at {text.clock(journal.store.wall_ns(begun.request_frame))}")
    yield from _http(journal, cast)


def _requests(cast: _Cast) -> str:
    ids = ", ".join(f"#{each.request_frame} (id {text.visible(repr(each.id), limit=40)})" for each in cast.own[:10])
    more = f" and {len(cast.own) - 10} more" if len(cast.own) > 10 else ""
    return f"{len(cast.own)}: {ids}{more}"


def _questions(cast: _Cast) -> str:
    waited = sum(each.duration_ns or 0 for each in cast.asked)
    kinds = ", ".join(dict.fromkeys(question.kind.value for question in cast.questions))
    return f"{len(cast.questions)} ({kinds})" + (f", answered within {text.human_duration(waited)}" if waited else "")


def _http(journal: Journal, cast: _Cast) -> Iterator[Fact]:
    for each in cast.own[:10]:
        found = journal.http_exchanges.get(each.http) if each.http is not None else None
        response = found.response if found is not None else None
        if found is not None and response is not None:
            asked, came = found.requested_ns, found.responded_ns
            after = f" after {text.human_duration(came - asked)}" if asked is not None and came is not None else ""
            reason = text.visible(response.reason, limit=80)
            yield Fact(f"HTTP {found.http}", f"{response.status} {reason}".strip() + after, "muted")
