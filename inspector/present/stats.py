"""Statistics of requests: groups by tool, method, server, client, argument or hour, with totals and tops.

`stats_counting` fills them from journals. Durations are counted in logarithmic buckets, each less than 0.8 % wide.
"""

import time
from collections.abc import Iterator, Sequence
from math import ceil, floor, log2
from operator import add

import msgspec

from inspector.capture.store.columns import MessageKind
from inspector.errors import FilterError
from inspector.filters.language.fields import And, Compare, Has, Op, Ref, Term
from inspector.filters.language.parser import parse
from inspector.protocol.exchange_log import ASKS, RETRIED, STATE_BITS, STATES, TOOL_ERROR
from inspector.protocol.exchanges import ExchangeState

SECOND = 1_000_000_000
"""Nanoseconds."""

# Durations, as counts in logarithmic buckets.

_FINE = 7
"""Bits of a duration that its bucket keeps: values 128 to 255, so that a bucket is at most 1/128 wide."""
_BLOCK = 1 << _FINE
"""Number of buckets that are stored together: those of one power of two."""

ABSENT = "(absent)"
"""Key of calls without the argument."""
HOUR = "%Y-%m-%d %H:00"
"""Format of an hour."""
OK, TOOL_FAILED, ERROR, CANCELLED, LOST, LATE, PENDING, ROUND = range(8)
"""Outcomes. A ROUND is a response that asks for input and whose request was sent again: it is not a separate call."""
_OUTCOME = {
    ExchangeState.ANSWERED: OK,
    ExchangeState.ERROR: ERROR,
    ExchangeState.CANCELLED: CANCELLED,
    ExchangeState.LOST: LOST,
    ExchangeState.LATE: LATE,
    ExchangeState.PENDING: PENDING,
}
HAS_RESPONSE = bytes(
    bits & STATE_BITS < len(STATES) and STATES[bits & STATE_BITS] in (ExchangeState.ANSWERED, ExchangeState.ERROR)
    for bits in range(256)
)
MOST_GROUPS = 5000
"""Maximum groups; further keys are counted together."""
OTHERS = "(others)"
_MOST_SLOTS = 192
TOPS = 10


class Grouping(msgspec.Struct, frozen=True):
    """One way of grouping."""

    name: str
    """`tool`, `method`, `server`, `client`, `hour`, or `args` with a path."""
    path: tuple[str | int | None, ...] = ()
    text: str = ""
    """Text of a grouping with a path, as the user typed it."""

    @property
    def title(self) -> str:
        """Title of the key column."""
        return self.text or self.name.capitalize()

    @property
    def calls_only(self) -> bool:
        """Whether only tool calls are counted, not every request."""
        return self.name in ("tool", "args")


GROUPINGS = tuple(map(Grouping, ("tool", "method", "server", "client", "hour")))
"""Groupings that need nothing but columns."""


class Top(msgspec.Struct, frozen=True, order=True):
    value: int
    """Nanoseconds, or bytes."""
    number: int
    """Number of the exchange."""
    source: int
    """Index of the journal, from 0."""
    tool: str
    n: int
    """Entry of the request."""


class Repeated(msgspec.Struct, frozen=True):
    """Calls of one tool with the same arguments."""

    tool: str
    arguments: bytes
    """JSON with sorted members."""
    count: int
    n: int
    """Entry of the first request."""
    source: int


def bucket_of(ns: int) -> int:
    """Return the bucket of a duration in nanoseconds, ascending; each duration below 256 ns has its own bucket."""
    shift = ns.bit_length() - _FINE - 1
    return ns if shift <= 0 else (shift << _FINE) + (ns >> shift)


def middle_of(bucket: int) -> float:
    """Return the duration in the middle of a bucket, in nanoseconds."""
    if bucket < 2 << _FINE:
        return bucket
    shift = (bucket >> _FINE) - 1
    return ((bucket - (shift << _FINE)) << shift) + (1 << shift) / 2


