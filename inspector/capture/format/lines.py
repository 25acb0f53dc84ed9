"""Reading a file that may grow: opening it, bytes at a place, and line by line."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from inspector.errors import CaptureError, UsageError

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


class FileWindow:
    """The part of one file that was read last. The file only grows; its content never changes."""

    def __init__(self) -> None:
        self._place = 0
        self._bytes = b""

    def read(self, fd: int, place: int, length: int) -> bytes:
        """So many bytes from that place, as `read_at` gives them."""
        if length > WINDOW:
            return read_at(fd, place, length)
        if not self._place <= place <= place + length <= self._place + len(self._bytes):
            # a reader that goes back, as a filter does, finds the next line before this one
            self._place = max(0, place + length - WINDOW) if place < self._place else place
            self._bytes = read_at(fd, self._place, WINDOW)
        at = place - self._place
        return self._bytes[at : at + length]


MOST = 1024 * 1024 * 1024
"""Bytes of the longest line that is read; longer ones are skipped as unreadable."""
BLOCK = 2000
"""Lines in a block, at most: some milliseconds to process."""
_CHUNK = 1024 * 1024


def open_for_reading(path: Path) -> int:
    """A descriptor of an ordinary file.

    Raises: CaptureError.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a FIFO must not keep us waiting
    except ValueError as error:
        raise CaptureError(f"{path} can't be opened: {error}", hint=_way_out(error)) from None
    except OSError as error:
        raise CaptureError(f"{path} can't be opened: {error.strerror}", hint=_way_out(error)) from None
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):
        os.close(fd)
        raise CaptureError(f"{path} is {_kind(mode)}", hint="name a .mcpcap file")
    return fd


def demand_file(path: Path, hint: str) -> None:
    """See that a name is that of an ordinary file. `hint`: what to do if nothing has that name.

    Raises: UsageError; CaptureError for what is there and no such file.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{path}: no such file", hint=hint) from None
    except (OSError, ValueError) as error:  # a NUL in a name is a ValueError
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise CaptureError(f"{path} can't be opened: {why}", hint=_way_out(error)) from None
    if not stat.S_ISREG(mode):
        raise CaptureError(f"{path} is {_kind(mode)}", hint="name a .mcpcap file")


def _kind(mode: int) -> str:
    return "a directory" if stat.S_ISDIR(mode) else "no ordinary file"


def _way_out(error: OSError | ValueError) -> str:
    if isinstance(error, PermissionError):
        return "look at the rights of the file and its directories; captures are for their owner alone"
    return "check the name of the file"


Tell = Callable[[int, int], None]
"""Hears how many bytes of a file are done, and of how many: the second may be less, if the file grows."""


def tell_nobody(done: int, total: int) -> None:
    """Ignores the progress."""


Line = tuple[int, bytes, bool]
"""The place of a line, the line without its end, and whether it had one."""


class LineBlock(NamedTuple):
    """Consecutive lines."""

    place: int
    """Of the first one."""
    lines: list[bytes]
    """Without their ends. Instead of one that is longer than MOST, b"" alone."""
    end: int
    """The place behind them."""
    whole: bool = True
    """Whether the last one had an end; one that had none comes alone."""


def lines(read: Callable[[int, int], bytes]) -> Iterator[Line]:
    """Each line without its end, its place in the file, and whether it had an end: the last may be incomplete.

    `read` gives so many bytes from a place. Of a line longer than MOST, b"" is given. The file may grow meanwhile.
    """
    for place, several, _, whole in blocks(read):
        for line in several:
            yield place, line, whole
            place += len(line) + 1


def blocks(read: Callable[[int, int], bytes], start: int = 0, most: int = BLOCK) -> Iterator[LineBlock]:
    """The same from a place on, at most so many lines at once, and never none: a tenth of the cost of one by one."""
    place = position = start
    size = 0
    parts: list[bytes] = []
    while chunk := read(position, _CHUNK):
        position += len(chunk)
        *several, rest = chunk.split(b"\n")
        if several:
            size += len(several[0])
            if size > MOST:
                yield LineBlock(place, [b""], place + size + 1)
                place += size + 1
                del several[0]
            elif parts:
                several[0] = b"".join((*parts, several[0]))
            parts.clear()
            yield from _divided(place, several, most)
            place, size = position - len(rest), 0
        size += len(rest)
        if size > MOST:
            parts.clear()
        elif rest:
            parts.append(rest)
    if size:
        yield LineBlock(place, [b"".join(parts)], place + size, whole=False)


def _divided(place: int, several: list[bytes], most: int) -> Iterator[LineBlock]:
    """Lines that were read at once, so many at a time; those that are too long apart."""
    first = 0
    for at in [at for at, line in enumerate(several) if len(line) > MOST] if MOST < _CHUNK else ():
        yield from _divided(place, several[first:at], most)
        place += sum(map(len, several[first:at])) + at - first
        end = place + len(several[at]) + 1
        yield LineBlock(place, [b""], end)
        place, first = end, at + 1
    for at in range(first, len(several), most):
        part = several[at : at + most]
        end = place + sum(map(len, part)) + len(part)
        yield LineBlock(place, part, end)
        place = end
