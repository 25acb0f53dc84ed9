"""What is measured: each function is one run, and returns seconds or the figures of that run."""

import itertools
import math
import os
import random
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from benchmarks.servers import FLOOD, FLOOD_SIZE, TRIVIAL
from benchmarks.terminal import Terminal
from inspector.capture.format.verify import verify
from inspector.capture.store.load import load
from inspector.protocol.frames import Frame

EMPTY_APP = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("first picture")
Empty().run()
"""
_builds = [Path(__file__).parents[1]]
"""Checkouts: the last one is measured."""
_ENTRY = "import sys; from inspector.__main__ import main; sys.exit(main())"
"""What the script `mcp-inspect` does."""
_COUNT = re.compile(rb"Traffic ([\d,]+)")
_QUIET = 0.8
"""How idle the machine has to be before a run."""
_PATIENCE_S = 2.0
"""How long to wait for that; then it is measured as it is."""


@contextmanager
def build(checkout: Path) -> Iterator[None]:
    """Measure another checkout in the block."""
    _builds.append(checkout)
    try:
        yield
    finally:
        _builds.pop()


def environment(home: Path) -> dict[str, str]:
    """Ours, with a home of its own and a terminal that can show everything.

    Nothing that changes how Python runs: an environment that forbids it to keep compiled modules would have each
    run compile ours again, and none of Textual's.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TEXTUAL", "XDG_", "PYTHON"))}
    ours = {"MCP_INSPECT_HOME": str(home), "PYTHONPATH": str(_builds[-1]), "PYTHONSAFEPATH": "1"}
    return kept | ours | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}


def inspector(*words: str) -> list[str]:
    """The command line of a run."""
    return [sys.executable, "-c", _ENTRY, *words]


def await_quiet() -> None:
    """Wait a little for a moment in which others leave the machine alone. Where nobody tells, do not wait."""
    end = time.perf_counter() + _PATIENCE_S
    stat = Path("/proc/stat")
    while stat.exists() and time.perf_counter() < end:
        before = _ticks(stat)
        time.sleep(0.1)
        after = _ticks(stat)
        if after[0] - before[0] >= _QUIET * (after[1] - before[1]):
            return


def _ticks(stat: Path) -> tuple[int, int]:
    """Idle, and all."""
    ticks = [int(word) for word in stat.read_text().partition("\n")[0].split()[1:]]
    return ticks[3] + ticks[4], sum(ticks)


def empty_app(env: Mapping[str, str]) -> float:
    """Seconds to the first picture of a Textual app with two words in it."""
    with Terminal([sys.executable, "-c", EMPTY_APP], env=env) as terminal:
        seconds = terminal.until(b"first picture")
        terminal.press(b"\x11")
    return seconds


def first_picture(env: Mapping[str, str]) -> float:
    """Seconds to the first picture of the inspector on a trivial server."""
    with Terminal(inspector("stdio", "--", sys.executable, "-c", TRIVIAL), env=env) as terminal:
        seconds = terminal.until(b"Traffic")
        terminal.press(b"q")
    return seconds


def tools_counted(env: Mapping[str, str], argv: tuple[str, ...]) -> float:
    """Seconds until the number of a server's tools stands on the screen."""
    with Terminal(inspector("stdio", "--", *argv), env=env) as terminal:
        seconds = terminal.until(re.compile(rb"Tools [1-9]"))
        terminal.press(b"q")
    return seconds


@dataclass(slots=True)
class Sitting:
    """What was seen of one sitting at the screen."""

    keys_ms: list[float] = field(default_factory=list)
    """Key to screen, in the order of pressing."""
    at_start_mb: float = 0.0
    """Resident memory with the first tools listed."""
    at_end_mb: float = 0.0
    until_rest_s: float = 0.0
    """How long checks went on afterwards."""
    idle_percent: float = 0.0
    """Of one core, when nothing happens any more."""
    idle_bytes: int = 0
    """What the terminal got meanwhile."""

    @property
    def median_ms(self) -> float:
        """Of all keys."""
        return median(self.keys_ms)

    @property
    def p95_ms(self) -> float:
        """What nineteen of twenty keys keep to."""
        return quantiles(self.keys_ms, n=20)[-1] if len(self.keys_ms) > 1 else self.keys_ms[0]


