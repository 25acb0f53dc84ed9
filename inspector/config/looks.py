"""How a person last looked at things: the traffic's columns and clock, and the theme. Kept in the state directory.

A file that can't be read holds nothing, and one that can't be written is not written: neither is worth a word.
"""

from pathlib import Path

import msgspec

from inspector.config.whole_files import replace_file
from inspector.errors import UsageError

_MOST_BYTES = 1 << 16
_MOST_COLUMNS = 40


class KeptLook(msgspec.Struct, frozen=True):
    """What is kept."""

    columns: tuple[str, ...] = ()
    """Names, from left to right; none: the width decides."""
    times: str = ""
    """By which clock; "" for the usual one."""


class KeptLooks:
    """The file of one user."""

    def __init__(self, state: Path) -> None:
        """Touch nothing yet."""
        self._path = state / "traffic-list.json"

    def last(self) -> KeptLook:
        """What was kept last."""
        try:
            with self._path.open("rb") as file:
                found = msgspec.json.decode(file.read(_MOST_BYTES), type=KeptLook)
        except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
            return KeptLook()
        return KeptLook(found.columns[:_MOST_COLUMNS], found.times)

    def keep(self, look: KeptLook) -> None:
        """Keep it for the next time."""
        try:
            replace_file(self._path, msgspec.json.encode(look) + b"\n")
        except (OSError, UsageError):
            return


class KeptTheme:
    """The theme that was used last, by its name."""

    def __init__(self, state: Path) -> None:
        """Touch nothing yet."""
        self._path = state / "theme"

    def last(self) -> str:
        """What was kept last; "" for nothing."""
        try:
            with self._path.open("rb") as file:
                return file.read(100).decode("ascii", errors="replace").strip()
        except OSError:
            return ""

    def keep(self, name: str) -> None:
        """Keep it for the next time."""
        try:
            replace_file(self._path, name.encode() + b"\n")
        except (OSError, UsageError):
            return
