"""Measures start, headless command and flood, and prints one table: python -m tests.benchmarks.run

Figures are medians of runs taken in turn with the floor beside them, so that a busy machine slows both; what is
judged are the ratios. It exits with 1 where a limit is passed.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tests.benchmarks import measure
from tests.benchmarks.servers import FLOOD_SIZE
from tests.servers.real import NotInstalled, argv

ROUNDS = 7
TOOLS = 17
"""What server-everything lists for a client that answers all of its questions."""


def in_turn(*measures: Callable[[], float], rounds: int = ROUNDS) -> list[float]:
    """The median of each, after one round that does not count."""
    times: list[list[float]] = [[] for _ in measures]
    for turn in range(rounds + 1):
        for place, once in enumerate(measures):
            seconds = once()
            if turn:
                times[place].append(seconds)
    return [median(each) for each in times]


def row(name: str, figure: str, limit: str, kept: bool) -> bool:
    """Print a line of the table."""
    sys.stdout.write(f"{'ok  ' if kept else 'OVER'}  {name:<52}{figure:<44}limit {limit}\n")
    sys.stdout.flush()
    return kept


def start(home: Path) -> bool:
    """First picture against an empty app."""
    env = measure.environment(home)
    ours, empty = in_turn(lambda: measure.first_picture(env), lambda: measure.empty_app(env))
    figure = f"{ours * 1000:.0f} ms, empty app {empty * 1000:.0f} ms, ratio {ours / empty:.2f}"
    return row("start to first picture, against an empty Textual app", figure, "1.30", ours / empty <= 1.3)


def real_tools(home: Path) -> bool:
    """Until the tools of a server that we did not write are counted on the screen."""
    try:
        command = argv("everything")
    except NotInstalled:
        return row("tools of server-everything on the screen", "not installed", "1.00 s", True)
    env = measure.environment(home)
    (seconds,) = in_turn(lambda: measure.tools_listed(env, command, TOOLS))
    return row("tools of server-everything on the screen", f"{seconds * 1000:.0f} ms", "1000 ms", seconds <= 1.0)


def headless(home: Path) -> bool:
    """A command without a screen against bare imports."""
    env = measure.environment(home)
    ours, floor = in_turn(lambda: measure.list_tools(env), lambda: measure.bare_imports(env))
    figure = f"{ours * 1000:.0f} ms, floor {floor * 1000:.0f} ms, ratio {ours / floor:.2f}"
    return row("list tools --json, against importing asyncio, json, click", figure, "2.50", ours / floor < 2.5)


def flood(home: Path) -> bool:
    """100,000 notifications with the screen on, and keys meanwhile."""
    found = measure.flood(measure.environment(home), home / "flood.mcpcap")
    pace = found.recorded / found.seconds if found.seconds else 0.0
    keys = (
        f"key to screen {median(found.key_ms):.0f} ms, worst {max(found.key_ms):.0f} ms" if found.key_ms else "no key"
    )
    whole = found.recorded == FLOOD_SIZE and found.in_order
    figure = f"{found.recorded:,} in order, {pace:,.0f} a second; {keys}"
    return row("flood of 100,000 notifications in the capture", figure, "all, in order", whole)


def main() -> int:
    """Measure all; 1 if a limit is passed."""
    home = Path(tempfile.mkdtemp(prefix="mcp-inspect-benchmark-"))
    try:
        kept = [part(home) for part in (start, real_tools, headless, flood)]
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
