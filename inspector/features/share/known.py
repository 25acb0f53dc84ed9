"""Replaces secrets with known values: given, from the environment, or from a member that names one.

They are looked for everywhere, in every spelling that a text may have: as they are, escaped as in JSON, as in URLs, in
base64 at any of its three offsets, in hexadecimal digits.
"""

import base64
import hashlib
import hmac
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from inspector.errors import UsageError

# Search for many known values at once

_PIECE = 4
_LOOKED_AT = 200
"""Bytes of a value among which its pieces are chosen."""
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz ")


class Seeker:
    """Values that are looked for together."""

    def __init__(self) -> None:
        self._tiny: list[bytes] = []
        self._steps = (_Step(2), _Step(1))

    def add(self, value: bytes) -> None:
        """Look for this value, too. It is not empty, and was not added before."""
        for step in self._steps:
            if len(value) >= step.window:
                step.add(value)
                return
        self._tiny.append(value)

    def may_find(self, data: bytes) -> bool:
        """Whether a value may occur in bytes: never false if one does. For many bytes it is much cheaper."""
        pieces = _pieces(data)
        return any(value in data for value in self._tiny) or any(step.may_meet(pieces) for step in self._steps)

    def found(self, data: bytes) -> set[bytes]:
        """All values that occur in bytes."""
        found = {value for value in self._tiny if value in data}
        pieces = _pieces(data)
        for step in self._steps:
            if step.pieces:
                step.seek(data, pieces, found)
        return found


