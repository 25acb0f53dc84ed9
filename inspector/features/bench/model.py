"""What a load test works with: calls, options, samples and results. Plain data and arithmetic."""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

import msgspec


class BenchCall(msgspec.Struct, frozen=True):
    """One request of the workload. A workload is a sequence of them, repeated in its order."""

    method: str
    params: Any
    input_schema: Any = None
    """Of the tool that is called, for headers that mirror parameters; None without one."""

    @property
    def label(self) -> str:
        """What its figures are listed under: the tool's name, or the method."""
        name = self.params.get("name") if isinstance(self.params, dict) else None
        return name if self.method == "tools/call" and isinstance(name, str) else self.method


class LoadModel(StrEnum):
    """Who decides when the next call is sent."""

    CLOSED = "closed"
    """The previous response: so many calls are in flight at any time."""
    OPEN = "open"
    """The clock: so many calls a second, however slow the responses are."""
    SOAK = "soak"
    """As closed, for long."""


class BenchOptions(msgspec.Struct, frozen=True):
    """How a server is loaded."""

    concurrency: tuple[int, ...] = (1, 4, 16)
    """Calls in flight, a level each."""
    rates: tuple[float, ...] = ()
    """Calls a second, a level each; these levels replace those of `concurrency`."""
    seconds: float = 5.0
    """Of a level, after its warm-up."""
    calls: int | None = None
    """Of a level, after its warm-up; None: as many as fit into `seconds`."""
    soak_s: float = 0.0
    """Of the last level, which holds the highest concurrency; 0 for none."""
    timeout_s: float = 60.0
    """Of one call."""
    keep: int = 10
    """How many of the slowest calls are kept."""
    pid: int | None = None
    """The server's process, where it was not started here."""
    starts: int = 3
    """How often the server is started or connected to; the last connection carries the load."""


class UsageSample(msgspec.Struct, frozen=True, gc=False):
    """What the server's processes use at a moment."""

    at_s: float
    """Since the level began."""
    calls: int
    """Completed since the level began."""
    rss: int
    """Bytes, of all processes together."""
    fds: int
    threads: int
    cpu_s: float
    """Processor time since their start."""


class LatencySummary(msgspec.Struct, frozen=True):
    """Milliseconds of calls that succeeded."""

    count: int
    p50: float
    p95: float
    p99: float
    max: float


def summary(nanoseconds: Iterable[int]) -> LatencySummary | None:
    """Percentiles by nearest rank; None without any."""
    ordered = sorted(nanoseconds)
    if not ordered:
        return None
    p50, p95, p99 = (_ranked(ordered, share) / 1e6 for share in (0.5, 0.95, 0.99))
    return LatencySummary(len(ordered), p50, p95, p99, ordered[-1] / 1e6)


def _ranked(ordered: Sequence[int], share: float) -> int:
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


class LevelResult(msgspec.Struct):
    """What one level of load measured."""

    model: LoadModel
    load: float
    """Calls in flight, or calls a second with the open model."""
    seconds: float = 0.0
    """From the end of the warm-up to the last response."""
    times: dict[str, "array[int]"] = {}
    """Nanoseconds of the calls that succeeded, by label."""
    errors: dict[str, Counter[str]] = {}
    """How many calls failed, by label and class."""
    usage: list[UsageSample] = []
    lag: "array[int]" = msgspec.field(default_factory=lambda: array("q"))
    """Open model: nanoseconds by which mcp-inspect itself sent a call too late."""

    @property
    def name(self) -> str:
        """For people: "4 in flight", "100/s", "soak, 16 in flight"."""
        if self.model is LoadModel.OPEN:
            return f"{self.load:g}/s"
        return f"{'soak, ' if self.model is LoadModel.SOAK else ''}{self.load:g} in flight"

    @property
    def answered(self) -> int:
        """Calls that succeeded."""
        return sum(map(len, self.times.values()))

    @property
    def failed(self) -> int:
        """Calls that did not."""
        return sum(sum(each.values()) for each in self.errors.values())

    @property
    def rate(self) -> float:
        """Successful calls a second; 0 without any."""
        return self.answered / self.seconds if self.seconds > 0 else 0.0

    @property
    def labels(self) -> list[str]:
        """Everything that was called, in alphabetical order."""
        return sorted({*self.times, *self.errors})

    def whole(self) -> LatencySummary | None:
        """Of all calls; None if none succeeded."""
        return summary(ns for times in self.times.values() for ns in times)


