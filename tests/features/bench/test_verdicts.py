"""The slope of what processes use, and the limits that a user sets, on made-up figures."""

import math
import random
from array import array
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from inspector.errors import UsageError
from inspector.features.bench.model import (
    RATE_LIMIT,
    BenchOptions,
    BenchResult,
    BlockingResult,
    LevelResult,
    LoadModel,
    Stall,
    UsageSample,
    summary,
)
from inspector.features.bench.report import _usage_lines, as_data, histogram, limits_of
from inspector.features.bench.verdicts import (
    failures,
    growth,
    not_compared,
    read_limits,
    seconds_to_decide,
    theil_sen,
    verdicts,
)

MIB = 1 << 20
SAMPLES, CALLS_EACH = 40, 250


def measured(rss: Callable[[int], float], fds: Callable[[int], float] = lambda calls: 10) -> BenchResult:
    """A result of three levels, whose processes use this much after so many calls."""
    levels, done = [], 0
    for load in (1, 4, 16):
        usage = []
        for number in range(1, SAMPLES + 1):
            calls = number * CALLS_EACH
            usage.append(
                UsageSample(number / 10, calls, int(rss(done + calls)), int(fds(done + calls)), 4, number / 10)
            )
        done += SAMPLES * CALLS_EACH
        times = {"t": array("q", [1_000_000] * 100)}
        levels.append(LevelResult(LoadModel.CLOSED, load, 4.0, times, usage=usage))
    before = UsageSample(0, 0, int(rss(0)), int(fds(0)), 4, 0)
    after = UsageSample(0, 0, int(rss(done)), int(fds(done)), 4, 5)
    return BenchResult("target", BenchOptions(), levels=levels, before=before, after=after)


def test_a_level_in_which_no_call_ended_is_named() -> None:
    levels = [LevelResult(LoadModel.CLOSED, load, 4.0, {"t": array("q", [1_000] * n)}) for load, n in ((1, 2), (4, 0))]
    assert as_data(BenchResult("target", BenchOptions(), levels=levels), [])["notes"] == [
        "at 4 in flight, no call ended"
    ]


NOISE = random.Random(1)


@pytest.mark.parametrize("rss", [lambda calls: 40 * MIB + calls * 10_240])
def test_growth_within_a_second_is_unclear(rss: Callable[[int], float]) -> None:
    """A runtime that collects garbage fills its heap first."""
    result = measured(rss)
    for level in result.levels:
        level.usage = [msgspec.structs.replace(each, at_s=each.at_s / 4) for each in level.usage]
    found = growth(result, "rss")
    assert found is not None
    assert found.verdict in ("unclear", "rose")


@pytest.mark.parametrize(
    "rss",
    [
        lambda calls: 40 * MIB + calls * 10_240,
        lambda calls: 400 * MIB + calls * 10_240,
        lambda calls: 40 * MIB + calls * 8_192 + NOISE.randrange(2 * MIB),
        lambda calls: 40 * MIB + calls // 1000 * 8 * MIB,
    ],
    ids=["1 MB in 100 calls", "the same on much", "8 kB a call and noise", "in steps"],
)
def test_memory_that_each_call_adds_to_grows(rss: Callable[[int], float]) -> None:
    found = growth(measured(rss), "rss")
    assert found is not None
    assert found.verdict == "grows"


@pytest.mark.parametrize(
    ("programs", "mib", "said"),
    [
        (["node"], 60, "undecided"),  # the heap of V8 before its first collection
        ([], 60, "undecided"),
        (["node"], 250, "grows"),
        (["node", "node"], 250, "undecided"),
        (["python3.11"], 60, "grows"),
        (["java"], 300, "undecided"),
    ],
)
def test_memory_grows_only_by_more_than_a_heap_takes_before_it_is_collected(
    programs: list[str], mib: int, said: str
) -> None:
    result = measured(lambda calls: 65 * MIB + calls * mib * MIB / (3 * SAMPLES * CALLS_EACH))
    result.programs = programs
    found = growth(result, "rss")
    assert found is not None
    assert found.verdict == said
    assert [each.id for each in verdicts(result)] == (["memory-growth"] if said == "grows" else [])


def test_a_collection_during_the_last_level_hides_no_growth() -> None:
    def rss(calls: int) -> float:
        last = 2.7 * SAMPLES * CALLS_EACH
        return 65 * MIB + min(calls, last) * 20_000 + max(0, calls - last) * 1_000

    found = growth(measured(rss), "rss")
    assert found is not None
    assert found.verdict == "grows"


