"""How much a change of a surface matters to whoever uses the server, and the change itself as a value."""

from enum import StrEnum
from typing import Any

import msgspec

from inspector.protocol.differences import ABSENT


class Rating(StrEnum):
    """Compare by `rank`."""

    BREAKING = "breaking"
    """What worked with the one may fail with the other."""
    WARNING = "warning"
    """Models, hosts or people will meet something else; or it can't be told whether what worked still does."""
    INFO = "info"
    """What worked still does."""

    @property
    def rank(self) -> int:
        """From 0, the worst, upwards."""
        return _RANKS[self]


_RANKS = {Rating.BREAKING: 0, Rating.WARNING: 1, Rating.INFO: 2}


class Act(StrEnum):
    """What has become of a thing or a place."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class SurfaceChange(msgspec.Struct, frozen=True):
    """One thing or place in which two surfaces differ. Names, path and values are foreign text."""

    kind: str
    """ "tools", "resources", "templates", "prompts", or the part of the server's account of itself."""
    name: str
    """The key of the thing; "" outside of lists."""
    path: str
    """Where in it, as member names; "" for all of it."""
    act: Act
    rating: Rating
    rule: str
    """The reason for the rating, by a short name that stays: "required-added"."""
    sentence: str
    """The reason in words. It may quote foreign text."""
    before: Any = ABSENT
    """ABSENT if there was nothing."""
    after: Any = ABSENT
    """ABSENT if there is nothing any more."""


def act_of(before: Any, after: Any) -> Act:
    """What has become of a place."""
    return Act.ADDED if before is ABSENT else Act.REMOVED if after is ABSENT else Act.CHANGED