class SlowCall(msgspec.Struct, frozen=True):
    """A call among the slowest."""

    ns: int
    """From its start, or its scheduled time, to the response."""
    level: str
    label: str
    sent_ns: int
    """On the monotonic clock, as all other times here."""
    received_ns: int
    sent: bytes
    received: bytes


class MismatchKind(StrEnum):
    """How a result under load differs from the one without."""

    SWAPPED = "swapped"
    """It is the result of another call."""
    DIFFERENT = "different"


class Mismatch(msgspec.Struct, frozen=True):
    """A result under load that is not the result of the same call without load."""

    kind: MismatchKind
    label: str
    level: str
    params: Any
    expected: bytes
    got: bytes
    other: str = ""
    """SWAPPED: the arguments of the call whose result it is, as JSON."""


class Stall(msgspec.Struct, frozen=True):
    """The server stopped responding."""

    level: str
    """"" if that was before the first level."""
    in_flight: int
    seconds: float
    """Without any response."""
    calls: int
    """Answered before, on this level."""
    alive: bool
    """Whether another kind of request is still answered."""
    probe: str
    """The method of that request."""


class Death(msgspec.Struct, frozen=True):
    """The connection ended under load."""

    level: str
    calls: int
    """Answered before, on this level."""
    why: str
    exit_code: int | None = None
    signal: str = ""
    stderr: tuple[str, ...] = ()
    """Its last lines."""


class BlockingResult(msgspec.Struct, frozen=True):
    """Whether a slow call delays others. Milliseconds, the least of several rounds."""

    slow: str
    """The label of the slow call."""
    slow_ms: float
    probe: str
    """A request outside the workload."""
    probe_ms: float
    probe_beside_ms: float
    fast: str = ""
    """The label of the fast call; "" if there is none."""
    fast_ms: float = 0.0
    fast_beside_ms: float = 0.0
    together: int = 1
    """So many slow calls at once …"""
    together_ms: float = 0.0
    """… took so long until the last was answered …"""
    together_first_ms: float = 0.0
    """… and so long until the first was."""
    cpu_ms: float | None = None
    """Processor time that one of them costs the server and what it has run meanwhile; None if it cannot be measured."""


class BenchResult(msgspec.Struct):
    """Everything that a load test measured."""

    target: str
    options: BenchOptions
    server: dict[str, Any] = {}
    """Name and version, as it says."""
    revision: str = ""
    ceiling: list[LevelResult] = []
    """mcp-inspect against a trivial server, with the same levels."""
    starts_ms: list[float] = []
    """From the start to the end of the opening: the first, then the others."""
    first_call_ms: list[float] = []
    """Of the first call after each start."""
    alone: dict[str, "array[int]"] = {}
    """Nanoseconds of calls one after the other, before the load, by label."""
    alone_errors: dict[str, Counter[str]] = {}
    levels: list[LevelResult] = []
    before: UsageSample | None = None
    after: UsageSample | None = None
    """Idle, before and after the load."""
    checked: int = 0
    """Results that were compared with those without load."""
    varying: set[str] = set()
    """Labels whose results also differ without load; they are not compared."""
    mismatches: list[Mismatch] = []
    mismatch_counts: Counter[MismatchKind] = msgspec.field(default_factory=Counter)
    """With those that were not kept."""
    unknown_responses: int = 0
    """Responses to ids that were not in use, or answered before."""
    blocking: BlockingResult | None = None
    not_blocking: str = ""
    """Why the blocking check was not made; "" if it was."""
    stall: Stall | None = None
    death: Death | None = None
    slowest: list[SlowCall] = []
    """The slowest first."""
    notes: list[str] = []
    """What limits the meaning of the figures."""


class BenchVerdict(msgspec.Struct, frozen=True):
    """A defect that the load has shown."""

    id: str
    sentence: str
    evidence: dict[str, Any]
    fix: str
