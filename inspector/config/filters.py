"""What a person keeps of filters: those with a name, in the configuration, and those used last, in the state.

A file that can't be read holds nothing, and one that can't be written is a sentence for whoever saves.
"""

import re
from pathlib import Path
from typing import TypeVar

import msgspec

from inspector.config.whole_files import replace_file
from inspector.errors import UsageError

T = TypeVar("T")

MOST = 100
"""Filters remembered of those that were used; the oldest goes first."""
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
"""What a filter can be called."""
_MOST_BYTES = 1 << 20


class SavedFilters:
    """The files of one user."""

    def __init__(self, config: Path, state: Path) -> None:
        """Touch nothing yet."""
        self._named = config / "filters.json"
        self._used = state / "filter-history.json"

    def named(self) -> dict[str, str]:
        """The filters that have a name."""
        return _read(self._named, dict[str, str]) or {}

    def used(self) -> list[str]:
        """The filters that were used, the last one last."""
        return _read(self._used, list[str]) or []

    def save(self, name: str, text: str) -> None:
        """Give a filter a name; "" takes the name away.

        Raises: UsageError if it can't be written.
        """
        named = self.named()
        named.pop(name, None)
        if text:
            named[name] = text
        try:
            replace_file(self._named, msgspec.json.format(msgspec.json.encode(named), indent=2) + b"\n")
        except OSError as error:
            raise UsageError(f"the filter can't be saved in {self._named}: {error.strerror}") from None

    def remember(self, text: str) -> None:
        """Put a filter at the end of those that were used. If that can't be written, it is not remembered."""
        used = [each for each in self.used() if each != text]
        try:
            replace_file(self._used, msgspec.json.encode([*used, text][-MOST:]))
        except (OSError, UsageError):
            return


def _read(path: Path, kind: type[T]) -> T | None:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_MOST_BYTES), type=kind)
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
