"""What is measured: each function runs once and returns seconds, or the figures of one run."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inspector.capture.load import load
from inspector.protocol.frames import Direction, Frame
from tests.benchmarks.servers import FLOOD, FLOOD_SIZE, TRIVIAL
from tests.benchmarks.terminal import Terminal

EMPTY_APP = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("first picture")
Empty().run()
"""


def environment(home: Path) -> dict[str, str]:
    """Ours, with a home of its own and a terminal that can show everything.

    Nothing that changes how Python runs: an environment that forbids it to keep compiled modules would have each
    run compile ours anew, and none of Textual's.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TEXTUAL", "XDG_", "PYTHON"))}
    return kept | {"MCP_INSPECT_HOME": str(home), "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}


def inspector(*words: str) -> list[str]:
    """The command line of a run."""
    return [sys.executable, "-m", "inspector", *words]


def empty_app(env: Mapping[str, str]) -> float:
    """Seconds to the first picture of a Textual app with one word in it."""
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


def tools_listed(env: Mapping[str, str], argv: tuple[str, ...], count: int) -> float:
    """Seconds until the number of a server's tools stands on the screen."""
    with Terminal(inspector("stdio", "--", *argv), env=env) as terminal:
        seconds = terminal.until(f"Tools {count}".encode())
        terminal.press(b"q")
    return seconds


def command(argv: list[str], env: Mapping[str, str]) -> float:
    """Seconds that a command takes from start to exit."""
    started = time.perf_counter()
    subprocess.run(argv, env=dict(env), check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return time.perf_counter() - started


def bare_imports(env: Mapping[str, str]) -> float:
    """The floor under a headless command: Python and three modules that it can't do without."""
    return command([sys.executable, "-c", "import asyncio, json, click"], env)


def list_tools(env: Mapping[str, str]) -> float:
    """A headless command against a trivial server, from start to exit."""
    return command(inspector("list", "tools", "--json", "--", sys.executable, "-c", TRIVIAL), env)


@dataclass(frozen=True, slots=True)
class Flood:
    """One flood, with the screen on."""

    seconds: float
    """From the first to the last notification, by the clock of the capture."""
    recorded: int
    in_order: bool
    key_ms: list[float]
    """Key to screen, in the order of pressing."""


def flood(env: Mapping[str, str], capture: Path) -> Flood:
    """Let a server send notifications, press keys meanwhile, and look at what the capture holds."""
    argv = inspector("stdio", "--capture", str(capture), "--", sys.executable, "-c", FLOOD)
    waits: list[float] = []
    with Terminal(argv, env=env) as terminal:
        terminal.until(b"Traffic")
        while not _recorded(capture) >= FLOOD_SIZE and len(waits) < 200:
            pressed = time.perf_counter()
            terminal.press(b"?")
            terminal.until(b"Everywhere", 30)
            waits.append((time.perf_counter() - pressed) * 1000)
            terminal.press(b"\x1b")
            terminal.until(b"Traffic", 30)
        terminal.press(b"q")
        terminal.ended(10)
    journal = load(capture)
    entries = (journal.store.entry(n).what for n in range(1, journal.count + 1))
    came = [what for what in entries if isinstance(what, Frame) and what.direction is Direction.FROM_SERVER]
    floods = [frame for frame in came if b'"flood"' in frame.payload]
    numbers = [int(frame.payload.split(b'"data":"')[1][:8]) for frame in floods]
    seconds = (floods[-1].time_ns - floods[0].time_ns) / 1e9 if floods else 0.0
    journal.close()
    return Flood(seconds, len(numbers), numbers == list(range(FLOOD_SIZE)), waits)


def _recorded(capture: Path) -> int:
    return capture.stat().st_size // 300 if capture.exists() else 0
