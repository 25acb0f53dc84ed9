"""A newcomer's first five minutes, played in a real terminal: `python -m tests.stories.first_minutes` writes the page.

The program runs in tmux at 80×24 with server-everything. Each step presses keys, waits for a text and keeps the screen;
`docs/first-five-minutes.md` shows them with the number of keys. It needs tmux and the servers of
`python -m tests.servers.real.install`.
"""

import argparse
import os
import re
import shlex
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.architecture.sources import ROOT
from tests.servers.real import argv

PAGE = ROOT / "docs" / "first-five-minutes.md"
COLUMNS, LINES = 80, 24
_PATIENCE_S = 60.0
_LOOK_S = 0.1
_MOMENT_S = 1.0
_SCROLLBAR = "▐"
_HOME = "/home/user"
"""Shown instead of the temporary directory."""


class Step(NamedTuple):
    """One step of the newcomer."""

    title: str
    keys: tuple[str, ...]
    """Each item is a key as tmux names it, or text to type after `type `."""
    sees: str
    """Text that is on the screen afterwards."""
    why: str
    """What on the previous screen names these keys."""
    in_shell: bool = False
    """Whether the keys are typed at the prompt of the shell: they are not counted."""


STEPS = (
    Step("Start", ("type mcp-inspect", "Enter"), "⏎ Open", "The command of the README.", in_shell=True),
    Step(
        "Connect to a server",
        ("type mcp-server-everything", "Enter"),
        "Roots update",
        "The start screen asks for a command, URL, capture file or saved name; the footer names `Enter`.",
    ),
    Step(
        "Find a tool", ("2", "/", "type sum", "Enter"), "1 of 19", "`2 Tools` is in the bar, `/ Filter` in the footer."
    ),
    Step("Open its form", ("Enter",), "2 required", "`⏎ Open` is in the footer."),
    Step(
        "Fill the form and call",
        ("type 2", "Tab", "type 3", "C-j"),
        "The sum of 2 and 3 is 5.",
        "The form starts in the first field; `[ Call ^j ]` is below it.",
    ),
    Step("Find its traffic", ("o",), "Response  #", "`[ Show in Traffic o ]` is above the result."),
    Step("Return to the list", ("Escape",), "v t Wire order", "`Esc Back` is in the footer."),
    Step("Filter", ("/", "type get-sum", "Enter"), "3 of ", "`/ Filter` is in the footer."),
    Step("Clear the filter", ("Escape",), "prompts/list", "`Esc Clear` was in the footer while typing."),
    Step(
        "Call a tool that sends a request to the client",
        ("2", "Escape", "Escape", "/", "type sampl", "Enter", "Enter", "type Say hi", "C-j"),
        "1 waiting",
        "`Esc` goes back from the result to the form and to the list; then as for the first tool.",
    ),
    Step("Open the server request", ("!",), "Respond ^j", "`◆ 1 waiting !` is in the bar, `! here` above the footer."),
    Step("Respond", ("type Hello there", "C-j"), '"text": "Hello there"', "`[ Respond ^j ]` is below the form."),
    Step("Quit", ("q",), "mcp-inspect replay", "`q Quit` is in the footer."),
    Step("Start again", ("type mcp-inspect", "Enter"), "Captures", "The same command.", in_shell=True),
    Step(
        "Open the capture",
        ("Down", "Down", "Enter"),
        "▸ Capture",
        "The capture is in the list; `↓ List` is in the footer.",
    ),
)

_BEFORE = """\
# The first five minutes

A session with a real server, key by key, with the screen after each step: start, find a tool, fill in its form, call
it, find its traffic, filter, respond to a server request, quit, open the capture. The terminal has 80×24 cells, the
server is server-everything. To follow it, install that server with
`npm install -g @modelcontextprotocol/server-everything`, or type `npx -y @modelcontextprotocol/server-everything` where
the session types `mcp-server-everything`.

`python -m tests.stories.first_minutes` makes this page: it presses the keys in a real terminal and copies the screen.
Only the path of the home directory is replaced.
"""


