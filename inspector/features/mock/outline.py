"""The outline of a script: maps each frame to a turn of the client.

A server message belongs to the request that its progress token, HTTP stream or id names; on a pipe to the only open
request; otherwise to the client's latest message. Memory use is twelve bytes per frame, whatever its size.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import compress
from typing import Any, overload
from urllib.parse import urlsplit

import msgspec

from inspector.capture.format.records import ConnectionRecord, FrameRecord, from_line
from inspector.capture.journal import Journal
from inspector.capture.store.columns import KIND_BITS, TO_SERVER_BIT, VIEW_BIT, EntryKind, MessageKind, meaning_of
from inspector.errors import UsageError
from inspector.features.mock.script import (
    LISTEN,
    Junk,
    Query,
    Say,
    ScriptedResponse,
    ScriptedServerRequest,
    Step,
    Turn,
    asked_of,
    key_of,
)
from inspector.protocol import peek
from inspector.protocol.conversation import Conversation
from inspector.protocol.exchange_log import ASKS, FROM_SERVER, UNLISTED
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import (
    ErrorResponse,
    Message,
    Notification,
    NotJsonRpc,
    Part,
    Request,
    RequestId,
    ResultResponse,
    read,
)
from inspector.protocol.revisions._shape import Era
from inspector.protocol.server_requests import server_requests_in
from inspector.protocol.tracking.exchanges import goes_on
from inspector.protocol.tracking.opening import declared_revision
from inspector.protocol.tracking.subscriptions import ACKNOWLEDGED, TELLING_OF_CHANGES

_UNNAMED = "c1"
"""Name of the connection of lines that name none."""
_IS_FRAME = bytes(number == EntryKind.FRAME for number in range(256))
_IS_SENT = bytes(bool(bits & TO_SERVER_BIT) for bits in range(256))
RECORD_HINT = "Record one with calls: mcp-inspect call TOOL --capture FILE -- COMMAND."
"""Hint for a capture with too little content."""

CANCELLED, PROGRESS = "notifications/cancelled", "notifications/progress"

NOT_REPLAYED = {CANCELLED, ACKNOWLEDGED}
"""Server messages that refer to requests by id, or that the mock generates itself."""

_REQUEST, _NOTIFICATION, _INVALID, _BATCH = (
    int(kind) for kind in (MessageKind.REQUEST, MessageKind.NOTIFICATION, MessageKind.INVALID, MessageKind.BATCH)
)

_RESPONSES = {int(MessageKind.RESPONSE), int(MessageKind.ERROR)}

_KINDS: dict[type, int] = {
    Request: _REQUEST,
    Notification: _NOTIFICATION,
    ResultResponse: int(MessageKind.RESPONSE),
    ErrorResponse: int(MessageKind.ERROR),
}


class RecordedConnection(msgspec.Struct):
    name: str
    about: str = ""
    """Transport and target."""
    path: str = ""
    """Path of the URL; "" if there was none."""
    frames: Sequence[int] = ()
    """Numbers of the entries that are its frames."""
    requests: int = 0
    """Number of messages from the client."""
    alone: bool = False
    """Whether it is the only connection of the capture."""


_MessageRow = tuple[int, int, str, int]
"""A message: frame, flags, method, exchange."""


class ConnectionMessages(msgspec.Struct):
    """The messages of a connection, and the conversation they form."""

    conversation: Conversation
    rows: Iterator[_MessageRow]


def connections(journal: Journal) -> list[RecordedConnection]:
    """Return the connections of a capture in order of first occurrence."""
    columns = journal.store.columns(1, journal.count) if journal.count else None
    if columns is None:
        return []
    frames = array("I", compress(range(1, journal.count + 1), columns.kinds.translate(_IS_FRAME)))
    if only := _only_name(journal, frames):
        found = {only: RecordedConnection(only, frames=frames, requests=columns.flags.translate(_IS_SENT).count(1))}
    else:
        found = _by_name(journal, frames)
    for n in reversed([*journal.store.backwards(EntryKind.CONNECTION)]):
        what = journal.store.entry(n).what
        if isinstance(what, ConnectionFact) and what.event is ConnectionEvent.OPEN:
            name = only or _name(journal, n)
            wire = found.setdefault(name, RecordedConnection(name))
            wire.about = f"{what.transport} {what.url or ' '.join(what.argv)}".strip()
            wire.path = urlsplit(what.url).path if what.url else ""
    for wire in found.values():
        wire.alone = len(found) == 1
    return list(found.values())


def _by_name(journal: Journal, frames: Sequence[int]) -> dict[str, RecordedConnection]:
    found: dict[str, RecordedConnection] = {}
    for n in frames:
        name = _name(journal, n)
        wire = found.get(name) or found.setdefault(name, RecordedConnection(name, frames=array("I")))
        assert isinstance(wire.frames, array)
        wire.frames.append(n)
        wire.requests += journal.store.direction(n) is Direction.TO_SERVER
    return found


def _only_name(journal: Journal, frames: Sequence[int]) -> str:
    """Return the connection's name if only one was opened; "" otherwise.

    With a single connection no line has to be read to know which connection it belongs to.
    """
    events = (journal.store.entry(n).what for n in journal.store.backwards(EntryKind.CONNECTION))
    opened = sum(isinstance(what, ConnectionFact) and what.event is ConnectionEvent.OPEN for what in events)
    return _name(journal, frames[0]) if opened == 1 and frames else ""


def _name(journal: Journal, n: int) -> str:
    """Return the name of an entry's connection in the capture."""
    try:
        record = from_line(journal.store.read(*journal.store.line(n)))
    except (ValueError, OverflowError):
        return _UNNAMED
    return (record.c if isinstance(record, FrameRecord | ConnectionRecord) else "") or _UNNAMED


