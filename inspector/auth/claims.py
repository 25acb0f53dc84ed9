"""What a token says of itself, where it is a JWT (RFC 7519): read here, on this machine, and not verified.

Whether a token is good is for the server to say, which has the keys. What is read here explains its refusals.
"""

import base64
import binascii
from collections.abc import Iterator
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from inspector.auth.addresses import covers
from inspector.auth.wishes import Token

_LONGEST = 64 * 1024
_KEPT = 4
"""Characters at each end of a token that may be shown."""
_SHORTEST = 24
"""A token of fewer characters is shown as none: its ends would be too much of it."""
MOST_SECONDS = 1e12
"""No time that a token may tell of is further away, in seconds."""
SKEW_S = 60
"""Seconds that two clocks may differ before it is worth a word."""


def read_claims(token: str) -> dict[str, Any] | None:
    """The claims of a JWT; None for a token that is none. Nothing is verified."""
    parts = token.split(".")
    if len(parts) != 3 or len(token) > _LONGEST:
        return None
    try:
        value = msgspec.json.decode(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError, msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def shortened(token: str) -> str:
    """Enough of a token to tell it from another, and no more."""
    if len(token) < _SHORTEST:
        return f"({len(token)} characters)"
    return f"{token[:_KEPT]}…{token[-_KEPT:]} ({len(token)} characters)"


def audiences(claims: dict[str, Any]) -> tuple[str, ...]:
    """Whom a token is for: `aud` is a text or a list of them."""
    aud = claims.get("aud")
    found = aud if isinstance(aud, list) else [aud]
    return tuple(each for each in found if isinstance(each, str))


def moment(claims: dict[str, Any], name: str) -> float | None:
    """A claim that is a time: seconds since 1970; None if it is none, or beyond the year 33,000."""
    value = claims.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < MOST_SECONDS:
        return None
    return float(value)


def doubts(token: Token, server_url: str, now: float) -> Iterator[str]:
    """What would have a server refuse the token, a sentence each. `now`: seconds since 1970, by our clock."""
    claims = read_claims(token.access_token)
    expires = token.expires_at
    if claims is not None:
        who = audiences(claims)
        if who and not any(covers(each, server_url) for each in who):
            yield f"it is for {', '.join(who)}, and not for {server_url}"
        issuer = claims.get("iss")
        if isinstance(issuer, str) and issuer.rstrip("/") != token.issuer.rstrip("/"):
            yield f"its issuer is {issuer}, and {token.issuer} gave it"
        begins = moment(claims, "nbf")
        if begins is not None and begins > now + SKEW_S:
            yield f"it begins to be good in {begins - now:.0f} s: are both clocks right?"
        said = moment(claims, "exp")
        expires = said if said is not None else expires
    if expires is not None and expires <= now:
        yield f"it expired {now - expires:.0f} s ago"


def skew_s(date: str, now: float) -> float | None:
    """How far our clock is ahead of one that a `Date` header tells of, in seconds; None if it tells of none."""
    try:
        there = parsedate_to_datetime(date)
        return now - (there if there.tzinfo else there.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def skew_sentence(skew: float) -> str:
    """The same for a person; "" where the clocks agree."""
    if abs(skew) <= SKEW_S:
        return ""
    way = "ahead of" if skew > 0 else "behind"
    return f"our clock is {abs(skew) / 60:.0f} min {way} the server's"