def test_a_growth_that_is_not_decided_is_followed_as_long_as_its_slope_needs() -> None:
    undecided = measured(lambda calls: 65 * MIB + calls * 4_000)
    for level in undecided.levels:  # 2,500 calls a second, as the samples have it
        level.times = {"t": array("q", [1_000_000] * SAMPLES * CALLS_EACH)}
    seconds = seconds_to_decide(undecided)
    assert seconds is not None
    assert 5 < seconds < 25
    assert seconds_to_decide(measured(lambda calls: 65 * MIB)) is None
    assert seconds_to_decide(measured(lambda calls: 65 * MIB + calls * 10_240)) is None  # decided
    slow = measured(lambda calls: 65 * MIB + calls * 1_000)
    assert seconds_to_decide(slow) is None  # takes minutes


@pytest.mark.parametrize(
    "rss",
    [
        lambda calls: 40 * MIB,
        lambda calls: 40 * MIB + NOISE.randrange(30 * MIB),
        lambda calls: 40 * MIB + (calls % 3000) * 10_240,
        lambda calls: 40 * MIB + 60 * MIB * (1 - math.exp(-calls / 4000)),
        lambda calls: 40 * MIB + 30 * MIB * math.log1p(calls / 500) / 4,
        lambda calls: (40 if calls <= 10_000 else 60 if calls <= 20_000 else 90) * MIB,
        lambda calls: 40 * MIB + calls * 100,
        lambda calls: 90 * MIB - calls * 1_000,
    ],
    ids=["flat", "noise", "sawtooth", "fills", "slows down", "at each level", "too little", "falls"],
)
def test_memory_that_settles_or_is_collected_does_not_grow(rss: Callable[[int], float]) -> None:
    found = growth(measured(rss), "rss")
    assert found is not None
    assert found.verdict in ("steady", "rose")


@pytest.mark.parametrize(
    ("rss", "said"),
    [
        (lambda calls: 78 * MIB, "steady"),
        (lambda calls: 78 * MIB + 148 * MIB * (1 - math.exp(-calls / 4000)), "rose, but not steadily with the calls"),
        (lambda calls: 78 * MIB + calls * 10_240, "grows"),
    ],
    ids=["flat", "fills", "grows"],
)
def test_memory_that_has_risen_is_not_called_steady(rss: Callable[[int], float], said: str) -> None:
    line = next(line for line in _usage_lines(measured(rss)) if line[0][0].startswith("memory"))
    assert line[-1][0].startswith(said)


def test_descriptors_grow_by_slope_or_up_to_the_limit_of_the_process() -> None:
    leaks = measured(lambda calls: MIB, lambda calls: 10 + calls / 100)
    exhausted = measured(lambda calls: MIB, lambda calls: min(1024, 10 + calls))
    pool = measured(lambda calls: MIB, lambda calls: 10 + (16 if calls > 20_000 else 4 if calls > 10_000 else 1))
    collected = measured(lambda calls: MIB, lambda calls: 10 + calls % 700 / 2)
    assert verdicts(collected) == []
    assert [each.id for each in verdicts(leaks)] == ["descriptor-growth"]
    assert [each.id for each in verdicts(exhausted)] == ["descriptor-growth"]
    assert verdicts(pool) == []


def test_a_few_samples_are_not_judged() -> None:
    result = measured(lambda calls: 40 * MIB + calls * 10_240)
    for level in result.levels:
        del level.usage[5:]
    found = growth(result, "rss")
    assert found is not None
    assert (found.verdict, found.per_1000_calls) == ("unclear", None)


def test_the_slope_of_most_points_outweighs_outliers() -> None:
    points = [(float(x), 2.0 * x) for x in range(20)]
    points[3], points[11] = (3.0, 900.0), (11.0, -900.0)
    slope, tau = theil_sen(points)
    assert slope == pytest.approx(2.0)
    assert 0.6 < tau < 1
    assert theil_sen([(1.0, 1.0), (1.0, 2.0)]) == (0.0, 0.0)


def blocked(slow_ms: float = 100.0, **changed: float | list[float] | None) -> list[str]:
    facts: dict[str, float | list[float] | None] = {
        "probe_ms": 0.2, "probe_beside_ms": 0.4, "fast_ms": 0.3, "fast_beside_ms": 0.5,
        "together_ms": 105.0, "together_first_ms": 101.0, "cpu_ms": 1.0,
    }  # fmt: skip
    facts |= changed
    result = BenchResult("target", BenchOptions())
    result.blocking = BlockingResult("slow", slow_ms, "ping", fast="fast", together=4, **facts)  # type: ignore[arg-type]
    return [each.id for each in verdicts(result)]


