"""What the levels of a load test show together, on made-up figures: a defect, and a machine that is only busy."""

from array import array
from collections.abc import Callable

import pytest

from inspector.features.bench.model import BenchOptions, BenchResult, LevelResult, LoadModel, UsageSample
from inspector.features.bench.scaling import scaling_verdicts


def _level(load: float, took: Callable[[int], float], *, rate: float = 100.0, cpu_s: float = 0.0) -> LevelResult:
    """400 calls, with a function from the number of the call to milliseconds."""
    times = array("q", [int(took(at) * 1e6) for at in range(400)])
    usage = [UsageSample(0, 0, 1, 1, 1, 0), UsageSample(4, 400, 1, 1, 1, cpu_s)]
    return LevelResult(LoadModel.CLOSED, load, 400 / rate, {"t": times}, usage=usage)


def _result(*levels: LevelResult) -> BenchResult:
    ceiling = [LevelResult(LoadModel.CLOSED, each.load, 0.1, {"echo": array("q", [1] * 1_000)}) for each in levels]
    return BenchResult("target", BenchOptions(), levels=list(levels), ceiling=ceiling)


def _ids(result: BenchResult) -> list[str]:
    return [each.id for each in scaling_verdicts(result)]


@pytest.mark.parametrize(
    ("took", "found"),
    [
        (lambda at: 300.0 if at % 40 == 7 else 1.0, ["periodic-stall"]),
        (lambda at: 300.0 if at in (3, 50, 190, 222, 390) else 1.0, []),
        (lambda at: 90.0 if at % 40 == 7 else 1.0, []),
        (lambda at: 300.0 if at > 380 else 1.0, []),
    ],
)
def test_stalls_after_so_many_calls_are_periodic(took: Callable[[int], float], found: list[str]) -> None:
    assert _ids(_result(_level(1, took))) == found


@pytest.mark.parametrize(
    ("overtaken", "slow_alone", "found"),
    [
        ([900, 800, 700], False, ["starvation"]),
        ([900, 800], False, []),
        ([900, 800, 700], True, []),
        ([150, 150, 150], False, []),
    ],
)
def test_calls_that_many_later_ones_overtake_starve(overtaken: list[int], slow_alone: bool, found: list[str]) -> None:
    alone = _level(1, lambda at: 900.0 if slow_alone and at in (5, 70, 180, 390) else 8.0)
    beside = _level(16, lambda at: 8.0)
    beside.overtaken["t"] = array("q", [each * 1_000_000 for each in overtaken])
    assert _ids(_result(alone, beside)) == found


@pytest.mark.parametrize(
    ("rates", "found"),
    [((600, 200, 50), ["throughput-falls"]), ((600, 200, 250), []), ((600, 500, 300), []), ((600, 590, 100), [])],
)
def test_rate_that_falls_at_each_level_is_a_defect(rates: tuple[float, ...], found: list[str]) -> None:
    levels = [_level(load, lambda at: 1.0, rate=rate) for load, rate in zip((1, 4, 16), rates, strict=True)]
    assert _ids(_result(*levels)) == found


@pytest.mark.parametrize(
    ("rates", "cpu_s", "found"),
    [
        ((190, 390, 380), 0.1, ["few-at-once"]),
        ((190, 390, 380), 0.4, []),
        ((190, 390, 380), 1.5, []),
        ((190, 390, 600), 0.1, []),
        ((190, 700, 1_500), 0.1, []),
        ((190, 200, 200), 0.1, []),
    ],
)
def test_few_calls_at_a_time_while_the_server_waits_is_a_defect(
    rates: tuple[float, ...], cpu_s: float, found: list[str]
) -> None:
    levels = [
        _level(load, lambda at: 5.0, rate=rate, cpu_s=cpu_s) for load, rate in zip((1, 4, 16), rates, strict=True)
    ]
    assert _ids(_result(*levels)) == found


@pytest.mark.parametrize(("other", "found"), [(5.2, ["few-at-once"]), (50.0, [])])
def test_few_calls_of_two_tools_at_a_time_are_a_defect_if_both_take_as_long(other: float, found: list[str]) -> None:
    levels = [
        _level(load, lambda at: 5.0, rate=rate, cpu_s=0.1)
        for load, rate in zip((1, 4, 16), (190, 390, 380), strict=True)
    ]
    for level in levels:
        (times,) = level.times.values()
        level.times.update({"t": times[::2], "other": array("q", [int(other * 1e6)] * (len(times) // 2))})
    assert _ids(_result(*levels)) == found


def test_calls_that_a_busy_machine_makes_long_are_not_few_at_a_time() -> None:
    levels = [
        _level(load, lambda at: 2.0 if at % 5 == 0 else 16.0, rate=rate, cpu_s=0.8)
        for load, rate in zip((1, 4, 16), (60, 122, 122), strict=True)
    ]
    assert _ids(_result(*levels)) == []


@pytest.mark.parametrize(
    ("share", "runnable", "found"),
    [
        (0.5, 0.0, ["busy-when-idle"]),
        (0.15, 1.0, ["busy-when-idle"]),
        (0.15, 0.5, []),
        (0.05, 1.0, []),
        (None, 0.0, []),
    ],
)
def test_server_that_computes_all_the_time_when_idle_is_busy(
    share: float | None, runnable: float, found: list[str]
) -> None:
    result = _result(_level(1, lambda at: 1.0))
    result.idle_cpu, result.idle_runnable = share, runnable
    assert _ids(result) == found
