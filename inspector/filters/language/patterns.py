"""Regular expressions of a filter: tried on texts in bounded time, because some never end.

One search may take so long and no longer; after a few that took too long the pattern is given up, and the filter
says so. The search gives other threads their turn.
"""

from typing import TYPE_CHECKING

from inspector.errors import FilterError
from inspector.forms.patterns import PatternUnusable, compiled

if TYPE_CHECKING:
    import regex

SECONDS = 0.05
"""For one search."""
PATIENCE = 5
"""So many searches may take too long."""


def check(pattern: str, column: int) -> str:
    """The pattern, if it is one.

    Raises: FilterError.
    """
    try:
        compiled(pattern)
    except PatternUnusable as error:
        raise FilterError(str(error), column) from None
    return pattern


class Pattern:
    """A pattern at work. Any thread may search."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self._compiled: regex.Pattern[str] = compiled(pattern)
        self._too_slow = 0

    @property
    def given_up(self) -> bool:
        """Whether it took too long too often: it finds nothing any more."""
        return self._too_slow >= PATIENCE

    @property
    def too_slow(self) -> int:
        """How many searches took too long, and so found nothing."""
        return self._too_slow

    def found_in(self, text: str) -> bool | None:
        """Whether it is found anywhere in a text; None, and counted, if that takes too long to tell."""
        if self.given_up:
            return None
        try:
            return self._compiled.search(text, timeout=SECONDS) is not None
        except TimeoutError:
            self._too_slow += 1
            return None
