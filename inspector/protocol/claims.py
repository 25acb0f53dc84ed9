"""Claims of a JWT (RFC 7519), read here and not verified."""

import base64
import binascii
from typing import Any

import msgspec

from inspector.documents import UNDECODABLE

_MAX_TOKEN_CHARS = 64 * 1024
MOST_SECONDS = 1e12
"""Latest valid time in a token, in seconds."""


def read_claims(token: str) -> dict[str, Any] | None:
    """Return the claims of a JWT; None for another token. Nothing is verified."""
    parts = token.split(".")
    if len(parts) != 3 or len(token) > _MAX_TOKEN_CHARS:
        return None
    try:
        value = msgspec.json.decode(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError, *UNDECODABLE):
        return None
    return value if isinstance(value, dict) else None


def audiences(claims: dict[str, Any]) -> tuple[str, ...]:
    """Return the audiences of a token: `aud` is a string or a list of strings."""
    aud = claims.get("aud")
    found = aud if isinstance(aud, list) else [aud]
    return tuple(each for each in found if isinstance(each, str))


def moment(claims: dict[str, Any], name: str) -> float | None:
    """Return a claim that is a time in seconds since 1970; None if it is invalid, or beyond the year 33,000."""
    value = claims.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < MOST_SECONDS:
        return None
    return float(value)
