"""Files that are written whole, and private directories (0700).

The content goes to a temporary file, which then replaces the target. If writing fails, for instance by
a full disk or Ctrl+C, the existing file is unchanged and nothing is left behind. Links are not followed. The file has
the requested permissions as soon as it has its name.
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
_ELSEWHERE = "set MCP_INSPECT_HOME to a directory of your own, or name a file with --capture"


class Unfinished(NamedTuple):
    """A temporary file that will get its final name later."""

    file: BinaryIO
    path: str
    """Path of the temporary file."""


@contextmanager
def whole_file(path: Path, mode: int = 0o600, *, overwrite: bool = True) -> Iterator[Unfinished]:
    """Yield a file to write. It gets its name when the block ends without an error.

    Raises: OSError, also if the name is that of a device, a pipe or a directory; FileExistsError if the file exists
    and must not be overwritten.
    """
    import tempfile  # rarely needed

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
    """Write a small file, replacing an existing one. Raises: OSError."""
    with whole_file(path, mode) as new:
        new.file.write(content)


def write_whole(path: Path, content: bytes, new: int | None = None) -> None:
    """Write a file of the user, keeping the permissions of an existing one.

    `new` is the permissions of a new file; None for the process default. Raises: UsageError.
    """
    try:
        replace(path, content, _mode(path, new))
    except OSError as error:
        raise UsageError(f"{path}: can't be written: {error.strerror}") from None


def private_directory(path: Path) -> Path:
    """Create a directory and missing parents with access for the owner only; restrict an existing one.

    Raises: UsageError if it can't be created, or belongs to another user, who could read it.
    """
    try:
        for missing in [above for above in reversed(path.parents) if not above.exists()]:
            missing.mkdir(mode=0o700, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.stat()
        if found.st_uid not in (os.geteuid(), 0) and os.geteuid() != 0:
            raise UsageError(f"{path} belongs to another user", hint=_ELSEWHERE)
        if stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid == os.geteuid():
            path.chmod(0o700)
    except OSError as error:
        raise UsageError(f"the directory {path} can't be made: {error.strerror}", hint=_ELSEWHERE) from error
    return path


def read_regular(path: Path, most: int) -> bytes:
    """Return at most `most` bytes of a regular file, without waiting for the writer of a FIFO.

    Raises: OSError, also for a device, a FIFO or a directory.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return file.read(most)


def replace_file(file: Path, content: bytes) -> None:
    """Replace a file (0600) atomically, so that no reader ever sees a part of it.

    Raises: OSError; UsageError if its directory can't be private.
    """
    private_directory(file.parent)
    replace(file, content)


def _demand_regular(path: Path) -> None:
    """Reject devices, pipes and directories, also behind a link: root could replace them. Raises: OSError."""
    try:
        found = path.stat().st_mode
    except OSError:  # it does not exist, or writing will fail with the same error
        return
    if not stat.S_ISREG(found):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


def _put(made: str, path: Path, *, overwrite: bool) -> None:
    """Give the finished file its name; without `overwrite` only if the name is free."""
    if overwrite:
        os.replace(made, path)
        return
    try:
        os.link(made, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            raise
        os.replace(made, path)


def _mode(path: Path, new: int | None) -> int:
    """Return the permissions of the replaced file; for a new one `new`, or the process default."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    if new is not None:
        return new
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
