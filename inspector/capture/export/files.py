"""Where an export goes: to a new file for its owner alone, that appears when it is whole."""

from collections.abc import Iterable
from pathlib import Path

from inspector.errors import UsageError
from inspector.whole import whole_file

_INSTEAD = "Name another file, or say --force."


def to_file(out: Path, found: Iterable[bytes], *, overwrite: bool = False) -> int:
    """Write it to a file, 0600; how many bytes it has.

    Raises: UsageError if it is there already or can't be written.
    """
    if not overwrite and (out.is_symlink() or out.exists()):
        raise UsageError(f"{out} is there already", hint=_INSTEAD)
    try:
        with whole_file(out, overwrite=overwrite) as made:
            size = sum(map(made.file.write, found))
    except FileExistsError:
        raise UsageError(f"{out} is there already", hint=_INSTEAD) from None
    except OSError as error:
        raise UsageError(f"{out} can't be written: {error.strerror}", hint="Name another file.") from None
    return size
