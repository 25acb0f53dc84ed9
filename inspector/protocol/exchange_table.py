"""What is asked of many exchanges, in columns: where each began and ended, what it is about, what became of it.

A column is as long as there are exchanges and one more: what belongs to exchange n stands at position n. One thread
writes, any may read.
"""

from array import array
from collections.abc import Sequence

from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction

NEVER = 2**63 - 1
"""Stands in the column of ends for an exchange that is open."""
UNLISTED = 0xFFFF
"""Stands in the columns of methods and targets for a name that has no number."""
STATES = tuple(ExchangeState)
"""By the number that `STATE_BITS` hold."""
STATE_BITS, RETRIED, ASKS, PROBE, FROM_SERVER, TOOL_ERROR = 0x07, 0x08, 0x10, 0x20, 0x40, 0x80
"""What a byte of the column of states holds."""
_MOST_FRAME = 0xFFFF_FFFF
_MOST_NAMES, _LONG = 1 << 14, 200
"""So many methods and targets, each of at most so many characters, have a number."""
UNLISTED_REVISION = 0xFF
"""Stands in the column of revisions for one that has no number."""
_NO_REVISION = 0
_NUMBER_OF_STATE = {state: number for number, state in enumerate(STATES)}
_BORN = FROM_SERVER | PROBE
"""What a request is from its beginning on."""
_STATE = bytes(bits & STATE_BITS for bits in range(256))
_FAILED_BY_TOOL = bytes(bool(bits & TOOL_ERROR) for bits in range(256))
_PENDING, _LATE, _ERROR, _LOST = ExchangeState.PENDING, ExchangeState.LATE, ExchangeState.ERROR, ExchangeState.LOST
_ANSWERED = ExchangeState.ANSWERED


class ExchangeTable:
    """The columns, and the names that numbers in them stand for."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self.request_frames = array("I", [0])
        """The frame of the request."""
        self.answer_frames = array("I", [0])
        """The frame of the answer; 0 where none came, or one that was late."""
        self.starts = array("q", [0])
        """When the request was sent."""
        self.ends = array("q", [NEVER])
        """When it ended, or NEVER."""
        self.failures = bytearray(1)
        """1 if it failed: by an error that nobody asked for, a tool's own, or for want of an answer."""
        self.states = bytearray(1)
        """The number of the state, and bits beside."""
        self.methods = array("H", [0])
        """Positions in `names`, or UNLISTED."""
        self.targets = array("H", [0])
        self.revisions = bytearray(1)
        """The position in `names` and one more, UNLISTED_REVISION, or 0 for none."""

    @property
    def names(self) -> Sequence[str]:
        """What numbers in the columns stand for. Grows only."""
        return self._names

    def tally(self) -> dict[ExchangeState, int]:
        """How many there are in each state. As fast for a million."""
        states = self.states[1:].translate(_STATE)
        return {state: states.count(number) for state, number in _NUMBER_OF_STATE.items()}

    @property
    def tool_errors(self) -> int:
        """How many were answered with an error of the tool's own."""
        return self.states[1:].translate(_FAILED_BY_TOOL).count(1)

    def _begin(self, exchange: Exchange) -> None:
        """The next one."""
        self.request_frames.append(min(exchange.request_frame, _MOST_FRAME))
        self.answer_frames.append(0)
        self.starts.append(max(-NEVER, min(exchange.started_ns, NEVER)))
        self.ends.append(NEVER)
        self.failures.append(0)
        self.states.append(_bits(exchange))
        numbers = self._numbers
        method, target = numbers.get(exchange.method), numbers.get(exchange.target)
        self.methods.append(self._number(exchange.method) if method is None else method)
        self.targets.append(self._number(exchange.target) if target is None else target)
        self.revisions.append(self._number_of_revision(exchange.revision))

    def _end(self, exchange: Exchange) -> None:
        """It has ended, or changed since."""
        number, answer, ended, state = exchange.number, exchange.answer_frame, exchange.ended_ns, exchange.state
        if answer is not None and state is not _LATE:
            self.answer_frames[number] = answer if answer < _MOST_FRAME else _MOST_FRAME
        else:
            self.answer_frames[number] = 0
        self.ends[number] = NEVER if ended is None else max(-NEVER, min(ended, NEVER))
        self.states[number] = _bits(exchange)
        failed = state in (_ERROR, _LOST) and not exchange.probe
        incomplete = state is _ANSWERED and exchange.why != ""
        self.failures[number] = failed or exchange.tool_error or incomplete

    def _check(self, length: int) -> None:
        """Look whether the columns are so long and mean something. Raises: ValueError."""
        names, wide = len(self._names), (self.request_frames, self.answer_frames, self.starts, self.ends)
        narrow = self.failures, self.states, self.methods, self.targets, self.revisions
        if {len(column) for column in (*wide, *narrow)} != {length}:
            raise ValueError("columns of exchanges differ in length")
        named = {*self.methods[1:], *self.targets[1:]} - {UNLISTED}
        revisions = set(self.revisions) - {_NO_REVISION, UNLISTED_REVISION}
        if max(named, default=-1) >= names or max(revisions, default=0) > names:
            raise ValueError("an exchange has no name")
        if any(bits & STATE_BITS >= len(STATES) for bits in set(self.states)):
            raise ValueError("an exchange has no state")

    def _holds(self, exchange: Exchange) -> bool:
        """Whether the columns can say what its members are that they are of."""
        ended = exchange.ended_ns
        return (
            exchange.request_frame < _MOST_FRAME
            and -NEVER <= exchange.started_ns <= NEVER
            and (ended is None or -NEVER <= ended < NEVER)
        )

    def _number(self, name: str) -> int:
        """What stands for a name that has no number so far: a new one, or UNLISTED."""
        number = len(self._names)
        if number >= _MOST_NAMES or len(name) > _LONG:
            return UNLISTED
        self._names.append(name)
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
        """The method, the target and the revision, each where it has no number; None if all have."""
        number = exchange.number
        found = (
            exchange.method if self.methods[number] == UNLISTED else None,
            exchange.target if self.targets[number] == UNLISTED else None,
            exchange.revision if self.revisions[number] == UNLISTED_REVISION else None,
        )
        return None if found == (None, None, None) else found

    def _begun(self, number: int, id_: int | str, unlisted: Sequence[str | None] | None) -> Exchange:
        """The exchange as far as the columns tell."""
        method, target, revision = unlisted or (None, None, None)
        bits, ended, answer, named = (
            self.states[number], self.ends[number], self.answer_frames[number], self.revisions[number]
        )  # fmt: skip
        names = self._names
        return Exchange(
            number,
            Direction.FROM_SERVER if bits & FROM_SERVER else Direction.TO_SERVER,
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


def born(bits: int) -> int:
    """What the column of states holds at first of an exchange of which it holds this now."""
    return bits & _BORN | _NUMBER_OF_STATE[_PENDING]


def _bits(exchange: Exchange) -> int:
    bits = _NUMBER_OF_STATE[exchange.state]
    if exchange.sender is Direction.FROM_SERVER:
        bits |= FROM_SERVER
    if exchange.probe:
        bits |= PROBE
    if exchange.tool_error:
        bits |= TOOL_ERROR
    if exchange.asks:
        bits |= ASKS
    return bits | RETRIED if exchange.retried else bits
