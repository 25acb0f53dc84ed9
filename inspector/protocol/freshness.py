"""Cache hints of a result: `ttlMs` and `cacheScope`, and their defects.

The lifetime starts at receipt. It is only shown: nothing is served from a cache, and nothing is fetched when a
result becomes stale. An invalid value counts as missing, and its defect is described.

Source: specification 2026-07-28, server/utilities/caching.
"""

from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.text import cut

SCOPES = ("public", "private")
_EXACT = 2**53
"""Beyond this, most JSON parsers do not read numbers exactly."""
_MOST_FLAWS = 10
"""Maximum number of flaws for all pages of a list together."""


class Freshness(msgspec.Struct, frozen=True):
    """The cache hints of a result."""

    received_ns: int
    """Time of receipt, on the journal's monotonic clock."""
    ttl_ms: int | None = None
    """Lifetime in milliseconds; None if missing or unusable."""
    scope: str = ""
    """One of "public", "private"; "" if missing or unknown."""
    flaws: tuple[str, ...] = ()
    """Defects of the values, as short phrases. May contain server text."""

    @property
    def given(self) -> bool:
        """Whether the server gave any cache hint, valid or not."""
        return self.ttl_ms is not None or bool(self.scope or self.flaws)

    @property
    def stale_from_ns(self) -> int | None:
        """Time at which it becomes stale; None if unknown."""
        return None if self.ttl_ms is None else self.received_ns + self.ttl_ms * 1_000_000


def read_freshness(result: Any, received_ns: int) -> Freshness:
    """Read the cache hints of a result."""
    ttl_ms, flaw = _ttl(result)
    scope, other = _scope(result)
    return Freshness(received_ns, ttl_ms, scope, tuple(each for each in (flaw, other) if each))


def _ttl(result: Any) -> tuple[int | None, str]:
    raw = peek.at(result, "ttlMs")
    if not peek.has(result, "ttlMs"):
        return None, ""
    if peek.number(result, "ttlMs") is None:
        message = f": {cut(raw, 40)!r}" if isinstance(raw, str) else ""
        return None, f"ttlMs is {_a(raw)}, not a number{message}"
    whole = peek.integer(result, "ttlMs")
    if whole is None:
        return None, f"ttlMs {raw!r} is not an integer"
    if whole < 0:
        return 0, f"ttlMs {_short(raw)} is negative: it counts as 0"
    return (None, f"ttlMs {_short(raw)} is too large") if whole > _EXACT else (whole, "")


def _a(raw: Any) -> str:
    name = peek.type_name(raw)
    return name if raw is None else f"an {name}" if name[0] in "ao" else f"a {name}"


def _short(raw: int | float) -> str:
    if isinstance(raw, int) and abs(raw) > _EXACT:
        return f"of {raw.bit_length()} bits"
    return f"{raw:.6g}" if abs(raw) > _EXACT else str(raw)


def _scope(result: Any) -> tuple[str, str]:
    raw = peek.at(result, "cacheScope")
    if not peek.has(result, "cacheScope"):
        return "", ""
    if raw in SCOPES:
        return str(raw), ""
    message = repr(raw[:40]) if isinstance(raw, str) else _a(raw)
    return "", f"cacheScope is {message}, not public or private"


def together(one: Freshness, other: Freshness) -> Freshness:
    """Combine two pages of a list: the one that becomes stale first determines the lifetime.

    "All pages of one list MUST share cacheScope": a difference is a flaw.
    """
    flaws = [*one.flaws, *(flaw for flaw in other.flaws if flaw not in one.flaws)][:_MOST_FLAWS]
    if one.scope and other.scope and one.scope != other.scope:
        flaws.append("cacheScope is not the same on all pages")
    ends = (one.stale_from_ns, other.stale_from_ns)
    first = one if ends[1] is None or (ends[0] is not None and ends[0] <= ends[1]) else other
    return Freshness(first.received_ns, first.ttl_ms, one.scope or other.scope, tuple(dict.fromkeys(flaws)))
