"""CPU and memory usage of a stdio server's processes, sampled each second on a thread.

Sampling starts when a screen first shows it, and ends with the process.
"""

import threading
import time
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from inspector.capture.journal import Journal
from inspector.features.bench.load import ProcessTree
from inspector.present.spans import Fact
from inspector.present.stats_report import course, peaks, sparkline
from inspector.present.waiting import child_pid
from inspector.text import human_size

_SAMPLE_S = 1.0
_KEPT = 600
"""Maximum number of samples: ten minutes."""
_CHART_COLUMNS = 16
_SOME_PERCENT = 10
"""Minimum full scale of the CPU chart, in percent of one processor."""
_LEAST_S = 120.0
"""Minimum time in seconds before memory is reported as growing."""
_GROWS = 1.1
"""Memory is growing if it has increased by this factor, and more so in each third of the time."""


class Usage(NamedTuple):
    """Usage of all processes of the server at one time."""

    at_s: float
    cpu_s: float
    """CPU time since their start, in seconds."""
    rss: int
    """Memory in bytes."""


class ProcessUsage:
    """Samples of one server, at most the newest ten minutes."""

    def __init__(self, journal: Journal, pace_s: float = _SAMPLE_S) -> None:
        self._journal = journal
        self._pace_s = pace_s
        self._samples: deque[Usage] = deque(maxlen=_KEPT)
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self.changes = 0
        """Counter that grows with each sample that shows other numbers than the one before it."""
        self._numbers = ""

    @property
    def samples(self) -> Sequence[Usage]:
        """Samples so far, oldest first."""
        return tuple(self._samples)

    def watch(self) -> None:
        """Start sampling if the process runs. Nearly free if it has started already."""
        if self._thread is None and (pid := child_pid(self._journal)) and not self._stop.is_set():
            self._thread = threading.Thread(target=self._sample, args=(pid,), name="process usage", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop sampling; does nothing if already stopped."""
        self._stop.set()

    def _sample(self, pid: int) -> None:
        import psutil  # needed only if processes are watched

        try:
            tree = ProcessTree(pid)
        except psutil.Error:
            return
        while not self._stop.is_set() and (found := tree.sample(time.monotonic(), 0)) is not None:
            self.take(Usage(found.at_s, found.cpu_s, found.rss))
            self._stop.wait(self._pace_s if len(self._samples) > 1 else self._pace_s / 5)  # usage needs two samples

    def take(self, sample: Usage) -> None:
        """Keep a sample. The charts of a process at rest wait for the next change: nothing is written meanwhile."""
        self._samples.append(sample)
        numbers = usage_text(self.samples[-2:]).rpartition(" ")[0]
        if numbers != self._numbers or not numbers:
            self.changes += 1
            self._numbers = numbers


def shares(samples: Sequence[Usage]) -> list[float]:
    """Return the CPU usage between consecutive samples, in percent of one processor."""
    return [100 * max(0.0, b.cpu_s - a.cpu_s) / (b.at_s - a.at_s) for a, b in pairwise(samples) if b.at_s > a.at_s]


def usage_facts(samples: Sequence[Usage]) -> tuple[Fact, ...]:
    """Return CPU and memory usage with charts; () before the second sample."""
    used = shares(samples)
    if not used:
        return ()
    sizes = [float(each.rss) for each in samples]
    cpu = f"{used[-1]:.0f} %  {sparkline(peaks(used, _CHART_COLUMNS), _SOME_PERCENT)}  max {max(used):.0f} %"
    seconds = samples[-1].at_s - samples[0].at_s
    memory = f"{human_size(samples[-1].rss)}  {course(sizes, _CHART_COLUMNS)}"
    rate = (sizes[-1] - sizes[0]) * 60 / max(seconds, 1)
    if seconds >= _LEAST_S:
        memory += f"  {'+' if rate >= 0 else '-'}{human_size(round(abs(rate)))}/min"
    grows = seconds >= _LEAST_S and grows_steadily(sizes)
    return Fact("CPU", cpu), Fact("memory", f"{memory}  growing" if grows else memory, "warning" if grows else "text")


def usage_text(samples: Sequence[Usage]) -> str:
    """Return the usage in one line; "" before the second sample."""
    used = shares(samples)
    if not used:
        return ""
    chart = course([float(each.rss) for each in samples], _CHART_COLUMNS)
    return f"CPU {used[-1]:.0f} % · RSS {human_size(samples[-1].rss)} {chart}"


def grows_steadily(sizes: Sequence[float]) -> bool:
    """Whether memory grows: each third of the time needs more than the previous one, the last significantly more."""
    third = len(sizes) // 3
    if not third:
        return False
    first, second, last = (sum(part) / third for part in (sizes[:third], sizes[third : 2 * third], sizes[-third:]))
    return first < second < last and last > _GROWS * first