def test_blocking_probe_distinguishes_lock_and_blocked_loop() -> None:
    assert blocked() == []
    assert blocked(probe_beside_ms=80, fast_beside_ms=80, together_ms=400) == ["blocks-everything"]
    assert blocked(probe_beside_ms=80, cpu_ms=None) == ["blocks-everything"]
    assert blocked(fast_beside_ms=80, together_ms=400) == ["calls-serialized"]
    assert blocked(together_ms=400) == ["calls-serialized"]
    assert blocked(probe_beside_ms=80, alone_ms=30.0) == []  # it took a third before: a machine that became busy
    assert blocked(together_ms=400, together_first_ms=350) == []  # all of them are slower: a busy machine
    assert blocked(together_ms=400, cpu_ms=95.0) == []  # it computes, with one core at most
    assert blocked(20, probe_beside_ms=20, cpu_ms=18.0) == []  # as does any server that computes for a moment
    assert blocked(4, probe_beside_ms=4, cpu_ms=2.0) == []  # on a busy machine a moment takes twice as long
    near: dict[str, Any] = {"probe_ms": 0.1, "probe_beside_ms": 0.1, "fast_beside_ms": 0.0}
    assert blocked(together_ms=380, ends_ms=[80.0, 130.0, 170.0, 380.0]) == []  # they take as long as they happen to
    assert blocked(together_ms=400, ends_ms=[100.0, 200.0, 300.0, 400.0]) == ["calls-serialized"]
    assert blocked(1.2, together_ms=9.0, together_first_ms=1.4, ends_ms=[1.4, 2.8, 4.0, 7.2], cpu_ms=0.1, **near) == []
    turns = near | {"together_ms": 4.9, "together_first_ms": 1.2, "ends_ms": [1.2, 2.5, 3.7, 4.9], "cpu_ms": 0.2}
    assert blocked(1.2, queued_ms=3.0, **turns) == ["calls-serialized"]  # a busy machine makes no even steps
    assert blocked(1.2, queued_ms=3.0, **turns | {"probe_beside_ms": 1.2}) == ["blocks-everything"]
    assert blocked(1.2, queued_ms=3.0, **turns | {"ends_ms": [1.2, 1.9, 2.5, 4.9]}) == []
    way = {"probe_ms": 6.4, "probe_beside_ms": 9.8, "fast_beside_ms": 0.0}  # half of the time is the way to it
    assert blocked(13.8, together_ms=44.2, together_first_ms=15.5, cpu_ms=5.8, **way) == []
    assert blocked(20, probe_beside_ms=20, cpu_ms=0.0) == ["blocks-everything"]
    assert blocked(20, probe_beside_ms=20, cpu_ms=0.0, probe_last=0.5) == []  # it was answered first in every second
    assert blocked(2, probe_ms=4.4, probe_beside_ms=6.6, fast_beside_ms=0, cpu_ms=0.4) == []  # a busy machine
    assert blocked(2, probe_ms=0.1, probe_beside_ms=2.1, fast_beside_ms=0, cpu_ms=0.4) == ["blocks-everything"]
    assert blocked(6.3, probe_ms=2.0, probe_beside_ms=7.2, fast_beside_ms=0, cpu_ms=0.8, queued_ms=4.0) == []
    assert blocked(7.7, probe_ms=2.7, probe_beside_ms=15.8, fast_beside_ms=0, cpu_ms=1.7, queued_ms=9.2) == []


def report(p95: float, *, errors: int = 0, tool: str = "t") -> dict[str, object]:
    times = {tool: array("q", [int(p95 * 1e6)] * 100)}
    level = LevelResult(LoadModel.CLOSED, 4, 2.0, times, {tool: Counter({"timeout": errors})} if errors else {})
    return as_data(BenchResult("target", BenchOptions(), levels=[level]), [])


@pytest.mark.parametrize(
    ("limits", "fails"),
    [
        ("p95 > 1.5x", True),
        ("p95 > 150%", True),
        ("p95 > 2.5x", False),
        ("p95 > 15ms", True),
        ("p95 > 0.5s", False),
        ("errors > 0", True),
        ("errors > 1", False),
        ("p95 > 15 and errors > 5", False),
        ("p95 > 15 and errors > 0", True),
        ("rate < 0.9x or p95 > 1.9x", True),
        ("rate < 0.9x", False),
        ("rate >= 50/s", True),
        ("verdicts > 0", False),
    ],
)
def test_limits_compare_with_the_baseline_or_a_figure(limits: str, fails: bool) -> None:
    found = failures(report(20, errors=1), read_limits(limits), report(10))
    assert bool(found) is fails
    if fails:
        assert found[0].startswith("t, 4 in flight: ")


def test_a_limit_that_is_passed_has_units() -> None:
    (found,) = failures(report(20), read_limits("p95 > 1.5x"), report(10))
    assert found == "t, 4 in flight: p95 is 20 ms, baseline 10 ms (limit: p95 > 1.5x)"


def test_limit_without_a_baseline_value_is_not_compared() -> None:
    now, before = report(20, tool="new"), report(10, tool="old")
    assert failures(now, read_limits("p95 > 1.5x"), before) == []
    assert not_compared(now, before) == ["new, 4 in flight"]


