"""Lines that the user types while an event loop runs."""

import asyncio
import io
import os
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

_AT_ONCE = 64 * 1024
Take = Callable[[str], None]


class TypedLines:
    """Calls `take` with each input line without its line end. Requires a running loop, and must be stopped."""

    def __init__(self, stream: TextIO, take: Take) -> None:
        self._take = take
        self._rest = b""
        self._loop = asyncio.get_running_loop()
        self._fd: int | None = None
        try:
            fd = stream.fileno()
        except (io.UnsupportedOperation, ValueError):
            self._later(stream.read().encode())
            return
        try:
            self._loop.add_reader(fd, self._read)
            self._fd = fd
        except OSError:  # a file: immediately readable
            with open(fd, "rb", closefd=False) as file:
                self._later(file.read())

    def stop(self) -> None:
        """Stop reading."""
        fd, self._fd = self._fd, None
        if fd is not None:
            self._loop.remove_reader(fd)

    def _later(self, all_of_it: bytes) -> None:
        """Pass on available input once the caller waits for it."""
        for line in all_of_it.splitlines():
            self._loop.call_soon(self._take, line.decode("utf-8", "replace"))

    def _read(self) -> None:
        assert self._fd is not None, "it is read while it is watched"
        came = b""
        with suppress(OSError):
            came = os.read(self._fd, _AT_ONCE)
        if not came:
            self.stop()
        *lines, self._rest = (self._rest + came).split(b"\n")
        if not came and self._rest:
            lines, self._rest = [self._rest], b""
        for line in lines:
            self._take(line.decode("utf-8", "replace"))
