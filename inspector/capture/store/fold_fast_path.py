"""Fast fold of plain messages: has the same effect as `Conversation.observe`, but returns no events.

Loading a long recording needs no events, only the final conversation and one row of columns per frame. Plain
messages are notifications, tool calls and their results without unusual members. The arguments of a call and the
content of a result are not decoded. Everything else is rejected here, and the caller passes it to the conversation
as a frame.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from inspector.capture.format.records import FrameRecord, clamped, decoder, entry_of
from inspector.capture.journal import Journal
from inspector.capture.store.columns import (
    BITS_OF_DIRECTION,
    BYTES_BIT,
    FROM_SERVER_BIT,
    PROBE_BIT,
    TO_SERVER_BIT,
    meaning_of,
)
from inspector.capture.store.store import Row
from inspector.documents import UNDECODABLE
from inspector.protocol.conversation import Conversation
from inspector.protocol.events import Event
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import RequestId
from inspector.protocol.server_requests import COMPLETE
from inspector.protocol.tracking.subscriptions import TELLING_OF_CHANGES
from inspector.protocol.tracking.tasks import TELLING

REQUEST, NOTIFICATION, ANSWER = 1, 2, 3
_PROGRESS, _CALL = "notifications/progress", "tools/call"
_TELLING = frozenset({_PROGRESS, "notifications/cancelled", COMPLETE, *TELLING, *TELLING_OF_CHANGES})
"""Notifications that affect the fold."""
_TO_SERVER, _FROM_SERVER = Direction.TO_SERVER, Direction.FROM_SERVER
_OF_VIEW = frozenset(direction for direction in Direction if direction.is_of_view)
_PENDING = ExchangeState.PENDING
_UNSET = msgspec.UNSET
_Absent = msgspec.Raw | msgspec.UnsetType

LONGEST = 1024 * 1024
"""Maximum length in bytes of a line that is processed this way."""


class FoldedFrames(NamedTuple):
    """Outcome of folding one frame."""

    kind: int
    """REQUEST, NOTIFICATION or ANSWER."""
    method: str = ""
    exchange: int = 0
    """Number of its exchange; 0 for none."""


class _Meta(msgspec.Struct, gc=False):
    progressToken: int | str | msgspec.UnsetType = _UNSET  # noqa: N815, the name on the wire
    revision: _Absent = msgspec.field(default=_UNSET, name="io.modelcontextprotocol/protocolVersion")


class _Params(msgspec.Struct, gc=False):
    """Params: of a call, what the fold needs and what makes it unusual; of progress, everything.

    Of other methods nothing is needed.
    """

    progressToken: int | str | msgspec.UnsetType = _UNSET  # noqa: N815
    progress: int | float | msgspec.UnsetType = _UNSET
    total: int | float | None = None
    message: str = ""
    name: str = ""
    meta: _Meta | msgspec.UnsetType = msgspec.field(default=_UNSET, name="_meta")
    task: _Absent = _UNSET
    inputResponses: _Absent = _UNSET  # noqa: N815
    requestState: _Absent = _UNSET  # noqa: N815


class _Head(msgspec.Struct, gc=False):
    """Relevant members of a result."""

    isError: bool = False  # noqa: N815
    resultType: str = ""  # noqa: N815


class _Message(msgspec.Struct, gc=False):
    """Relevant members of a message. What does not decode as this is unusual."""

    jsonrpc: str
    id: int | str | msgspec.UnsetType = _UNSET
    method: str | msgspec.UnsetType = _UNSET
    params: _Params | msgspec.UnsetType = _UNSET
    result: _Head | msgspec.UnsetType = _UNSET
    error: _Absent = _UNSET


_decode = msgspec.json.Decoder(_Message).decode


class FastFold:
    """Folds plain messages into a conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._exchanges = conversation.exchanges
        self._pairs = conversation.pairs
        self._progress = conversation.progress
        self._operations = conversation.operations
        self._calls: set[int] = set()
        """Numbers of pending calls that were folded here."""

    def take(
        self, payload: str, n: int, time_ns: int, direction: Direction, *, http: bool = False
    ) -> FoldedFrames | None:
        """Fold a frame that is one plain message; return None, without any effect, for any other.

        `http` is True for a frame of an HTTP exchange or of a probe: of those only notifications are plain.
        """
        if direction in _OF_VIEW:
            return None
        try:
            message = _decode(payload)
        except UNDECODABLE:
            return None
        if message.jsonrpc != "2.0" or message.error is not _UNSET:
            return None
        id_, method = message.id, message.method
        if id_ is _UNSET:
            if message.result is not _UNSET:
                return None
            if method == _PROGRESS:
                if http and self._pairs.sessions.is_of_proxy:
                    return None  # several clients may use one token
                return self._progressed(message.params, n, time_ns, direction)
            if method is _UNSET or method in _TELLING:
                return None
            self._pairs.note_other(direction)
            return FoldedFrames(NOTIFICATION, method)
        if http:
            return None
        if direction is _TO_SERVER:
            return self._called(message, id_, n, time_ns)
        return self._answered(message, id_, n, time_ns, payload)

    def _progressed(
        self, params: "_Params | msgspec.UnsetType", n: int, time_ns: int, direction: Direction
    ) -> FoldedFrames | None:
        if params is _UNSET or params.progress is _UNSET or params.progressToken is _UNSET:
            return None
        asker = _FROM_SERVER if direction is _TO_SERVER else _TO_SERVER
        exchange = self._progress.notified_plain(
            asker, params.progressToken, params.progress, params.total, params.message, n, time_ns
        )
        if exchange is None:
            return None
        self._pairs.note_other(direction)
        if exchange.state is not _PENDING:
            self._exchanges.keep(exchange, shown=False)
        return FoldedFrames(NOTIFICATION, _PROGRESS, exchange.number)

    def _called(self, message: _Message, id_: RequestId, n: int, time_ns: int) -> FoldedFrames | None:
        if message.method != _CALL or message.result is not _UNSET:
            return None
        call, opening = message.params, self._conversation.opening
        if call is _UNSET or not call.name or not _is_plain(call) or self._pairs.waits_for_host:
            return None
        number = len(self._exchanges) + 1
        revision = None if opening is None else opening.revision.date
        exchange = Exchange(number, _TO_SERVER, id_, _CALL, call.name, n, time_ns, revision)
        self._pairs.begin(exchange)
        if call.meta is not _UNSET and call.meta.progressToken is not _UNSET:
            self._progress.given(exchange, call.meta.progressToken)
        self._operations.begin(exchange)
        self._calls.add(number)
        return FoldedFrames(REQUEST, _CALL, number)

    def _answered(self, message: _Message, id_: RequestId, n: int, time_ns: int, payload: str) -> FoldedFrames | None:
        head = message.result
        if head is _UNSET or message.method is not _UNSET:
            return None
        exchange = self._pairs.find_open(_TO_SERVER, id_)
        if exchange is None or exchange.number not in self._calls or self._conversation.opening is None:
            return None
        if head.resultType not in ("", "complete") or '"task' in payload:
            return None
        self._calls.discard(exchange.number)
        self._pairs.answered(exchange, n, time_ns)
        exchange.tool_error = head.isError
        self._exchanges.keep(exchange, shown=False)
        return FoldedFrames(ANSWER, "", exchange.number)


