"""Data model of a load test: calls, options, samples and results, with their arithmetic."""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

import msgspec

RATE_LIMIT = "rate limit"
LIMITS = (RATE_LIMIT, "HTTP 429")
"""Errors that say that there were too many calls."""


class BenchCall(msgspec.Struct, frozen=True):
    """One request of the workload. A workload is a sequence of requests that is repeated in order."""

    method: str
    params: Any
    input_schema: Any = None
    """Input schema of the called tool, for headers that mirror parameters; None if there is none."""

    @property
    def label(self) -> str:
        """Label under which the figures are listed: the tool's name, or the method."""
        name = self.params.get("name") if isinstance(self.params, dict) else None
        return name if self.method == "tools/call" and isinstance(name, str) else self.method


class LoadModel(StrEnum):
    """What triggers the next call."""

    CLOSED = "closed"
    """The previous response: the number of calls in flight is constant."""
    OPEN = "open"
    """The clock: the number of calls per second is constant, however slow the responses are."""
    SOAK = "soak"
    """As CLOSED, for a long time."""


class BenchOptions(msgspec.Struct, frozen=True):
    """Settings of a load test."""

    concurrency: tuple[int, ...] = (1, 4, 16)
    """Numbers of calls in flight, one level each."""
    rates: tuple[float, ...] = ()
    """Calls per second, one level each. If given, these levels replace those of `concurrency`."""
    seconds: float = 5.0
    """Duration of a level after its warm-up."""
    calls: int | None = None
    """Calls of a level after its warm-up; None for as many as fit into `seconds`."""
    soak_s: float = 0.0
    """Duration of the soak level, which runs last with the highest concurrency; 0 for no soak."""
    timeout_s: float = 60.0
    """Timeout of one call."""
    keep: int = 10
    """Number of slowest calls that are kept."""
    pid: int | None = None
    """Process id of the server if it was not started here."""
    starts: int = 3
    """Number of times that the server is started or connected to. The last connection carries the load."""


class UsageSample(msgspec.Struct, frozen=True, gc=False):
    """Resource usage of the server's processes at one moment."""

    at_s: float
    """Seconds since the level began."""
    calls: int
    """Calls completed since the level began."""
    rss: int
    """Resident memory of all processes in bytes."""
    fds: int
    threads: int
    cpu_s: float
    """CPU time since the processes started."""
    processes: int = 1


class LatencySummary(msgspec.Struct, frozen=True):
    """Latency statistics in milliseconds of the calls that succeeded."""

    count: int
    p50: float
    p95: float
    p99: float
    max: float


class LevelResult(msgspec.Struct):
    """Measurements of one level of load."""

    model: LoadModel
    load: float
    """Calls in flight, or calls per second in the open model."""
    seconds: float = 0.0
    """Seconds from the end of the warm-up to the last response."""
    times: dict[str, "array[int]"] = {}
    """Latencies in nanoseconds of the calls that succeeded, by label."""
    errors: dict[str, Counter[str]] = {}
    """Numbers of failed calls, by label and error class."""
    reasons: dict[str, str] = {}
    """What a response of each error class says."""
    overtaken: dict[str, "array[int]"] = {}
    """Latencies in nanoseconds of calls that many later ones of the same label overtook, by label."""
    usage: list[UsageSample] = []
    lag: "array[int]" = msgspec.field(default_factory=lambda: array("q"))
    """Open model: nanoseconds by which mcp-inspect itself sent a call too late."""

    @property
    def name(self) -> str:
        """Display name: "4 in flight", "100/s", "soak, 16 in flight"."""
        if self.model is LoadModel.OPEN:
            return f"{self.load:g}/s"
        return f"{'soak, ' if self.model is LoadModel.SOAK else ''}{self.load:g} in flight"

    @property
    def answered(self) -> int:
        """Number of calls that succeeded."""
        return sum(map(len, self.times.values()))

    @property
    def failed(self) -> int:
        return sum(sum(each.values()) for each in self.errors.values())

    @property
    def rate(self) -> float:
        """Successful calls per second; 0 if there are none."""
        return self.answered / self.seconds if self.seconds > 0 else 0.0

    @property
    def labels(self) -> list[str]:
        """Labels of all calls in alphabetical order."""
        return sorted({*self.times, *self.errors})

    def whole(self) -> LatencySummary | None:
        """Latency statistics of all calls; None if none succeeded."""
        return summary(ns for times in self.times.values() for ns in times)


class SlowCall(msgspec.Struct, frozen=True):
    """One of the slowest calls."""

    ns: int
    """Nanoseconds from the start, or the scheduled time, to the response."""
    level: str
    label: str
    sent_ns: int
    """Time of sending on the monotonic clock, like all times here."""
    received_ns: int
    sent: bytes
    received: bytes


class MismatchKind(StrEnum):
    """How a result under load differs from the result without load."""

    SWAPPED = "swapped"
    """The result belongs to another call."""
    DIFFERENT = "different"


