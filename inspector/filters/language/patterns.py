"""Regular expressions in filters, searched with a timeout.

Each search is limited in time. After several timeouts the pattern is abandoned, and the filter reports that.
Searches release the GIL.
"""

from typing import TYPE_CHECKING

from inspector.errors import FilterError
from inspector.forms.patterns import PatternUnusable, compiled

if TYPE_CHECKING:
    import regex

SECONDS = 0.05
"""Timeout of one search, in seconds."""
PATIENCE = 5
"""Number of timeouts after which a pattern is abandoned."""


def check(pattern: str, column: int) -> str:
    """Return the pattern if it is valid. Raises: FilterError."""
    try:
        compiled(pattern)
    except PatternUnusable as error:
        raise FilterError(str(error), column) from None
    return pattern


class Pattern:
    """A compiled pattern. Thread-safe."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self._compiled: regex.Pattern[str] = compiled(pattern)
        self.too_slow = 0
        """Number of searches that timed out without a result."""

    @property
    def given_up(self) -> bool:
        """Whether it was abandoned after too many timeouts: it finds nothing any more."""
        return self.too_slow >= PATIENCE

    def found_in(self, text: str) -> bool | None:
        """Return whether it is found anywhere in a text; None after a timeout, which is counted."""
        if self.given_up:
            return None
        try:
            return self._compiled.search(text, timeout=SECONDS) is not None
        except TimeoutError:
            self.too_slow += 1
            return None
