"""A virtual display with one terminal, and what is pressed in it."""

import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.terminals.emulators import Emulator


def until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    """Wait for a condition; return whether it came true."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def output(*argv: str, env: dict[str, str] | None = None) -> str:
    """Return what a program prints; "" if it fails."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, env=env, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout or done.stderr).strip()


class Display:
    """A virtual display with at most one terminal."""

    def __init__(self, number: str, home: Path, root: Path) -> None:
        names = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV")
        self.env = {name: os.environ[name] for name in names if name in os.environ}
        self.env |= {"DISPLAY": f":{number}", "HOME": str(home), "LANG": "C.UTF-8", "LIBGL_ALWAYS_SOFTWARE": "1"}
        self.env |= {"SHELL": "/bin/sh", "XDG_RUNTIME_DIR": str(home), "PYTHONPATH": str(root), "NO_AT_BRIDGE": "1"}
        self._home = home

    def do(self, *words: str) -> str:
        """Run xdotool."""
        return output("xdotool", *words, env=self.env)

    def press(self, *keys: str) -> None:
        """Press keys, slowly enough to record each by itself."""
        for key in keys:
            self.do("key", key)
            time.sleep(0.8 if key == "Escape" else 0.4)  # tmux waits for the rest of a key

    def type(self, line: str) -> None:
        """Type a line into a shell."""
        self.do("type", "--delay", "30", line)
        self.press("Return")

    def picture(self, path: Path) -> None:
        """Save what the display shows."""
        path.parent.mkdir(parents=True, exist_ok=True)
        output("import", "-window", "root", "-colors", "64", f"png8:{path}", env=self.env)

    def area(self, color: tuple[int, int, int]) -> str:
        """Return the size and place, as “WxH+X+Y”, of what has about a color; "" if nothing has."""
        name = "rgb({},{},{})".format(*color)
        words = ("-fill", "black", "-fuzz", "25%", "+opaque", name, "-bordercolor", "black", "-border", "1")
        path = self._home / "area.png"
        output("import", "-window", "root", str(path), env=self.env)
        found = output("convert", str(path), *words, "-format", "%@ %k", "info:", env=self.env)
        size, _, count = found.partition(" ")
        return size if count not in ("", "1") else ""

    @contextmanager
    def terminal(self, emulator: Emulator, words: Sequence[str]) -> Iterator[None]:
        """Run a program in a terminal until the block ends."""
        process = subprocess.Popen(  # noqa: TID251 - a terminal
            emulator.command(self._home, words),
            env=self.env,
            cwd=self._home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            yield
        finally:
            if emulator.ended_by:
                output(*emulator.ended_by, env=self.env)
            for number in (signal.SIGHUP, signal.SIGKILL):
                try:
                    os.killpg(process.pid, number)
                    process.wait(3)
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    continue

    def focus(self) -> None:
        """Give the keyboard to the terminal, and the pointer a place in it."""
        self.do("windowfocus", self.window())
        self.do("mousemove", "--window", self.window(), "200", "200")

    def window(self) -> str:
        """Return the largest visible window."""
        shown = re.findall(
            r"^\s+(0x[0-9a-f]+) .*?(\d+)x(\d+)\+", output("xwininfo", "-root", "-tree", env=self.env), re.M
        )
        return max(shown, key=lambda each: int(each[1]) * int(each[2]))[0] if shown else ""


@contextmanager
def display(home: Path, root: Path) -> Iterator[Display]:
    """Run a virtual display."""
    read, write = os.pipe()
    process = subprocess.Popen(  # noqa: TID251 - a display
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1000x640x24"], pass_fds=[write], stderr=subprocess.DEVNULL
    )
    os.close(write)
    try:
        with os.fdopen(read) as file:
            yield Display(file.readline().strip(), home, root)
    finally:
        process.terminate()
        process.wait()


def shell(line: str) -> list[str]:
    """Return the words that run a command line."""
    return ["sh", "-c", line]


def joined(*words: object) -> str:
    """Return a command line."""
    return shlex.join(map(str, words))
