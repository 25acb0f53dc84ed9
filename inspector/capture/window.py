"""Reading from a place of a file, and the part that was read last: the lines of a screen stand side by side in it.

Each read of a file lets the other threads run first, and in a flood they take their time: one read that serves a
whole screen of lines is answered fifty times sooner than fifty reads.
"""

import os

WINDOW = 64 * 1024
"""Bytes that are read at once."""


def read_at(fd: int, place: int, length: int) -> bytes:
    """So many bytes from that place of a file, fewer at its end, none if it can't be read. Moves no position."""
    parts: list[bytes] = []
    while length > 0:
        try:
            part = os.pread(fd, length, place)
        except (OSError, OverflowError):
            break
        if not part:
            break
        parts.append(part)
        place += len(part)
        length -= len(part)
    return b"".join(parts)


class Window:
    """The part of one file that was read last. The file only grows; what stands in it never changes."""

    def __init__(self) -> None:
        self._place = 0
        self._bytes = b""

    def read(self, fd: int, place: int, length: int) -> bytes:
        """So many bytes from that place, as `read_at` gives them."""
        if length > WINDOW:
            return read_at(fd, place, length)
        if not self._place <= place <= place + length <= self._place + len(self._bytes):
            # whoever goes back, as a filter does, finds the next line before this one
            self._place = max(0, place + length - WINDOW) if place < self._place else place
            self._bytes = read_at(fd, self._place, WINDOW)
        at = place - self._place
        return self._bytes[at : at + length]
