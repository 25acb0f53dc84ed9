"""Judges how a server scales: stalls at regular calls, unfair order, few calls at a time, work while idle."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from inspector.features.bench.model import BenchResult, BenchVerdict, LevelResult, LoadModel
from inspector.present.stats_report import sparkline
from inspector.text import rounded

STARVED_MS = 100.0
"""Minimum duration of a stall, and of a call that others overtake: shorter ones may be the machine's doing."""
_STALL_FACTOR, _STARVED_FACTOR = 10.0, 20.0
"""Multiples of the median duration from which a call counts as stalled, and as starved."""
_LEAST_STALLS = 4
_GAP_SLACK = 0.02
"""How much the distances between stalls may differ, as a fraction."""
_LEAST_STARVED = 3
_MOST_SLOW_ALONE = 0.005
"""Share of the calls that may take as long with one in flight: what a busy machine does."""
_STEP, _FALL = 1.3, 3.0
"""Factors by which the rate must fall from each level to the next, and in all."""
_LEAST_CALLS, _LEAST_LEVELS = 30, 3
_LEAST_ANSWERS = 15
"""Minimum number of answers on a level whose rate is compared with others."""
_LEAST_AT_ONCE, _MOST_AT_ONCE = 1.5, 3.2
"""Numbers of calls at a time that count as few; below them, calls are serialized."""
_SPREAD = 1.2
_WAITS_MS, _WAITS = 2.0, 0.3
"""Minimum duration of a call, and maximum share of processor time in it, from which a server counts as waiting."""
_MOST_USED = 0.25
"""Share of a core above which the server may get no more of a busy machine."""
_OF_CEILING = 0.3
_BUSY, _LEAST_BUSY, _RUNNABLE = 0.3, 0.1, 0.8
"""Share of a core that an idle server must use all the time; less is enough if it always wants to run."""


def scaling_verdicts(result: BenchResult) -> Iterator[BenchVerdict]:
    """Yield what the levels show together."""
    levels = sorted((each for each in result.levels if each.model is LoadModel.CLOSED), key=lambda each: each.load)
    yield from _stalling(levels)
    yield from _starving(levels)
    yield from _falling(levels)
    yield from _few(result, levels)
    share = result.idle_cpu or 0.0
    if share >= _BUSY or (share >= _LEAST_BUSY and result.idle_runnable >= _RUNNABLE):
        yield BenchVerdict(
            "busy-when-idle",
            f"the server uses {share:.0%} of a processor core although nothing is asked of it",
            {"share": share},
            "Wait for input or an event instead of polling in a loop.",
        )


def _stalling(levels: Sequence[LevelResult]) -> Iterator[BenchVerdict]:
    """Every so-manieth call takes long. One call in flight shows it: there the order of the calls is certain."""
    for level in (each for each in levels if each.load == 1):
        for label, times in level.times.items():
            usual = median(times) / 1e6
            least = max(usual * _STALL_FACTOR, usual + STARVED_MS) * 1e6
            at = [number for number, each in enumerate(times) if each >= least]
            gaps = [second - first for first, second in pairwise(at)]
            if len(at) < _LEAST_STALLS or min(gaps) < 2 or max(gaps) - min(gaps) > max(1, _GAP_SLACK * min(gaps)):
                continue
            slow = median(times[each] for each in at) / 1e6
            yield BenchVerdict(
                "periodic-stall",
                f"one in {round(median(gaps)):,} calls of {label} takes {slow:,.0f} ms, the others {rounded(usual)} ms",
                {"label": label, "calls": at[:20], "stall_ms": slow, "usual_ms": usual},
                "Look for what it does after so many calls: a flush, a clean-up, a new connection.",
            )


