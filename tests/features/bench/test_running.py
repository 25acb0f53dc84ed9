"""Load tests of servers with one planted defect each, and of a right one."""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.features.bench.load import ProcessTree
from inspector.features.bench.model import BenchCall, BenchOptions, BenchResult, LoadModel
from inspector.features.bench.report import as_data, lines
from inspector.features.bench.running import run_bench, save_slowest
from inspector.features.bench.verdicts import verdicts
from inspector.protocol.listed_items import Tool
from inspector.protocol.revisions._shape import Era
from inspector.session.open import open_session
from inspector.session.options import Settings
from inspector.session.session import Session
from tests.architecture.sources import ROOT
from tests.waiting import until

SERVER = ROOT / "tests" / "servers" / "loaded.py"


def bench(
    defect: str, options: BenchOptions, *tools: str, journals: list[Journal] | None = None, variants: int = 8
) -> BenchResult:
    """Run a load test of a planted server."""
    kept = [] if journals is None else journals
    target = StdioTarget((sys.executable, str(SERVER), defect), build_environment(os.environ, inherit_all=False), ".")

    def opener(loaded: bool) -> Session:
        kept.append(start_capture(None))
        return open_session(target, kept[-1], Settings(era=Era.LEGACY))

    def choose(listed: Sequence[Tool], result: BenchResult) -> list[BenchCall]:
        return [
            BenchCall("tools/call", {"name": name, "arguments": {"text": str(number)}})
            for number in range(variants)
            for name in tools
        ]

    try:
        return asyncio.run(run_bench("loaded", opener, choose, options))
    finally:
        if journals is None:
            for journal in kept:
                journal.close()


def quickly(*concurrency: int, seconds: float = 0.5, timeout_s: float = 20.0) -> BenchOptions:
    return BenchOptions(concurrency=concurrency, seconds=seconds, starts=1, timeout_s=timeout_s)


@pytest.mark.parametrize(
    ("defect", "tools", "options", "expected"),
    [
        ("lock", ("fast", "slow"), quickly(1), "calls-serialized"),
        ("short-lock", ("fast",), quickly(1), "calls-serialized"),
        ("slow-first", ("fast",), BenchOptions(concurrency=(1,), seconds=0.3, starts=2), "slow-first-call"),
        ("blocking", ("fast", "slow"), quickly(1), "blocks-everything"),
        pytest.param("leak", ("fast",), quickly(2, seconds=3.5), "memory-growth", marks=pytest.mark.slow),
        ("descriptors", ("fast",), quickly(2, seconds=2), "descriptor-growth"),
        ("deadlock", ("fast",), quickly(1, 2, timeout_s=3), "deadlock"),
        ("swapped", ("fast", "echo"), quickly(4), "swapped-responses"),
        ("shared", ("fast", "echo"), quickly(4), "swapped-responses"),
        ("twice", ("fast",), quickly(1), "unknown-responses"),
        ("threads", ("fast",), quickly(2, seconds=2), "thread-growth"),
        ("children", ("fast",), quickly(2, seconds=2), "process-growth"),
        ("periodic", ("fast",), BenchOptions(concurrency=(1,), calls=220, starts=1), "periodic-stall"),
        ("newest", ("fast",), quickly(1, 16, seconds=1.5), "starvation"),
        ("busy", ("fast",), quickly(1), "busy-when-idle"),
        ("crowded", ("fast",), quickly(1, 4, 16), "throughput-falls"),
        ("pool", ("fast",), quickly(1, 4, 16, seconds=1.0), "few-at-once"),
        ("failing", ("fast",), quickly(8), "errors-under-load"),
    ],
)
def test_a_planted_defect_is_identified(
    defect: str, tools: tuple[str, ...], options: BenchOptions, expected: str
) -> None:
    result = bench(defect, options, *tools)
    found = verdicts(result)
    assert expected in [each.id for each in found]
    also = {"calls-serialized"} if defect == "newest" else {"different-results"}
    assert {each.id for each in found} <= {expected, *also}
    assert expected in [each["id"] for each in as_data(result, found)["verdicts"]]
    assert any(expected in text for line in lines(result, found, []) for text, _ in line)