class Mismatch(msgspec.Struct, frozen=True):
    """A result under load that differs from the result of the same call without load."""

    kind: MismatchKind
    label: str
    level: str
    params: Any
    expected: bytes
    got: bytes
    other: str = ""
    """SWAPPED: arguments, as JSON, of the call that the result belongs to."""


class Stall(msgspec.Struct, frozen=True):
    """An event: the server stopped responding."""

    level: str
    """Name of the level; "" if this happened before the first level."""
    in_flight: int
    seconds: float
    """Seconds without any response."""
    calls: int
    """Calls answered before on this level."""
    alive: bool
    """Whether another kind of request is still answered."""
    probe: str
    """Method of that request."""


class Death(msgspec.Struct, frozen=True):
    """An event: the connection ended under load."""

    level: str
    calls: int
    """Calls answered before on this level."""
    why: str
    exit_code: int | None = None
    signal: str = ""
    stderr: tuple[str, ...] = ()
    """Last lines of the server's stderr."""


class BlockingResult(msgspec.Struct, frozen=True):
    """Whether a slow call delays others. Times are milliseconds, the minimum of several rounds."""

    slow: str
    """Label of the slow call."""
    slow_ms: float
    probe: str
    """Method of a request outside the workload."""
    probe_ms: float
    probe_beside_ms: float
    fast: str = ""
    """Label of the fast call; "" if there is none."""
    fast_ms: float = 0.0
    fast_beside_ms: float = 0.0
    together: int = 1
    """Number of slow calls that were sent at once."""
    together_ms: float = 0.0
    """Time until the last of these calls was answered."""
    together_first_ms: float = 0.0
    """Time until the first of these calls was answered."""
    ends_ms: list[float] = []
    """Times until each of these calls was answered, in ascending order; each the minimum of all rounds."""
    cpu_ms: float | None = None
    """CPU time of the server during one slow call; None if it can't be measured."""
    probe_last: float = 1.0
    """Share of the rounds in which the probe was answered after the slow call: all if it is blocked."""
    fast_last: float = 1.0
    """Likewise of the fast call."""
    alone_ms: float = 0.0
    """The minimum of the slow call before the load; 0 if not known."""
    queued_ms: float = 0.0
    """How long the server waited for a CPU during one slow call: much of it on a busy machine."""


class BenchResult(msgspec.Struct):
    """All measurements of a load test."""

    target: str
    options: BenchOptions
    server: dict[str, Any] = {}
    """Name and version that the server reports."""
    revision: str = ""
    ceiling: list[LevelResult] = []
    """Measurements of mcp-inspect against a trivial server, with the same levels."""
    starts_ms: list[float] = []
    """Times from start to initialized: the first start, then the others."""
    first_call_ms: list[float] = []
    """Duration of the first call after each start."""
    first_calls: dict[str, list[float]] = {}
    """Durations of the first call of each label after each start, in milliseconds."""
    alone: dict[str, "array[int]"] = {}
    """Latencies in nanoseconds of sequential calls before the load, by label."""
    alone_errors: dict[str, Counter[str]] = {}
    alone_reasons: dict[tuple[str, str], str] = {}
    """What a response of each error class says, without load."""
    levels: list[LevelResult] = []
    before: UsageSample | None = None
    programs: list[str] = []
    """Names of the programs that the server's processes run, without shells."""
    after: UsageSample | None = None
    """Idle usage after the load; `before` is the idle usage before it."""
    idle_cpu: float | None = None
    """Share of a core that the server used when idle after the load; None if it was not measured."""
    idle_runnable: float = 0.0
    """Share of the looks at the idle server in which it ran or waited for a processor."""
    checked: int = 0
    """Number of results that were compared with those without load."""
    varying: set[str] = set()
    """Labels whose results differ even without load; they are not compared."""
    mismatches: list[Mismatch] = []
    mismatch_counts: Counter[MismatchKind] = msgspec.field(default_factory=Counter)
    """Numbers of mismatches, including those that were not kept."""
    unknown_responses: int = 0
    """Number of responses whose id was not in use or was already answered."""
    later_ms: dict[str, float] = {}
    """The shortest time of a call without load after all levels, by label."""
    blocking: BlockingResult | None = None
    not_blocking: str = ""
    """Why the blocking check was skipped; "" if it was made."""
    stall: Stall | None = None
    death: Death | None = None
    slowest: list[SlowCall] = []
    """The slowest calls, slowest first."""
    notes: list[str] = []
    """Notes that limit the meaning of the figures."""


class BenchVerdict(msgspec.Struct, frozen=True):
    """A defect that the load test revealed."""

    id: str
    sentence: str
    evidence: dict[str, Any]
    fix: str


def summary(nanoseconds: Iterable[int]) -> LatencySummary | None:
    """Return percentiles by nearest rank; None without values."""
    ordered = sorted(nanoseconds)
    if not ordered:
        return None
    p50, p95, p99 = (ranked(ordered, share) / 1e6 for share in (0.5, 0.95, 0.99))
    return LatencySummary(len(ordered), p50, p95, p99, ordered[-1] / 1e6)


def ranked(ordered: Sequence[int], share: float) -> int:
    """Return the value that a share (0 to 1) of sorted values does not exceed, by nearest rank."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