def chosen(journal: Journal, connection: str = "") -> RecordedConnection:
    """Return the connection of this name, or the only one. Raises: UsageError."""
    there = connections(journal)
    speaking = [wire for wire in there if wire.requests]
    if connection:
        for wire in there:
            if wire.name == connection:
                return wire
        raise UsageError(f"--conn {connection}: no such connection", hint=_which(speaking))
    if len(speaking) > 1:
        raise UsageError(f"the capture holds {len(speaking)} connections", hint=_which(speaking))
    if not speaking:
        raise nothing_to_play()
    return speaking[0]


def nothing_to_play() -> UsageError:
    """Return the error for a capture without client requests."""
    return UsageError("the capture holds no request of a client, so there is nothing to play", hint=RECORD_HINT)


def _which(there: list[RecordedConnection]) -> str:
    named = [f"{wire.name} ({wire.about + ', ' if wire.about else ''}{len(wire.frames)} frames)" for wire in there[:9]]
    return f"Choose with --conn: {'; '.join(named)}." if named else "It contains no client."


def messages_of(journal: Journal, wire: RecordedConnection) -> ConnectionMessages:
    """Return the journal's own data for its only connection; otherwise derive them for this connection alone.

    Ids are unique only within a connection.
    """
    if wire.alone:
        return ConnectionMessages(journal.conversation, _rows_of_all(journal))
    conversation, rows = Conversation(), list[_MessageRow]()
    for n in wire.frames:
        frame = frame_of(journal, n)
        if frame is not None and not frame.direction.is_of_view:
            meaning = meaning_of(conversation.observe(frame))
            flags = int(meaning.kind) | (TO_SERVER_BIT if frame.direction is Direction.TO_SERVER else 0)
            rows.append((n, flags, meaning.method, meaning.exchange))
    return ConnectionMessages(conversation, iter(rows))


def _rows_of_all(journal: Journal) -> Iterator[_MessageRow]:
    store = journal.store
    columns, names = store.columns(1, journal.count), store.method_names
    for n, flags, method, exchange in zip(
        range(1, journal.count + 1), columns.flags, columns.methods, columns.exchanges, strict=True
    ):
        if flags & KIND_BITS and not flags & VIEW_BIT:
            yield n, flags, names[method] if method < len(names) else store.method(n), exchange


def frame_of(journal: Journal, n: int) -> Frame | None:
    """Return the frame of an entry; None if it is not available."""
    entry = journal.store.entry(n)
    return entry.what if isinstance(entry.what, Frame) and not entry.missing else None


