"""Files of other programs, opened where a capture is expected: each is converted to a temporary capture.

The temporary capture is made on first access, is readable by its owner only, and has no name. It disappears with the
process, even after a signal, and so do the secrets in it. Notes and test cases are written beside the original file.
The same file always gets the same capture id, so its notes are found again.
"""

import os
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import msgspec

from inspector.capture.format.lines import open_for_reading, read_at
from inspector.capture.format.reader import LOOKS_AT, read_head
from inspector.capture.format.records import Head
from inspector.capture.import_.readers import recognised
from inspector.errors import CaptureError

_Version = tuple[int, int, int, int]
"""Identifies the current content of a file: device, inode, size, modification time."""


class ConvertedCapture(msgspec.Struct, frozen=True):
    """A temporary capture made from a file."""

    capture: Path
    """Path of its open descriptor, which can be opened repeatedly while the program runs."""
    file: Path
    """The original file."""
    title: str
    """Kind of the original file: "a HAR file"."""
    passed_over: dict[str, int]
    """What could not be converted: counts by kind, in the plural."""


class OpenedCapture(NamedTuple):
    """A capture opened for reading, or the temporary capture of another program's file."""

    fd: int
    """File descriptor. The caller closes it."""
    head: Head
    path: Path
    """The given path, or that of the temporary capture."""
    stand_in: ConvertedCapture | None


class _ConvertedCaptures:
    """Temporary captures of this run."""

    def __init__(self) -> None:
        self._known: dict[_Version, ConvertedCapture] = {}
        self._lock = Lock()

    def of(self, path: Path, version: _Version) -> ConvertedCapture:
        """Return the temporary capture of a foreign file; make it if there is none yet. Raises: CaptureError."""
        with self._lock:
            known = self._known.get(version)
            if known is None:
                known = self._known[version] = self._make(path)
        return msgspec.structs.replace(known, file=path)

    def _make(self, path: Path) -> ConvertedCapture:
        import tempfile

        from inspector.capture.import_.importing import import_file

        with tempfile.TemporaryDirectory(prefix="mcp-inspect-file-") as directory:
            made = Path(directory, "made.mcpcap")
            found = import_file(path, made)
            fd = os.open(made, os.O_RDONLY | os.O_CLOEXEC)
        return ConvertedCapture(Path("/dev/fd", str(fd)), path, found.reader.title, found.passed_over)


_stand_ins = _ConvertedCaptures()


def open_capture(path: Path) -> OpenedCapture:
    """Open a capture, or a file of another program through its temporary capture.

    Raises: CaptureError if it is neither, or must not be read.
    """
    try:
        return _opened(path, None)
    except CaptureError:
        found = stand_in(path)
        if found is None:
            raise
    return _opened(found.capture, found)


def _opened(path: Path, found: ConvertedCapture | None) -> OpenedCapture:
    fd = open_for_reading(path)
    try:
        return OpenedCapture(fd, read_head(fd, path), path, found)
    except BaseException:
        os.close(fd)
        raise


def stand_in(path: Path) -> ConvertedCapture | None:
    """Return the temporary capture of a file; None for a capture and for a file of unknown format.

    Making it takes as long as an import. Raises: CaptureError if a file of a known format has no content.
    """
    version = _version(path)
    return _stand_ins.of(path, version) if version is not None else None


def is_foreign(path: Path) -> bool:
    """Return whether a file needs a temporary capture."""
    return _version(path) is not None


def _version(path: Path) -> _Version | None:
    """Return the version of a file in a known foreign format; None for any other file or a missing one."""
    with suppress(CaptureError):
        fd = open_for_reading(path)
        try:
            start = read_at(fd, 0, LOOKS_AT)
            if start.startswith(b'{"r":"head"') or recognised(start) is None:
                return None
            facts = os.fstat(fd)
            return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns
        finally:
            os.close(fd)
    return None