class Terminal:
    """A shell in tmux."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._name = f"mcp-inspect-{os.getpid()}"
        programs = ROOT / ".venv" / "bin"
        env = {
            "HOME": str(place),
            "PATH": f"{place / 'bin'}:{programs}:{os.environ['PATH']}",
            "PS1": "$ ",
            "TERM": "tmux-256color",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "XDG_RUNTIME_DIR": str(place),
        }
        shell = f"cd {shlex.quote(str(place))} && exec env -i {shlex.join(f'{k}={v}' for k, v in env.items())} sh"
        self._tmux("new-session", "-d", "-s", "main", "-x", str(COLUMNS), "-y", str(LINES), shell)
        self._tmux("set", "-g", "status", "off")

    def _tmux(self, *words: str) -> str:
        command = ("tmux", "-L", self._name, "-f", "/dev/null", *words)
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def press(self, key: str) -> None:
        """Press a key, or type a text after `type `."""
        is_text = key.startswith("type ")
        self._tmux("send-keys", "-t", "main", *(("-l", key.removeprefix("type ")) if is_text else (key,)))

    def screen(self) -> str:
        """Return the lines without trailing spaces, and without the path of the temporary directory."""
        text = self._tmux("capture-pane", "-p", "-J", "-t", "main")
        return "\n".join(self._neutral(line) for line in text.splitlines())

    def _neutral(self, line: str) -> str:
        replaced = line.replace(str(self._place), _HOME).rstrip()
        if replaced != line.rstrip() and replaced.endswith(_SCROLLBAR):
            return replaced.removesuffix(_SCROLLBAR).rstrip().ljust(COLUMNS - 1) + _SCROLLBAR
        return replaced

    def sees(self, text: str) -> str:
        """Wait until a text is on the screen, and a moment longer for the rest; return the screen."""
        end = time.monotonic() + _PATIENCE_S
        while text not in self.screen():
            if time.monotonic() > end:
                raise AssertionError(f"{text!r} did not appear:\n{self.screen()}")
            time.sleep(_LOOK_S)
        time.sleep(_MOMENT_S)
        return self.screen()

    def close(self) -> None:
        """End the shell and tmux."""
        self._tmux("kill-server")


def count(step: Step) -> int:
    """Return the number of keys; each character of a text is one."""
    return sum(len(key.removeprefix("type ")) if key.startswith("type ") else 1 for key in step.keys)


def play(place: Path) -> list[str]:
    """Play all steps and return the screen after each. `place` is the home directory."""
    server = Path(argv("everything")[0]).resolve()
    (place / "bin").mkdir()
    starter = place / "bin" / "mcp-server-everything"
    starter.write_text(f"#!/bin/sh\nexec node {shlex.quote(str(server))}\n")
    starter.chmod(0o755)
    terminal = Terminal(place)
    screens = []
    try:
        terminal.sees("$")
        for step in STEPS:
            for key in step.keys:
                terminal.press(key)
                time.sleep(_MOMENT_S)  # as a person would
            screens.append(terminal.sees(step.sees))
        terminal.press("q")
        terminal.sees("$")
    finally:
        terminal.close()
    return screens


def written(screens: list[str]) -> str:
    used = [step for step in STEPS if not step.in_shell]
    total = sum(map(count, used))
    typed = sum(len(key) - len("type ") for step in used for key in step.keys if key.startswith("type "))
    lines = [_BEFORE, f"The whole session takes **{total} keys, {typed} of them typed text**.", "", *table(), ""]
    for step, screen in zip(STEPS, screens, strict=True):
        screen = re.sub(r"\n{3,}", "\n\n", screen.strip("\n"))  # at most one empty line in a row
        lines += [f"## {step.title}", "", f"{_keys(step)}: {step.why}", "", "```text", screen, "```", ""]
    return "\n".join(lines)


def table() -> list[str]:
    """Return the table of steps with their keys."""
    rows = (f"| {step.title} | {_keys(step)} | {'' if step.in_shell else count(step)} |" for step in STEPS)
    return ["| step | keys | count |", "|---|---|---|", *rows]


_NAMES = {"Escape": "Esc", "C-j": "Ctrl+J", "Down": "↓"}


def _keys(step: Step) -> str:
    return " ".join(f"`{_NAMES.get(key, key).removeprefix('type ')}`" for key in step.keys)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=PAGE, metavar="FILE")
    into = parser.parse_args().into
    with TemporaryDirectory(prefix="mcp-inspect-") as home:
        into.write_text(written(play(Path(home))), encoding="utf-8")
    print(into)


if __name__ == "__main__":
    main()
