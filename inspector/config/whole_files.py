"""Small files of our own, in directories of our own, that are written whole or not at all."""

from pathlib import Path

from inspector.config.paths import private_directory
from inspector.whole import replace


def replace_file(file: Path, content: bytes) -> None:
    """Put a whole new file (0600) in the old one's place, so that no reader ever sees half of it.

    Raises: OSError; UsageError if its directory can't be ours.
    """
    private_directory(file.parent)
    replace(file, content)
