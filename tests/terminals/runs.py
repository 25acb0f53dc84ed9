"""What is done in one terminal: bytes and keys, mouse, image, size, stopping, quitting and being killed."""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec

from inspector.config.terminal import terminal
from tests.terminals.display import Display, display, joined, output, shell, until
from tests.terminals.emulators import Emulator
from tests.terminals.receiver import MAGENTA

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "screenshots" / "terminals"
_START_S = 8
OUTSIDE = "printf '\\033c' > TTY from outside, and reset"
"""Repairs a terminal that takes no key for it."""
KEYS = {
    "Shift_L": "",
    "shift+t": "T",
    "alt+x": "alt+x",
    "alt+1": "alt+1",
    "F5": "f5",
    "F12": "f12",
    "shift+F3": "shift+f3",
    "KP_Enter": "enter",
    "ctrl+Return": "ctrl+enter",
    "shift+Tab": "shift+tab",
    "ctrl+p": "ctrl+p",
    "ctrl+Right": "ctrl+right",
    "Escape": "escape",
    "Up": "up",
    "F1": "f1",
    "F10": "f10",
    "F11": "f11",
}
"""What is pressed, and the key that Textual should call it; last what many terminals keep for themselves."""


class Row(msgspec.Struct):
    """What was seen in one terminal."""

    name: str
    version: str = ""
    attributes: str = ""
    """Answers to queries."""
    odd: dict[str, str] = {}
    """Keys that arrive as another key, with the bytes."""
    mouse: str = ""
    copied: str = ""
    picture: str = ""
    colors: str = ""
    resized: str = ""
    stopped: str = ""
    left: str = ""
    killed: str = ""


def row_of(emulator: Emulator) -> Row:
    row = Row(emulator.name)
    dpkg = output("dpkg-query", "-W", "-f", "${Version}", emulator.package)
    row.version = dpkg.rpartition(":")[2].partition("-")[0].partition("+")[0]
    home = Path(tempfile.mkdtemp())
    try:
        for run in (_probe, _receive, _use, _kill):
            with display(home, ROOT) as shown:
                run(row, emulator, shown, home)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return row


def _entries(log: Path) -> list[dict[str, Any]]:
    if not log.exists():
        return []
    return [json.loads(each) for each in log.read_text().splitlines(keepends=True) if each.endswith("\n")]


def _probe(row: Row, emulator: Emulator, shown: Display, home: Path) -> None:
    """Ask the terminal, and note the bytes of keys."""
    log = home / "probe.json"
    with shown.terminal(emulator, shell(joined(sys.executable, "-m", "tests.terminals.probe", log, 8))):
        if not until(lambda: any("ready" in each for each in _entries(log)), 30):
            row.attributes = "did not start"
            return
        answers: dict[str, str] = {}
        for each in _entries(log):
            answers |= each
        shown.focus()
        seen = len(_entries(log))
        for key in KEYS:
            shown.press(key)
            row.odd[key] = "".join(each.get("key", "") for each in _entries(log)[seen:])
            seen = len(_entries(log))
        clip = output("timeout", "2", "xclip", "-o", "-selection", "clipboard", env=shown.env)
        clip = (
            clip
            if emulator.name != "foot"
            else output("env", "WAYLAND_DISPLAY=wayland-1", "timeout", "2", "wl-paste", env=shown.env)
        )
    row.copied = "yes" if clip == "clipped" else "no"
    found = terminal({name: answers.get(name, "") for name in ("TERM", "COLORTERM")})
    is_true = answers.get("COLORTERM") in ("truecolor", "24bit")
    row.colors = f"{found.color_system or ('truecolor' if is_true else 'by TERM')} (TERM={answers.get('TERM', '')})"
    row.attributes = " ".join(answers.get(name, "") for name in ("attributes", "version", "kitty keyboard"))


