"""The outline of a script: which turn of the client each frame belongs to, in numbers alone.

A message of the server's belongs to the request whose progress token, HTTP stream or id it names; on a pipe to the one
request that is open; else to what the client had said last. Twelve bytes a frame stay in memory, whatever it holds.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence

import msgspec

from inspector.capture.columns import KIND_BITS, TO_SERVER_BIT
from inspector.capture.journal import Journal
from inspector.capture.meaning import MessageKind, meaning_of
from inspector.protocol.conversation import Conversation
from inspector.protocol.exchange_table import ASKS, FROM_SERVER
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Message, Notification, Request, read
from inspector.protocol.tracking.operations import goes_on
from inspector.protocol.tracking.subscriptions import ACKNOWLEDGED, TELLING_OF_CHANGES
from inspector.replay.mock.script import LISTEN
from inspector.replay.mock.wires import Wire

CANCELLED, PROGRESS = "notifications/cancelled", "notifications/progress"
NOT_SAID = {CANCELLED, ACKNOWLEDGED}
"""What the server says about requests by their ids, and what is said anew."""
_REQUEST, _NOTE, _GARBLED, _BATCH = (
    int(kind) for kind in (MessageKind.REQUEST, MessageKind.NOTIFICATION, MessageKind.GARBLED, MessageKind.BATCH)
)
_ANSWERS = {int(MessageKind.ANSWER), int(MessageKind.ERROR)}
_KINDS: dict[type, int] = {
    Request: _REQUEST,
    Notification: _NOTE,
    Answer: int(MessageKind.ANSWER),
    ErrorAnswer: int(MessageKind.ERROR),
}
_Row = tuple[int, int, str, int]
"""Of a message: its frame, the flags of it, its method, its exchange."""


class Shape(msgspec.Struct):
    """What each message of a connection is."""

    conversation: Conversation
    rows: Iterator[_Row]


def shape_of(journal: Journal, wire: Wire) -> Shape:
    """As the journal has it; of one connection among several, folded by itself, for ids are its own."""
    if wire.alone:
        return Shape(journal.conversation, _rows_of_all(journal))
    conversation, rows = Conversation(), list[_Row]()
    for n in wire.frames:
        frame = frame_of(journal, n)
        if frame is not None:
            meaning = meaning_of(conversation.observe(frame))
            flags = int(meaning.kind) | (TO_SERVER_BIT if frame.direction is Direction.TO_SERVER else 0)
            rows.append((n, flags, meaning.method, meaning.exchange))
    return Shape(conversation, iter(rows))


def _rows_of_all(journal: Journal) -> Iterator[_Row]:
    store = journal.store
    columns, names = store.columns(1, journal.count), store.method_names
    for n, flags, method, exchange in zip(
        range(1, journal.count + 1), columns.flags, columns.methods, columns.exchanges, strict=True
    ):
        if flags & KIND_BITS:
            yield n, flags, names[method] if method < len(names) else store.method(n), exchange


def frame_of(journal: Journal, n: int) -> Frame | None:
    """The frame of an entry; None if it can't be had."""
    entry = journal.store.entry(n)
    return entry.what if isinstance(entry.what, Frame) and not entry.missing else None


