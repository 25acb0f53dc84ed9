"""Which findings somebody does not want to see any more, capture by capture. Kept in the state directory.

A file that can't be read mutes nothing, and one that can't be written is not written: findings are then told again.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from inspector.config.whole_files import replace_file
from inspector.errors import UsageError

_MOST_BYTES = 1 << 20
_FIT = re.compile(r"[A-Za-z0-9-]{1,80}")


class Mute(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is muted: a check, or one finding of it."""

    id: str
    """Of the check."""
    frame: int = 0
    """The entry of the one finding; 0 for all of the check."""
    pointer: str = ""
    """Where in that entry's message."""


class KeptMutes:
    """The file of one capture."""

    def __init__(self, state: Path, capture: str) -> None:
        """`capture` is the id in the capture's head, a foreign text. Touch nothing yet."""
        self._path = state / "muted" / f"{capture}.json" if _FIT.fullmatch(capture) else None

    def read(self) -> frozenset[Mute]:
        """What is muted."""
        if self._path is None:
            return frozenset()
        try:
            with self._path.open("rb") as file:
                return frozenset(msgspec.json.decode(file.read(_MOST_BYTES), type=list[Mute]))
        except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
            return frozenset()

    def keep(self, mutes: Iterable[Mute]) -> bool:
        """Keep this and nothing else; whether that worked. No file is left where nothing is muted."""
        if self._path is None:
            return False
        found = sorted(mutes, key=lambda each: (each.id, each.frame, each.pointer))
        try:
            if found:
                replace_file(self._path, msgspec.json.encode(found) + b"\n")
            else:
                self._path.unlink(missing_ok=True)
        except (OSError, UsageError):
            return False
        return True