def _receive(row: Row, emulator: Emulator, shown: Display, home: Path) -> None:
    """Run the receiver: keys as the program gets them, mouse, image and size."""
    log = home / "receiver.json"
    with shown.terminal(emulator, shell(joined(sys.executable, "-m", "tests.terminals.receiver", log))):
        if not until(lambda: any("ready" in each for each in _entries(log)), 30):
            return
        shown.focus()
        time.sleep(1)
        wrong = {}
        for key, wanted in KEYS.items():
            seen = len(_entries(log))
            shown.press(key)
            got = [each["key"] for each in _entries(log)[seen:] if "key" in each and each["key"] != "<ignore>"]
            if wanted and not got:
                shown.press("Escape")  # closes what the terminal has opened
            if got != ([wanted] if wanted else []):
                wrong[key] = f"{' '.join(got) or 'nothing'} ({row.odd.get(key, '')!r})"
        row.odd = wrong
        seen = len(_entries(log))
        for button in ("1", "4", "3"):
            shown.do("click", button)
            time.sleep(0.3)
        row.mouse = " ".join(str(each["mouse"][0]) for each in _entries(log)[seen:] if "mouse" in each)
        shown.press("Escape", "Escape")
        shown.press("p")
        time.sleep(4)
        row.picture = shown.area(MAGENTA)
        shown.picture(home / "picture.png")
        if keep := os.environ.get("KEEP_PICTURES"):
            shutil.copy(home / "picture.png", Path(keep) / f"{emulator.name.replace(' ', '-')}-picture.png")
        shown.press("Escape")
        seen = len(_entries(log))
        shown.do("windowsize", shown.window(), "720", "480")
        time.sleep(1.5)
        row.resized = " ".join(str(each["size"]) for each in _entries(log)[seen:] if "size" in each)
        shown.press("shift+q")


def _use(row: Row, emulator: Emulator, shown: Display, home: Path) -> None:
    """Use the demo in a shell, stop it, continue it and quit."""
    before, stopped, after, pid = (home / name for name in ("before", "stopped", "after", "pid"))
    with shown.terminal(emulator, ["bash", "--norc", "-i"]):
        time.sleep(5)
        shown.focus()
        shown.type(f"cd {ROOT}; stty -g > {before}")
        if not until(before.exists):
            row.left = "did not start"
            return
        shown.type(f"sh -c 'echo $$ > {pid}; exec {sys.executable} -m inspector demo --no-capture'")
        time.sleep(_START_S)
        shown.press("2", "v", "shift+t", "v", "shift+t")
        shown.picture(PICTURES / f"{emulator.name.replace(' ', '-')}.png")
        shown.press("Escape", "Escape")
        os.kill(int(pid.read_text()), signal.SIGTSTP)
        time.sleep(1)
        shown.type(f"stty -g > {stopped}")
        row.stopped = "does not stop"
        if until(stopped.exists, 5):
            row.stopped = "as before" if stopped.read_text() == before.read_text() else "changed"
            shown.type("fg")
            time.sleep(2)
        if keep := os.environ.get("KEEP_PICTURES"):
            shown.picture(Path(keep) / f"{emulator.name.replace(' ', '-')}-fg.png")
        shown.press("Escape", "q")
        time.sleep(2)
        shown.type(f"echo $? > {after}; stty -g >> {after}")
        until(lambda: after.exists() and after.read_text().count("\n") == 2, 10)
    status, *settings = after.read_text().split() if after.exists() else ["still runs"]
    is_sane = settings == before.read_text().split()
    row.left = f"{status}, as before" if is_sane else f"{status}, changed: {settings}"


def _kill(row: Row, emulator: Emulator, shown: Display, home: Path) -> None:
    """Kill the demo, and find what makes the shell usable."""
    pid, works, tty = home / "pid", home / "works", home / "tty"
    program = f"{sys.executable} -m inspector demo --no-capture"
    (home / "launch").write_text(f"cd {ROOT}; tty > {tty}; sh -c 'echo $$ > {pid}; exec {program}'; exec sh -i")
    with shown.terminal(emulator, ["sh", str(home / "launch")]):
        if not until(pid.exists):
            row.killed = "did not start"
            return
        time.sleep(_START_S)
        os.kill(int(pid.read_text()), signal.SIGKILL)
        time.sleep(1)
        shown.focus()
        row.killed = "takes no command"
        for repair in ("", "reset", emulator.kill_needs or OUTSIDE):
            if repair == OUTSIDE:
                Path(tty.read_text().strip()).write_text("\x1bc")
            elif "+" in repair:
                shown.press(repair)
            if repair:
                shown.press("ctrl+j")
                shown.do("type", "--delay", "30", "reset")
                shown.press("ctrl+j")
                time.sleep(2)
            shown.press("ctrl+j")  # ends a line of sequences that the shell was given
            shown.do("type", "--delay", "30", f"touch {works}")
            shown.press("Return")
            if until(works.exists, 3):
                row.killed = f"after {repair}" if repair else "at once"
                return
