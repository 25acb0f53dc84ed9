"""Reading a capture line by line: tolerant of what can happen to a file, strict about what it claims to be.

A torn last line, garbage in the middle, unknown records and unknown fields are counted and passed over. A newer
major version, or a feature listed in `must` that this program lacks, is refused: half an understanding would
look like the whole. No line of a capture names anything that is opened.
"""

import os
import shlex
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from inspector.capture.format.records import FORMAT, VERSION, Head, from_line, type_of
from inspector.errors import CaptureError, UsageError

# --- Reading from a place of a file, and the part that was read last: the lines of a screen stand side by side in
# it.

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


# --- What a file that is no capture looks like: a sentence and what to do, for whoever opened the wrong one.

_MAGIC = (
    (b"\x1f\x8b", "is compressed with gzip", "decompress it with `gunzip` first"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd", "decompress it with `unzstd` first"),
    (b"PK\x03\x04", "is a zip archive", "unpack it and open the .mcpcap file inside"),
    (b"SQLite format 3\x00", "is an SQLite database", "open a .mcpcap file"),
)
_OPEN = "open a .mcpcap file, recorded with --capture FILE"
_CALLED = {
    "jsonrpc": "looks like bare JSON-RPC messages, without the records of a capture around them",
    "har": "looks like a HAR file, not a capture",
}
LOOKS_AT = 64 * 1024
"""How many bytes from the beginning are enough to tell."""


def foreign(name: str, start: bytes) -> CaptureError:
    """The error for a file that begins with `start` (up to LOOKS_AT bytes) and with no head of a capture."""
    from inspector.capture.import_.importing import recognised  # few open a wrong file

    known = recognised(start)
    what, hint = _looks_like(start)
    if known is not None:
        hint = f"mcp-inspect import {shlex.quote(name)} makes a capture of it"
        what = _CALLED.get(known.name, f"is {known.title}, not a capture")
    return CaptureError(f"{name} {what}", hint=hint)


def _looks_like(start: bytes) -> tuple[str, str]:
    for magic, what, hint in _MAGIC:
        if start.startswith(magic):
            return what, hint
    text = start.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        return "is empty" if not start else "holds nothing but blanks", _OPEN
    if text.startswith(b'{"r":"head"'):
        if b"\n" in text:
            return "is a capture in a format of another program", _OPEN
        return "is a capture that was cut in its first line: nothing of it can be read", _OPEN
    if text.startswith(b"<"):
        html = text[:512].lower()
        kind = "HTML" if b"<html" in html or b"<!doctype html" in html else "XML"
        return f"holds {kind}, not a capture", _OPEN
    if b"\x00" in start or not _is_text(start):
        return "is no text, so it is no capture", _OPEN
    return _looks_like_json(text)


def _is_text(start: bytes) -> bool:
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(start) - 4 and len(start) == LOOKS_AT  # a character cut by our own look
    return True


def _looks_like_json(text: bytes) -> tuple[str, str]:
    if text[:1] in (b"{", b"["):
        return "holds JSON, but no capture: its first line is no head", _OPEN
    return "is text, but no capture: its first line is no head", _OPEN


MOST = 1024 * 1024 * 1024
"""Bytes of the longest line that is read; longer ones are passed over as unreadable."""
BLOCK = 2000
"""Lines in a block, at most: some milliseconds of whoever takes them in."""
_CHUNK = 1024 * 1024
_DIGITS = 9
"""Digits of a version's part that are looked at: Python refuses to read thousands."""
_UNDERSTOOD: frozenset[str] = frozenset()
"""What `must` may name."""


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


def read_head(fd: int, path: Path) -> Head:
    """The first record of a capture.

    Raises: CaptureError if this is no capture, or one that this program must not read.
    """
    start = read_at(fd, 0, LOOKS_AT)
    try:
        head = from_line(start.split(b"\n", 1)[0])
    except ValueError:
        raise _not_read(path, start) from None
    if not isinstance(head, Head) or head.format != FORMAT:
        raise foreign(str(path), start)
    _refuse_newer(head.v, path)
    if unknown := [name for name in head.must if name not in _UNDERSTOOD]:
        raise CaptureError(
            f"{path} can't be read without knowing about {', '.join(unknown)}", hint="update mcp-inspect"
        )
    return head


def _not_read(path: Path, start: bytes) -> CaptureError:
    """The error for a first line that is no record as we know them: a newer head may look different."""
    if type_of(start.split(b"\n", 1)[0]) == "head":
        return CaptureError(f"{path} begins with a head that mcp-inspect can't read", hint="update mcp-inspect")
    return foreign(str(path), start)


def _refuse_newer(version: str, path: Path) -> None:
    major = version.partition(".")[0]
    if not major.isdecimal() or int(major[:_DIGITS]) < 1:
        raise CaptureError(f"{path} has the version {version[:40]!r}, which is none", hint="record it again")
    if int(major[:_DIGITS]) > int(VERSION.partition(".")[0]):
        raise CaptureError(
            f"{path} was written by a newer mcp-inspect: its format is {version[:40]}, this one reads up to {VERSION}",
            hint="update mcp-inspect",
        )


def is_newer_minor(version: str) -> bool:
    """Whether a readable capture may hold records and fields that this program does not know."""
    minor = version.partition(".")[2].partition(".")[0]
    return minor.isdecimal() and int(minor[:_DIGITS]) > int(VERSION.partition(".")[2])


Tell = Callable[[int, int], None]
"""Hears how many bytes of a file are done, and of how many: the second may be less, if the file grows."""


def tell_nobody(done: int, total: int) -> None:
    """Where nobody wants to hear it."""


Line = tuple[int, bytes, bool]
"""Where a line stands, the line without its end, and whether it had one."""


class LineBlock(NamedTuple):
    """Lines that stand side by side."""

    place: int
    """Of the first one."""
    lines: list[bytes]
    """Without their ends. Instead of one that is longer than MOST, b"" alone."""
    end: int
    """The place behind them."""
    whole: bool = True
    """Whether the last one had an end; one that had none comes alone."""


def lines(read: Callable[[int, int], bytes]) -> Iterator[Line]:
    """Each line without its end, its place in the file, and whether it had an end: the last may be torn.

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
