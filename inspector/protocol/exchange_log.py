"""ExchangeLog: all exchanges of a conversation, in tens of bytes each once they have ended.

A long capture holds hundreds of thousands of them, and as objects they would take more memory than everything else.
So an exchange that has ended is packed: what is asked of many stands in columns, the rest in a record; whoever asks
for it gets an object, and everybody gets the same one for as long as somebody holds it. An ended exchange that
changes all the same (by a late answer) must be kept anew: the trackers say so with `keep`.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload
from weakref import WeakValueDictionary

import msgspec

from inspector.protocol.exchange_table import NEVER, ExchangeTable, born
from inspector.protocol.exchanges import Exchange, ExchangeState, Progress

__all__ = ["NEVER", "Change", "ExchangeLog"]

_STEP = 8
"""Records begin at multiples of so many bytes, so that one that changes often fits its old place."""
_LARGEST = 2000
"""Bytes of a record. What takes more, by an id of a megabyte perhaps, stays an object."""
_SAME = True
"""Stands in a record for a token that is the id of its request."""
_PENDING, _LATE = ExchangeState.PENDING, ExchangeState.LATE

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


class Change(msgspec.Struct, frozen=True, gc=False):
    """What was known of an ended exchange before it changed all the same."""

    number: int
    place: int
    record: bytes
    """The place of its record, with its own length before it."""
    answer_frame: int
    end: int
    failure: int
    state: int


class ExchangeLog(ExchangeTable, Sequence[Exchange]):
    """Exchange number n stands at position n - 1. One thread adds and keeps; any may read."""

    def __init__(self) -> None:
        super().__init__()
        self._objects: dict[int, Exchange] = {}
        """By number: those that are open, and those that can't be packed."""
        self._held: WeakValueDictionary[int, Exchange] = WeakValueDictionary()
        """Those that somebody holds."""
        self._places = array("I")
        """Where each record begins, in steps; 0 for an exchange that has none."""
        self._records = bytearray(_STEP)
        self.changes: list[Change] | None = None
        """What ended exchanges were before they changed, the first change of each in an epoch; None: nobody asks."""
        self._changed: set[int] = set()

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Exchange: ...
    @overload
    def __getitem__(self, index: slice) -> list[Exchange]: ...
    def __getitem__(self, index: int | slice) -> Exchange | list[Exchange]:
        if isinstance(index, slice):
            return [self._get(at + 1) for at in range(*index.indices(len(self)))]
        return self._get(range(len(self))[index] + 1)

    def __iter__(self) -> Iterator[Exchange]:
        return map(self._get, range(1, len(self) + 1))

    def at(self, number: int) -> Exchange:
        """Exchange number n, for the trackers: nobody else holds what they change while it is open."""
        return self._objects.get(number) or self._get(number)

    def append(self, exchange: Exchange) -> None:
        """Take in the next one, which is open; its number is its position plus one."""
        self._objects[exchange.number] = exchange
        self._begin(exchange)
        self._places.append(0)

    def keep(self, exchange: Exchange, *, shown: bool = True) -> None:
        """It has ended, or changed since: pack what it is now. An exchange that is open stays as it is.

        `shown` is False where whoever calls has got this object neither from here nor from an event: then nobody
        holds it who has not asked here.
        """
        if exchange.state is _PENDING:
            return
        number = exchange.number
        if self.changes is not None and self._places[number - 1]:
            self._note_change(number, self.changes)
        self._end(exchange)
        record = self.pack(exchange)
        if record is None:
            self._objects[number] = exchange
            return
        if shown:
            self._held[number] = exchange
        self._put(number - 1, record)
        self._objects.pop(number, None)

    def begin_epoch(self) -> int:
        """From now on keep what each ended exchange is now, if it changes; how many changes were kept so far."""
        self._changed.clear()
        if self.changes is None:
            self.changes = []
        return len(self.changes)

    def check(self) -> None:
        """Look whether columns that came from a file agree with each other.

        Raises: ValueError.
        """
        self._check(len(self) + 1)
        farthest = max(self._places, default=0) * _STEP
        if len(self._records) < _STEP or len(self._records) % _STEP or (farthest and farthest + 2 > len(self._records)):
            raise ValueError("an exchange is nowhere")

    def _note_change(self, number: int, changes: list[Change]) -> None:
        if number in self._changed:
            return
        self._changed.add(number)
        place = self._places[number - 1]
        changes.append(
            Change(
                number,
                place,
                bytes(self._records[place * _STEP : self._end_of(place)]),
                self.answer_frames[number],
                self.ends[number],
                self.failures[number],
                self.states[number],
            )
        )

    def _end_of(self, place: int) -> int:
        """The byte behind the record of a place."""
        begin = place * _STEP
        return begin + 2 + int.from_bytes(self._records[begin : begin + 2])

    def _put(self, at: int, record: bytes) -> None:
        """Write a record over the one before it, or behind all others if it does not fit there."""
        data, place = len(record).to_bytes(2) + record, self._places[at]
        if place and len(data) <= _rounded(self._end_of(place) - place * _STEP):
            self._records[place * _STEP : place * _STEP + len(data)] = data
            return
        place = len(self._records) // _STEP
        self._records += data.ljust(_rounded(len(data)), b"\0")
        self._places[at] = place  # last: another thread may be reading

    def _get(self, number: int) -> Exchange:
        found = self._objects.get(number)
        if found is None:
            found = self._held.get(number)
            if found is None:
                found = self._held[number] = self._unpacked(number)
        else:
            self._held[number] = found  # whoever has it now has the same one when it was packed
        return found

    def pack(self, exchange: Exchange) -> bytes | None:
        """What no column says of an exchange; None if that can't be packed."""
        id_, token, progress, operation = exchange.id, exchange.progress_token, exchange.progress, exchange.operation
        if token is not None and token == id_:
            token = _SAME
        row: list[Any] = [id_, token, None if operation is None else exchange.number - operation]
        rest = self._rest(exchange)
        if progress is not None:
            row.append(_packed_progress(progress, exchange))
        elif rest is not None:
            row.append(None)
        if rest is not None:
            row += rest
        if not self._holds(exchange):
            return None
        try:
            record = _encode(row)
        except (OverflowError, UnicodeEncodeError):  # an id beyond 64 bits, half a character
            return None
        return record if len(record) <= _LARGEST else None

    def _rest(self, exchange: Exchange) -> tuple[Any, ...] | None:
        """What few exchanges have."""
        answer = exchange.answer_frame if exchange.answer_frame != self.answer_frames[exchange.number] else None
        found = (exchange.http, exchange.error_code, exchange.why, answer, self._unlisted(exchange))
        return None if found == _NO_REST else found

    def _unpacked(self, number: int) -> Exchange:
        place = self._places[number - 1]
        return self.unpack(number - 1, self._records[place * _STEP + 2 : self._end_of(place)])

    def unpack(self, at: int, record: bytes | bytearray) -> Exchange:
        """The exchange at a position, from its record and the columns."""
        row: list[Any] = _decode(record)
        id_, token, operation, progress, *rest = row if len(row) > 3 else (*row, None)
        http, code, why, answer, unlisted = rest or _NO_REST
        found = self._begun(at + 1, id_, unlisted)
        found.progress_token = id_ if token is _SAME else token
        found.operation = None if operation is None else found.number - operation
        found.http, found.error_code, found.why = http, code, why
        if answer is not None:
            found.answer_frame = answer
        if progress is not None:
            found.progress = _unpacked_progress(progress, found)
        return found