def _starving(levels: Sequence[LevelResult]) -> Iterator[BenchVerdict]:
    """Calls wait while many later ones of the same tool are answered; one at a time none takes that long."""
    alone = next((each for each in levels if each.load == 1), None)
    if alone is None:
        return
    for label, times in alone.times.items():
        limit = max(STARVED_MS, _STARVED_FACTOR * median(times) / 1e6) * 1e6
        shown = [each for each in levels if each.load > 1]
        counts = [sum(each >= limit for each in level.overtaken.get(label, ())) for level in shown]
        slow_alone = sum(each >= limit for each in times)
        if not counts or min(counts) < _LEAST_STARVED or slow_alone > _MOST_SLOW_ALONE * len(times):
            continue
        worst = max(shown, key=lambda each: max(each.overtaken[label]))
        yield BenchVerdict(
            "starvation",
            f"{sum(counts):,} calls of {label} wait up to {max(worst.overtaken[label]) / 1e6:,.0f} ms while later ones "
            f"are answered first; one at a time they take {rounded(median(times) / 1e6)} ms",
            {"label": label, "calls": dict(zip((each.name for each in shown), counts, strict=True))},
            "Serve calls in the order in which they come: a queue, not a stack.",
        )


def _falling(levels: Sequence[LevelResult]) -> Iterator[BenchVerdict]:
    """The rate falls with each level. Each step must show it: a busy machine slows single levels."""
    rates = [each.rate for each in levels if each.answered >= _LEAST_ANSWERS]
    if len(rates) < _LEAST_LEVELS or len(rates) < len(levels):
        return
    steps = pairwise(rates)
    if all(before >= _STEP * after for before, after in steps) and rates[0] >= _FALL * rates[-1]:
        shown = ", ".join(f"{each.rate:,.0f}/s at {each.name}" for each in levels)
        yield BenchVerdict(
            "throughput-falls",
            f"the more calls are in flight, the fewer are answered: {shown} {sparkline(rates)}",
            {"rates": {each.name: each.rate for each in levels}},
            "Look for work that grows with the calls in flight: a lock that is polled, a list that each call searches.",
        )


def _few(result: BenchResult, levels: Sequence[LevelResult]) -> Iterator[BenchVerdict]:
    """The same small number of calls runs at a time on each level, while the server waits."""
    alone = next((each for each in levels if each.load == 1), None)
    shown = [each for each in levels if each.load > _MOST_AT_ONCE]
    if alone is None or len(shown) < 2 or not alone.times or alone.answered < _LEAST_CALLS:
        return
    quick = [sorted(times)[len(times) // 10] / 1e9 for times in alone.times.values()]  # a busy machine adds to others
    if min(quick) <= 0 or max(quick) > _SPREAD * min(quick):
        return  # how many run at a time depends on which
    usual_s, label = median(quick), " and ".join(sorted(alone.times))
    at_once = [each.rate * usual_s for each in shown]
    ceilings = {each.load: each.rate for each in result.ceiling}
    if (
        usual_s * 1000 < _WAITS_MS
        or not all(_LEAST_AT_ONCE <= each <= _MOST_AT_ONCE for each in at_once)
        or max(at_once) > _SPREAD * min(at_once)
        or not all(_cpu_of_call(each) < min(_WAITS * usual_s, _MOST_USED / each.rate) for each in shown)
        or not all(each.rate < _OF_CEILING * ceilings.get(each.load, 0.0) for each in shown)
    ):
        return
    most = shown[-1]
    yield BenchVerdict(
        "few-at-once",
        f"about {median(at_once):.0f} calls of {label} run at a time, and the others wait: {most.rate:,.0f}/s at "
        f"{most.name}, though one takes {rounded(usual_s * 1000)} ms and hardly any processor time",
        {"label": label, "at_once": dict(zip((each.name for each in shown), at_once, strict=True))},
        "Look for a small pool or semaphore; raise its size, or await what a call waits for.",
    )


def _cpu_of_call(level: LevelResult) -> float:
    """Return the processor time of one call in seconds; infinite if it is not known."""
    if len(level.usage) < 2 or level.usage[-1].calls == level.usage[0].calls:
        return float("inf")
    first, last = level.usage[0], level.usage[-1]
    return (last.cpu_s - first.cpu_s) / (last.calls - first.calls)
