"""What gives access, known by its name: in headers, in URLs, on command lines; and what is shown in its place.

Names decide, not values. The one place that knows them: captures are written, and targets, findings and messages are
told, without what is found here. Text stays as it is otherwise: whoever shows it makes it safe.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

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
_USERINFO = re.compile(rf"{USERINFO.pattern}|(?<=http:/)[^/?#@\s]+@|(?<=https:/)[^/?#@\s]+@")
"""Also where a URL was taken for a path, which has one slash."""
_ASSIGNED = re.compile(r"(-{0,2}[A-Za-z_][\w.-]*)=(.+)", re.DOTALL)
_WITHIN = re.compile(r"(?<![\w?&#.-])(-{0,2}[A-Za-z_][\w.-]*)=('[^']*'|\"[^\"]*\"|[^\s'\"]+)")
_HEADER = re.compile(r"([A-Za-z][\w-]*):\s*(\S.*)", re.DOTALL)


def in_query(words: str) -> re.Pattern[str]:
    """What finds the telling parameters of a URL: group 1 is the name with its sign, what follows is the value."""
    telling = rf"token|secret|password|api[-_]?key|signature|code|auth|sig|{words}"
    return re.compile(rf"(?<=[?&#])([^=&#\s]*(?:{telling})[^=&#\s]*=)[^&#\s]*", re.IGNORECASE)


_IN_QUERY = in_query(_WORDS)


@lru_cache(maxsize=512)
def is_credential(name: str) -> bool:
    """Whether a header, a variable or an option of this name gives access by its value."""
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
    """A URL, or a text with URLs in it, without users, passwords and the values of telling parameters."""
    return _IN_QUERY.sub(rf"\1{MASK}", _USERINFO.sub(f"{MASK}@", url)) if "@" in url or "=" in url else url


def command_without_credentials(argv: Iterable[str]) -> tuple[str, ...]:
    """A command without the values of telling options, variables and headers, and with its URLs as above."""
    shown: list[str] = []
    is_value = False
    for word in argv:
        if is_value and not word.startswith("-"):
            shown.append(MASK)
            is_value = False
            continue
        is_value = word.startswith("-") and "=" not in word and " " not in word and is_credential(word)
        shown.append(_word(word))
    return tuple(shown)


def _word(word: str) -> str:
    assigned, header = _ASSIGNED.fullmatch(word), _HEADER.fullmatch(word)
    if assigned is not None and is_credential(assigned[1]):
        return f"{assigned[1]}={MASK}"
    if header is not None and is_credential(header[1]):
        return f"{header[1]}: {mask(header[2])}"
    return without_credentials(_WITHIN.sub(_assigned_within, word) if "=" in word else word)


def _assigned_within(found: re.Match[str]) -> str:
    return f"{found[1]}={MASK}" if is_credential(found[1]) else found[0]
