"""ExchangeLog: all exchanges of a conversation, in tens of bytes each once they have ended.

A long capture holds hundreds of thousands of them, and as objects they would take more memory than everything else.
So an exchange that has ended is packed; whoever asks for it gets an object, and everybody gets the same one for as
long as somebody holds it. An ended exchange that changes all the same (by a late answer) must be kept anew: the
trackers say so with `keep`.
"""

from array import array
from collections.abc import Iterator, Sequence
from typing import overload
from weakref import WeakValueDictionary

import msgspec

from inspector.protocol.exchanges import Exchange, ExchangeState, Progress
from inspector.protocol.frames import Direction

_STEP = 16
"""Packed records take multiples of so many bytes, so that one that changes usually fits its old place."""
_LARGEST = 2000
"""Bytes of a record. What takes more, by an id of a megabyte perhaps, stays an object."""
_STATES = tuple(ExchangeState)
_NUMBER_OF_STATE = {state: number for number, state in enumerate(_STATES)}
_DIRECTIONS = tuple(Direction)
_NUMBER_OF_DIRECTION = {direction: number for number, direction in enumerate(_DIRECTIONS)}
_TOOL_ERROR = 0x80
NEVER = 2**63 - 1
"""Stands in the column of ends for an exchange that is open."""
OPEN_ONE = {"answer_frames": 0, "ends": NEVER, "failures": 0, "_states": _NUMBER_OF_STATE[ExchangeState.PENDING]}
"""What stands in the columns, by their names, at the number of an exchange that is open."""
_MOST_FRAME = 0xFFFF_FFFF
_MOST_NAMES, _LONG = 1 << 14, 200
"""So many methods and targets, each of at most so many characters, are kept once for all records."""

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


