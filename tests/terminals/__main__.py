"""Run mcp-inspect in each terminal that is installed, and write docs/terminals.md with a picture of each.

Needs Xvfb, xdotool, xclip, ImageMagick's `import` and the terminals: on Debian `apt install xvfb xdotool xclip
imagemagick xterm rxvt-unicode kitty alacritty stterm mlterm xfce4-terminal qterminal screen dvtm tmux`. Arguments are
the names of the terminals to run; without any, all are run.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from inspector.config.terminal import terminal

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "screenshots" / "terminals"
_START_S = 8
KEYS = ("alt+1", "shift+F3", "KP_Enter", "Escape", "Up")


class Emulator(NamedTuple):
    """A terminal, or a multiplexer in xterm."""

    name: str
    argv: tuple[str, ...]
    """Begins the command; the program to run follows."""
    version: tuple[str, ...]
    wants_line: bool = False
    """Whether the program is one argument, a command line."""


_XTERM = ("xterm", "-fa", "DejaVu Sans Mono", "-fs", "10", "-geometry", "100x30", "-e")
EMULATORS = (
    Emulator("xterm", _XTERM, ("xterm", "-version")),
    Emulator("xterm vt340", (*_XTERM[:-1], "-ti", "vt340", "-e"), ("xterm", "-version")),
    Emulator("urxvt", ("urxvt", "-geometry", "100x30", "-e"), ("dpkg-query", "-W", "rxvt-unicode")),
    Emulator("kitty", ("kitty", "-o", "remember_window_size=no"), ("kitty", "--version")),
    Emulator("alacritty", ("alacritty", "-e"), ("alacritty", "--version")),
    Emulator("st", ("st", "-g", "100x30", "-e"), ("dpkg-query", "-W", "stterm")),
    Emulator("mlterm", ("mlterm", "-g", "100x30", "-e"), ("mlterm", "--version")),
    Emulator("xfce4-terminal", ("dbus-run-session", "xfce4-terminal", "-x"), ("dpkg-query", "-W", "xfce4-terminal")),
    Emulator("qterminal", ("qterminal", "-e"), ("dpkg-query", "-W", "qterminal"), wants_line=True),
    Emulator("screen", (*_XTERM, "screen", "-c", "/dev/null"), ("screen", "--version")),
    Emulator("tmux", (*_XTERM, "tmux", "-L", "mcp-inspect-terminals", "-f", "/dev/null", "new"), ("tmux", "-V")),
    Emulator("dvtm", (*_XTERM, "dvtm"), ("dvtm", "-v"), wants_line=True),
)


class Row(NamedTuple):
    """What was seen in one terminal."""

    name: str
    version: str
    keys: dict[str, str]
    mouse: str
    copied: str
    pictures: str
    colors: str
    left: str
    killed: str


def until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    """Wait for a condition; return whether it came true."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def output(*argv: str, env: dict[str, str] | None = None) -> str:
    """Return what a program prints; "" if it fails."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, env=env, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout or done.stderr).strip()


class Display:
    """A virtual display with at most one terminal."""

    def __init__(self, number: str, home: Path) -> None:
        names = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV")
        self.env = {name: os.environ[name] for name in names if name in os.environ}
        self.env |= {"DISPLAY": f":{number}", "HOME": str(home), "LANG": "C.UTF-8", "LIBGL_ALWAYS_SOFTWARE": "1"}
        self.env |= {"SHELL": "/bin/sh", "XDG_RUNTIME_DIR": str(home), "PYTHONPATH": str(ROOT)}

    def do(self, *words: str) -> str:
        """Run xdotool."""
        return output("xdotool", *words, env=self.env)

    def press(self, *keys: str) -> None:
        """Press keys, slowly enough to record each by itself."""
        for key in keys:
            self.do("key", key)
            time.sleep(0.4)

    def picture(self, path: Path) -> None:
        """Save what the display shows."""
        path.parent.mkdir(parents=True, exist_ok=True)
        output("import", "-window", "root", str(path), env=self.env)

    @contextmanager
    def terminal(self, emulator: Emulator, line: str) -> Iterator[None]:
        """Run a command line in a terminal until the block ends."""
        words = ["sh", "-c", line]
        words = [shlex.join(words)] if emulator.wants_line else words
        process = subprocess.Popen(  # noqa: TID251 - a terminal
            [*emulator.argv, *words],
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            yield
        finally:
            for number in (signal.SIGHUP, signal.SIGKILL):
                try:
                    os.killpg(process.pid, number)
                    process.wait(3)
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    continue

    def focus(self) -> None:
        """Give the keyboard to the terminal."""
        window = self.do("search", "--onlyvisible", "--class", ".").split("\n")[-1]
        self.do("windowfocus", window)
        self.do("mousemove", "--window", window, "200", "100")


@contextmanager
def display(home: Path) -> Iterator[Display]:
    """Run a virtual display."""
    read, write = os.pipe()
    process = subprocess.Popen(  # noqa: TID251 - a display
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1000x640x24"], pass_fds=[write], stderr=subprocess.DEVNULL
    )
    os.close(write)
    try:
        with os.fdopen(read) as file:
            yield Display(file.readline().strip(), home)
    finally:
        process.terminate()
        process.wait()


def probed(emulator: Emulator, shown: Display, home: Path) -> tuple[dict[str, str], dict[str, str], str, str]:
    """Return the answers to queries, the bytes of keys, the bytes of a click, and what OSC 52 left in the clipboard."""
    log = home / "probe.json"
    line = shlex.join([sys.executable, "-m", "tests.terminals.probe", str(log), "8"])
    answers: dict[str, str] = {}
    keys: dict[str, str] = {}

    def entries() -> list[dict[str, str]]:
        return [json.loads(each) for each in log.read_text().splitlines()] if log.exists() else []

    with shown.terminal(emulator, line):
        until(lambda: any("ready" in each for each in entries()))
        for each in entries():
            answers |= each
        shown.focus()
        seen = len(entries())
        for key in KEYS:
            shown.press(key)
            keys[key] = "".join(each.get("key", "") for each in entries()[seen:])
            seen = len(entries())
        shown.do("click", "1")
        time.sleep(0.4)
        click = "".join(each.get("key", "") for each in entries()[seen:])
        clip = output("timeout", "2", "xclip", "-o", "-selection", "clipboard", env=shown.env)
    return answers, keys, click, clip


def used(emulator: Emulator, shown: Display, home: Path) -> tuple[str, str]:
    """Use the demo and quit; then kill it. Return the state of the shell after each."""
    before, after, pid, works = (home / name for name in ("before", "after", "pid", "works"))
    program = f"{sys.executable} -m inspector demo --no-capture"
    line = f"stty -g >{before}; {program}; echo $? >{after}; stty -g >>{after}; sleep 1"
    with shown.terminal(emulator, line):
        if not until(before.exists):
            return "did not start", ""
        time.sleep(_START_S)
        shown.focus()
        shown.press("2", "v", "shift+t", "v", "shift+t")
        shown.picture(PICTURES / f"{emulator.name.replace(' ', '-')}.png")
        shown.press("Escape", "Escape", "q")
        until(lambda: after.exists() and after.read_text().count("\n") == 2, 10)
    status, *settings = after.read_text().split() if after.exists() else ["still runs"]
    is_sane = settings == before.read_text().split()
    left = f"{status}, terminal as before" if is_sane else f"{status}, terminal changed: {settings}"

    line = f"{sys.executable} -c {shlex.quote(_LAUNCH)} {pid} {program}; exec sh -i"
    with shown.terminal(emulator, line):
        if not until(pid.exists):
            return left, "did not start"
        time.sleep(_START_S)
        os.kill(int(pid.read_text()), signal.SIGKILL)
        time.sleep(1)
        shown.focus()
        for repair in ("", "reset", "Ctrl+Shift+Delete and reset"):
            if repair.startswith("Ctrl"):
                shown.press("ctrl+shift+Delete")
            if repair:
                shown.press("ctrl+j")
                shown.do("type", "--delay", "30", "reset")
                shown.press("ctrl+j")
                time.sleep(2)
            shown.press("ctrl+j")  # ends a line of sequences that the shell was given
            shown.do("type", "--delay", "30", f"touch {works}")
            shown.press("Return")
            if until(works.exists, 3):
                return left, f"types after {repair}" if repair else "takes commands at once"
    return left, "takes no command"


_LAUNCH = """
import subprocess, sys
child = subprocess.Popen(sys.argv[2:])
open(sys.argv[1], "w").write(str(child.pid))
child.wait()
"""


def row_of(emulator: Emulator) -> Row:
    """Run one terminal and return its row."""
    home = Path(tempfile.mkdtemp())
    try:
        with display(home) as shown:
            answers, keys, click, clip = probed(emulator, shown, home)
            left, killed = used(emulator, shown, home)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    found = terminal({name: answers.get(name, "") for name in ("TERM", "COLORTERM")})
    sixel = ";4;" in answers.get("attributes", "").replace("c", ";")
    colors = found.color_system or ("truecolor" if answers.get("COLORTERM") in ("truecolor", "24bit") else "by TERM")
    version = re.search(r"\d+(\.\d+)*[a-z]?", output(*emulator.version).removeprefix(emulator.name))
    return Row(
        emulator.name,
        version[0] if version else "",
        keys,
        "reports" if click else "none",
        "yes" if clip == "clipped" else "no",
        "sixel" if sixel else "half blocks",
        f"{colors} (TERM={answers.get('TERM', '')})",
        left,
        killed,
    )


def main() -> None:
    """Run the terminals that are named, or all that are installed."""
    wanted = sys.argv[1:] or [each.name for each in EMULATORS]
    print("| terminal | version | " + " | ".join(KEYS) + " | mouse | OSC 52 | pictures | colors | quit | killed |")
    print("|" + "---|" * (8 + len(KEYS)))
    for each in EMULATORS:
        if each.name not in wanted or not shutil.which(each.version[0]):
            continue
        row = row_of(each)
        keys = [f"`{row.keys[key].encode('unicode_escape').decode()}`" for key in KEYS]
        print(f"| {' | '.join((row.name, row.version, *keys, *row[3:]))} |", flush=True)


if __name__ == "__main__":
    main()
