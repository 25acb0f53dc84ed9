"""Judges a load test: defects with their evidence, and limits that the user sets (`--fail-on`)."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, combinations, pairwise
from math import prod
from pathlib import Path
from statistics import mean, median
from typing import Any

import msgspec

from inspector.checks.diagnoses.causes import known_cause, telling_line
from inspector.errors import UsageError
from inspector.features.bench.model import (
    LIMITS,
    BenchResult,
    BenchVerdict,
    BlockingResult,
    LevelResult,
    LoadModel,
    Mismatch,
    MismatchKind,
    UsageSample,
    summary,
)
from inspector.features.bench.scaling import scaling_verdicts
from inspector.present.stats_report import sparkline
from inspector.text import rounded

FORMAT, VERSION = "mcp-inspect-bench", 1
"""Member that marks a report, and its value."""

_MIB = 1 << 20

# UsageTrend: usage of the server's processes, relative to the number of answered calls
_HEAPS: tuple[tuple[str, int], ...] = (("python", 32 * _MIB), ("java", 512 * _MIB), ("dotnet", 512 * _MIB))
_HEAP = 128 * _MIB
"""What the heap of a program takes before its first collection, so that it grows with each call and nothing is lost.

V8 took up to 62 MiB with small servers. The others, by the beginning of the program's name: CPython frees at once,
except circles; a Java heap begins at a 64th of the machine's memory.
"""
_MOST_LONGER_S, _LEAST_LONGER_S, _SURELY = 30.0, 3.0, 1.5
"""Limits of a level that is added to decide whether memory grows, and how much longer than it needs by the slope."""
_LEAST_SAMPLES = 8
_LEAST_CALLS = 50
_LEAST_S = 2.0
"""Time that the memory of a level must have been measured for: runtimes that collect garbage fill their heap first."""
_LEAST_TAU = 0.5
"""Minimum rank correlation with the number of calls; 1 means that the figure never falls."""
_MUCH, _TAU_OF_MUCH = 2, 0.25
"""Multiple of what a heap takes from which it does not matter that a level has a collection, and memory rises on."""
_SETTLING = 0.3
"""Fraction of a level's samples that is skipped, while pools and caches fill."""
_MOST_POINTS = 120
_FADES = 1 / 3
"""A slope below this fraction of the previous slope fades: something fills up and does not leak."""
_LEAST_GROWTH = {"rss": 8 * _MIB, "fds": 20, "threads": 10, "processes": 10}
_LEAST_SHARE = {"rss": 0.1, "fds": 0.0, "threads": 0.0, "processes": 0.0}
"""Minimum growth as a fraction of the previous usage."""
_LEAST_SLOPE = 0.05
_MOST_SHOWN = 300
_WAITED = 0.5
"""Fraction of the slow call that another request must wait for to count as blocked."""
_LAST = 0.8
"""Share of the rounds in which a blocked request must be answered last: no load of the machine changes the order."""
_AS_BEFORE = 2.0
"""A slow call takes at most this many times as long as before the load."""
_COMPUTES, _MARGIN = 0.4, 0.3
"""Fraction of the slow call spent on the CPU from which the server counts as computing rather than waiting.

Another request must wait for that fraction and the margin: so long it waits for the server's computing anyway.
"""
_AT_ONCE = 1.5
"""Factor of one call's duration below which the first of several simultaneous calls counts as not delayed."""
_IN_STEP = 0.5
"""Fraction of one call's duration that must lie between the ends of calls that run in turn; random ones are uneven."""
_ONE_STEP = (0.7, 1.5)
"""Fractions of one call's duration between which the steps are of calls that run in turn, however busy the machine."""
_EVEN = 2.0
"""How many times as long one of these steps may be as another: calls in turn take equally long."""
_MORE_THAN_IN_TURN = 1.8
"""Factor from which several calls slow each other down instead of waiting for each other."""
_LONG_MS = 50.0
"""Minimum duration from which a computing server is criticized for handling calls sequentially."""
_FIRST_MS, _FIRST_FACTOR = 100.0, 10.0
"""How much longer a first call must take than later ones, and how many times as long."""
_PARTS = 16
"""Number of parts of a level, of equal numbers of calls, which are compared."""
_LEAST_IN_PART = 6
_MUCH_SLOWER, _MUCH_TAU = 2.0, 0.75
"""Factor between the last and the first quarter of all levels together, and rank correlation of the steadiest."""
_FAR_SLOWER, _JUMP = 3.0, 1.6
"""Factor between the beginning and the end of all levels, per call in flight, and most from one level to the next."""
_STAYS = 1.5
"""Factor of a call alone after the load below which it takes as long as before: the machine was slower."""
_FIRST_TAU, _MEAN_TAU = 0.6, 0.45
"""Rank correlation of the first level, which has the largest part of the growth, and mean of all."""
_SLOWER, _TAU = 1.1, 0.4
"""Factor and rank correlation that each level must reach."""
_LEAST_SLOWER_MS = 0.3
_UNITS = {"processes": "child processes", "rss": "memory", "fds": "open descriptors", "threads": "threads"}
_IDS = {"processes": "process", "rss": "memory", "fds": "descriptor", "threads": "thread"}
_FIXES = {
    "rss": "Look for a list or cache that each call adds to.",
    "fds": "Close files and sockets also where a call fails.",
    "threads": "Join threads, or use a pool.",
    "processes": "Wait for child processes and end them, also where a call fails.",
}
_CLAUSE = re.compile(r"\s*([a-z0-9_]+)\s*(<=|>=|<|>|==)\s*([0-9.]+)\s*(x|%|ms|s|MB|MiB|/s)?\s*\Z")
_UNITS_OF = {"ms": 1.0, "s": 1000.0, "MB": 1e6, "MiB": float(_MIB), "/s": 1.0}
_OF_LEVEL = ("p50", "p95", "p99", "max", "rate", "errors")
_OF_RUN = ("rss", "fds", "threads", "start", "verdicts")