class ExchangeLog(Sequence[Exchange]):
    """Exchange number n stands at position n - 1. One thread adds and keeps; any may read."""

    def __init__(self) -> None:
        self._objects: dict[int, Exchange] = {}
        """By number: those that are open, and those that can't be packed."""
        self._held: WeakValueDictionary[int, Exchange] = WeakValueDictionary()
        """Those that somebody holds."""
        self._places = array("Q")
        """Where each record begins; 0 for an exchange that has none."""
        self._records = bytearray(1)
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self.request_frames = array("I", [0])
        """At an exchange's number: the frame of its request. These columns spare unpacking."""
        self.answer_frames = array("I", [0])
        """At its number: the frame of its answer; 0 where none came, or one that was late."""
        self.ends = array("q", [NEVER])
        """At its number: when it ended, or NEVER."""
        self.failures = bytearray(1)
        """At its number: 1 if it failed: by an error that nobody asked for, a tool's own, or for want of an answer."""

        self._states = bytearray(1)
        """At its number: the number of its state, and a bit for a tool's own error."""
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
            return [self._get(at) for at in range(*index.indices(len(self)))]
        return self._get(range(len(self))[index])

    def __iter__(self) -> Iterator[Exchange]:
        return map(self._get, range(len(self)))

    def tally(self) -> dict[ExchangeState, int]:
        """How many there are in each state. As fast for a million."""
        counts, last = self._states.count, len(self._states)
        return {
            state: counts(number, 1, last) + counts(number | _TOOL_ERROR, 1, last)
            for state, number in _NUMBER_OF_STATE.items()
        }

    @property
    def tool_errors(self) -> int:
        """How many were answered with an error of the tool's own."""
        last = len(self._states)
        return sum(self._states.count(number | _TOOL_ERROR, 1, last) for number in _NUMBER_OF_STATE.values())

    def append(self, exchange: Exchange) -> None:
        """Take in the next one, which is open; its number is its position plus one."""
        self._objects[exchange.number] = exchange
        self.request_frames.append(min(exchange.request_frame, _MOST_FRAME))
        self.answer_frames.append(0)
        self.ends.append(NEVER)
        self.failures.append(0)
        self._states.append(_NUMBER_OF_STATE[exchange.state])
        self._places.append(0)

    def keep(self, exchange: Exchange) -> None:
        """It has ended, or changed since: pack what it is now. An exchange that is open stays as it is."""
        if exchange.is_open:
            return
        if self.changes is not None and self._places[exchange.number - 1]:
            self._note_change(exchange.number, self.changes)
        self._note_end(exchange)
        record = self.pack(exchange)
        if record is None:
            self._objects[exchange.number] = exchange
            return
        self._held[exchange.number] = exchange
        self._put(exchange.number - 1, record)
        self._objects.pop(exchange.number, None)

    def begin_epoch(self) -> int:
        """From now on keep what each ended exchange is now, if it changes; how many changes were kept so far."""
        self._changed.clear()
        if self.changes is None:
            self.changes = []
        return len(self.changes)

    def _note_change(self, number: int, changes: list[Change]) -> None:
        if number in self._changed:
            return
        self._changed.add(number)
        place = self._places[number - 1]
        end = place + 3 + self._records[place] * _STEP
        changes.append(
            Change(
                number,
                place,
                bytes(self._records[place:end]),
                self.answer_frames[number],
                self.ends[number],
                self.failures[number],
                self._states[number],
            )
        )

    def _note_end(self, exchange: Exchange) -> None:
        number, answer, ended = exchange.number, exchange.answer_frame, exchange.ended_ns
        late = answer is None or exchange.state is ExchangeState.LATE
        self.answer_frames[number] = 0 if late else min(answer or 0, _MOST_FRAME)
        self.ends[number] = NEVER if ended is None else min(ended, NEVER)
        self._states[number] = _NUMBER_OF_STATE[exchange.state] | (_TOOL_ERROR if exchange.tool_error else 0)
        refused = exchange.state is ExchangeState.ERROR and not exchange.probe
        self.failures[number] = refused or exchange.tool_error or exchange.state is ExchangeState.LOST

    def _put(self, at: int, record: bytes) -> None:
        """Write a record over the one before it, or behind all others if it does not fit there."""
        size, place = len(record), self._places[at]
        if place and size <= self._records[place] * _STEP:
            self._records[place + 1 : place + 3 + size] = size.to_bytes(2) + record
            return
        steps, place = -(-size // _STEP), len(self._records)
        self._records += bytes((steps,)) + size.to_bytes(2) + record.ljust(steps * _STEP, b"\0")
        self._places[at] = place  # last: another thread may be reading

    def _get(self, at: int) -> Exchange:
        found = self._objects.get(at + 1) or self._held.get(at + 1)
        if found is None:
            found = self._held[at + 1] = self._unpacked(at)
        return found

    def pack(self, exchange: Exchange) -> bytes | None:
        """The record of an exchange; None if it can't be one."""
        ended, progress = exchange.ended_ns, exchange.progress
        row = (
            _NUMBER_OF_DIRECTION[exchange.sender],
            exchange.id,
            self._number(exchange.method),
            self._number(exchange.target),
            exchange.request_frame,
            exchange.started_ns,
            None if exchange.revision is None else self._number(exchange.revision),
            exchange.probe | exchange.tool_error << 1 | exchange.asks << 2 | exchange.retried << 3,
            exchange.http,
            _NUMBER_OF_STATE[exchange.state],
            exchange.answer_frame,
            None if ended is None else ended - exchange.started_ns,
            exchange.error_code,
            exchange.progress_token,
            exchange.operation,
            exchange.why,
            None if progress is None else msgspec.structs.astuple(progress),
        )
        try:
            record = _encode(row)
        except (OverflowError, UnicodeEncodeError):  # an id beyond 64 bits, half a character
            return None
        return record if len(record) <= _LARGEST else None

    def _unpacked(self, at: int) -> Exchange:
        place = self._places[at]
        size = int.from_bytes(self._records[place + 1 : place + 3])
        return self.unpack(at, self._records[place + 3 : place + 3 + size])

    def unpack(self, at: int, record: bytes | bytearray) -> Exchange:
        """The exchange at a position, from its record."""
        sender, id_, method, target, *rest = _decode(record)
        request, started, revision, flags, http, state, answer, lasted, code, token, operation, why, progress = rest
        return Exchange(
            at + 1,
            _DIRECTIONS[sender],
            id_,
            self._name(method),
            self._name(target),
            request,
            started,
            revision=None if revision is None else self._name(revision),
            probe=bool(flags & 1),
            http=http,
            state=_STATES[state],
            answer_frame=answer,
            ended_ns=None if lasted is None else started + lasted,
            error_code=code,
            tool_error=bool(flags & 2),
            asks=bool(flags & 4),
            retried=bool(flags & 8),
            progress_token=token,
            progress=None if progress is None else Progress(*progress),
            operation=operation,
            why=why,
        )

    def _number(self, name: str) -> int | str:
        """What stands for a name in a record: the number of one that was seen before, or the name itself."""
        number = self._numbers.get(name)
        if number is None:
            if len(self._names) >= _MOST_NAMES or len(name) > _LONG:
                return name
            number = self._numbers[name] = len(self._names)
            self._names.append(name)
        return number

    def _name(self, number: int | str) -> str:
        return number if isinstance(number, str) else self._names[number]
