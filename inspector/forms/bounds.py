"""How much work a server's schemas may make here: bounds that hold for the whole process, and that a person may move.

They guard whoever looks, not one conversation, so there is one set of them. Depth has none that could be moved: what
is nested deeper than Python's own stack allows can't be judged by anybody here.
"""

from typing import Final, NamedTuple

SCHEMA: Final = 100_000
PATTERN_MS: Final = 100
_SECONDS: Final = 0.25


class Bounds(NamedTuple):
    """What is done at most."""

    schema: int = SCHEMA
    """Parts of a schema that is judged, and steps of one judgement: half a second, or 10,000 items of some members."""
    pattern_ms: int = PATTERN_MS
    """For one search for a pattern."""

    @property
    def seconds(self) -> float:
        """For one judgement, if a clock is given: longer where more steps are let."""
        return _SECONDS * max(1.0, self.schema / SCHEMA)


class _Holder:
    now = Bounds()


def bounds() -> Bounds:
    """Those that hold."""
    return _Holder.now


def move(to: Bounds) -> Bounds:
    """Have others hold from now on; those that held before."""
    before, _Holder.now = _Holder.now, to
    return before