class UsageTrend(msgspec.Struct, frozen=True):
    """Development of one usage figure of the server's processes under load."""

    what: str
    """Field of UsageSample: "rss", "fds" or "threads"."""
    first: int
    """Idle value before the load."""
    last: int
    """Idle value after the load."""
    per_1000_calls: float | None
    """Slope; None if there are too few samples."""
    verdict: str
    """"steady", "rose", "grows", "undecided" or "unclear".

    "rose": higher after the load than before, but without a steady trend over the calls. "undecided": memory grows
    steadily, but by no more than a heap takes before it is collected for the first time.
    """


class FailLimit(msgspec.Struct, frozen=True):
    """One comparison of `--fail-on`."""

    text: str
    metric: str
    sign: str
    value: float
    relative: bool
    """Whether the value is a multiple of the baseline's figure."""

    def is_passed(self, now: float, before: float | None) -> bool:
        """Return whether the limit applies to a figure; False if it needs a baseline and there is none."""
        if self.relative and not before:
            return False
        edge = self.value * (before or 0.0) if self.relative else self.value
        match self.sign:
            case "<":
                return now < edge
            case "<=":
                return now <= edge
            case ">":
                return now > edge
            case ">=":
                return now >= edge
            case _:
                return now == edge


FailLimits = tuple[tuple[FailLimit, ...], ...]
"""The run fails if all limits of one of the groups apply (`or` of `and`)."""