class Durations:
    """Distribution of durations."""

    __slots__ = ("_kept", "blocks", "count", "max_ns", "total_ns")

    def __init__(self) -> None:
        self.blocks: dict[int, list[int]] = {}
        """Number of durations in each bucket, as blocks of adjacent buckets."""
        self.count = 0
        self.total_ns = 0
        self.max_ns = 0
        """Longest duration; after a removal, at worst the middle of its bucket."""
        self._kept: tuple[int, tuple[float, ...]] = (-1, ())

    def add(self, ns: int, sign: int = 1) -> None:
        """Add a duration; with a sign of -1 remove it."""
        bucket = bucket_of(ns)
        block = self.blocks.get(bucket >> _FINE)
        if block is None:
            block = self.blocks[bucket >> _FINE] = [0] * _BLOCK
        block[bucket & _BLOCK - 1] += sign
        self.count += sign
        self.total_ns += sign * ns
        if sign < 0:
            self._kept = (-1, ())
            if ns >= self.max_ns:
                self.max_ns = round(middle_of(max((bucket for bucket, _ in self.buckets()), default=0)))
        elif ns > self.max_ns:
            self.max_ns = ns

    def buckets(self) -> Iterator[tuple[int, int]]:
        """Yield the non-empty buckets, ascending, with their counts."""
        for at in sorted(self.blocks):
            for place, count in enumerate(self.blocks[at]):
                if count:
                    yield (at << _FINE) + place, count

    def merge(self, other: "Durations") -> None:
        """Add all durations of another instance."""
        for at, theirs in other.blocks.items():
            mine = self.blocks.get(at)
            self.blocks[at] = theirs[:] if mine is None else list(map(add, mine, theirs))
        self.count += other.count
        self.total_ns += other.total_ns
        self.max_ns = max(self.max_ns, other.max_ns)
        self._kept = (-1, ())

    @property
    def percentiles(self) -> tuple[float, ...]:
        """The 50th, 95th and 99th percentile in nanoseconds, by linear interpolation; () if there are no durations."""
        if self._kept[0] != self.count:
            self._kept = self.count, tuple(self._at((0.5, 0.95, 0.99)))
        return self._kept[1]

    def _at(self, shares: Sequence[float]) -> Iterator[float]:
        if not self.count:
            return
        ranks = [share * (self.count - 1) for share in shares]
        values = self._values(sorted({*map(floor, ranks), *map(ceil, ranks)}))
        for rank in ranks:
            low, high = values[floor(rank)], values[ceil(rank)]
            yield low + (high - low) * (rank - floor(rank))

    def _values(self, ranks: Sequence[int]) -> dict[int, float]:
        """Return the durations at the given ranks (from 0, ascending); blocks without such a rank are only summed."""
        found: dict[int, float] = {}
        left, below = list(ranks)[::-1], 0
        for at in sorted(self.blocks):
            block = self.blocks[at]
            end = below + sum(block)
            if left and left[-1] < end:
                for place, count in enumerate(block):
                    below += count
                    while left and left[-1] < below:
                        found[left.pop()] = min(middle_of((at << _FINE) + place), self.max_ns)
            below = end
        return found

    def histogram(self, most: int = 12) -> list[tuple[int, int, int]]:
        """Return rows from the shortest to the longest: from, to (nanoseconds, powers of two of a millisecond), count.

        At most `most` rows; the first then also counts everything shorter.
        """
        found: dict[int, int] = {}
        for bucket, count in self.buckets():
            octave = floor(log2(max(middle_of(bucket), 1) / 1e6))
            found[octave] = found.get(octave, 0) + count
        if not found:
            return []
        last = max(found)
        first = max(min(found), last - most + 1)
        below = sum(count for octave, count in found.items() if octave < first)
        rows = [(round(2**at * 1e6), round(2 ** (at + 1) * 1e6), found.get(at, 0)) for at in range(first, last + 1)]
        if below:
            rows[0] = (0, rows[0][1], rows[0][2] + below)
        return rows


# Groupings of requests.


def read_grouping(text: str) -> Grouping:
    """Return the grouping with a name, or of a path such as `args.path`. Raises: ValueError."""
    for each in GROUPINGS:
        if text == each.name:
            return each
    try:
        term = parse(text) if text.startswith("args") else None
    except FilterError as error:
        raise ValueError(f"invalid grouping {text!r}: {error}") from None
    match term:
        case Has(Ref(name="args", path=path)) if path:
            return Grouping("args", path, text)
        case _:
            raise ValueError(f"unknown grouping {text!r}")


