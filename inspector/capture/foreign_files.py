"""Files of other programs, named where a capture is expected: each is converted to a temporary capture.

A stand-in is made when its file is first looked into, for its owner alone. It has no name: whatever ends the program,
a signal too, it is gone, and with it what secrets it holds. Notes and test cases are written beside the file
that was named, and the same file has the same id each time, so that its notes are found again.
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
from inspector.errors import CaptureError

_Version = tuple[int, int, int, int]
"""What identifies the current content of a file: device, inode, size, time of the last change."""


class StandIn(msgspec.Struct, frozen=True):
    """A temporary capture made from a file."""

    capture: Path
    """Its descriptor, as a file to open again and again. It goes when the program ends."""
    file: Path
    """The one that was named."""
    title: str
    """What that is: "a HAR file"."""
    passed_over: dict[str, int]
    """What of it could not be taken, by what it was, in the plural."""


class OpenedCapture(NamedTuple):
    """A capture that is open for reading, or the temporary capture of another program's file."""

    fd: int
    """The caller that opened it closes it."""
    head: Head
    path: Path
    """Where it is: the given name, or that of the temporary capture."""
    stand_in: StandIn | None


class _StandIns:
    """Those of this run."""

    def __init__(self) -> None:
        self._known: dict[_Version, StandIn] = {}
        self._lock = Lock()

    def of(self, path: Path, version: _Version) -> StandIn:
        """That of a foreign file, made now if there is none. Raises: CaptureError."""
        with self._lock:
            known = self._known.get(version)
            if known is None:
                known = self._known[version] = self._make(path)
        return msgspec.structs.replace(known, file=path)

    def _make(self, path: Path) -> StandIn:
        import tempfile

        from inspector.capture.import_.importing import import_file

        with tempfile.TemporaryDirectory(prefix="mcp-inspect-file-") as directory:
            made = Path(directory, "made.mcpcap")
            found = import_file(path, made)
            fd = os.open(made, os.O_RDONLY | os.O_CLOEXEC)
        return StandIn(Path("/dev/fd", str(fd)), path, found.reader.title, found.passed_over)


_stand_ins = _StandIns()


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


def _opened(path: Path, found: StandIn | None) -> OpenedCapture:
    fd = open_for_reading(path)
    try:
        return OpenedCapture(fd, read_head(fd, path), path, found)
    except BaseException:
        os.close(fd)
        raise


def stand_in(path: Path) -> StandIn | None:
    """The temporary capture of a file; None for a capture, and for a file of unknown format.

    Making it takes as long as an import. Raises: CaptureError if a file of a known format has no content.
    """
    version = _version(path)
    return _stand_ins.of(path, version) if version is not None else None


def is_foreign(path: Path) -> bool:
    """Whether a file needs a temporary capture."""
    return _version(path) is not None


def _version(path: Path) -> _Version | None:
    """Of a file in a known format of another program; None for any other one, and if there is none."""
    with suppress(CaptureError):
        fd = open_for_reading(path)
        try:
            start = read_at(fd, 0, LOOKS_AT)
            if start.startswith(b'{"r":"head"') or not _is_known(start):
                return None
            facts = os.fstat(fd)
            return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns
        finally:
            os.close(fd)
    return None


def _is_known(start: bytes) -> bool:
    from inspector.capture.import_.readers import recognised  # few open a file of another program

    return recognised(start) is not None