def theil_sen(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the median slope between all pairs of points, and Kendall's tau; (0, 0) without two different x."""
    pairs = [(b[0] - a[0], b[1] - a[1]) for a, b in combinations(points, 2) if a[0] != b[0]]
    if not pairs:
        return 0.0, 0.0
    signs = sum((dy > 0) - (dy < 0) if dx > 0 else (dy < 0) - (dy > 0) for dx, dy in pairs)
    return median(dy / dx for dx, dy in pairs), signs / len(pairs)


def growth(result: BenchResult, what: str) -> UsageTrend | None:
    """Return the trend of "rss", "fds" or "threads"; None if the processes were not sampled.

    A leak grows with the calls on each level, at a rate that does not fade. Pools and caches grow at the start of a
    level and then stop.
    """
    if result.before is None:
        return None
    first, last = _of(result.before, what), _of(result.after or result.before, what)
    parts = [part for level in result.levels if (part := _settled(level, what))]
    slopes = [theil_sen(part) for part in parts]
    if not slopes:
        return UsageTrend(what, first, last, None, "unclear")
    calls = [part[-1][0] - part[0][0] for part in parts]
    weighted = sum(slope * n for (slope, _), n in zip(slopes, calls, strict=True))
    least = max(_LEAST_GROWTH[what], _LEAST_SHARE[what] * first)
    sure = max(least, _heap(result)) if what == "rss" else least
    grew = max(weighted, 0.0) >= least and last - first >= least / 2
    surely = max(weighted, 0.0) >= sure and last - first >= sure / 2
    is_much = what == "rss" and weighted >= _MUCH * sure
    least_tau = _TAU_OF_MUCH if is_much else _LEAST_TAU
    steadily = all(slope > 0 and tau >= least_tau for slope, tau in slopes)
    halves = [slope for part in ([_joined(result, what)] if is_much else parts) for slope in _halves(part)]
    fades = max(halves, default=0) > 0 and halves[-1] < _FADES * max(halves[:-1], default=0)
    verdict = ("grows" if surely else "undecided") if grew and steadily and not fades else "steady"
    if verdict == "steady" and _is_exhausted(result, what, first, last):
        verdict = "grows"
    if verdict == "steady" and last - first >= least:
        verdict = "rose"
    return UsageTrend(what, first, last, weighted / sum(calls) * 1000, verdict)


def _heap(result: BenchResult) -> int:
    return sum(
        next((size for name, size in _HEAPS if each.startswith(name)), _HEAP) for each in result.programs or [""]
    )


def seconds_to_decide(result: BenchResult) -> float | None:
    """Return for how long the last level must go on until a growth of memory is decided; None without need or sense.

    It has no sense if that takes too long.
    """
    found = growth(result, "rss")
    if found is None or found.verdict != "undecided" or not found.per_1000_calls or not result.levels[-1].rate:
        return None
    parts = [part for level in result.levels if (part := _settled(level, "rss"))]  # growth() has found some
    seen = sum(theil_sen(part)[0] * (part[-1][0] - part[0][0]) for part in parts)
    sure = max(_LEAST_GROWTH["rss"], _LEAST_SHARE["rss"] * found.first, _heap(result))
    missing = max(sure - seen, sure / 2 - (found.last - found.first))
    per_s = theil_sen(parts[-1])[0] * result.levels[-1].rate
    needed = max(_LEAST_LONGER_S, missing / per_s / (1 - _SETTLING) * _SURELY)
    return needed if needed <= _MOST_LONGER_S else None


def _is_exhausted(result: BenchResult, what: str, first: int, last: int) -> bool:
    """Return whether usage far exceeds what concurrent calls explain: the slope ended at the process's limit."""
    if what == "rss" or result.after is None:
        return False
    most = max((level.load for level in result.levels if level.model != "open"), default=16)
    if last - first < (max(20, 2 * most) if what == "processes" else max(100, 8 * most)):
        return False
    used = [_of(each, what) for level in result.levels for each in level.usage]
    return all(now >= 0.8 * peak for now, peak in zip(used, accumulate(used, max), strict=True))


def _of(usage: UsageSample, what: str) -> int:
    value: int = getattr(usage, what)
    return value


def _settled(level: LevelResult, what: str) -> list[tuple[float, float]]:
    """Return points (calls, figure) after the level has settled; [] if there are too few to judge."""
    settled = level.usage[int(len(level.usage) * _SETTLING) :]
    if what == "rss" and settled and settled[-1].at_s - settled[0].at_s < _LEAST_S:
        return []
    points = [(float(each.calls), float(_of(each, what))) for each in settled]
    step = max(1, len(points) // _MOST_POINTS)
    points = points[::step]
    return [] if len(points) < _LEAST_SAMPLES or points[-1][0] - points[0][0] < _LEAST_CALLS else points


def _joined(result: BenchResult, what: str) -> list[tuple[float, float]]:
    """Return the points of all levels that can be judged, by the calls since the first: a collection ends no growth."""
    found: list[tuple[float, float]] = []
    before = 0.0
    for level in result.levels:
        found += [(before + calls, figure) for calls, figure in _settled(level, what)]
        before += level.usage[-1].calls if level.usage else 0
    return found


def _halves(part: Sequence[tuple[float, float]]) -> tuple[float, float]:
    middle = len(part) // 2
    return theil_sen(part[: middle + 1])[0], theil_sen(part[middle:])[0]


# Verdicts


def verdicts(result: BenchResult) -> list[BenchVerdict]:
    """Return the defects, most serious first."""
    return [
        *_ends(result),
        *_correctness(result),
        *(blocking_verdicts(result.blocking) if result.blocking is not None else ()),
        *_slow_first(result),
        *_slowing(result),
        *scaling_verdicts(result),
        *_growing(result),
        *_errors(result),
    ]


def _ends(result: BenchResult) -> Iterator[BenchVerdict]:
    if (death := result.death) is not None:
        where = f"at {death.level}" if death.level else "before any load"
        evidence, newest = msgspec.to_builtins(death), [(0, line) for line in reversed(death.stderr)]
        known, telling = known_cause(newest), telling_line(newest)
        cause = f": {known[1]}" if known else f": {telling[1]}" if telling and telling[2] else ""
        yield BenchVerdict(
            "exits-under-load",
            f"the connection ended {where}, after {death.calls:,} calls: {death.why}{cause}",
            evidence,
            "Look at its last lines on stderr; a single call that raises must not end the process.",
        )
    if (stall := result.stall) is None or (result.alone_errors and not result.alone):
        return  # what no call without load can do either is named as that
    evidence = msgspec.to_builtins(stall)
    rest = f"{stall.probe} is still answered" if stall.alive else f"{stall.probe} is not answered either"
    if stall.in_flight > 1 and all(each.answered for each in result.levels if each.load == 1):
        yield BenchVerdict(
            "deadlock",
            f"no response to {stall.in_flight} concurrent calls within {stall.seconds:.1f} s, after {stall.calls:,} "
            f"calls at {stall.level}; one at a time they are answered; {rest}",
            evidence,
            "Look for a lock that a call holds while it waits for another call.",
        )
    else:
        where = f" at {stall.level}" if stall.level else ""
        yield BenchVerdict(
            "hang",
            f"no response to a call within {stall.seconds:.1f} s, after {stall.calls:,} calls{where}; {rest}",
            evidence,
            "Look at what the call waits for; with a slow tool, raise --timeout.",
        )


def _correctness(result: BenchResult) -> Iterator[BenchVerdict]:
    counts = result.mismatch_counts
    if number := counts[MismatchKind.SWAPPED]:
        yield BenchVerdict(
            "swapped-responses",
            f"{number:,} of {result.checked:,} responses have the result of another call"
            + _where(result, MismatchKind.SWAPPED),
            {"count": number, "checked": result.checked, "first": _mismatch(result, MismatchKind.SWAPPED)},
            "Keep the id of a request with its handler; do not store it in a variable that calls share.",
        )
    if number := counts[MismatchKind.DIFFERENT]:
        yield BenchVerdict(
            "different-results",
            f"{number:,} of {result.checked:,} results differ from those of equal calls without load"
            + _where(result, MismatchKind.DIFFERENT),
            {"count": number, "checked": result.checked, "first": _mismatch(result, MismatchKind.DIFFERENT)},
            "Look for state that concurrent calls share.",
        )
    if result.unknown_responses:
        yield BenchVerdict(
            "unknown-responses",
            f"{result.unknown_responses:,} responses have an id that no pending request has",
            {"count": result.unknown_responses},
            "Respond to each request once, with its own id.",
        )


def _first(result: BenchResult, kind: MismatchKind) -> Mismatch | None:
    return next((each for each in result.mismatches if each.kind is kind), None)


def _where(result: BenchResult, kind: MismatchKind) -> str:
    found = _first(result, kind)
    return "" if found is None else f", first {found.label} at {found.level}"


def _mismatch(result: BenchResult, kind: MismatchKind) -> dict[str, Any] | None:
    found = _first(result, kind)
    if found is None:
        return None
    texts = {name: getattr(found, name).decode("utf-8", "replace")[:_MOST_SHOWN] for name in ("expected", "got")}
    return {"label": found.label, "level": found.level, "params": found.params, "other": found.other, **texts}


def blocking_verdicts(found: BlockingResult) -> Iterator[BenchVerdict]:
    """Yield the defect that a slow call and what was sent beside it show, if there is one."""
    evidence = msgspec.to_builtins(found)
    own_ms = found.slow_ms - found.probe_ms  # the rest is the way to the server and back
    share = None if found.cpu_ms is None else found.cpu_ms / own_ms if own_ms > 0 else 1.0
    waits = share is not None and share < _COMPUTES
    queued_ms = 0.0 if _are_even(found) else found.queued_ms
    is_busy = max(found.probe_ms, queued_ms) > found.slow_ms / 2  # the machine delays the quickest request, or it
    is_busy |= found.slow_ms > _AS_BEFORE * (found.alone_ms or found.slow_ms)  # or more than before the load
    if is_busy or (not waits and found.slow_ms < _LONG_MS):
        return
    # The other request is sent after a fifth of the slow call, and waits for what that computes.
    least = found.slow_ms * max(_WAITED * 0.8, share + _MARGIN if waits and share is not None else 0.0)
    is_late = found.probe_beside_ms - found.probe_ms > max(least, queued_ms + found.slow_ms * _MARGIN)
    if is_late and found.probe_last >= _LAST:
        busy = "" if found.cpu_ms is None else f" ({found.cpu_ms:.0f} ms of processor time a call)"
        yield BenchVerdict(
            "blocks-everything",
            f"{found.probe} takes {rounded(found.probe_beside_ms)} ms while {found.slow} runs, {found.probe_ms:.1f} ms "
            f"otherwise: the server handles nothing else meanwhile{busy}",
            evidence,
            "It waits without yielding, such as time.sleep in an async function: await, or use a thread."
            if waits or found.cpu_ms is None
            else "It computes where requests are read: use a thread or a process.",
        )
        return
    factor = found.together_ms / found.slow_ms if found.slow_ms else 1.0
    fast_waits = found.fast_beside_ms - found.fast_ms > least and found.fast_last >= _LAST and bool(found.fast)
    in_turn = (waits or found.cpu_ms is None) and _are_in_turn(found, factor)
    if fast_waits or in_turn:
        facts = []
        if fast_waits:
            facts.append(
                f"{found.fast} takes {rounded(found.fast_beside_ms)} ms while {found.slow} runs, "
                f"{found.fast_ms:.1f} ms otherwise"
            )
        if in_turn:
            ends = f" (end after {_in_ms(found.ends_ms)})" if found.ends_ms else ""
            facts.append(
                f"{found.together} concurrent calls of {found.slow} take {factor:.1f} times as long as one{ends}"
            )
        yield BenchVerdict(
            "calls-serialized",
            f"{'; '.join(facts)}; {found.probe} is answered {'later' if found.probe_last >= _LAST else 'at once'}",
            evidence | {"factor": factor},
            "Look for a lock around all tool calls, a pool of one worker, or a wait that blocks an event loop.",
        )


def _are_even(found: BlockingResult) -> bool:
    """Return whether simultaneous calls end in even steps of one call each, as no busy machine lets them."""
    steps = [(after - before) / found.slow_ms for before, after in pairwise(found.ends_ms)]
    return bool(steps) and _ONE_STEP[0] <= min(steps) and max(steps) <= _ONE_STEP[1]


def _are_in_turn(found: BlockingResult, factor: float) -> bool:
    """Return whether they end one after the other. Calls that share a busy CPU all end late, queued calls do not."""
    steps = [after - before for before, after in pairwise(found.ends_ms)]
    return (
        0.75 * found.together < factor < _MORE_THAN_IN_TURN * found.together
        and found.together_first_ms < _AT_ONCE * found.slow_ms
        and (not steps or (min(steps) >= _IN_STEP * found.slow_ms and max(steps) <= _EVEN * min(steps)))
    )


def _in_ms(values: Sequence[float]) -> str:
    return f"{', '.join(map(rounded, values))} ms {sparkline(values)}"


def _slow_first(result: BenchResult) -> Iterator[BenchVerdict]:
    """The first call after each start is slow: one slow start may be the machine's doing."""
    for label, first in result.first_calls.items():
        later = result.alone.get(label)
        if len(first) < 2 or not later:
            continue
        usual, least = median(later) / 1e6, min(first)
        if least >= usual + _FIRST_MS and least >= usual * _FIRST_FACTOR:
            yield BenchVerdict(
                "slow-first-call",
                f"the first call of {label} after each start takes {_in_ms(first)}, later ones {rounded(usual)} ms",
                {"label": label, "first_ms": first, "later_ms": usual},
                "Load what it needs while the server starts, or in the background after the handshake.",
            )


def quantiles(times: Sequence[int], share: float = 0.5) -> list[float]:
    """Return what this share of each part of a level takes at most, in ms; [] for too few calls."""
    size = len(times) // _PARTS
    parts = [sorted(times[at * size : (at + 1) * size]) for at in range(_PARTS)]
    return [each[int(size * share)] / 1e6 for each in parts] if size >= _LEAST_IN_PART else []


def _rise(parts: Sequence[float]) -> tuple[float, float]:
    """Return the factor by which a level became slower, and how steadily."""
    quarter = _PARTS // 4
    begin, end = median(parts[:quarter]), median(parts[-quarter:])
    tau = theil_sen([(float(at), each) for at, each in enumerate(parts)])[1]
    return (end / begin, tau) if begin and end - begin >= _LEAST_SLOWER_MS else (1.0, tau)


def _slowing(result: BenchResult) -> Iterator[BenchVerdict]:
    """Latency that grows with the number of calls. Each level must show it: a busy machine slows single ones."""
    levels = [each for each in result.levels if each.model is LoadModel.CLOSED]
    labels = sorted({label for level in levels for label in level.times})
    named: set[str] = set()
    for label, share in ((label, share) for label in labels for share in (0.5, 0.0)):  # a busy machine slows the others
        shown = [(level, parts) for level in levels if (parts := quantiles(level.times.get(label, ()), share))]
        rises = [_rise(parts) for _, parts in shown]
        if label in named or len(rises) < 2 or _later(result, label) < _STAYS:
            continue
        if not (_is_each_slower(rises) or _is_slower_on_and_on(shown, rises) or _is_slower_after(result, label, rises)):
            continue
        named.add(label)
        level, parts = max(zip(rises, shown, strict=True), key=lambda each: each[0])[1]
        yield BenchVerdict(
            "latency-growth",
            f"{label} becomes slower with each call: {parts[0]:.1f} to {parts[-1]:.1f} ms at {level.name} "
            f"{sparkline(parts)}, and likewise on the other levels",
            {"label": label, "quantile": share, "ms": {each.name: found for each, found in shown}},
            "Look for a list that each call extends and searches.",
        )


def _is_each_slower(rises: Sequence[tuple[float, float]]) -> bool:
    """Return whether each level becomes slower, one of them steadily, and all together much slower."""
    if not all(factor >= _SLOWER and tau >= _TAU for factor, tau in rises):
        return False
    return prod(factor for factor, _ in rises) >= _MUCH_SLOWER and max(tau for _, tau in rises) >= _MUCH_TAU


def _is_slower_after(result: BenchResult, label: str, rises: Sequence[tuple[float, float]]) -> bool:
    """Return whether a call alone takes much longer than before the load, while another request does not."""
    if not _FAR_SLOWER <= _later(result, label) < math.inf or result.blocking is None:
        return False
    rising = sum(tau >= _MEAN_TAU for _, tau in rises) > 1 and prod(factor for factor, _ in rises) >= _MUCH_SLOWER
    return rising and result.blocking.probe_ms < min(result.alone[label]) / 2e6


def _later(result: BenchResult, label: str) -> float:
    """Return how many times as long a call alone takes after the load as before it; infinite if it is not known."""
    before = result.alone.get(label)
    return result.later_ms[label] * 1e6 / min(before) if before and label in result.later_ms else math.inf


def _is_slower_on_and_on(
    shown: Sequence[tuple[LevelResult, Sequence[float]]], rises: Sequence[tuple[float, float]]
) -> bool:
    """Return whether a call takes more and more of the server's time, and each level begins where the last one ended.

    With many calls in flight a level has few of them, so that its own part of the growth is small.
    """
    quarter = _PARTS // 4
    ends = [(median(parts[:quarter]) / level.load, median(parts[-quarter:]) / level.load) for level, parts in shown]
    goes_on = all(1 / _JUMP <= after[0] / before[1] <= _JUMP for before, after in pairwise(ends))
    taus = [tau for _, tau in rises]
    rising = taus[0] >= _FIRST_TAU and min(taus) > 0 and mean(taus) >= _MEAN_TAU
    return goes_on and rising and ends[-1][1] >= _FAR_SLOWER * ends[0][0]


def _growing(result: BenchResult) -> Iterator[BenchVerdict]:
    for what, name in _UNITS.items():
        found = growth(result, what)
        if found is None or found.verdict != "grows":
            continue
        slope = found.per_1000_calls or 0.0
        amount = f"{slope / _MIB:.1f} MiB" if what == "rss" else f"{slope:.1f}"
        spans = f"{_shown(what, found.first)} to {_shown(what, found.last)}"
        how = f"with each call: {amount} per 1,000 calls, from {spans}"
        if what != "rss" and slope < _LEAST_SLOPE:
            how = f"with the calls, from {spans}, and then stop: at a limit, it seems"
        grows = f"{name} grow{'s' if what == 'rss' else ''} {how}"
        yield BenchVerdict(f"{_IDS[what]}-growth", grows, msgspec.to_builtins(found), _FIXES[what])
        if what == "processes":
            return  # each of them has memory, descriptors and threads


def _shown(what: str, value: int) -> str:
    return f"{value / _MIB:.0f} MiB" if what == "rss" else f"{value:,}"


def _errors(result: BenchResult) -> Iterator[BenchVerdict]:
    if result.death is not None:
        return
    always = {(label, kind) for label, kinds in result.alone_errors.items() for kind in kinds}
    counts: dict[str, Counter[str]] = {}
    for level in result.levels:
        for label, kinds in level.errors.items():
            for kind, number in kinds.items():
                if (label, kind) not in always:
                    counts.setdefault(kind, Counter())[label] += number
    for kind, by_label in counts.items():
        if kind in LIMITS:
            continue  # as it is meant: a note says so
        names = ", ".join(sorted(by_label))
        words = next((f": {each.reasons[kind]}" for each in result.levels if each.reasons.get(kind)), "")
        yield BenchVerdict(
            "errors-under-load",
            f"{by_label.total():,} calls of {names} fail under load ({kind}{words}); without load they do not",
            {"class": kind, "calls": dict(by_label)},
            "Look at the server's log; find the load at which it begins with --concurrency.",
        )
    for label, kind in sorted(always):
        words = f": {reason}" if (reason := result.alone_reasons.get((label, kind))) else ""
        yield BenchVerdict(
            "failing-calls",
            f"{label} fails without load, too ({kind}{words})",
            {"class": kind, "label": label},
            "See its error with mcp-inspect call; give arguments that the tool accepts.",
        )


# Limits that the user sets


def read_limits(text: str) -> FailLimits:
    """Read "p95 > 1.5x or errors > 0". Raises: UsageError."""
    return tuple(
        tuple(_clause(part, text) for part in re.split(r"\band\b", group)) for group in re.split(r"\bor\b", text)
    )


def _clause(part: str, whole: str) -> FailLimit:
    found = _CLAUSE.match(part)
    metrics = ", ".join((*_OF_LEVEL, *_OF_RUN))
    if found is None:
        raise UsageError(
            f"invalid --fail-on {whole!r}: {part.strip()!r} is not a comparison",
            hint=f"Write METRIC > VALUE, such as 'p95 > 1.5x or errors > 0'. Metrics: {metrics}.",
        )
    name, sign, number, unit = found.groups()
    if name not in (*_OF_LEVEL, *_OF_RUN):
        raise UsageError(f"--fail-on: unknown metric {name!r}", hint=f"Metrics: {metrics}.")
    try:
        value = float(number)
    except ValueError:
        raise UsageError(f"--fail-on: {number!r} is not a number") from None
    relative = unit in ("x", "%")
    factor = 0.01 if unit == "%" else 1.0 if relative else _UNITS_OF.get(unit or "", 1.0)
    return FailLimit(part.strip(), name, sign, value * factor, relative)


def demands_baseline(limits: FailLimits) -> bool:
    """Return whether a limit is a multiple of the baseline's figure."""
    return any(each.relative for group in limits for each in group)


def read_report(path: Path) -> dict[str, Any]:
    """Read a report to compare with. Raises: UsageError that states what the file is instead."""
    hint = "Write one with mcp-inspect bench -o FILE."
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"--against {path}: no such file", hint=hint) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--against {path}: can't be read: {error}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"--against {path}: not JSON", hint=hint) from None
    if not isinstance(report, dict) or FORMAT not in report:
        raise UsageError(f"--against {path}: not a report of mcp-inspect bench", hint=hint)
    if report[FORMAT] != VERSION:
        raise UsageError(
            f"--against {path}: version {report[FORMAT]!r} of the format; mcp-inspect reads {VERSION}", hint=hint
        )
    try:
        _rows(report)
        _figures(report)
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"--against {path}: damaged: a member is missing or has another type", hint=hint) from None
    return report