class FrameListener(Protocol):
    """Is called for each frame in order while a recording is read."""

    def on_frame(self, frame: Frame, events: Sequence[Event]) -> None:
        """Process a frame with the events that the fold derived from it."""

    def on_plain_frame(self, taken: FoldedFrames, record: FrameRecord, n: int) -> None:
        """Process a frame that is one plain message, which `record` holds as text."""


def _is_plain(call: _Params) -> bool:
    """Return whether a call has no unusual members."""
    odd = call.task is not _UNSET or call.inputResponses is not _UNSET or call.requestState is not _UNSET
    return not odd and (call.meta is _UNSET or call.meta.revision is _UNSET)


# Frames of a recording on their way to the store: folded one by one, stored in batches.


class Rows:
    """Frames of one journal that are not in its store yet."""

    def __init__(self, journal: Journal) -> None:
        self._store = journal.store
        self._conversation = journal.conversation
        self._plain = FastFold(journal.conversation)
        self._waiting: list[Row] = []
        self.listener: FrameListener | None = None
        """Is called for each frame; None if not needed."""
        self.passed_over: Counter[str] = Counter()
        """Number of skipped records with "no payload", and of records with "other length"."""

    def take(self, lines: Sequence[bytes], at: int, place: int, anchor: int) -> tuple[int, int]:
        """Fold lines from position `at` on, up to one that is not a frame.

        `place` is the offset of the first line. Returns the position of the line that is not a frame, and its
        offset. `anchor` is wall clock minus monotonic time, for records without a wall clock time.
        """
        decode, plain, put = decoder().decode, self._plain.take, self._waiting.append
        number_of, n = self._store.number_for, self._store.count + len(self._waiting)
        listener = self.listener
        while at < len(lines):
            line = lines[at]
            length = len(line)
            try:
                record = decode(line)
            except UNDECODABLE:
                break
            if type(record) is not FrameRecord or length > LONGEST:
                break
            raw, time_ns, wall_ns = record.raw, record.tm, record.tw
            probe, direction = record.probe, record.dir
            if wall_ns is None:
                wall_ns = clamped(time_ns + anchor)
            taken = None
            if raw is not None and record.b64 is None and not record.cut and record.ch is not Channel.REPLY:
                taken = plain(raw, n + 1, time_ns, direction, http=probe or record.ex is not None)
            if taken is None or raw is None:
                n += self._fold(record, wall_ns, place, length, n + 1)
            else:
                n += 1
                size = len(raw) if raw.isascii() else len(raw.encode())
                if size != record.len is not None:
                    self.passed_over["other length"] += 1
                kind, method, exchange = taken
                flags = kind | (TO_SERVER_BIT if direction is _TO_SERVER else FROM_SERVER_BIT)
                if probe:
                    flags |= PROBE_BIT
                put((place, length, time_ns, wall_ns, size, flags, number_of(method), exchange))
                if listener is not None:
                    listener.on_plain_frame(taken, record, n)
            at += 1
            place += length + 1
        return at, place

    def flush(self) -> None:
        """Move all waiting frames to the store: before a fact, and at the end of a step."""
        self._store.add_rows(self._waiting)
        self._waiting.clear()

    def _fold(self, record: FrameRecord, wall_ns: int, place: int, length: int, n: int) -> int:
        """Fold a frame that is not plain; return how many were folded (0 or 1)."""
        try:
            entry = entry_of(record, n, wall_ns)
        except ValueError:
            self.passed_over["no payload"] += 1
            return 0
        frame = entry.what
        assert isinstance(frame, Frame)
        events = self._conversation.observe(frame)
        meaning = meaning_of(events)
        size = len(frame.payload)
        self.passed_over["other length"] += record.len not in (None, size)
        flags = _flags(record) | meaning.kind | (PROBE_BIT if meaning.probe else 0)
        method = self._store.number_for(meaning.method)
        self._waiting.append((place, length, entry.time_ns, entry.wall_ns, size, flags, method, meaning.exchange))
        if self.listener is not None:
            self.listener.on_frame(frame, events)
        return 1


def _flags(record: FrameRecord) -> int:
    direction = BITS_OF_DIRECTION[record.dir]
    form = BYTES_BIT if record.b64 is not None else 0
    return direction | form | (PROBE_BIT if record.probe else 0)