@pytest.mark.parametrize("text", ["", "p95", "p95 >", "p95 > fast", "p95 > 1.5y", "x > 1", "p95 > 1 or", "p95 > 1..2"])
def test_an_invalid_limit_is_an_error(text: str) -> None:
    with pytest.raises(UsageError):
        read_limits(text)


def test_calls_beyond_a_rate_limit_are_a_note_and_no_defect() -> None:
    level = LevelResult(LoadModel.CLOSED, 4, 2.0, {}, {"t": Counter({RATE_LIMIT: 7})})
    result = BenchResult("target", BenchOptions(), levels=[level])
    assert verdicts(result) == []
    assert "the server's rate limit refused 7 calls; --rate stays below it" in limits_of(result)


@pytest.mark.parametrize(("answered", "id_"), [([1_000_000], "deadlock"), ([], "hang")])
def test_no_deadlock_where_single_calls_have_no_response_either(answered: list[int], id_: str) -> None:
    one = LevelResult(LoadModel.CLOSED, 1, 2.0, {"t": array("q", answered)} if answered else {})
    stall = Stall("4 in flight", 4, 5.0, 0, alive=True, probe="ping")
    result = BenchResult("target", BenchOptions(), levels=[one, LevelResult(LoadModel.CLOSED, 4, 2.0, {})], stall=stall)
    assert [each.id for each in verdicts(result)] == [id_]
    result.alone_errors = {"t": Counter({"tool error": 2})}
    assert [each.id for each in verdicts(result)] == ["failing-calls"]


def test_percentiles_are_by_nearest_rank() -> None:
    found = summary(range(1_000_000, 101_000_000, 1_000_000))
    assert found is not None
    assert (found.p50, found.p95, found.p99, found.max) == (50, 95, 99, 100)
    assert summary([]) is None


def test_pictures_fit_their_width() -> None:
    bars = histogram([0.05, 0.3, 0.4, 7, 9000], 20)
    assert [line.split()[-1] for line in bars][:3] == ["1", "0", "2"]
    assert max(map(len, bars)) < 20 + 25
    assert histogram([], 20) == []


def _timed(*levels: Callable[[int], float]) -> BenchResult:
    """Levels of 400 calls, each with a function from the number of the call to milliseconds."""
    result = BenchResult("target", BenchOptions())
    chance = random.Random(7)
    for load, took in zip((1, 4, 16), levels, strict=False):
        times = array("q", [int(took(at) * chance.uniform(0.7, 1.3) * 1e6) for at in range(400)])
        result.levels.append(LevelResult(LoadModel.CLOSED, load, 4.0, {"t": times}))
    return result


def test_verdicts_when_calls_take_longer_and_longer_on_each_level_names_the_growth() -> None:
    found = verdicts(_timed(lambda at: 1 + at / 100, lambda at: 20 + at / 25, lambda at: 150 + at / 6))
    assert [each.id for each in found] == ["latency-growth"]
    assert "1." in found[0].sentence
    assert "▁" in found[0].sentence or "█" in found[0].sentence


def test_verdicts_when_a_busy_machine_delays_most_calls_names_the_growth_of_the_quick_ones() -> None:
    one, four, many = (lambda at, n=n: (n + at / 400 * n) * (1 if at % 5 == 0 else 3 + at * 7 % 11) for n in (1, 2, 4))
    assert [each.id for each in verdicts(_timed(one, four, many))] == ["latency-growth"]


def test_verdicts_when_each_level_goes_on_where_the_last_one_ended_names_the_growth() -> None:
    levels: tuple[Callable[[int], float], ...] = (
        lambda at: 2 + at / 65,
        lambda at: 24 + at / 30,
        lambda at: 148 + at / 20,
    )
    assert [each.id for each in verdicts(_timed(*levels))] == ["latency-growth"]


@pytest.mark.parametrize(
    "levels",
    [
        (lambda at: 2 + at / 65, lambda at: 8.0, lambda at: 32.0),
        (lambda at: 2 + at / 65, lambda at: 60 + at / 30, lambda at: 400 + at / 10),
        (lambda at: 1.0, lambda at: 4.0, lambda at: 16.0),
        (lambda at: 1 + at / 100, lambda at: 4.0, lambda at: 16.0),
        (lambda at: 1 + 5 * (at > 200), lambda at: 20 - at / 50, lambda at: 16.0),
        (lambda at: 0.1 + at / 10_000, lambda at: 0.1 + at / 10_000, lambda at: 0.1 + at / 10_000),
    ],
)
def test_verdicts_of_a_busy_machine_are_none(levels: tuple[Callable[[int], float], ...]) -> None:
    assert verdicts(_timed(*levels)) == []