def _rows(report: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, float]]:
    """Return the figures by level and tool."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for level in report["levels"]:
        for tool in level["tools"]:
            figures = {name: tool[f"{name}_ms"] for name in ("p50", "p95", "p99", "max") if tool[f"{name}_ms"]}
            figures |= {"rate": tool["rate"], "errors": sum(tool["errors"].values())}
            found[str(level["name"]), str(tool["name"])] = {name: float(value) for name, value in figures.items()}
    return found


def _figures(report: Mapping[str, Any]) -> dict[str, float]:
    """Return the figures of the whole run."""
    usage = report["usage"]
    found = {name: float(usage[name]["last"]) for name in ("rss", "fds", "threads") if usage and usage[name]}
    if report["start"]["warm_ms"]:
        found["start"] = float(report["start"]["warm_ms"])
    return found | {"verdicts": float(len(report["verdicts"]))}


def failures(report: Mapping[str, Any], limits: FailLimits, baseline: Mapping[str, Any] | None) -> list[str]:
    """Return a sentence for each exceeded limit, with figure and baseline."""
    rows, run = _rows(report), _figures(report)
    old_rows, old_run = (_rows(baseline), _figures(baseline)) if baseline is not None else ({}, {})
    found: list[str] = []
    for group in limits:
        if any(each.metric in _OF_LEVEL for each in group):
            for (level, tool), figures in rows.items():
                before = old_rows.get((level, tool), {})
                found += _failed(group, run | figures, old_run | before, f"{tool}, {level}: ")
        else:
            found += _failed(group, run, old_run, "")
    return found


def _failed(
    group: Sequence[FailLimit], now: Mapping[str, float], before: Mapping[str, float], where: str
) -> Iterator[str]:
    if all(each.metric in now and each.is_passed(now[each.metric], before.get(each.metric)) for each in group):
        lines = [
            f"{each.metric} is {_figure(each.metric, now[each.metric])}"
            + (f", baseline {_figure(each.metric, before[each.metric])}" if each.relative else "")
            + f" (limit: {each.text})"
            for each in group
        ]
        yield where + " and ".join(lines)


def _figure(metric: str, value: float) -> str:
    """Return a figure with the unit of its metric."""
    if metric == "rss":
        return f"{value / 1e6:,.4g} MB"
    unit = {"rate": "/s", "start": " ms"}.get(metric, " ms" if metric in ("p50", "p95", "p99", "max") else "")
    return f"{value:,.4g}{unit}"


def not_compared(report: Mapping[str, Any], baseline: Mapping[str, Any]) -> list[str]:
    """Return the rows of the report that the baseline lacks, so that their relative limits are not judged."""
    old = _rows(baseline)
    return [f"{tool}, {level}" for level, tool in _rows(report) if (level, tool) not in old]


def level_summary(level: LevelResult, label: str) -> dict[str, Any]:
    """Return the figures of one tool on one level, as in a report."""
    times = level.times.get(label, ())
    found = summary(times)
    return {
        "name": label,
        "calls": len(times),
        "rate": round(len(times) / level.seconds, 3) if level.seconds else 0.0,
        **{f"{name}_ms": round(getattr(found, name), 4) if found else None for name in ("p50", "p95", "p99", "max")},
        "errors": dict(level.errors.get(label, {})),
    }
