"""Where an export goes: to a new file for its owner alone, that appears when it is whole."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from inspector.errors import UsageError


def to_file(
    out: Path, found: Iterable[bytes], *, overwrite: bool = False, instead: str = "Name another file, or say --force."
) -> int:
    """Write it to a file, 0600; how many bytes it has. `instead`: what to do if there is one.

    Raises: UsageError if it is there already or can't be written.
    """
    if not overwrite and (out.is_symlink() or out.exists()):
        raise UsageError(f"{out} is there already", hint=instead)
    unfinished = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(unfinished, flags, 0o600), "wb") as file:
            size = sum(map(file.write, found))
        os.replace(unfinished, out)
    except OSError as error:
        raise UsageError(f"{out} can't be written: {error.strerror}", hint="Name another file.") from None
    finally:
        with suppress(OSError):
            os.unlink(unfinished)
    return size
