"""Secrets whose values are known: given, found in the environment, or seen at a place that says so.

They are looked for everywhere, in every spelling that a text may have: as they are, escaped as in JSON, as in URLs, in
base64 at any of its three offsets, in hexadecimal digits.
"""

import base64
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from inspector.capture.sharing.seeking import Seeker

MOST = 500
"""How many values are learnt and looked for everywhere."""
_SHORTEST_IN_BASE64 = 6
_SHORTEST_ACROSS = 8
_HARMLESS = frozenset(
    {
        *("PATH", "TERM", "SHELL", "LANG", "LANGUAGE", "TZ", "PWD", "OLDPWD", "SHLVL"),
        *("EDITOR", "VISUAL", "PAGER", "DISPLAY", "COLORTERM", "NO_COLOR", "HOME", "USER", "LOGNAME"),
        *("TMPDIR", "TEMP", "TMP", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MAIL", "CI", "DEBIAN_FRONTEND"),
        *("PYTHONPATH", "VIRTUAL_ENV", "NODE_ENV"),
    }
)
_LETTER = re.compile(rb"\\+u([0-9A-Fa-f]{4})")
_SIGN = re.compile(rb'\\+(["/\\])')


class Secret(NamedTuple):
    """A value that must not be given away."""

    value: str
    rule: str
    spellings: tuple[tuple[str, str], ...]
    """How it may be spelt, each with the name of that spelling; plain comes first."""


class Known:
    """All secrets that are known so far, long ones before short ones."""

    def __init__(self) -> None:
        self._by_value: dict[str, Secret] = {}
        self._by_spelling: dict[bytes, list[tuple[Secret, str]]] = {}
        self._seeker = Seeker()
        self._plain_seeker = Seeker()
        self._sorted: list[Secret] | None = None
        self._learnt = 0
        self.unlearnt = 0
        """How many were not taken in, because there were too many."""

    def __iter__(self) -> Iterator[Secret]:
        return iter(self._in_order())

    def __len__(self) -> int:
        return len(self._by_value)

    def add(self, value: str, rule: str) -> None:
        """Look for this value from now on."""
        if value and value not in self._by_value:
            secret = self._by_value[value] = Secret(value, rule, tuple(_spellings(value)))
            self._sorted = None
            if len(value) >= _SHORTEST_ACROSS and _encoded(value).decode("utf-8", "surrogateescape") == value:
                self._plain_seeker.add(_encoded(value))
            for spelling, name in secret.spellings:
                spelt = self._by_spelling.setdefault(_encoded(spelling), [])
                if not spelt:
                    self._seeker.add(_encoded(spelling))
                spelt.append((secret, name))

    def secret(self, value: str, rule: str) -> Secret:
        """A value with its spellings, for one line alone: it is not looked for elsewhere."""
        return self._by_value.get(value) or Secret(value, rule, tuple(_spellings(value)))

    def learn(self, value: str, rule: str) -> None:
        """Look for a value that was found at a telling place, if it is not likely to stand elsewhere by chance."""
        if value in self._by_value or not is_telling(value) or len(value) > 100_000:
            return
        if self._learnt >= MOST:
            self.unlearnt += 1
            return
        self._learnt += 1
        self.add(value, rule)

    def may_be_in(self, data: bytes) -> bool:
        """Whether one may occur in bytes: never false if one does. For many bytes it is much cheaper than `within`."""
        return self._seeker.may_find(data)

    def within(self, data: bytes) -> list[Secret]:
        """Those that occur in bytes in any spelling; with one spelling, the plain one, where no other occurs."""
        found: dict[str, Secret] = {}
        for spelling in self._seeker.found(data) if self._by_value else ():
            for secret, _ in self._by_spelling[spelling]:
                plain = secret.spellings[:1]
                if spelling != _encoded(plain[0][0]):
                    found[secret.value] = secret
                else:
                    found.setdefault(secret.value, secret._replace(spellings=plain))
        return sorted(found.values(), key=lambda each: (-len(each.value), each.value))

    def plain_within(self, data: bytes) -> list[Secret]:
        """Those of at least eight characters that occur as they are."""
        return [self._by_value[each.decode("utf-8", "surrogateescape")] for each in self._plain_seeker.found(data)]

    def hidden(self, data: bytes) -> list[Secret]:
        """The same, where escapes of JSON may stand for any sign of a value, in whatever depth."""
        if b"\\" not in data:
            return self.within(data)
        letters = _LETTER.sub(_letter, data)
        found = {each.value for form in (data, letters, _SIGN.sub(rb"\1", letters)) for each in self.within(form)}
        return [each for each in self if each.value in found]

    def survivor(self, data: bytes) -> tuple[Secret, str, int] | None:
        """The first place in bytes where a secret is left, and how it is spelt there; None if there is none."""
        left = [(data.find(spelling), spelling) for spelling in self._seeker.found(data)] if self._by_value else []
        if not left:
            return None
        place, spelling = min(left)
        secret, name = self._by_spelling[spelling][0]
        return secret, name, place

    def longest(self) -> int:
        """Bytes of the longest spelling."""
        return max(map(len, self._by_spelling), default=0)

    def _in_order(self) -> list[Secret]:
        if self._sorted is None:
            self._sorted = sorted(self._by_value.values(), key=lambda each: -len(each.value))
        return self._sorted


def is_telling(value: str) -> bool:
    """Whether a value is unlikely to stand anywhere by chance, so that it can be looked for everywhere."""
    if len(value) < 8:
        return False
    if len(value) >= 20:
        return len(set(value)) > 5
    has_digit = any(char.isdigit() for char in value)
    has_letter = any(char.isalpha() for char in value)
    return has_digit and has_letter and len(set(value)) > 4


def is_harmless_variable(name: str) -> bool:
    """Whether a variable of this name is in every environment, and its value no secret."""
    return name in _HARMLESS or name.startswith(("LC_", "XDG_"))


@lru_cache(maxsize=65536)
def _encoded(spelling: str) -> bytes:
    return spelling.encode("utf-8", "surrogateescape" if _is_of_bytes(spelling) else "surrogatepass")


def _is_of_bytes(text: str) -> bool:
    return not text.isascii() and all(not 0xD800 <= ord(c) < 0xE000 or 0xDC80 <= ord(c) <= 0xDCFF for c in text)


def _spellings(value: str) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for spelling, name in _all_spellings(value):
        if spelling not in seen:
            seen.add(spelling)
            yield spelling, name


def _all_spellings(value: str) -> Iterator[tuple[str, str]]:
    yield value, "as it is"
    escaped = []
    for ascii_only in (False, True):
        text = value
        for _ in range(3):
            text = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
            escaped.append(text)
    for text in escaped:
        yield text, "escaped as in JSON"
        for slash in ("\\/", "\\\\/"):
            yield text.replace("/", slash), "escaped as in JSON"
    data = _encoded(value)
    for text in (quote(data, safe=""), quote_plus(data, safe=""), quote(data), quote(data, safe="").lower()):
        yield text, "as in a URL"
    if len(data) >= _SHORTEST_IN_BASE64:
        for text in (value, escaped[0], escaped[3]):
            for spelling in _in_base64(_encoded(text)):
                yield spelling, "in base64"
                yield spelling.translate(_URL_SAFE), "in base64"
                yield spelling.replace("/", "\\/"), "in base64"
        yield data.hex(), "in hexadecimal digits"
        yield data.hex().upper(), "in hexadecimal digits"


def _letter(found: re.Match[bytes]) -> bytes:
    code = int(found[1], 16)
    return found[0] if 0xD800 <= code < 0xE000 else chr(code).encode()


_URL_SAFE = str.maketrans("+/", "-_")


def _in_base64(data: bytes) -> Iterator[str]:
    """The digits that are the same whatever stands before and behind, for each of the three offsets."""
    for offset in range(3):
        text = base64.b64encode(b"\0" * offset + data).decode().rstrip("=")
        skipped = (0, 2, 3)[offset]
        whole = (offset + len(data)) * 8 // 6
        yield text[skipped:whole]


def as_bytes(text: str) -> bytes:
    """The bytes of a text that was made of bytes, or that holds half a sign."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