def sitting(
    env: Mapping[str, str],
    code: str,
    *options: str,
    entries: int,
    around_s: float = 0,
    idle_s: float = 0,
    most_a_second: int | None = None,
    screen: bytes = b"",
    answers: Sequence[tuple[bytes, bytes]] = ((b"vp", b"frozen"), (b"vp", b"follow")),
) -> Sitting:
    """Look at a server while it does what it does, pressing keys until so many more entries are there.

    Pressed is what freezes and releases the list: its answer is drawn whatever else is on the screen. With
    `around_s` keys are pressed before the first of the entries too, and so long after the last. `most_a_second`: bytes
    that the terminal takes. `screen`: the keys of a screen to open first; `answers`: the keys to press there, and what
    each lets appear.
    """
    seen = Sitting()
    argv = inspector("stdio", *options, "--", sys.executable, "-c", code)
    chance = random.Random(1)
    with Terminal(argv, env=env, columns=160, lines=50, most_a_second=most_a_second) as terminal:
        terminal.until(b"Tools 1")
        # A flood may have begun before this first look; a single entry has not.
        wanted = entries if entries > _MANY else entries_shown(terminal) + entries
        shown = 0
        terminal.rest(0.5)
        seen.at_start_mb = resident_mb(terminal.pid)
        while not around_s and entries_shown(terminal) < _MANY:
            terminal.read(0.02)
        terminal.press(screen)
        presses, last = itertools.cycle(answers), math.inf
        latest = time.perf_counter() + _LONGEST_S
        while time.perf_counter() < min(last, latest):
            seen.keys_ms.append(terminal.answer(*next(presses)) * 1000)
            terminal.rest(0.01 + 0.03 * chance.random())
            shown = max(shown, entries_shown(terminal))
            if last == math.inf and shown >= wanted:
                last = time.perf_counter() + around_s
        if last == math.inf:
            raise TimeoutError(f"{shown:,} of {wanted:,} entries were counted on the screen")
        terminal.rest(1)
        seen.at_end_mb = resident_mb(terminal.pid)
        if idle_s:
            _do_nothing(terminal, seen, idle_s)
        terminal.press(b"q")
    return seen


_MANY = 100
"""Entries from which on it is the flood, and no last words of the opening."""
_LONGEST_S = 120.0
"""How long a flood may take until its entries are counted on the screen."""
_CHECKED_S, _QUIET_SHARE = 240.0, 0.05
"""How long checks of what has come may go on before rest is measured, and from what share of a core on it is rest."""


def await_rest(terminal: Terminal) -> float:
    """Wait until a program has done what it does in the background; how many seconds that took."""
    began = time.perf_counter()
    while time.perf_counter() - began < _CHECKED_S:
        spent = cpu_s(terminal.pid)
        terminal.rest(0.5)
        if (cpu_s(terminal.pid) - spent) / 0.5 < _QUIET_SHARE:
            break
    return time.perf_counter() - began


def _do_nothing(terminal: Terminal, seen: Sitting, seconds: float) -> None:
    seen.until_rest_s = await_rest(terminal)
    spent, written = cpu_s(terminal.pid), len(terminal.written)
    terminal.rest(seconds)
    seen.idle_percent = (cpu_s(terminal.pid) - spent) / seconds * 100
    seen.idle_bytes = len(terminal.written) - written


def entries_shown(terminal: Terminal) -> int:
    """How many entries the header counts."""
    found = _COUNT.findall(terminal.plain())
    return int(found[-1].replace(b",", b"")) if found else 0


def resident_mb(pid: int) -> float:
    """Memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000


def cpu_s(pid: int) -> float:
    """Processor time that a process has taken so far."""
    after_the_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_the_name[11]) + int(after_the_name[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Kept:
    """What a capture holds of a flood."""

    count: int
    in_order: bool
    a_second: float
    faults: tuple[str, ...]
    """What the capture's own digests say against it."""

    @property
    def whole(self) -> bool:
        """Whether it holds each notification once, in the order of sending, byte for byte."""
        return self.count == FLOOD_SIZE and self.in_order and not self.faults


def flood(env: Mapping[str, str], capture: Path) -> tuple[Sitting, Kept]:
    """Sit through a flood of notifications, then do nothing; and look at what the capture holds."""
    seen = sitting(env, FLOOD, "--capture", str(capture), entries=FLOOD_SIZE, idle_s=3)
    return seen, kept(capture)


def kept(capture: Path) -> Kept:
    """Read a capture of a flood."""
    journal = load(capture)
    entries = (journal.store.entry(n).what for n in range(1, journal.count + 1))
    frames = [what for what in entries if isinstance(what, Frame) and b'"logger":"flood"' in what.payload]
    journal.close()
    numbers = [int(frame.payload.split(b'"data":"')[1][:8]) for frame in frames]
    seconds = (frames[-1].time_ns - frames[0].time_ns) / 1e9 if len(frames) > 1 else 1.0
    return Kept(len(numbers), numbers == list(range(len(numbers))), len(numbers) / seconds, verify(capture).faults)