def filter_of(by: Grouping, key: str) -> Term | None:
    """Return the filter that matches the requests of a group; None if no filter can."""
    match by.name:
        case "tool" | "method" | "server":
            return Compare(Ref(by.name), Op.EQ, (key,))
        case "hour":
            try:
                since = round(time.mktime(time.strptime(key, HOUR))) * SECOND
            except (ValueError, OverflowError):
                return None
            moment = Ref("time")
            return And((Compare(moment, Op.GE, (since,)), Compare(moment, Op.LT, (since + 3600 * SECOND,))))
        case _:
            return None


# Counts of a group.


def _outcome(bits: int) -> int:
    state = STATES[bits & STATE_BITS] if bits & STATE_BITS < len(STATES) else ExchangeState.PENDING
    if state is ExchangeState.ANSWERED and bits & ASKS:
        return ROUND if bits & RETRIED else PENDING
    return TOOL_FAILED if bits & TOOL_ERROR and state is ExchangeState.ANSWERED else _OUTCOME[state]


OUTCOME_OF = bytes(map(_outcome, range(256)))
"""Outcome by the value in the column of states."""
TIMED = bytes(outcome in (OK, TOOL_FAILED, ERROR) for outcome in OUTCOME_OF)
"""Whether a duration counts, that is, the request got its response."""


class StatsGroup:
    """The requests with one key, counted."""

    __slots__ = ("bytes_in", "bytes_out", "durations", "in_flight", "key", "outcomes", "slots", "took")

    def __init__(self, key: str) -> None:
        self.key = key
        self.outcomes = [0] * 8
        """Number of requests by outcome."""
        self.durations = Durations()
        """From the request to its response, for requests that have one."""
        self.in_flight = 0
        """Maximum number of them that were open at the same time, in one journal."""
        self.bytes_in = 0
        """Bytes of messages from the server."""
        self.bytes_out = 0
        """Bytes of messages to the server."""
        self.slots: dict[int, int] = {}
        """Number of requests sent in each time slot."""
        self.took: dict[int, int] = {}
        """Total duration of those requests in nanoseconds."""

    @property
    def calls(self) -> int:
        """Number of requests, without further rounds of the same one."""
        return sum(self.outcomes) - self.outcomes[ROUND]

    @property
    def failed(self) -> int:
        """Number of tool errors, errors and lost requests."""
        return self.outcomes[TOOL_FAILED] + self.outcomes[ERROR] + self.outcomes[LOST]

    def merge(self, other: "StatsGroup") -> None:
        """Add all counts of another group."""
        self.outcomes = [mine + its for mine, its in zip(self.outcomes, other.outcomes, strict=True)]
        self.durations.merge(other.durations)
        self.in_flight = max(self.in_flight, other.in_flight)
        self.bytes_in += other.bytes_in
        self.bytes_out += other.bytes_out
        for mine, its in ((self.slots, other.slots), (self.took, other.took)):
            for slot, count in its.items():
                mine[slot] = mine.get(slot, 0) + count


