"""Small private files with one JSON value: read tolerantly, replaced whole."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from inspector.atomic_write import private_directory, read_regular, replace_file
from inspector.documents import UNDECODABLE
from inspector.errors import UsageError

logger = logging.getLogger(__name__)

T = TypeVar("T")


class JsonFile(Generic[T]):
    """A file (0600) that contains a value of one type.

    A file that can't be read is treated as absent: it is damaged, of another version, or not ours.
    """

    def __init__(self, path: Path, kind: type[T], max_bytes: int = 1 << 20) -> None:
        """Do not access the file yet. A file with more bytes than `max_bytes` is not ours."""
        self.path = path
        self._kind = kind
        self._max_bytes = max_bytes

    def read(self) -> T | None:
        """Return the value; None without a readable one."""
        try:
            return msgspec.json.decode(read_regular(self.path, self._max_bytes), type=self._kind)
        except (OSError, *UNDECODABLE):
            return None

    def replace(self, value: T, *, indent: int = 0) -> None:
        """Write a value, also into a new directory. Raises: UsageError."""
        try:
            content = msgspec.json.encode(value)
            replace_file(self.path, (msgspec.json.format(content, indent=indent) if indent else content) + b"\n")
        except OSError as error:
            raise UsageError(f"{self.path} can't be written: {error.strerror or error}") from None
        except UnicodeEncodeError:
            raise UsageError(f"{self.path} can't be written: it is not valid Unicode") from None
        except RecursionError:
            raise UsageError(f"{self.path} can't be written: it is nested too deeply") from None

    def write(self, value: T) -> bool:
        """Write a value; return whether that succeeded. What failed is logged."""
        try:
            self.replace(value)
        except UsageError as error:
            logger.debug("not stored: %s", error)
            return False
        return True

    def remove(self) -> bool:
        """Delete the file; return whether there is none now."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError:
            return False
        return True


def newest_files(directory: Path, pattern: str = "*.json") -> list[Path]:
    """Return the files of a directory, the one that was written last first; [] if it can't be read."""
    try:
        return sorted(directory.glob(pattern), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    except OSError:
        return []


def drop_oldest(directory: Path, most: int, pattern: str = "*.json") -> None:
    """Delete the files that were written longest ago, so that at most `most` remain."""
    for old in newest_files(directory, pattern)[most:]:
        with suppress(OSError):
            old.unlink(missing_ok=True)


@contextmanager
def locked(directory: Path, name: str) -> Iterator[None]:
    """Lock the files of a directory against other programs; the directory is created. Raises: OSError, UsageError."""
    import fcntl  # most programs only read

    private_directory(directory)
    descriptor = os.open(directory / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
