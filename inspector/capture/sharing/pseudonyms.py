"""What stands in the place of a secret: a name made of it with a key, so that equal secrets stay equal.

The key is made anew for each copy and written nowhere, unless one is given: without it nobody can try guesses. A
pseudonym keeps the type of the value and the class of its length, never the length itself.
"""

import base64
import hashlib
import hmac
import re
from functools import lru_cache

_PREFIX = "rdct_"
_SHORTEST, _LONGEST = 12, 65536
PSEUDONYM = re.compile(rf"{_PREFIX}[a-z2-7]{{7,}}0*")
_DIGITS = (4, 8, 12, 15)
"""How many digits a number gets: the last is the most that every reader of JSON keeps."""


class Pseudonyms:
    """The pseudonyms under one key."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._digest = lru_cache(maxsize=1024)(self._computed)

    def text(self, secret: str) -> str:
        """The pseudonym of a text: letters and digits that nothing escapes. "" and what is one already stay."""
        if not secret or is_pseudonym(secret):
            return secret
        length = length_class(len(secret))
        name = base64.b32encode(self._digest(secret)).decode().lower().rstrip("=")
        return _PREFIX + name[: length - len(_PREFIX)].ljust(length - len(_PREFIX), "0")

    def number(self, literal: str) -> str:
        """The pseudonym of a number, as JSON: whole, without a sign, of one of few lengths."""
        digits = next((each for each in _DIGITS if len(literal) <= each), _DIGITS[-1])
        low = 10 ** (digits - 1)
        return str(low + int.from_bytes(self._digest(literal)[:16], "big") % (9 * low))

    def mark(self, secret: str) -> str:
        """What the manifest says of a secret, to find it again: 16 hexadecimal digits."""
        return self._digest(secret).hex()[:16]

    def _computed(self, secret: str) -> bytes:
        return hmac.new(self._key, secret.encode("utf-8", "surrogatepass"), hashlib.sha512).digest()


def length_class(length: int) -> int:
    """The class of a length in characters: 12, 16, 32, 64 and so on, at most 65536."""
    size = _SHORTEST
    while size < length and size < _LONGEST:
        size = 16 if size == _SHORTEST else size * 2
    return size


def is_pseudonym(text: str) -> bool:
    """Whether this stands in the place of a secret already."""
    return PSEUDONYM.fullmatch(text) is not None and len(text) == length_class(len(text))
