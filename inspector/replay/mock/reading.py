"""From a capture to the script: each message of the server's goes to the turn of the client in which it was said.

It belongs to the request whose progress token, HTTP stream or id it names; on a pipe to the one request that is open;
else to what the client had said last. The pauses between are kept.
"""

from typing import Any
from urllib.parse import urlsplit

import msgspec

from inspector.capture.columns import EntryKind
from inspector.capture.journal import Journal
from inspector.capture.records import ConnectionRecord, FrameRecord, from_line
from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.conversation import Conversation
from inspector.protocol.events import Cancelled, Closed, Event, Garbled, Notified, Opened, Progressed
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Notification, Part, Request
from inspector.protocol.questions import questions_in
from inspector.protocol.revisions._shape import Era
from inspector.protocol.tracking.opening import declared_revision
from inspector.protocol.tracking.operations import goes_on
from inspector.protocol.tracking.subscriptions import ACKNOWLEDGED, TELLING_OF_CHANGES
from inspector.replay.mock.openings import opening_of
from inspector.replay.mock.script import LISTEN, Ask, End, Junk, Query, Say, Script, Step, Turn, asked_of, key_of

_UNNAMED = "c1"
_FROM_SERVER = Direction.FROM_SERVER
_NOT_SAID = {"notifications/cancelled", ACKNOWLEDGED}
"""What the server says about requests by their ids, and what is said anew."""


class Wire(msgspec.Struct):
    """One connection of a capture."""

    name: str
    about: str = ""
    """Its transport and where it led."""
    path: str = ""
    frames: list[int] = []
    """The entries that are its frames."""
    requests: int = 0
    """How many messages came from the client."""


def wires(journal: Journal) -> list[Wire]:
    """The connections of a capture, in the order in which they are first named."""
    found: dict[str, Wire] = {}
    only = _only_name(journal)
    for n in range(1, journal.count + 1):
        kind = journal.store.kind(n)
        if kind not in (EntryKind.FRAME, EntryKind.CONNECTION):
            continue
        name = only or _name(journal, n)
        wire = found.setdefault(name, Wire(name))
        if kind is EntryKind.FRAME:
            wire.frames.append(n)
            wire.requests += journal.store.direction(n) is Direction.TO_SERVER
            continue
        what = journal.store.entry(n).what
        if isinstance(what, ConnectionFact) and what.event is ConnectionEvent.OPEN:
            wire.about = f"{what.transport} {what.url or ' '.join(what.argv)}".strip()
            wire.path = urlsplit(what.url).path if what.url else ""
    return list(found.values())


def _only_name(journal: Journal) -> str:
    """The name of the connection, where one alone was opened: then no line has to be read to know whose it is."""
    events = [journal.store.entry(n).what for n in journal.store.backwards(EntryKind.CONNECTION)]
    opened = sum(isinstance(what, ConnectionFact) and what.event is ConnectionEvent.OPEN for what in events)
    frames = (n for n in range(1, journal.count + 1) if journal.store.kind(n) is EntryKind.FRAME)
    first = next(frames, None)
    return _name(journal, first) if opened == 1 and first is not None else ""


def _name(journal: Journal, n: int) -> str:
    """What the capture calls the connection of an entry."""
    try:
        record = from_line(journal.store.read(*journal.store.line(n)))
    except (ValueError, OverflowError):
        return _UNNAMED
    return (record.c if isinstance(record, FrameRecord | ConnectionRecord) else "") or _UNNAMED


def read_script(journal: Journal, connection: str = "") -> Script:
    """The script of a capture. `connection` is one of its names; "" for the only one.

    Raises: UsageError where there is nothing to play, or where it isn't told which of several is meant.
    """
    wire = _chosen(journal, connection)
    reader = _Reader()
    for n in wire.frames:
        entry = journal.store.entry(n)
        if isinstance(entry.what, Frame) and not entry.missing:
            reader.take(entry.what)
    turns = reader.turns()
    if not turns:
        raise UsageError(
            "the capture holds no request of a client, so there is nothing to play",
            hint="mcp-inspect tail FILE prints what it holds.",
        )
    return opening_of(reader.fold.opening, turns, path=wire.path, notes=_redacted(journal))


def _redacted(journal: Journal) -> tuple[str, ...]:
    on, policy = journal.head.redaction.on, journal.head.redaction.policy
    if on == "none" or policy in ("none", "credentials"):
        return ()
    return (f"the capture is redacted ({policy[:40]}): what was taken out is served as it stands there",)


def _chosen(journal: Journal, connection: str) -> Wire:
    there = wires(journal)
    speaking = [wire for wire in there if wire.requests]
    if connection:
        for wire in there:
            if wire.name == connection:
                return wire
        raise UsageError(f"--conn {connection}: no such connection", hint=_which(speaking))
    if len(speaking) > 1:
        raise UsageError(f"the capture holds {len(speaking)} connections", hint=_which(speaking))
    if not speaking:
        raise UsageError(
            "the capture holds no message of a client, so there is nothing to play",
            hint="mcp-inspect tail FILE prints what it holds.",
        )
    return speaking[0]


def _which(there: list[Wire]) -> str:
    told = [f"{wire.name} ({wire.about + ', ' if wire.about else ''}{len(wire.frames)} frames)" for wire in there[:9]]
    return f"Choose with --conn: {'; '.join(told)}." if told else "No client speaks in it."