class Outline:
    """Maps frames to turns, which are numbered from 0 in the order of the client's messages."""

    def __init__(self, journal: Journal, wire: RecordedConnection) -> None:
        messages = messages_of(journal, wire)
        self.journal, self.conversation = journal, messages.conversation
        self.firsts = array("I")
        """By turn: the client's frame."""
        self.lasts = array("I")
        """By turn: its last frame."""
        self.methods: list[str] = []
        self.exchanges = array("I")
        """By turn: the exchange of its request; 0 for a notification."""
        self.asking: dict[int, None] = {}
        """Turns with server requests."""
        self.server_requests: set[int] = set()
        """Frames with results that hold server requests."""
        self._owners = array("I", bytes(4 * (journal.count + 1)))
        """By frame: its turn plus one; 0 for none."""
        self._batches: dict[int, list[int]] = {}
        """By batch frame: the turns of its messages, each plus one."""
        self._in_batches: dict[int, list[int]] = {}
        """By turn: the batches that hold some of its messages."""
        self._turns = array("I", bytes(4 * (len(self.conversation.exchanges) + 1)))
        """By exchange: its turn plus one."""
        self._live: dict[int, int | None] = {}
        """Turns that wait for a response, oldest first, with their HTTP exchange."""
        self._waiting: dict[int, int] = {}
        """By operation: the turn whose response held server requests."""
        self._is_http = bool(wire.frames) and self._http_of(wire.frames[0]) is not None
        for n, flags, method, exchange in messages.rows:
            if flags & KIND_BITS == _BATCH:
                self._take_batch(n, flags)
            else:
                self._set_owner(
                    n, self._owner_of_message(n, flags & KIND_BITS, flags & TO_SERVER_BIT, method, exchange)
                )

    def frames(self, turn: int) -> list[int]:
        """Return the frames of a turn in order, starting with the client's."""
        found, at, last = [self.firsts[turn]], self.firsts[turn] + 1, self.lasts[turn]
        try:
            while at <= last:
                at = self._owners.index(turn + 1, at, last + 1) + 1
                found.append(at - 1)
        except ValueError:
            pass
        return sorted({*found, *self._in_batches.get(turn, ())}) if self._in_batches else found

    def messages(self, turn: int, frame: Frame) -> Sequence[Message]:
        """Return the messages of a frame that belong to a turn."""
        several = read(frame.payload)
        owners = self._batches.get(frame.n)
        if owners is None:
            return several
        return [message for message, owner in zip(several, owners, strict=False) if owner == turn + 1]

    # --- the owner of a message: its turn plus one; 0 for none

    def _owner_of_message(self, n: int, kind: int, sent: int, method: str, exchange: int) -> int:
        if kind == _REQUEST:
            return self._owner_of_request(n, method, exchange) if sent else self._owner_of_server_request(n, exchange)
        if kind in _RESPONSES:
            return self._turns[exchange] if sent else self._owner_of_response(n, exchange)
        if kind == _NOTIFICATION:
            return self._owner_of_notification(n, sent, method, exchange)
        return 0 if sent or kind != _INVALID else self._owner_by_context(n)

    def _owner_of_request(self, n: int, method: str, exchange: int) -> int:
        turn = self._continued_turn(n, exchange) if self._waiting and exchange else None
        if turn is None:
            turn = self._begin(n, method, exchange)
        if exchange:
            self._turns[exchange] = turn + 1
        if method != LISTEN:
            self._live[turn] = self._http_of(n) if self._is_http else None
        return turn + 1

    def _begin(self, n: int, method: str, exchange: int) -> int:
        self.firsts.append(n)
        self.lasts.append(n)
        self.methods.append(method)
        self.exchanges.append(exchange)
        return len(self.firsts) - 1

    def _continued_turn(self, n: int, exchange: int) -> int | None:
        """Return the turn that this request continues; None if it is not a retry."""
        operation = self.conversation.exchanges[exchange - 1].operation or 0
        if operation not in self._waiting:
            return None
        frame = frame_of(self.journal, n)
        asked = next((each for each in read(frame.payload) if isinstance(each, Request)), None) if frame else None
        return self._waiting.pop(operation) if asked is not None and goes_on(asked.params) else None

    def _owner_of_server_request(self, n: int, exchange: int) -> int:
        turn = self._owner_by_context(n)
        if turn and exchange:
            self.asking[turn - 1] = None
            self._turns[exchange] = turn
        return turn

    def _owner_of_response(self, n: int, exchange: int) -> int:
        table = self.conversation.exchanges
        turn = self._turns[exchange]
        if not turn or table.states[exchange] & FROM_SERVER:
            return 0  # not requested
        if table.answer_frames[exchange] != n and not self._is_taken_late(n, exchange, turn - 1):
            return 0
        if table.states[exchange] & ASKS:
            self.asking[turn - 1] = None
            self.server_requests.add(n)
            self._waiting[table[exchange - 1].operation or 0] = turn - 1
        else:
            self._live.pop(turn - 1, None)
        return turn

    def _is_taken_late(self, n: int, exchange: int, turn: int) -> bool:
        """Return whether a late response belongs to the turn.

        It does if the connection seemed lost but the client did not cancel the request.
        """
        return turn in self._live and self.conversation.exchanges[exchange - 1].answer_frame == n

    def _owner_of_notification(self, n: int, sent: int, method: str, exchange: int) -> int:
        if method == CANCELLED:
            if turn := self._turns[exchange]:
                self._live.pop(turn - 1, None)
            return 0
        if sent:
            return 0 if method == PROGRESS else self._begin(n, method, 0) + 1
        return 0 if method in NOT_REPLAYED else self._turns[exchange] or self._owner_by_context(n, method)

    def _owner_by_context(self, n: int, method: str = "") -> int:
        """Return the turn of a server message that refers to no request."""
        if not self._is_http:
            if len(self._live) == 1:
                return next(iter(self._live)) + 1
        elif method not in TELLING_OF_CHANGES and (http := self._http_of(n)) is not None:
            for turn, its in self._live.items():
                if its == http:
                    return turn + 1
        return len(self.firsts)

    def _set_owner(self, n: int, owner: int) -> None:
        if owner:
            self._owners[n] = owner
            self.lasts[owner - 1] = max(self.lasts[owner - 1], n)

    # --- batches

    def _take_batch(self, n: int, flags: int) -> None:
        frame = frame_of(self.journal, n)
        owners = self._batches[n] = []
        for message in read(frame.payload) if frame else ():
            kind, exchange = _KINDS.get(type(message), _INVALID), self._exchange_in(n, message)
            method = message.method if isinstance(message, Request | Notification) else ""
            owner = self._owner_of_message(n, kind, flags & TO_SERVER_BIT, method, exchange)
            owners.append(owner)
            if owner:
                self._in_batches.setdefault(owner - 1, []).append(n)

    def _exchange_in(self, n: int, message: Message) -> int:
        """Return the exchange of a message in a batch; 0 if it has none."""
        if not isinstance(message, Request | ResultResponse | ErrorResponse):
            return 0
        table = self.conversation.exchanges
        frames = table.request_frames if isinstance(message, Request) else table.answer_frames
        last = bisect_right(table.request_frames, n) - 1  # a request precedes its response
        for number in range(last, 0, -1):
            if frames[number] == n and table[number - 1].id == message.id:
                return number
            if isinstance(message, Request) and frames[number] < n:
                break
        return 0

    def _http_of(self, n: int) -> int | None:
        frame = frame_of(self.journal, n)
        return frame.http if frame is not None else None