def test_a_server_that_dies_under_load_leaves_its_exit_code_and_last_lines() -> None:
    result = bench("dies", quickly(1, 16), "fast")
    (found,) = verdicts(result)
    assert found.id == "exits-under-load"
    assert (found.evidence["exit_code"], found.evidence["level"]) == (3, "16 in flight")
    assert found.evidence["stderr"] == ("Fatal: too many at once",)
    assert "exited with code 3" in found.sentence


@pytest.mark.parametrize(
    "kind", ["random", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("clean", "clock"))]
)
def test_a_right_server_gets_no_verdict(kind: str) -> None:
    result = bench(kind, quickly(1, 4), "fast", "slow")
    assert verdicts(result) == []
    assert result.varying == (set() if kind == "clean" else {"fast", "slow"})
    assert result.blocking is not None
    assert result.blocking.slow == "slow"


@pytest.mark.parametrize("kind", ["short", "pooled"])
def test_short_calls_that_run_at_once_get_no_verdict(kind: str) -> None:
    result = bench(kind, quickly(1, 4, 16), "fast")
    assert verdicts(result) == []


@pytest.mark.every_server
@pytest.mark.parametrize("time", range(10))
def test_ten_runs_on_a_right_server_give_no_false_verdict(time: int) -> None:
    result = bench("clean", BenchOptions(concurrency=(1, 4, 16), seconds=1.0, starts=1), "echo", "fast", "slow")
    assert verdicts(result) == []
    assert result.checked > 100


def test_levels_are_measured_by_tool() -> None:
    result = bench("clean", BenchOptions(concurrency=(1, 3), calls=60, starts=2), "fast", "echo")
    assert [level.name for level in result.levels] == ["1 in flight", "3 in flight"]
    for level in result.levels:
        assert level.labels == ["echo", "fast"]
        assert 57 <= level.answered <= 60  # what was in flight at the end of the warm-up does not count
        assert level.rate > 0
        whole = level.whole()
        assert whole is not None
        assert 0 < whole.p50 <= whole.p95 <= whole.p99 <= whole.max
    assert len(result.starts_ms) == len(result.first_call_ms) == 2
    assert [level.load for level in result.ceiling] == [1, 3]
    assert result.not_blocking


def test_open_model_counts_waiting_as_latency() -> None:
    """One call at a time takes 50 ms; forty a second pile up: the last waits for half of the others."""
    result = bench("lock", BenchOptions(rates=(40.0,), seconds=1.0, starts=1), "slow")
    (level,) = result.levels
    whole = level.whole()
    assert level.model is LoadModel.OPEN
    assert whole is not None
    assert whole.count > 20
    assert whole.max > 500
    assert len(level.lag) >= whole.count


def test_the_slowest_calls_are_kept_as_a_capture(tmp_path: Path) -> None:
    from inspector.capture.compare.operations import accounts
    from inspector.capture.store.load import load

    journals: list[Journal] = []
    options = BenchOptions(concurrency=(2,), calls=40, keep=3, starts=1)
    result = bench("clean", options, "fast", "slow", journals=journals)
    assert [each.label for each in result.slowest] == ["slow"] * 3
    save_slowest(tmp_path / "slow.mcpcap", journals[-1], result)
    for journal in journals:
        journal.close()
    saved = load(tmp_path / "slow.mcpcap")
    assert saved.conversation.opening is not None
    calls = [each for each in accounts(saved).operations if each.method == "tools/call"]
    assert [each.target for each in calls] == ["slow"] * 3
    took = sorted((each.ended_ns or 0) - each.started_ns for each in calls)
    assert took == sorted(each.ns for each in result.slowest)


async def test_the_wait_for_a_cpu_is_measured_where_two_processes_share_one() -> None:
    script = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nwhile True: pass"
    rivals = [await asyncio.create_subprocess_exec(sys.executable, "-c", script) for _ in range(2)]
    try:
        tree = ProcessTree(rivals[0].pid)
        await until(lambda: tree.queued_s() > 0.05, "a wait for the CPU")
    finally:
        for each in rivals:
            each.kill()
            await each.wait()
