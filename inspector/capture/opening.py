"""Making the file of a capture: new, for its owner alone, never through a link.

Captures hold whatever crossed the wire, secrets included: 0600 from the first moment, in directories of 0700.
"""

import errno
import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path

from inspector.errors import UsageError

_ANOTHER = "name another file"


def make_private_directory(path: Path) -> None:
    """Make a directory and what is missing above it, each readable by its owner alone. Existing ones stay as they are.

    Raises: OSError.
    """
    if path.is_dir():
        return
    make_private_directory(path.parent)
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)


def create(path: Path, *, overwrite: bool = False) -> int:
    """Make a new file for a capture, for its owner alone, and open it for appending and reading.

    With `overwrite`, a capture that is there already is emptied first; a link is never followed.

    Raises: UsageError.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        make_private_directory(path.parent)
        fd = os.open(path, flags | (os.O_NONBLOCK if overwrite else os.O_EXCL), 0o600)
    except FileExistsError:
        raise UsageError(
            f"the capture {path} is there already", hint="name another file, or say that it may be overwritten"
        ) from None
    except OSError as error:
        why = "it is a link, and links are not followed" if error.errno == errno.ELOOP else error.strerror
        raise UsageError(f"the capture {path} can't be written: {why}", hint=_ANOTHER) from None
    try:
        _claim(fd, path)
    except UsageError:
        os.close(fd)
        raise
    return fd


def _claim(fd: int, path: Path) -> None:
    """Make the open file ours: an ordinary file that nobody else records into, empty, readable by us alone."""
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        raise UsageError(f"{path} is not a regular file", hint=_ANOTHER)
    # In a shared directory somebody else may have prepared the name: their file could be read by them, and a hard
    # link would have us empty another file.
    if found.st_uid != os.geteuid() or found.st_nlink > 1:
        why = "belongs to another user" if found.st_uid != os.geteuid() else "has more than one name (hard link)"
        raise UsageError(f"{path} {why}", hint=_ANOTHER)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"{path} is being recorded into right now", hint=_ANOTHER) from None
    except OSError:
        pass  # a file system without locks: then we can't tell, and go on
    with suppress(OSError):
        os.fchmod(fd, 0o600)
    os.ftruncate(fd, 0)


def demand_place(out: Path, original: Path, *, overwrite: bool) -> None:
    """See that something made of a capture may be written there.

    Raises: UsageError if it is the original, or there already, or somebody records into it.
    """
    if out.exists() and out.samefile(original):
        raise UsageError(f"{out} is the original, which stays as it is", hint="Name another file.")
    if not overwrite and os.path.lexists(out):
        raise UsageError(f"{out} is there already", hint="Name another file, or say --force.")
    if out.is_file() and not out.is_symlink():
        with suppress(OSError), open(out, "rb") as file:
            if being_written(file.fileno()):
                raise UsageError(f"{out} is being recorded into right now", hint="Name another file.")


def create_anonymous() -> int:
    """Open a file without a name for appending and reading: it is gone with its descriptor.

    Raises: OSError.
    """
    with suppress(AttributeError, OSError):  # Linux, and a file system that can; it spares a slow import
        return os.open(os.environ.get("TMPDIR", "/tmp"), os.O_TMPFILE | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC, 0o600)
    import tempfile

    with tempfile.TemporaryFile(prefix="mcp-inspect-") as made:
        fd = os.dup(made.fileno())
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_APPEND)
    return fd


def being_written(fd: int) -> bool:
    """Whether somebody records into this file right now."""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    fcntl.flock(fd, fcntl.LOCK_UN)
    return False
