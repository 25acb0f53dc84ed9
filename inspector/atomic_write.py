"""Files that are written completely or not at all: a temporary file beside the place has the new content until then.

Whatever ends the writing, a full disk or Ctrl+C, the file that was there stays as it was and nothing is left over. No
link is followed. A file has the rights that are asked for from the moment on in which it has its name.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from inspector.errors import UsageError

_BUFFER = 1024 * 1024


class Unfinished(NamedTuple):
    """A file that has no name yet."""

    file: BinaryIO
    path: str
    """The temporary file."""


@contextmanager
def whole_file(path: Path, mode: int = 0o600, *, overwrite: bool = True) -> Iterator[Unfinished]:
    """A file to write, which gets its name when the block ends without an error.

    Raises: OSError, also where a device, a pipe or a directory has the name; FileExistsError if it must not be
    overwritten, and there is one.
    """
    import tempfile  # most runs write none

    _demand_regular(path)
    descriptor, made = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb", buffering=_BUFFER) as new:
            yield Unfinished(new, made)
        os.chmod(made, mode)
        _put(made, path, overwrite=overwrite)
    finally:
        with suppress(OSError):
            os.unlink(made)


def replace(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Put a small file in the place of the one that is there, if one is. Raises: OSError."""
    with whole_file(path, mode) as new:
        new.file.write(content)


def write_whole(path: Path, content: bytes, new: int | None = None) -> None:
    """Put a file of a person's in the place of the one that is there, with its rights.

    `new`: the rights of one that was not there; None: those of new files here. Raises: UsageError.
    """
    try:
        replace(path, content, _mode(path, new))
    except OSError as error:
        raise UsageError(f"{path}: can't be written: {error.strerror}") from None


def _demand_regular(path: Path) -> None:
    """See that no device, pipe or directory is replaced, by its name or a link to it: root could. Raises: OSError."""
    try:
        found = path.stat().st_mode
    except OSError:  # nothing is there, or what can't be looked at can't be written either, which the writing says
        return
    if not stat.S_ISREG(found):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


def _put(made: str, path: Path, *, overwrite: bool) -> None:
    """Give the finished file its name; without `overwrite` only if nothing has it yet."""
    if overwrite:
        os.replace(made, path)
        return
    try:
        os.link(made, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise
        os.replace(made, path)


def _mode(path: Path, new: int | None) -> int:
    """Return the permissions of the file that is replaced; for a new one `new`, or those that the process gives."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    if new is not None:
        return new
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
