"""Reading a file that may grow: opening it, reading at an offset, and line by line."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from inspector.errors import CaptureError, UsageError

WINDOW_BYTES = 64 * 1024
"""Bytes that are read at a time."""

MAX_LINE_BYTES = 1024 * 1024 * 1024
"""Length of the longest line that is read. Longer ones are skipped as unreadable."""

MAX_BLOCK_LINES = 2000
"""Maximum number of lines in a block: some milliseconds to process."""

_CHUNK_BYTES = 1024 * 1024

Tell = Callable[[int, int], None]
"""Progress callback: bytes done and total bytes. The total may be too low if the file grows."""
Line = tuple[int, bytes, bool]
"""Offset of the line, the line without its line end, and whether it had one."""


class LineBlock(NamedTuple):
    """Consecutive lines."""

    place: int
    """Offset of the first line."""
    lines: list[bytes]
    """Lines without their line ends. A line longer than MAX_LINE_BYTES is b"" in a block of its own."""
    end: int
    """Offset after the last line."""
    whole: bool = True
    """Whether the last line has a line end. A line without one is in a block of its own."""


def read_at(fd: int, place: int, length: int) -> bytes:
    """Return up to `length` bytes at an offset: fewer at the end, none if unreadable. Keeps the file position."""
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
    """Cache of the part of one file that was read last. The file only grows; its content never changes."""

    def __init__(self) -> None:
        self._place = 0
        self._bytes = b""

    def read(self, fd: int, place: int, length: int) -> bytes:
        """Return bytes at an offset, like `read_at`."""
        if length > WINDOW_BYTES:
            return read_at(fd, place, length)
        if not self._place <= place <= place + length <= self._place + len(self._bytes):
            # a caller that reads backwards, such as a filter, finds the previous line in the window
            self._place = max(0, place + length - WINDOW_BYTES) if place < self._place else place
            self._bytes = read_at(fd, self._place, WINDOW_BYTES)
        at = place - self._place
        return self._bytes[at : at + length]


def open_for_reading(path: Path) -> int:
    """Open a regular file; return its descriptor. Raises: CaptureError."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # do not block on a FIFO
    except (OSError, ValueError) as error:
        raise _unopened(path, error) from None
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):
        os.close(fd)
        raise CaptureError(f"{path} is {_kind(mode)}", hint="Name a .mcpcap file.")
    return fd


def demand_file(path: Path, hint: str) -> None:
    """Check that a path is that of a regular file.

    `hint` suggests what to do if the path does not exist.

    Raises: UsageError; CaptureError if the path is something other than a regular file.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{path}: no such file", hint=hint) from None
    except (OSError, ValueError) as error:
        raise _unopened(path, error) from None
    if not stat.S_ISREG(mode):
        raise CaptureError(f"{path} is {_kind(mode)}", hint="Name a .mcpcap file.")


def ignore_progress(done: int, total: int) -> None:
    """Ignore the progress."""


def lines(read: Callable[[int, int], bytes]) -> Iterator[Line]:
    """Yield each line with its offset and whether it has a line end: the last one may be incomplete.

    `read` returns bytes at an offset. A line longer than MAX_LINE_BYTES is given as b"". The file may grow meanwhile.
    """
    for place, several, _, whole in blocks(read):
        for line in several:
            yield place, line, whole
            place += len(line) + 1


def blocks(read: Callable[[int, int], bytes], start: int = 0, most: int = MAX_BLOCK_LINES) -> Iterator[LineBlock]:
    """Yield lines in non-empty blocks of at most `most`, from an offset on.

    This costs a tenth of reading them one by one.
    """
    place = position = start
    size = 0
    parts: list[bytes] = []
    while chunk := read(position, _CHUNK_BYTES):
        position += len(chunk)
        *several, rest = chunk.split(b"\n")
        if several:
            size += len(several[0])
            if size > MAX_LINE_BYTES:
                yield LineBlock(place, [b""], place + size + 1)
                place += size + 1
                del several[0]
            elif parts:
                several[0] = b"".join((*parts, several[0]))
            parts.clear()
            yield from _divided(place, several, most)
            place, size = position - len(rest), 0
        size += len(rest)
        if size > MAX_LINE_BYTES:
            parts.clear()
        elif rest:
            parts.append(rest)
    if size:
        yield LineBlock(place, [b"".join(parts)], place + size, whole=False)


def _kind(mode: int) -> str:
    return "a directory" if stat.S_ISDIR(mode) else "not a regular file"


def _unopened(path: Path, error: OSError | ValueError) -> CaptureError:
    """Return the error for a file that can't be opened; a NUL in its path raises a ValueError."""
    hint = "Check the name of the file."
    if isinstance(error, PermissionError):
        hint = "Check the permissions of the file and its directories: only its owner may read a capture."
    return CaptureError(f"{path} can't be opened: {error.strerror if isinstance(error, OSError) else error}", hint=hint)


def _divided(place: int, several: list[bytes], most: int) -> Iterator[LineBlock]:
    """Split lines that were read together into blocks; lines that are too long get their own."""
    first = 0
    for at in (
        [at for at, line in enumerate(several) if len(line) > MAX_LINE_BYTES] if MAX_LINE_BYTES < _CHUNK_BYTES else ()
    ):
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