class _Draft:
    """A turn that grows."""

    def __init__(self, frame: Frame, method: str, params: Any, era: Era | None) -> None:
        self.frame, self.method, self.params, self.era = frame.n, method, params, era
        self.http = frame.http
        self.steps: list[Step] = []
        self.after: list[Step] = []
        self.open = True
        self._mark = frame.time_ns

    def pause(self, frame: Frame) -> int:
        """Nanoseconds since the step before; the next pause counts from now on."""
        found, self._mark = max(0, frame.time_ns - self._mark), frame.time_ns
        return found

    def add(self, step: Step) -> None:
        """The next step."""
        (self.steps if self.open else self.after).append(step)
        if isinstance(step, End):
            self.open = False

    def turn(self) -> Turn:
        """What it came to."""
        asked = asked_of(self.params)
        return Turn(self.frame, self.method, asked, key_of(asked), self.era, tuple(self.steps), tuple(self.after))


class _Reader:
    """Takes in the frames of one connection, in their order."""

    def __init__(self) -> None:
        self.fold = Conversation()
        self._drafts: list[_Draft] = []
        self._by_exchange: dict[int, _Draft] = {}
        self._live: dict[_Draft, None] = {}
        """Requests whose answer is awaited, oldest first."""
        self._asking: dict[int, tuple[_Draft, Query]] = {}
        """Questions that wait for an answer, by the exchange that carries them."""
        self._waiting: dict[int, tuple[_Draft, Ask]] = {}
        """Results that hold questions, by the operation."""

    def take(self, frame: Frame) -> None:
        """Take in the next one."""
        for event in self.fold.observe(frame):
            self._heard(frame, event)

    def turns(self) -> tuple[Turn, ...]:
        """What came of it."""
        return tuple(draft.turn() for draft in self._drafts)

    def _heard(self, frame: Frame, event: Event) -> None:
        match event:
            case Opened(exchange=exchange, message=message):
                if exchange.sender is _FROM_SERVER:
                    self._asked(frame, exchange, message)
                else:
                    self._opened(frame, exchange, message)
            case Closed(exchange=exchange, message=answer):
                self._closed(frame, exchange, answer)
            case Progressed(exchange=exchange, message=note) if frame.direction is _FROM_SERVER:
                draft = self._by_exchange.get(exchange.number)
                self._say(frame, note, draft or self._owner(frame))
            case Notified(direction=direction, message=note):
                if direction is _FROM_SERVER:
                    self._say(frame, note, self._owner(frame, note.method))
                elif note.method not in ("notifications/cancelled", "notifications/progress"):
                    self._drafts.append(_Draft(frame, note.method, note.params, _era(note.params)))
            case Cancelled(exchange=exchange) if draft := self._by_exchange.get(exchange.number):
                self._live.pop(draft, None)
            case Garbled(direction=direction) if direction is _FROM_SERVER and not frame.cut:
                if owner := self._owner(frame):
                    owner.add(Junk(owner.pause(frame), frame.payload, frame.eol))
            case _:
                pass

    def _opened(self, frame: Frame, exchange: Exchange, message: Request) -> None:
        before = self._waiting.pop(exchange.operation or 0, None) if goes_on(message.params) else None
        if before is None:
            draft = _Draft(frame, message.method, message.params, _era(message.params))
            self._drafts.append(draft)
        else:
            draft, ask = before
            draft.pause(frame)
            draft.http = frame.http
            for query in ask.queries:
                if peek.has(message.params, "inputResponses", query.key):
                    query.answer = Part(None, peek.at(message.params, "inputResponses", query.key))
        self._by_exchange[exchange.number] = draft
        if draft.method != LISTEN:
            self._live[draft] = None

    def _closed(self, frame: Frame, exchange: Exchange, answer: Answer | ErrorAnswer) -> None:
        if exchange.sender is _FROM_SERVER:
            if found := self._asking.pop(exchange.number, None):
                found[0].pause(frame)
                found[1].answer = _part(answer)
                found[1].failed = isinstance(answer, ErrorAnswer)
            return
        draft = self._by_exchange.get(exchange.number)
        if draft is None:
            return
        if exchange.asks and isinstance(answer, Answer):
            asked = questions_in(answer.result, exchange=0, frame=0, asked_ns=0)
            requests = peek.mapping(answer.result, "inputRequests")
            queries = tuple(
                Query(peek.text(requests, each.key, "method") or "", Part(None, each.params), each.key)
                for each in asked
            )
            ask = Ask(draft.pause(frame), queries, answer.result_part)
            draft.add(ask)
            self._waiting[exchange.operation or 0] = draft, ask
            return
        self._live.pop(draft, None)
        draft.add(End(draft.pause(frame), _part(answer), isinstance(answer, ErrorAnswer)))

    def _asked(self, frame: Frame, exchange: Exchange, message: Request) -> None:
        owner = self._owner(frame)
        if owner is None:
            return
        query = Query(message.method, message.params_part)
        owner.add(Ask(owner.pause(frame), (query,), apart=frame.channel is Channel.GET))
        self._asking[exchange.number] = owner, query

    def _say(self, frame: Frame, note: Notification, owner: _Draft | None) -> None:
        if owner is not None and note.method not in _NOT_SAID:
            owner.add(Say(owner.pause(frame), note.method, note.params_part, frame.channel is Channel.GET))

    def _owner(self, frame: Frame, method: str = "") -> _Draft | None:
        """The turn in which the server says something."""
        live = self._live
        if frame.http is not None and method not in TELLING_OF_CHANGES:
            for draft in live:
                if draft.http == frame.http:
                    return draft
        if frame.http is None and len(live) == 1:
            return next(iter(live))
        return self._drafts[-1] if self._drafts else None


def _era(params: Any) -> Era:
    return Era.LEGACY if declared_revision(params) is None else Era.MODERN


def _part(answer: Answer | ErrorAnswer) -> Part:
    return answer.error_part if isinstance(answer, ErrorAnswer) else answer.result_part