# Turns, read from the file when they are played


class Turns(Sequence[Turn]):
    """All turns of one connection. Their journal must stay open."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline

    def __len__(self) -> int:
        return len(self._outline.firsts)

    @overload
    def __getitem__(self, index: int) -> Turn: ...
    @overload
    def __getitem__(self, index: slice) -> list[Turn]: ...
    def __getitem__(self, index: int | slice) -> Turn | list[Turn]:
        if isinstance(index, slice):
            return [self._made(each) for each in range(*index.indices(len(self)))]
        return self._made(range(len(self))[index])

    @cached_property
    def methods(self) -> Sequence[str]:
        """Methods of the turns. Equal methods share one string."""
        return self._outline.methods

    @property
    def asking(self) -> Sequence[int]:
        """Positions of the turns with server requests."""
        return sorted(self._outline.asking)

    @property
    def requests(self) -> int:
        """Number of turns that are requests, not notifications."""
        return len(self) - self._outline.exchanges.count(0)

    def target(self, index: int) -> str:
        """Return the tool, prompt or resource of a turn; "" for none."""
        exchange = self._outline.exchanges[index]
        if not exchange:
            return ""
        table = self._outline.conversation.exchanges
        number = table.targets[exchange]
        return table.names[number] if number != UNLISTED else table[exchange - 1].target

    def params(self, index: int) -> Any:
        """Return the params of a turn, as `asked_of` does; {} if they can't be read."""
        frame = frame_of(self._outline.journal, self._outline.firsts[index])
        return asked_of(self._asks(index, frame)) if frame is not None else {}

    def _asks(self, index: int, frame: Frame) -> Any:
        first = next(iter(self._outline.messages(index, frame)), None)
        return first.params if isinstance(first, Request | Notification) else None

    def _made(self, index: int) -> Turn:
        outline = self._outline
        draft = _Draft(outline.firsts[index], outline.methods[index], outline.server_requests)
        for n in outline.frames(index):
            frame = frame_of(outline.journal, n)
            if frame is not None:
                for message in outline.messages(index, frame):
                    draft.take(frame, message)
        return draft.turn()


