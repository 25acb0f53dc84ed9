"""Whether a capture that is open is still the file that was read: files are cut, written anew and replaced meanwhile.

What was read from a file that is another one now must not be looked up in it: the places would hold other lines.
"""

import os
from pathlib import Path

import msgspec

from inspector.capture.window import read_at

_START = 1024
"""Bytes at the beginning that tell one capture from another: the head has a number of its own."""


class Trouble(msgspec.Struct, frozen=True):
    """What has happened to a file."""

    why: str
    """Half a sentence."""
    readable: int | None = None
    """How many bytes from its beginning are what they were; None for all that were read."""


class Standing:
    """One open file."""

    def __init__(self, fd: int, path: Path) -> None:
        self._fd = fd
        self._path = path
        self._start = read_at(fd, 0, _START)

    def trouble(self, read: int) -> Trouble | None:
        """What has happened since it was opened; None if it is what it was. `read`: bytes that were taken from it."""
        try:
            opened, there = os.fstat(self._fd), os.stat(self._path)
        except OSError as error:
            return Trouble(f"the capture can't be looked at any more: {error.strerror}")
        start = read_at(self._fd, 0, len(self._start))
        size = opened.st_size if start == self._start else os.fstat(self._fd).st_size  # it may have been cut just now
        if size < read:
            return Trouble("the capture was cut while it was read", self._readable(size))
        if start != self._start:
            return Trouble("the capture was written anew while it was read", 0)
        if (there.st_dev, there.st_ino) != (opened.st_dev, opened.st_ino):
            return Trouble("another file has taken the place of the capture")
        return None

    def _readable(self, size: int) -> int:
        start = self._start[:size]
        return size if read_at(self._fd, 0, len(start)) == start else 0
