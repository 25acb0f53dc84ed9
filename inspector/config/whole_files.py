"""Small files of our own that are written whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from inspector.config.paths import private_directory


def replace_file(file: Path, content: bytes) -> None:
    """Put a whole new file (0600) in the old one's place, so that no reader ever sees half of it.

    Raises: OSError; UsageError if its directory can't be ours.
    """
    import tempfile  # most runs learn nothing new

    private_directory(file.parent)
    descriptor, made = tempfile.mkstemp(prefix=file.name + ".", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as new:
            new.write(content)
        os.replace(made, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(made)
        raise