class _Draft:
    """A turn under construction, to which messages are added in order. The first one is the client's."""

    def __init__(self, first: int, method: str, server_requests: set[int]) -> None:
        self._first, self._method = first, method
        self._server_requests = server_requests
        self._params: Any = None
        self._begun = False
        self._steps: list[Step] = []
        self._after: list[Step] = []
        self._open = True
        self._last_ns = 0
        self._asked: dict[RequestId, Query] = {}
        self._waiting: ScriptedServerRequest | None = None

    def take(self, frame: Frame, message: Message) -> None:
        """Add the next message."""
        if not self._begun:
            self._begun, self._last_ns = True, frame.time_ns
            self._params = message.params if isinstance(message, Request | Notification) else None
        elif frame.direction is Direction.TO_SERVER:
            self._record_client_replies(frame, message)
        else:
            self._record_server_message(frame, message)

    def turn(self) -> Turn:
        """Return the completed turn."""
        asked = asked_of(self._params)
        era = None if not self._begun else Era.LEGACY if declared_revision(self._params) is None else Era.MODERN
        return Turn(self._first, self._method, asked, key_of(asked), era, tuple(self._steps), tuple(self._after))

    def _pause(self, frame: Frame) -> int:
        """Return nanoseconds since the previous step, and start the next pause."""
        found, self._last_ns = max(0, frame.time_ns - self._last_ns), frame.time_ns
        return found

    def _add(self, step: Step) -> None:
        (self._steps if self._open else self._after).append(step)
        if isinstance(step, ScriptedResponse):
            self._open = False

    def _record_client_replies(self, frame: Frame, message: Message) -> None:
        """Record the client's responses to server requests."""
        self._pause(frame)
        if isinstance(message, ResultResponse | ErrorResponse):
            query = self._asked.pop(message.id, None) if message.id is not None else None
            if query is not None:
                query.answer, query.failed = _part(message), isinstance(message, ErrorResponse)
        elif isinstance(message, Request) and self._waiting is not None:
            for query in self._waiting.queries:
                if peek.has(message.params, "inputResponses", query.key):
                    query.answer = Part(None, peek.at(message.params, "inputResponses", query.key))

    def _record_server_message(self, frame: Frame, message: Message) -> None:
        apart = frame.channel is Channel.GET
        match message:
            case Request():
                query = self._asked[message.id] = Query(message.method, message.params_part)
                self._add(ScriptedServerRequest(self._pause(frame), (query,), apart=apart))
            case Notification() if message.method not in NOT_REPLAYED:
                self._add(Say(self._pause(frame), message.method, message.params_part, apart))
            case ResultResponse() if frame.n in self._server_requests:
                self._waiting = ScriptedServerRequest(self._pause(frame), _queries(message.result), message.result_part)
                self._add(self._waiting)
            case ResultResponse() | ErrorResponse():
                self._add(ScriptedResponse(self._pause(frame), _part(message), isinstance(message, ErrorResponse)))
            case NotJsonRpc() if not frame.cut:
                self._add(Junk(self._pause(frame), frame.payload, frame.eol))
            case _:
                pass


def _queries(result: Any) -> tuple[Query, ...]:
    """Return the server requests in a result."""
    requests = peek.mapping(result, "inputRequests")
    asked = server_requests_in(result, exchange=0, frame=0, asked_ns=0)
    return tuple(
        Query(peek.text(requests, each.key, "method") or "", Part(None, each.params), each.key) for each in asked
    )


def _part(answer: ResultResponse | ErrorResponse) -> Part:
    return answer.error_part if isinstance(answer, ErrorResponse) else answer.result_part
