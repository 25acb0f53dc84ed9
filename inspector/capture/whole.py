"""Files of a person's, meant to be committed: written whole or not at all."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from inspector.errors import UsageError


def write_whole(path: Path, content: bytes) -> None:
    """Put a file in the place of the one that is there, if one is; with its rights, else those of new files here.

    Raises: UsageError.
    """
    try:
        descriptor, made = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    except OSError as error:
        raise UsageError(f"{path}: can't be written: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "wb") as new:
            new.write(content)
        os.chmod(made, _mode(path))
        os.replace(made, path)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(made)
        if isinstance(error, OSError):
            raise UsageError(f"{path}: can't be written: {error.strerror}") from None
        raise


def _mode(path: Path) -> int:
    """The rights of the file that is replaced; of a new one what the process gives new files."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
