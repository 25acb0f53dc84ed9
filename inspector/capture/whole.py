"""Files of a person's beside a capture or in a project: written whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from inspector.errors import UsageError


def write_whole(path: Path, content: bytes) -> None:
    """Put a file in the place of the one that is there, if one is; with its rights, else those of new files here.

    Raises: UsageError.
    """
    try:
        replace(path, content, _mode(path))
    except OSError as error:
        raise UsageError(f"{path}: can't be written: {error.strerror}") from None


def replace(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Put a whole new file in the old one's place; no link is followed. Raises: OSError."""
    import tempfile  # most runs write none

    descriptor, made = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as new:
            new.write(content)
        os.chmod(made, mode)
        os.replace(made, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(made)
        raise


def _mode(path: Path) -> int:
    """The rights of the file that is replaced; of a new one what the process gives new files."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