def _pieces(data: bytes) -> memoryview:
    return memoryview(data)[: len(data) // _PIECE * _PIECE].cast("I")


class _Step:
    """Values that are met when every so many pieces one is looked at."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._ways = every * _PIECE
        self.window = self._ways + _PIECE - 1
        """Bytes of the shortest value."""
        self._by_piece: dict[int, list[bytes]] = {}
        self.pieces: set[int] = set()

    def add(self, value: bytes) -> None:
        pieces = [int.from_bytes(value[at : at + _PIECE], sys.byteorder) for at in range(len(value[:_LOOKED_AT]) - 3)]
        start = self._rarest(value, pieces)
        for piece in pieces[start : start + self._ways]:
            self._by_piece.setdefault(piece, []).append(value)
            self.pieces.add(piece)

    def _rarest(self, value: bytes, pieces: list[int]) -> int:
        """Where those pieces of a value begin that are the least likely to be met elsewhere, or in other values."""
        costs = [
            100 * len(self._by_piece.get(piece, ())) - (value[at] not in _PLAIN) for at, piece in enumerate(pieces)
        ]
        return min(range(len(pieces) - self._ways + 1), key=lambda start: sum(costs[start : start + self._ways]))

    def may_meet(self, pieces: memoryview) -> bool:
        return bool(self.pieces) and not self.pieces.isdisjoint(pieces[:: self._every])

    def seek(self, data: bytes, pieces: memoryview, found: set[bytes]) -> None:
        """Add what is in the data to what was found."""
        for piece in self.pieces.intersection(pieces[:: self._every]):
            found.update(value for value in self._by_piece[piece] if value not in found and value in data)


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


class KnownSecrets:
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
        """Look for a value that was found at a telling place, if it is unlikely to occur by chance."""
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
    """Whether a value is unlikely to occur by chance, so that it can be searched everywhere."""
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
    """The digits that do not depend on their neighbours, for each of the three offsets."""
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


# Pseudonyms: equal secrets get equal names

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
    """Whether this is a pseudonym already."""
    return PSEUDONYM.fullmatch(text) is not None and len(text) == length_class(len(text))


# Secret members of JSON, valid or not

_TOKEN = re.compile(
    r'("(?:[^"\\]++|\\.)*+"\s*+:)|("(?:[^"\\]++|\\.)*+"?)|(-?\d[\d.eE+-]*+)|([{\[])|([}\]])|(,)|true|false|null', re.S
)
_KEY, _STRING, _NUMBER, _OPEN, _CLOSE, _COMMA = range(1, 7)
_SCHEMAS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Below them a name is that of a schema, not of a value."""
_VALUES = frozenset({"default", "const", "examples", "example", "enum"})
"""What of a schema is a value."""
_NAMES = frozenset({"name", "key", "header", "variable", "field"})
"""What may name the `value` beside it."""
_DEEPEST = 1000


class Span(NamedTuple):
    """A key, a string or a number."""

    start: int
    end: int
    is_key: bool
    is_number: bool
    is_secret: bool


class Level:
    """One object or array that is open."""

    __slots__ = ("hot", "index", "is_list", "key", "named", "schema")

    def __init__(self, *, is_list: bool, hot: bool, schema: str) -> None:
        self.is_list = is_list
        self.hot = hot
        """Whether all values in it are secret."""
        self.schema = schema
        """"names" where its keys name schemas; "secret" for the schema of a secret."""
        self.key = ""
        self.index = 0
        self.named = False
        """Whether its `value` is one of a secret name."""


def spans(text: str, start: int, is_secret: Callable[[str], bool], levels: list[Level]) -> Iterator[Span]:
    """Keys, strings and numbers from a place on, in order. `levels`, empty at first, has what is open at each."""
    for found in _TOKEN.finditer(text, start):
        kind, top = found.lastindex, levels[-1] if levels else None
        if kind == _KEY:
            if top is not None:
                top.key = unquoted(found.group().rstrip()[:-1].rstrip())
            end = found.start() + len(found.group()[:-1].rstrip())
            yield Span(found.start(), end, True, False, False)
        elif kind in (_STRING, _NUMBER):
            hot = _is_hot(top, is_secret)
            yield Span(found.start(), found.end(), False, kind == _NUMBER, hot)
            if top is not None and kind == _STRING and top.key in _NAMES and len(found.group()) < 200:
                top.named = top.named or is_secret(unquoted(found.group()))
        elif kind == _OPEN:
            if len(levels) < _DEEPEST:
                levels.append(_opened(top, found.group() == "[", is_secret))
        elif kind == _CLOSE:
            if levels:
                levels.pop()
        elif kind == _COMMA and top is not None:
            top.index += 1


def unquoted(literal: str) -> str:
    """The text of a string in JSON; parts that can't be read are kept."""
    if not literal.endswith('"') or len(literal) < 2:
        literal += '"'
    if "\\" not in literal:
        return literal[1:-1]
    try:
        text = json.loads(literal, strict=False)
    except ValueError:
        return literal[1:-1]
    return text if isinstance(text, str) else literal[1:-1]


def _is_hot(top: Level | None, is_secret: Callable[[str], bool]) -> bool:
    if top is None:
        return False
    if top.hot:
        return True
    if top.is_list or top.schema == "names":
        return False
    if top.schema == "secret":
        return top.key in _VALUES
    return is_secret(top.key) or (top.named and top.key == "value")


def _opened(top: Level | None, is_list: bool, is_secret: Callable[[str], bool]) -> Level:
    if top is None:
        return Level(is_list=is_list, hot=False, schema="")
    if top.schema == "names" and not is_list:
        return Level(is_list=False, hot=False, schema="secret" if is_secret(top.key) else "")
    if not is_list and not top.is_list and not top.hot and top.key in _SCHEMAS:
        return Level(is_list=False, hot=False, schema="names")
    return Level(is_list=is_list, hot=_is_hot(top, is_secret), schema="")


def path_of(levels: list[Level]) -> tuple[str, ...]:
    """Names and numbers on the way to where one is, the last of which is its own."""
    return tuple([str(each.index) if each.is_list else each.key for each in levels])


# Replacing secrets


class Replacement(NamedTuple):
    """One replacement, as the manifest tells it."""

    rule: str
    path: str
    length: int
    """The class of the length, never the length."""
    mark: str
    kind: str
    """"string" or "number"."""


class Replacing:
    """Replaces what it is asked to, and known values."""

    def __init__(self, pseudonyms: Pseudonyms, known: KnownSecrets, *, learns: bool) -> None:
        """`learns`: what is replaced is known from then on."""
        self._pseudonyms = pseudonyms
        self._known = known
        self._learns = learns
        self.active: list[Secret] = []
        """The values that are looked for in what follows, and no others."""
        self.where = ""
        """The field of a record that one is in."""
        self.within: list[list[Level]] = []
        """What is open of each JSON that one is in, the outermost first."""
        self.found: list[Replacement] = []
        """Since it was last emptied."""

    def secret(self, secret: str, rule: str) -> str:
        """What stands for a text."""
        new = self._pseudonyms.text(secret)
        if new != secret:
            self._note(secret, rule, "string")
            if self._learns and rule not in ("user", "home"):
                self._known.learn(secret, rule)
        return new

    def number(self, literal: str, rule: str) -> str:
        """The replacement of a number, as JSON."""
        self._note(literal, rule, "number")
        return self._pseudonyms.number(literal)

    def plain(self, text: str) -> str:
        """Replace the values that are known, as they are."""
        for secret in self.active:
            if secret.value in text:
                text = text.replace(secret.value, self.secret(secret.value, secret.rule))
        return text

    def spelt(self, text: str) -> str:
        """Replace the values that are known, in whatever spelling."""
        for secret in self.active:
            for spelling, _ in secret.spellings:
                if spelling in text:
                    text = text.replace(spelling, self.secret(secret.value, secret.rule))
        return text

    def rule_of(self, literal: str) -> str:
        """The rule of a known value within a number; "" if there is none."""
        return next((secret.rule for secret in self.active if secret.value in literal), "")

    def activate_within(self, text: str) -> list[Secret]:
        """Search a text that was encoded; what was searched before."""
        before, self.active = self.active, self._known.hidden(as_bytes(text))
        return before

    def _note(self, secret: str, rule: str, kind: str) -> None:
        path = ".".join([self.where, *(step for levels in self.within for step in path_of(levels))])
        self.found.append(Replacement(rule, path, length_class(len(secret)), self._pseudonyms.mark(secret), kind))


# Paths of members, such as `params.arguments.path` with `*` as wildcard

_STEP = re.compile(r"\.?(?:\[(\d+|\*)\]|\[['\"]([^'\"\]]+)['\"]\]|([^.\[\]]+))")


class JsonPath(tuple[str, ...]):
    """The steps from a message to a value; "*" is any."""

    __slots__ = ()

    def covers(self, path: tuple[str, ...]) -> bool:
        """Whether a value at `path` is selected, or within a selected one."""
        return len(path) >= len(self) and all(step in ("*", name) for step, name in zip(self, path, strict=False))


def read_path(text: str) -> JsonPath:
    """Read a path.

    Raises: UsageError.
    """
    steps: list[str] = []
    at = 2 if text.startswith("$.") else 1 if text.startswith("$[") or text == "$" else 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            break
        steps.append(next(each for each in found.groups() if each is not None))
        at = found.end()
    if not steps or at < len(text):
        raise UsageError(f"{text!r} is no path into a message", hint="Write names with dots: params.arguments.path")
    return JsonPath(steps)
