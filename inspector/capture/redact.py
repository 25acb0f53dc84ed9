"""What gives access and is not written: credentials in HTTP headers and in URLs, taken out before the capture has them.

Names decide, not values: a header is known by its name, a part of a query by its own. What stands instead keeps the
scheme and the length, which is enough to tell an empty token from a cut one. Messages are never touched here.
"""

import re
from functools import lru_cache

import msgspec

from inspector.protocol.facts import ConnectionFact, Fact, Headers, HttpFact
from inspector.protocol.frames import Frame

MASK = "••••••"
_WORDS = r"(?<![a-z])(?:key|pass|pwd|auth|jwt)(?![a-z])"
"""Secret as a word of their own: not in "keyboard", "compass" or "author"."""
_CREDENTIAL = re.compile(
    rf"authorization|cookie|token|secret|password|passwd|passphrase|api[-_]?key|credential|signature|{_WORDS}",
    re.IGNORECASE,
)
SCHEME = re.compile(r"(Bearer|Basic|Digest|Negotiate|DPoP|Token)\s+(?=\S)", re.IGNORECASE)
_MASKED = re.compile(rf"(?:[A-Za-z]+\s+)?{MASK} \(\d+ characters\)")
USERINFO = re.compile(r"(?<=://)[^/?#@\s]*@")


def in_query(words: str) -> re.Pattern[str]:
    """What finds the telling parameters of a URL: group 1 is the name with its sign, what follows is the value."""
    telling = rf"token|secret|password|api[-_]?key|signature|code|auth|sig|{words}"
    return re.compile(rf"(?<=[?&#])([^=&#\s]*(?:{telling})[^=&#\s]*=)[^&#\s]*", re.IGNORECASE)


_IN_QUERY = in_query(_WORDS)
_IN_URLS = ("location", "content-location", "referer", "link")


@lru_cache(maxsize=512)
def is_credential(name: str) -> bool:
    """Whether a header of this name gives access by its value."""
    return _CREDENTIAL.search(name) is not None


def mask(value: str) -> str:
    """What stands instead of a credential: its scheme and its length. What is masked already stays."""
    if _MASKED.fullmatch(value):
        return value
    scheme = SCHEME.match(value)
    kept = scheme.group() if scheme else ""
    return f"{kept}{MASK} ({len(value) - len(kept)} characters)" if len(value) > len(kept) else value


def is_masked(value: str) -> bool:
    """Whether this stands instead of a credential."""
    return _MASKED.fullmatch(value) is not None


def without_credentials(url: str) -> str:
    """A URL without user, password and the values of telling parameters."""
    return _IN_QUERY.sub(rf"\1{MASK}", USERINFO.sub(f"{MASK}@", url)) if "@" in url or "=" in url else url


def redacted(what: Frame | Fact) -> Frame | Fact:
    """The same without credentials; the very same if there are none."""
    if isinstance(what, HttpFact):
        headers, target = _headers(what.headers), without_credentials(what.target)
        if headers != what.headers or target != what.target:
            return msgspec.structs.replace(what, headers=headers, target=target)
    elif isinstance(what, ConnectionFact) and (url := without_credentials(what.url)) != what.url:
        return msgspec.structs.replace(what, url=url)
    return what


def _headers(headers: Headers) -> Headers:
    return tuple((name, _value(name, value)) for name, value in headers)


def _value(name: str, value: str) -> str:
    if is_credential(name):
        return mask(value)
    return without_credentials(value) if name.lower() in _IN_URLS else value
