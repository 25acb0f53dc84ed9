"""ExchangeLog: all exchanges of a conversation, packed into tens of bytes each once they have ended.

A long capture holds hundreds of thousands of exchanges, and as objects they would need more memory than everything
else. So an ended exchange is packed: members that are read for many exchanges are in columns, the rest in a record.
An access creates an object, and all callers share it while at least one of them holds it. If an ended exchange
changes later (by a late response), the trackers must store it again with `keep`.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload
from weakref import WeakValueDictionary

import msgspec

from inspector.documents import UNENCODABLE
from inspector.protocol.exchanges import Exchange, ExchangeState, Progress
from inspector.protocol.frames import Direction

NEVER = 2**63 - 1
"""In the column of ends: the exchange is open."""
UNLISTED = 0xFFFF
"""In the columns of methods and targets: a name that has no number."""
STATES = tuple(ExchangeState)
"""States by the number in `STATE_BITS`."""
STATE_BITS, RETRIED, ASKS, PROBE, FROM_SERVER, TOOL_ERROR = 0x07, 0x08, 0x10, 0x20, 0x40, 0x80
"""Bits of the column of states. FROM_SERVER is also set for the exchanges of a View."""
_SENDERS = (None, Direction.FROM_VIEW, Direction.TO_VIEW)
"""Senders by number in the column of Views."""
_MOST_FRAME = 0xFFFF_FFFF
_MOST_NAMES, _LONG = 1 << 14, 200
"""Maximum number of numbered names, and maximum length of such a name in characters."""
UNLISTED_REVISION = 0xFF
"""In the column of revisions: a revision that has no number."""
_NO_REVISION = 0
_NUMBER_OF_STATE = {state: number for number, state in enumerate(STATES)}
_BORN = FROM_SERVER | PROBE
"""Bits that are set when the request is sent and never change."""
_PENDING, _LATE, _ERROR, _LOST = ExchangeState.PENDING, ExchangeState.LATE, ExchangeState.ERROR, ExchangeState.LOST
_ANSWERED = ExchangeState.ANSWERED
_ANSWERED_PROBE = {PROBE | _NUMBER_OF_STATE[_ERROR]: _NUMBER_OF_STATE[_ANSWERED]}
_STATE = bytes(_ANSWERED_PROBE.get(bits & (PROBE | STATE_BITS), bits & STATE_BITS) for bits in range(256))
_FAILED_BY_TOOL = bytes(bool(bits & TOOL_ERROR) for bits in range(256))

_STEP = 8
"""Alignment of records in bytes, so that a changed record often fits its old place."""

_LARGEST = 2000
"""Maximum size of a record in bytes. A larger one, for instance with an id of a megabyte, stays an object."""

_SAME = True
"""In a record: the token equals the request id."""

_NO_REST: tuple[Any, ...] = (None, None, "", None, None)


class LateChange(msgspec.Struct, frozen=True, gc=False):
    """The packed state of an ended exchange before a late change."""

    number: int
    place: int
    record: bytes
    """The record at that place, including its length prefix."""
    answer_frame: int
    end: int
    failure: int
    state: int


def initial_bits(bits: int) -> int:
    """Return the initial value in the column of states, derived from the current one."""
    return bits & _BORN | _NUMBER_OF_STATE[_PENDING]


def _bits(exchange: Exchange) -> int:
    bits = _NUMBER_OF_STATE[exchange.state]
    if exchange.sender is not Direction.TO_SERVER:
        bits |= FROM_SERVER
    if exchange.probe:
        bits |= PROBE
    if exchange.tool_error:
        bits |= TOOL_ERROR
    if exchange.asks:
        bits |= ASKS
    return bits | RETRIED if exchange.retried else bits


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


class ExchangeLog(Sequence[Exchange]):
    """All exchanges; number n is at position n - 1. One thread writes; any thread may read."""

    def __init__(self) -> None:
        self.names: list[str] = []
        """Names by their number in the columns. Append-only."""
        self._numbers: dict[str, int] = {}
        self.request_frames = array("I", [0])
        """Frame number of the request."""
        self.answer_frames = array("I", [0])
        """Frame number of the response; 0 if there is none, or if it was late."""
        self.starts = array("q", [0])
        """Time of the request, in nanoseconds."""
        self.ends = array("q", [NEVER])
        """Time of the end, in nanoseconds, or NEVER."""
        self.failures = bytearray(1)
        """1 if it failed: error (unless a probe), tool error, incomplete result, or no response. 0 otherwise."""
        self.states = bytearray(1)
        """State number and flags, see `STATE_BITS`."""
        self.methods = array("H", [0])
        """Positions in `names`, or UNLISTED."""
        self.targets = array("H", [0])
        self.views = bytearray(1)
        """0 for an exchange between client and server, 1 for a request of a View, 2 for one to it."""
        self.revisions = bytearray(1)
        """Position in `names` plus one; UNLISTED_REVISION, or 0 for none."""
        self._objects: dict[int, Exchange] = {}
        """Exchanges kept as objects, by number: open ones, and those that can't be packed."""
        self._held: WeakValueDictionary[int, Exchange] = WeakValueDictionary()
        """Objects that a caller still holds, by number."""
        self._places = array("I")
        """Position of each record, in units of `_STEP`; 0 for an exchange without one."""
        self._records = bytearray(_STEP)
        self.changes: list[LateChange] | None = None
        """States of ended exchanges before their first change in the current epoch; None if not recorded."""
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
        """Return exchange number n, for the trackers only: an open one is not registered as held by a caller."""
        return self._objects.get(number) or self._get(number)

    def append(self, exchange: Exchange) -> None:
        """Append an open exchange; its number is its position plus one."""
        self._objects[exchange.number] = exchange
        self._begin(exchange)
        self._places.append(0)

    def keep(self, exchange: Exchange, *, shown: bool = True) -> None:
        """Pack an exchange that has ended, or that has changed since. An open exchange stays an object.

        Pass `shown=False` if the object was obtained neither from here nor from an event. Then no caller can hold
        it.
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

    def tally(self) -> dict[ExchangeState, int]:
        """Return the number of exchanges in each state, refused probes as answered: fast even for a million."""
        states = self.states[1:].translate(_STATE)
        return {state: states.count(number) for state, number in _NUMBER_OF_STATE.items()}

    @property
    def tool_errors(self) -> int:
        """Number of exchanges that ended with a tool error."""
        return self.states[1:].translate(_FAILED_BY_TOOL).count(1)

    def begin_epoch(self) -> int:
        """Start an epoch: from now on, record the previous state of each ended exchange that changes.

        Return the number of changes recorded so far.
        """
        self._changed.clear()
        if self.changes is None:
            self.changes = []
        return len(self.changes)

    def check(self) -> None:
        """Check the consistency of columns that were read from a file. Raises: ValueError."""
        self._check(len(self) + 1)
        farthest = max(self._places, default=0) * _STEP
        if len(self._records) < _STEP or len(self._records) % _STEP or (farthest and farthest + 2 > len(self._records)):
            raise ValueError("an exchange has no position")

    def _begin(self, exchange: Exchange) -> None:
        frame, started = exchange.request_frame, exchange.started_ns
        self.request_frames.append(frame if frame < _MOST_FRAME else _MOST_FRAME)
        self.answer_frames.append(0)
        self.starts.append(started if -NEVER <= started <= NEVER else max(-NEVER, min(started, NEVER)))
        self.ends.append(NEVER)
        self.failures.append(0)
        self.states.append(_bits(exchange))
        numbers = self._numbers
        method, target = numbers.get(exchange.method), numbers.get(exchange.target)
        self.methods.append(self._number(exchange.method) if method is None else method)
        self.targets.append(self._number(exchange.target) if target is None else target)
        self.views.append(_SENDERS.index(exchange.sender) if exchange.sender.is_of_view else 0)
        self.revisions.append(self._number_of_revision(exchange.revision))

    def _end(self, exchange: Exchange) -> None:
        """Update the columns of an exchange that has ended, or that has changed since."""
        number, answer, ended, state = exchange.number, exchange.answer_frame, exchange.ended_ns, exchange.state
        self.answer_frames[number] = 0 if answer is None or state is _LATE else min(answer, _MOST_FRAME)
        self.ends[number] = NEVER if ended is None else max(-NEVER, min(ended, NEVER))
        self.states[number] = _bits(exchange)
        failed = state in (_ERROR, _LOST) and not exchange.probe
        incomplete = state is _ANSWERED and exchange.why != ""
        self.failures[number] = failed or exchange.tool_error or incomplete

    def _check(self, length: int) -> None:
        """Check the length and the values of the columns. Raises: ValueError."""
        names, wide = len(self.names), (self.request_frames, self.answer_frames, self.starts, self.ends)
        narrow = self.failures, self.states, self.methods, self.targets, self.views, self.revisions
        if {len(column) for column in (*wide, *narrow)} != {length}:
            raise ValueError("columns of exchanges differ in length")
        named = {*self.methods[1:], *self.targets[1:]} - {UNLISTED}
        revisions = set(self.revisions) - {_NO_REVISION, UNLISTED_REVISION}
        if max(named, default=-1) >= names or max(revisions, default=0) > names:
            raise ValueError("an exchange has no name")
        if any(bits & STATE_BITS >= len(STATES) for bits in set(self.states)):
            raise ValueError("an exchange has no state")
        if max(self.views) >= len(_SENDERS):
            raise ValueError("an exchange has no sender")

    def _holds(self, exchange: Exchange) -> bool:
        """Return whether the exchange's numbers fit the columns."""
        ended = exchange.ended_ns
        return (
            exchange.request_frame < _MOST_FRAME
            and -NEVER <= exchange.started_ns <= NEVER
            and (ended is None or -NEVER <= ended < NEVER)
        )

    def _number(self, name: str) -> int:
        """Assign a number to a new name; UNLISTED if there is no room for it."""
        number = len(self.names)
        if number >= _MOST_NAMES or len(name) > _LONG:
            return UNLISTED
        self.names.append(name)
        self._numbers[name] = number
        return number

    def _number_of_revision(self, revision: str | None) -> int:
        if revision is None:
            return _NO_REVISION
        number = self._numbers.get(revision)
        if number is None:
            number = self._number(revision)
        return min(number + 1, UNLISTED_REVISION)

    def _unlisted(self, exchange: Exchange) -> tuple[str | None, ...] | None:
        """Return method, target and revision, None for each that has a number; None if all have."""
        number = exchange.number
        found = (
            exchange.method if self.methods[number] == UNLISTED else None,
            exchange.target if self.targets[number] == UNLISTED else None,
            exchange.revision if self.revisions[number] == UNLISTED_REVISION else None,
        )
        return None if found == (None, None, None) else found

    def _begun(self, number: int, id_: int | str, unlisted: Sequence[str | None] | None) -> Exchange:
        method, target, revision = unlisted or (None, None, None)
        bits, ended, answer, named = (
            self.states[number], self.ends[number], self.answer_frames[number], self.revisions[number]
        )  # fmt: skip
        names = self.names
        sender = _SENDERS[self.views[number]] or (Direction.FROM_SERVER if bits & FROM_SERVER else Direction.TO_SERVER)
        return Exchange(
            number,
            sender,
            id_,
            names[self.methods[number]] if method is None else method,
            names[self.targets[number]] if target is None else target,
            self.request_frames[number],
            self.starts[number],
            revision=names[named - 1] if revision is None and named != _NO_REVISION else revision,
            probe=bool(bits & PROBE),
            state=STATES[bits & STATE_BITS],
            answer_frame=answer or None,
            ended_ns=None if ended == NEVER else ended,
            tool_error=bool(bits & TOOL_ERROR),
            asks=bool(bits & ASKS),
            retried=bool(bits & RETRIED),
        )

    def _note_change(self, number: int, changes: list[LateChange]) -> None:
        if number in self._changed:
            return
        self._changed.add(number)
        place = self._places[number - 1]
        changes.append(
            LateChange(
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
        begin = place * _STEP
        return begin + 2 + int.from_bytes(self._records[begin : begin + 2])

    def _put(self, at: int, record: bytes) -> None:
        """Write a record over the previous one, or at the end if it does not fit there."""
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
            self._held[number] = found  # callers share this object even after it is packed
        return found

    def pack(self, exchange: Exchange) -> bytes | None:
        """Encode the members of an exchange that no column holds; None if that is impossible."""
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
        except UNENCODABLE:  # an id beyond 64 bits, a lone surrogate
            return None
        return record if len(record) <= _LARGEST else None

    def _rest(self, exchange: Exchange) -> tuple[Any, ...] | None:
        answer = exchange.answer_frame if exchange.answer_frame != self.answer_frames[exchange.number] else None
        http = (exchange.http, exchange.session) if exchange.session else exchange.http
        found = (http, exchange.error_code, exchange.why, answer, self._unlisted(exchange))
        return None if found == _NO_REST else found

    def _unpacked(self, number: int) -> Exchange:
        place = self._places[number - 1]
        return self.unpack(number - 1, self._records[place * _STEP + 2 : self._end_of(place)])

    def unpack(self, at: int, record: bytes | bytearray) -> Exchange:
        """Create the exchange at a position from its record and the columns."""
        row: list[Any] = _decode(record)
        id_, token, operation, progress, *rest = row if len(row) > 3 else (*row, None)
        http, code, why, answer, unlisted = rest or _NO_REST
        found = self._begun(at + 1, id_, unlisted)
        found.progress_token = id_ if token is _SAME else token
        found.operation = None if operation is None else found.number - operation
        found.http, found.session = http if isinstance(http, list) else (http, 0)
        found.error_code, found.why = code, why
        if answer is not None:
            found.answer_frame = answer
        if progress is not None:
            found.progress = _unpacked_progress(progress, found)
        return found


def take_back(columns: Mapping[str, Any], change: LateChange) -> None:
    """Restore the columns, given by name, to their values before a late change."""
    at, begin = change.number, change.place * _STEP
    columns["_places"][at - 1] = change.place
    if begin < len(columns["_records"]):  # otherwise it was still open at that time
        columns["_records"][begin : begin + len(change.record)] = change.record
    columns["answer_frames"][at], columns["ends"][at] = change.answer_frame, change.end
    columns["failures"][at], columns["states"][at] = change.failure, change.state


def mark_open(columns: Mapping[str, Any], number: int) -> None:
    """Mark an exchange as open in the columns, given by name."""
    columns["_places"][number - 1] = 0
    columns["answer_frames"][number] = columns["failures"][number] = 0
    columns["ends"][number] = NEVER
    columns["states"][number] = initial_bits(columns["states"][number])


def _rounded(size: int) -> int:
    return -(-size // _STEP) * _STEP


def _packed_progress(progress: Progress, of: Exchange) -> tuple[Any, ...]:
    """Encode progress with frames and times relative to the request: small numbers take few bytes."""
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
