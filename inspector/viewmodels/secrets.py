"""What must not be read over a shoulder: header values and parts of URLs that give access to something.

Masked is what is shown. The bytes stay as they are; who asks for them, with a key of his own, gets them.
"""

import re

from inspector.viewmodels import text

MASK = "••••••"
_LONGEST = 2000
"""Characters of a URL that are looked at and shown."""

_WORDS = r"(?<![a-z])(?:key|pass|pwd|auth|jwt|session)(?![a-z])"
"""Secret as a word of their own: not in "keyboard", "compass" or "author"."""
_NAMES = re.compile(
    rf"authorization|cookie|token|secret|password|passwd|passphrase|api[-_]?key|credential|signature|{_WORDS}",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"(Bearer|Basic|Digest|Negotiate|DPoP|Token)\s+(?=\S)", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^/?#@\s]*@")
_IN_QUERY = re.compile(
    rf"(?<=[?&#])([^=&#\s]*(?:token|secret|password|api[-_]?key|signature|code|auth|sig|{_WORDS})[^=&#\s]*=)[^&#\s]*",
    re.IGNORECASE,
)


def is_secret(name: str) -> bool:
    """Whether the value of a header, or of a variable, of this name is nobody else's business."""
    return _NAMES.search(name) is not None


def masked_value(name: str, value: str) -> str:
    """Return a header's value, safe to show; of a secret one only its scheme and its length.

    A redacted value keeps enough to tell an empty token from a cut one.
    """
    if not is_secret(name):
        return masked_url(value) if "://" in value or "?" in value else text.visible(value)
    scheme = _SCHEME.match(value)
    kept = scheme.group() if scheme else ""
    hidden = len(value) - len(kept)
    return f"{kept}{MASK} ({hidden} characters)" if hidden else f"{text.visible(kept)}(empty)"


def masked_url(url: str) -> str:
    """Return a URL, safe to show, without user, password and the values of telling query parameters."""
    shown = url[:_LONGEST]
    masked = _IN_QUERY.sub(rf"\1{MASK}", _USERINFO.sub(f"{MASK}@", shown))
    return text.visible(masked) + ("…" if len(url) > _LONGEST else "")