class Outline:
    """Turns are numbered from 0, in the order of what the client said."""

    def __init__(self, journal: Journal, wire: Wire) -> None:
        shape = shape_of(journal, wire)
        self.journal, self.conversation = journal, shape.conversation
        self.firsts = array("I")
        """The frame in which the client speaks, of each turn."""
        self.lasts = array("I")
        """The last frame that belongs to it."""
        self.methods: list[str] = []
        self.exchanges = array("I")
        """That of its request; 0 for a notification."""
        self.asking: dict[int, None] = {}
        """Turns in which the server asks."""
        self.questions: set[int] = set()
        """Frames that are results with questions."""
        self._owners = array("I", bytes(4 * (journal.count + 1)))
        """By frame: the turn and one more; 0 for none."""
        self._batches: dict[int, list[int]] = {}
        """By frame that is a batch: the turn of each of its messages and one more."""
        self._in_batches: dict[int, list[int]] = {}
        """By turn: the batches in which something belongs to it."""
        self._turns = array("I", bytes(4 * (len(self.conversation.exchanges) + 1)))
        """By exchange: the turn and one more."""
        self._live: dict[int, int | None] = {}
        """Turns whose answer is awaited, oldest first, and the HTTP exchange of each."""
        self._waiting: dict[int, int] = {}
        """By operation: the turn that was answered by questions."""
        self._is_http = self._came_by_http(wire)
        for n, flags, method, exchange in shape.rows:
            if flags & KIND_BITS == _BATCH:
                self._take_batch(n, flags)
            else:
                self._own(n, self._take(n, flags & KIND_BITS, flags & TO_SERVER_BIT, method, exchange))

    def frames(self, turn: int) -> list[int]:
        """The frames that belong to a turn, in order; its own first."""
        found, at, last = [self.firsts[turn]], self.firsts[turn] + 1, self.lasts[turn]
        try:
            while at <= last:
                at = self._owners.index(turn + 1, at, last + 1) + 1
                found.append(at - 1)
        except ValueError:
            pass
        return sorted({*found, *self._in_batches.get(turn, ())}) if self._in_batches else found

    def messages(self, turn: int, frame: Frame) -> Sequence[Message]:
        """What of a frame belongs to a turn."""
        several = read(frame.payload)
        owners = self._batches.get(frame.n)
        if owners is None:
            return several
        return [message for message, owner in zip(several, owners, strict=False) if owner == turn + 1]

    # --- one message after the other; what comes back is its turn and one more, or 0

    def _take(self, n: int, kind: int, sent: int, method: str, exchange: int) -> int:
        if kind == _REQUEST:
            return self._opened(n, method, exchange) if sent else self._asked(n, exchange)
        if kind in _ANSWERS:
            return self._turns[exchange] if sent else self._closed(n, exchange)
        if kind == _NOTE:
            return self._noted(n, sent, method, exchange)
        return 0 if sent or kind != _GARBLED else self._owner(n)

    def _opened(self, n: int, method: str, exchange: int) -> int:
        turn = self._retried(n, exchange) if self._waiting and exchange else None
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

    def _retried(self, n: int, exchange: int) -> int | None:
        """The turn that goes on with this request."""
        operation = self.conversation.exchanges[exchange - 1].operation or 0
        if operation not in self._waiting:
            return None
        frame = frame_of(self.journal, n)
        asked = next((each for each in read(frame.payload) if isinstance(each, Request)), None) if frame else None
        return self._waiting.pop(operation) if asked is not None and goes_on(asked.params) else None

    def _asked(self, n: int, exchange: int) -> int:
        turn = self._owner(n)
        if turn and exchange:
            self.asking[turn - 1] = None
            self._turns[exchange] = turn
        return turn

    def _closed(self, n: int, exchange: int) -> int:
        table = self.conversation.exchanges
        turn = self._turns[exchange]
        if not turn or table.states[exchange] & FROM_SERVER:
            return 0  # nobody had asked
        if table.answer_frames[exchange] != n and not self._is_taken_late(n, exchange, turn - 1):
            return 0
        if table.states[exchange] & ASKS:
            self.asking[turn - 1] = None
            self.questions.add(n)
            self._waiting[table[exchange - 1].operation or 0] = turn - 1
        else:
            self._live.pop(turn - 1, None)
        return turn

    def _is_taken_late(self, n: int, exchange: int, turn: int) -> bool:
        """Whether a late answer is the turn's: the client had not given it up, only the connection was thought lost."""
        return turn in self._live and self.conversation.exchanges[exchange - 1].answer_frame == n

    def _noted(self, n: int, sent: int, method: str, exchange: int) -> int:
        if method == CANCELLED:
            if turn := self._turns[exchange]:
                self._live.pop(turn - 1, None)
            return 0
        if sent:
            return 0 if method == PROGRESS else self._begin(n, method, 0) + 1
        if method in NOT_SAID:
            return 0
        return self._turns[exchange] or self._owner(n, method)

    def _owner(self, n: int, method: str = "") -> int:
        """The turn in which the server says something that names none."""
        if not self._is_http:
            if len(self._live) == 1:
                return next(iter(self._live)) + 1
        elif method not in TELLING_OF_CHANGES and (http := self._http_of(n)) is not None:
            for turn, its in self._live.items():
                if its == http:
                    return turn + 1
        return len(self.firsts)

    def _own(self, n: int, owner: int) -> None:
        if owner:
            self._owners[n] = owner
            self.lasts[owner - 1] = max(self.lasts[owner - 1], n)

    # --- a frame that holds several messages

    def _take_batch(self, n: int, flags: int) -> None:
        frame = frame_of(self.journal, n)
        owners = self._batches[n] = []
        for message in read(frame.payload) if frame else ():
            kind, exchange = _KINDS.get(type(message), _GARBLED), self._exchange_in(n, message)
            method = message.method if isinstance(message, Request | Notification) else ""
            owner = self._take(n, kind, flags & TO_SERVER_BIT, method, exchange)
            owners.append(owner)
            if owner:
                self._in_batches.setdefault(owner - 1, []).append(n)

    def _exchange_in(self, n: int, message: Message) -> int:
        """The exchange of a message in a batch; 0 for none that it names by its id."""
        if not isinstance(message, Request | Answer | ErrorAnswer):
            return 0
        table = self.conversation.exchanges
        frames = table.request_frames if isinstance(message, Request) else table.answer_frames
        last = bisect_right(table.request_frames, n) - 1  # a request stands before its answer
        for number in range(last, 0, -1):
            if frames[number] == n and table[number - 1].id == message.id:
                return number
            if isinstance(message, Request) and frames[number] < n:
                break
        return 0

    # --- what no column says

    def _came_by_http(self, wire: Wire) -> bool:
        return bool(wire.frames) and self._http_of(wire.frames[0]) is not None

    def _http_of(self, n: int) -> int | None:
        frame = frame_of(self.journal, n)
        return frame.http if frame is not None else None