def take_back(columns: Mapping[str, Any], change: Change) -> None:
    """Let columns, given by their names, say of an exchange what they said before it changed."""
    at, begin = change.number, change.place * _STEP
    columns["_places"][at - 1] = change.place
    if begin < len(columns["_records"]):  # else it was open then, and has ended since
        columns["_records"][begin : begin + len(change.record)] = change.record
    columns["answer_frames"][at], columns["ends"][at] = change.answer_frame, change.end
    columns["failures"][at], columns["states"][at] = change.failure, change.state


def open_again(columns: Mapping[str, Any], number: int) -> None:
    """Let columns, given by their names, say of an exchange that it is open."""
    columns["_places"][number - 1] = 0
    columns["answer_frames"][number] = columns["failures"][number] = 0
    columns["ends"][number] = NEVER
    columns["states"][number] = born(columns["states"][number])


_NO_REST: tuple[Any, ...] = (None, None, "", None, None)


def _rounded(size: int) -> int:
    return -(-size // _STEP) * _STEP


def _packed_progress(progress: Progress, of: Exchange) -> tuple[Any, ...]:
    """Frames and times of it as they are beside those of its request: small numbers take few bytes."""
    row = (
        progress.progress,
        progress.total,
        progress.message,
        progress.frame - of.request_frame,
        progress.count,
        progress.began,
        progress.began_ns - of.started_ns,
        progress.time_ns - of.started_ns,
    )
    return (*row, progress.raw, progress.wrong) if progress.raw or progress.wrong else row


def _unpacked_progress(row: Sequence[Any], of: Exchange) -> Progress:
    progress, total, message, frame, count, began, began_ns, time_ns, *odd = row
    started, frame = of.started_ns, frame + of.request_frame
    return Progress(progress, total, message, frame, count, began, began_ns + started, time_ns + started, *odd)
