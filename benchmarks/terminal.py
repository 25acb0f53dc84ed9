"""A program in a terminal of its own: what it writes, when something appears, how fast a key is answered.

A real pty, because a headless run shows neither start-up nor what reaches the terminal.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence

_STYLES = re.compile(rb"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_RECENT = 100_000
"""Bytes that hold at least the last picture."""


class Terminal:
    """A child on a pty. A context manager: leaving it ends the child."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        columns: int = 120,
        lines: int = 40,
        most_a_second: int | None = None,
    ) -> None:
        """`most_a_second`: bytes that it takes, as a far or slow terminal does; None: as fast as they come."""
        self._most, self._drained_until = most_a_second, 0.0
        self.written = bytearray()
        self.started = time.perf_counter()
        self._over = False
        self.pid, self._fd = pty.fork()
        if self.pid == 0:  # pragma: no cover - the child
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored by what a shell runs in the background
            os.execvpe(argv[0], list(argv), dict(env))
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *exc_info: object) -> None:
        if not self.ended(5.0):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self._fd, keys)

    def read(self, seconds: float) -> bool:
        """Take what is written within a time, answering Textual's question to a terminal. Whether anything was."""
        busy = min(seconds, self._drained_until - time.perf_counter())
        if busy > 0:
            time.sleep(busy)
            return False
        ready, _, _ = select.select([self._fd], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self._fd, 1 << 16 if self._most is None else max(1, self._most // 100))
        except OSError:  # the child has closed its end
            return False
        if self._most is not None:
            self._drained_until = time.perf_counter() + len(data) / self._most
        if b"\x1b[?2026$p" in data:
            self.press(b"\x1b[?2026;2$y")
        self.written += data
        return bool(data)

    def rest(self, seconds: float) -> None:
        """Take what is written for so long."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self.read(left)

    def plain(self, since: int | None = None) -> bytes:
        """What was written without its styles: from a place in `written`, or lately."""
        return _STYLES.sub(b"", bytes(self.written[-_RECENT if since is None else since :]))

    def until(self, text: bytes | re.Pattern[bytes], seconds: float = 20.0, *, since: int = 0) -> float:
        """Wait until a text was written, at or after a place; seconds since the start. Raises: TimeoutError."""
        pattern = re.compile(re.escape(text)) if isinstance(text, bytes) else text
        end = time.perf_counter() + seconds
        while not pattern.search(self.plain(since)):
            if time.perf_counter() > end:
                raise TimeoutError(f"{pattern.pattern!r} did not appear; the last bytes: {self.plain()[-400:]!r}")
            self.read(0.05)
        return time.perf_counter() - self.started

    def answer(self, key: bytes, text: bytes | re.Pattern[bytes]) -> float:
        """Seconds from a key to a text on the screen. Raises: TimeoutError."""
        since, pressed = len(self.written), time.perf_counter()
        self.press(key)
        self.until(text, since=since)
        return time.perf_counter() - pressed

    def painted(self, key: bytes) -> float:
        """Seconds from a key to the last that is written for it. Raises: TimeoutError."""
        since, pressed, last = len(self.written), time.perf_counter(), 0.0
        self.press(key)
        while (now := time.perf_counter()) < (pressed + 10 if not last else last + 0.15):
            if self.read(0.02):
                last = time.perf_counter()
        if len(self.written) == since:
            raise TimeoutError(f"nothing was written after {key!r} within {now - pressed:.0f} s")
        return last - pressed

    def ended(self, seconds: float) -> bool:
        """Whether the child ends within a time, once it was asked to quit."""
        end = time.perf_counter() + seconds
        while not self._over and time.perf_counter() < end:
            self._over = os.waitpid(self.pid, os.WNOHANG)[0] != 0
            self.read(0.02)
        return self._over
