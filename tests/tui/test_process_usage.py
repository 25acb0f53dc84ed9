"""What a server's processes use: sampled while they run, and put into words."""

import asyncio
import sys
from contextlib import suppress

from inspector.present.stats_report import sparkline
from inspector.tui.process_usage import ProcessUsage, Usage, grows_steadily, shares, usage_facts, usage_text
from tests.present.tape import Tape
from tests.waiting import until

_MB = 1_000_000


async def test_a_process_is_sampled_until_it_ends() -> None:
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE)
    try:
        tape = Tape().started(pid=child.pid)
        usage = ProcessUsage(tape.journal, pace_s=0.01)
        usage.watch()
        usage.watch()
        await until(lambda: len(usage.samples) >= 3 and usage.samples[-1].rss > _MB, "it was sampled since it began")
        assert "MB" in usage_text(usage.samples)
        await child.communicate(b"\n")
        await until(lambda: usage._thread is not None and not usage._thread.is_alive(), "the thread ended with it")
    finally:
        with suppress(ProcessLookupError):
            child.kill()
        await child.wait()


async def test_nothing_is_sampled_of_what_does_not_run_or_was_stopped() -> None:
    tape = Tape().started().died()
    usage = ProcessUsage(tape.journal)
    usage.watch()
    assert usage._thread is None
    tape = Tape().started(pid=1)
    usage = ProcessUsage(tape.journal)
    usage.stop()
    usage.watch()
    assert usage._thread is None


def _samples(sizes: list[float]) -> list[Usage]:
    return [Usage(float(at), at * 0.02, round(size * _MB)) for at, size in enumerate(sizes)]


def test_lasting_memory_growth_is_reported() -> None:
    growing = _samples([80 + at / 5 for at in range(180)])
    _, memory = usage_facts(growing)
    assert memory.value.endswith("+12 MB/min  growing")
    assert memory.role == "warning"
    for sizes in ([80.0] * 180, [80.0 + at % 2 for at in range(180)], [80 + at / 5 for at in range(60)]):
        assert "growing" not in usage_facts(_samples(sizes))[1].value
    assert not grows_steadily([1.0, 2.0])


def test_samples_of_a_process_at_rest_are_no_changes() -> None:
    usage, changes = ProcessUsage(Tape().journal), []
    for at, (cpu_s, size) in enumerate(
        [(0, 80), (0.1, 80), (0.1, 80), (0.101, 80), (0.102, 80), (0.102, 90), (0.5, 90)]
    ):
        usage.take(Usage(at, cpu_s, size * _MB))
        changes.append(usage.changes)
    assert changes == [1, 2, 3, 3, 3, 4, 5]


def test_processor_time_is_a_share_of_one_processor() -> None:
    samples = [Usage(0, 0, _MB), Usage(1, 0.5, _MB), Usage(3, 0.5, _MB), Usage(4, 2.5, _MB)]
    assert shares(samples) == [50, 0, 200]
    cpu, _ = usage_facts(samples)
    assert cpu.value == f"200 %  {sparkline([50, 0, 200])}  max 200 %"
    assert usage_facts(samples[:1]) == ()
    assert usage_text(samples[:1]) == ""
