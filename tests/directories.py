"""The directory of each test: made once, and renamed for the next test as long as nothing was written into it.

Pytest makes two directories and a link for each test, removes the directories, and looks at all links to number the
next: half of the time of a short test.
"""

import os
import re
import shutil
from pathlib import Path

HOME = "home"
_LONGEST_NAME = 14
_MODE = 0o700


class Directories:
    """Hands out directories with an empty `home` in them."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._count = 0
        self._unused: Path | None = None

    def make(self, test: str) -> Path:
        """Return a new directory, named after the test."""
        self._count += 1
        name = re.sub(r"\W", "_", test)[:_LONGEST_NAME]
        place = self._base / f"{name}-{self._count}"
        if self._unused is None:
            place.mkdir(mode=_MODE)
            (place / HOME).mkdir()
        else:
            self._unused.rename(place)
            self._unused = None
        return place

    def take_back(self, place: Path) -> None:
        """Keep a directory for the next test if it is as it was made, otherwise remove it."""
        if self._unused is None and _is_as_made(place):
            self._unused = place
        else:
            shutil.rmtree(place, ignore_errors=True)


def _is_as_made(place: Path) -> bool:
    try:
        found = os.stat(place).st_mode & 0o777
        return found == _MODE and os.listdir(place) == [HOME] and not os.listdir(place / HOME)
    except OSError:
        return False
