"""What must not be read over a shoulder: header values and parts of URLs that give access to something.

Masked is what is shown. The bytes stay as they are; who asks for them, with a key of his own, gets them, as long as
they are at hand: a capture has been written without them.
"""

import re

from inspector.capture.redact import MASK, USERINFO, is_credential, mask
from inspector.protocol.credentials import without_parameters
from inspector.viewmodels import text

__all__ = ["MASK", "is_secret", "masked_url", "masked_value"]

_LONGEST = 2000
"""Characters of a URL that are looked at and shown."""
_SESSION = re.compile(r"(?<![a-z])session(?![a-z])", re.IGNORECASE)
"""Gives access for as long as the session lasts, which is over when a capture is read."""


def is_secret(name: str) -> bool:
    """Whether the value of a header, or of a variable, of this name is nobody else's business."""
    return is_credential(name) or _SESSION.search(name) is not None


def masked_value(name: str, value: str) -> str:
    """Return a header's value, safe to show; of a secret one only its scheme and its length.

    A redacted value keeps enough to tell an empty token from a cut one.
    """
    if not is_secret(name):
        return masked_url(value) if "://" in value or "?" in value else text.visible(value)
    return text.visible(mask(value)) if value else "(empty)"


def masked_url(url: str, *, limit: int = _LONGEST) -> str:
    """Return a URL, safe to show, without user, password and the values of telling query parameters.

    `limit`: characters of it that are shown; the rest is "…".
    """
    shown = url[:limit]
    masked = without_parameters(USERINFO.sub(f"{MASK}@", shown), sessions=True)
    return text.visible(masked) + ("…" if len(url) > limit else "")
