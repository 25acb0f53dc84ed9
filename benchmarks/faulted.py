"""One run of the program that something goes wrong in: how it ended, how long it took, and the memory it needed."""

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.servers.real import ROOT
from tests.stories.commands import PROGRAM, environment

PATIENCE_S = 900.0
_BETWEEN = """\
import os, sys
_, status, used = os.wait4(os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ), 0)
with open(sys.argv[1], "w") as report:
    report.write(f"{os.waitstatus_to_exitcode(status)} {used.ru_maxrss}")
"""
"""Starts the program and measures it. What is started begins with the memory of whoever starts it as its highest: that
of a test process would hide the program's own."""


@dataclass(frozen=True, slots=True)
class Run:
    """A command that has ended."""

    status: int
    seconds: float
    peak_mb: float
    """Of its own memory, and its child's if that had more."""
    out: bytes
    told: str

    @property
    def figures(self) -> str:
        """For a table."""
        return f"{self.seconds:.1f} s, {self.peak_mb:.0f} MB"

    @property
    def is_calm(self) -> bool:
        """Whether it ended by itself and made no mistake."""
        return 0 <= self.status < 64 and "Traceback" not in self.told


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    name: str
    figures: str
    survived: bool

    def __str__(self) -> str:
        return f"{'ok' if self.survived else 'FAILED':<7} {self.name:<56} {self.figures}"


def breaking(*how: str) -> tuple[str, ...]:
    """The words that name `tests.servers.breaking.py`."""
    return ("-e", f"PYTHONPATH={ROOT}", "--", sys.executable, "-S", "-m", "tests.servers.breaking", *how)


def run(words: Sequence[str], place: Path, *, most_file_bytes: int | None = None) -> Run:
    """Run the program; no file it writes gets longer than `most_file_bytes`, as if the disk were full then."""

    def limit() -> None:
        if most_file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_file_bytes, most_file_bytes))

    began, report = time.perf_counter(), place / "report"
    between = (sys.executable, "-S", "-c", _BETWEEN, str(report))
    with (place / "out").open("w+b") as out, (place / "err").open("w+b") as err:
        subprocess.run(
            (*between, *PROGRAM, *words), stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment(place),
            cwd=ROOT, preexec_fn=limit, timeout=PATIENCE_S, check=True,
        )  # fmt: skip
        out.seek(0)
        err.seek(0)
        status, peak_kb = map(int, report.read_text().split())
        seconds = time.perf_counter() - began
        return Run(status, seconds, peak_kb / 1024, out.read(), err.read().decode(errors="replace"))