class StatsTable:
    """Groups of requests, filled from one or several journals."""

    def __init__(self, by: Grouping = GROUPINGS[0]) -> None:
        self.by = by
        self.groups: dict[str, StatsGroup] = {}
        self.changes = 0
        """Incremented whenever a request is counted, or counted differently."""
        self.slot_ns = SECOND
        """Length of a time slot in nanoseconds."""
        self.first_slot = self.last_slot = 0
        self.slowest: list[Top] = []
        """Heaps of the slowest calls and of the largest results, `TOPS` each."""
        self.largest: list[Top] = []
        self.called: set[str] = set()
        """All tools that were called, regardless of the filter."""
        self.listed: set[str] = set()
        """All tools that servers have listed."""
        self.messages = [0] * len(MessageKind)
        """Number of entries by kind of message, NONE for other entries."""
        self.stderr_lines = 0
        self.in_flight = 0
        """Maximum number of requests that were open at the same time."""
        self.duration_ns = 0
        """From the first entry to the last, summed over all journals, in nanoseconds."""
        self.calls_ns = 0
        """Total duration of all tool calls in nanoseconds, regardless of the filter."""
        self.asked_ns = 0
        """Time that server requests waited for the user, or for a model on the user's behalf, in nanoseconds."""
        self.rounds_ns = 0
        """Time between responses that required input and the resent calls, in nanoseconds."""
        self.held_ns = 0
        """Time that a proxy held messages, in nanoseconds."""
        self.opening = StatsGroup("opening")
        """The requests that opened the connections."""
        self.lists = StatsGroup("lists")
        """The requests that fetched lists."""
        self.reconnects = 0

    def group(self, key: str) -> StatsGroup:
        """Return the group of a key, creating it if needed; the group of all others if there are too many."""
        found = self.groups.get(key)
        if found is None:
            if len(self.groups) >= MOST_GROUPS and key != OTHERS:
                return self.group(OTHERS)
            found = self.groups[key] = StatsGroup(key)
        return found

    @property
    def total(self) -> StatsGroup:
        """Sum of all groups."""
        found = StatsGroup("")
        for each in self.groups.values():
            found.merge(each)
        return found

    @property
    def sums(self) -> StatsGroup:
        """Sum of all groups without durations and time slots: cheap, for a screen."""
        found = StatsGroup("")
        for each in self.groups.values():
            found.outcomes = [mine + its for mine, its in zip(found.outcomes, each.outcomes, strict=True)]
            found.bytes_in += each.bytes_in
            found.bytes_out += each.bytes_out
        return found

    @property
    def rows(self) -> list[StatsGroup]:
        """Non-empty groups, most calls first."""
        found = [group for group in self.groups.values() if any(group.outcomes)]
        return sorted(found, key=lambda group: (-group.calls, group.key))

    @property
    def time_split(self) -> tuple[int, int, int]:
        """Nanoseconds that tool calls spent in the server, waiting for the user, and held by a proxy."""
        server = max(0, self.calls_ns - self.asked_ns - self.held_ns)
        return server, self.asked_ns + self.rounds_ns, self.held_ns

    @property
    def never_called(self) -> list[str]:
        """Listed tools that were not called, sorted."""
        return sorted(self.listed - self.called)

    def slot(self, wall_ns: int) -> int:
        """Return the slot of a moment, widening the slots if there are too many."""
        slot = wall_ns // self.slot_ns
        if not self.last_slot:
            self.first_slot = self.last_slot = slot
        elif slot > self.last_slot:
            self.last_slot = slot
        elif slot < self.first_slot:
            self.first_slot = slot
        while self.last_slot - self.first_slot >= _MOST_SLOTS:
            self._widen()
            slot //= 2
        return slot

    def _widen(self) -> None:
        self.slot_ns *= 2
        self.first_slot, self.last_slot = self.first_slot // 2, self.last_slot // 2
        for group in self.groups.values():
            group.slots, group.took = _halved(group.slots), _halved(group.took)

    def trend(self, group: StatsGroup, columns: int) -> list[float]:
        """Return the requests of a group per minute, in each of `columns` equal parts of the time."""
        return [count * 60 * SECOND / self._part_ns(columns) for count in self._parts(group.slots, columns)]

    def mean_trend(self, group: StatsGroup, columns: int) -> list[float]:
        """Return the mean duration of a group's requests in nanoseconds, in each part; 0 without requests."""
        pairs = zip(self._parts(group.took, columns), self._parts(group.slots, columns), strict=True)
        return [took / count if count else 0.0 for took, count in pairs]

    def _part_ns(self, columns: int) -> float:
        return max(1, self.last_slot - self.first_slot + 1) * self.slot_ns / columns

    def _parts(self, slots: dict[int, int], columns: int) -> list[float]:
        """Return the counts of slots, distributed over `columns` columns."""
        span = max(1, self.last_slot - self.first_slot + 1)
        found = [0.0] * columns
        for slot, count in slots.items():
            at = (slot - self.first_slot) * columns // span
            found[min(max(at, 0), columns - 1)] += count
        return found


def _halved(slots: dict[int, int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for slot, count in slots.items():
        found[slot // 2] = found.get(slot // 2, 0) + count
    return found
