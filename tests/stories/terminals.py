"""The program in a real terminal: what it writes there, byte by byte, and how it ends."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.terminal import Terminal
from tests.stories.commands import PROGRAM, environment


class Window(Terminal):
    """`mcp-inspect` with these words, in a terminal of its own."""

    def __init__(
        self,
        words: Sequence[str],
        place: Path,
        *,
        columns: int = 120,
        lines: int = 40,
        program: Sequence[str] = PROGRAM,
    ) -> None:
        self._hung_up = False
        self.status: int | None = None
        """The exit status, negative for a signal; None while it runs."""
        env = environment(place) | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        super().__init__((*program, *words), env=env, columns=columns, lines=lines)

    def __enter__(self) -> "Window":
        return self

    def until_still(self, seconds: float = 0.3, most: float = 30.0) -> None:
        """Wait until nothing is written for a time, or for `most` seconds: what a key brought about stands there."""
        end = time.perf_counter() + most
        while time.perf_counter() < end and self.read(seconds):
            pass

    @property
    def fd(self) -> int:
        """Our end of the terminal."""
        return self._fd

    def hang_up(self) -> None:
        """Take the terminal away, and wait for the program's end."""
        os.close(self._fd)
        os.waitpid(self.pid, 0)
        self._hung_up = self._over = True

    def __exit__(self, *exc_info: object) -> None:
        if not self._hung_up:
            super().__exit__(*exc_info)

    def press_all(self, *keys: bytes, first: float = 0.12, most: float = 0.25) -> None:
        """Press keys one by one. After each wait `first` seconds for a change, then until nothing more is written.

        A clock or a spinner may write without end, so no wait is longer than `most` seconds.
        """
        for key in keys:
            self.press(key)
            end, quiet = time.perf_counter() + most, first
            while time.perf_counter() < end and self.read(quiet):
                quiet = 0.02

    def ended(self, seconds: float) -> bool:
        """Whether it ends within a time; what it still writes is read."""
        end = time.perf_counter() + seconds
        while self.status is None and time.perf_counter() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            self.read(0.02)
        while self.status is not None and self.read(0):
            pass
        return self.status is not None


def lives(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked for its status does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def written_by(words: Sequence[str], place: Path, *, seconds: float = 30) -> tuple[int | None, bytes]:
    """Run a command that ends by itself; its exit status and all that it wrote."""
    with Window(words, place) as window:
        assert window.ended(seconds), f"{words} did not end: {window.written[-500:]!r}"
        return window.status, bytes(window.written)
