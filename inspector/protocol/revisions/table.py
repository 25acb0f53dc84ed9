"""The five revisions in order, and the lookup by version string.

Version strings are identifiers, compared for equality. An unknown string uses the newest row of its era, with a
warning, because a newer revision resembles that row most.
"""

from msgspec.structs import replace

from inspector.protocol.revisions._shape import Era, Revision
from inspector.protocol.revisions.r2024_11_05 import R2024_11_05
from inspector.protocol.revisions.r2025_03_26 import R2025_03_26
from inspector.protocol.revisions.r2025_06_18 import R2025_06_18
from inspector.protocol.revisions.r2025_11_25 import R2025_11_25
from inspector.protocol.revisions.r2026_07_28 import R2026_07_28

ROWS: tuple[Revision, ...] = (R2024_11_05, R2025_03_26, R2025_06_18, R2025_11_25, R2026_07_28)

APPS_VERSION = "2026-01-26"
"""Protocol version of MCP Apps between a View and its host."""
NEWEST = ROWS[-1]


def newest_of(era: Era) -> Revision:
    """Return the newest row of an era, which we offer."""
    return next(row for row in reversed(ROWS) if row.era is era)


def find(date: str) -> Revision | None:
    """Return the row with exactly this version string; None if there is none."""
    return next((row for row in ROWS if row.date == date), None)


def is_known(date: str) -> bool:
    """Return whether a row has this version string."""
    return find(date) is not None


def resolve(date: str, era: Era | None = None) -> tuple[Revision, str]:
    """Return the row to use for a version string, with `date` set to that string, and a warning or "".

    `era` is how the conversation was opened; if None, an unknown string is taken for a modern one.
    """
    row = find(date)
    if row is not None and era in (None, row.era):
        return row, ""
    base = newest_of(era or NEWEST.era)
    if row is not None:
        rules = replace(base, agreed=date) if era is Era.LEGACY else base
        return rules, f"{date} was agreed on by {_opening(era)}; going on by the rules of {base.date}"
    return replace(base, date=date), f"unknown protocol version {date!r}; using the rules of {base.date}"


def mutual(offered: list[str], era: Era) -> str | None:
    """Return the newest version string of an era that both sides support; None if there is none."""
    return next((row.date for row in reversed(ROWS) if row.era is era and row.date in offered), None)


def dates(era: Era | None = None) -> tuple[str, ...]:
    """Return all version strings, oldest first, of one era or of both."""
    return tuple(row.date for row in ROWS if era in (None, row.era))


def _opening(era: Era | None) -> str:
    return "server/discover" if era is Era.MODERN else "initialize"
