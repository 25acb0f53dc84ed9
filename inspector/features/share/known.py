"""Replaces secrets with known values: given, from the environment, or from a member that names one.

They are searched everywhere and in every spelling: plain, escaped as in JSON or URLs, in base64 at any of its three
offsets, in hexadecimal.
"""

import base64
import hashlib
import hmac
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from inspector.errors import UsageError

_PIECE_BYTES = 4
_LOOKED_AT = 200
"""Number of bytes of a value from which its pieces are chosen."""
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz ")
MOST = 500
"""Maximum number of values that are learned and searched everywhere."""
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
_LETTER = re.compile(rb"(?<!\\)\\+u([0-9A-Fa-f]{4})")
_SIGN = re.compile(rb'(?<!\\)\\+(["/\\])')
_URL_SAFE = str.maketrans("+/", "-_")
_PREFIX = "rdct_"
_SHORTEST, _LONGEST = 12, 65536
PSEUDONYM = re.compile(rf"{_PREFIX}[a-z2-7]{{7,}}0*")
_DIGITS = (4, 8, 12, 15)
"""Possible numbers of digits of a pseudonym. The last is the most that every JSON reader preserves."""
_TOKEN = re.compile(
    r'("(?:[^"\\]++|\\.)*+"\s*+:)|("(?:[^"\\]++|\\.)*+"?)|(-?\d[\d.eE+-]*+)|([{\[])|([}\]])|(,)|true|false|null', re.S
)
_KEY, _STRING, _NUMBER, _OPEN, _CLOSE, _COMMA = range(1, 7)
_SCHEMAS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Members whose keys are names of schemas, not of values."""
_VALUES = frozenset({"default", "const", "examples", "example", "enum"})
"""Members of a schema that hold values."""
_NAMES = frozenset({"name", "key", "header", "variable", "field"})
"""Members that may name the adjacent `value`."""
_MAX_DEPTH = 1000
_MOST_BEHIND = 24
"""Maximum number of tokens behind a value in which its name is searched."""
_STEP = re.compile(r"\.?(?:\[(\d+|\*)\]|\[['\"]([^'\"\]]+)['\"]\]|([^.\[\]]+))")


class MultiSearch:
    """Searches for many values at once."""

    def __init__(self) -> None:
        self._tiny: list[bytes] = []
        self._steps = (_Step(2), _Step(1))

    def add(self, value: bytes) -> None:
        """Add a value to search for. It must not be empty, and must not have been added before."""
        for step in self._steps:
            if len(value) >= step.window:
                step.add(value)
                return
        self._tiny.append(value)

    def may_find(self, data: bytes) -> bool:
        """Return whether a value may occur in the data.

        Has no false negatives, and is much cheaper than `found` for long data.
        """
        pieces = _pieces(data)
        return any(value in data for value in self._tiny) or any(step.may_meet(pieces) for step in self._steps)

    def found(self, data: bytes) -> set[bytes]:
        """Return all values that occur in the data."""
        found = {value for value in self._tiny if value in data}
        pieces = _pieces(data)
        for step in self._steps:
            if step.pieces:
                step.seek(data, pieces, found)
        return found


class Secret(NamedTuple):
    value: str
    rule: str
    spellings: tuple[tuple[str, str], ...]
    """Spellings with their names; the plain one is first."""


class Span(NamedTuple):
    """Position of a key, a string or a number."""

    start: int
    end: int
    is_key: bool
    is_number: bool
    is_secret: bool


class Replacement(NamedTuple):
    """One replacement, as recorded in the manifest."""

    rule: str
    path: str
    length: int
    """Class of the length, never the length itself."""
    mark: str
    kind: str
    """"string" or "number"."""


def _pieces(data: bytes) -> memoryview:
    return memoryview(data)[: len(data) // _PIECE_BYTES * _PIECE_BYTES].cast("I")


class _Step:
    """Values that are detected when only every n-th piece of the data is examined."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._ways = every * _PIECE_BYTES
        self.window = self._ways + _PIECE_BYTES - 1
        """Minimum length of a value in bytes."""
        self._by_piece: dict[int, list[bytes]] = {}
        self._further: dict[bytes, frozenset[int]] = {}
        """By long values, pieces of another part: one of them must occur, too."""
        self.pieces: set[int] = set()
        self._all: set[int] = set()
        """With the further pieces."""

    def add(self, value: bytes) -> None:
        pieces = [
            int.from_bytes(value[at : at + _PIECE_BYTES], sys.byteorder) for at in range(len(value[:_LOOKED_AT]) - 3)
        ]
        start = self._rarest(value, pieces)
        for piece in pieces[start : start + self._ways]:
            self._by_piece.setdefault(piece, []).append(value)
            self.pieces.add(piece)
        other = max(pieces[:start], pieces[start + self._ways :], key=len)[: self._ways]
        if len(other) == self._ways:
            self._further[value] = frozenset(other)
        self._all.update(pieces[start : start + self._ways], self._further.get(value, ()))

    def _rarest(self, value: bytes, pieces: list[int]) -> int:
        """Return the start of those pieces of a value that occur least likely elsewhere or in other values."""
        costs = [
            100 * len(self._by_piece.get(piece, ())) - (value[at] not in _PLAIN) for at, piece in enumerate(pieces)
        ]
        return min(range(len(pieces) - self._ways + 1), key=lambda start: sum(costs[start : start + self._ways]))

    def may_meet(self, pieces: memoryview) -> bool:
        return bool(self.pieces) and not self.pieces.isdisjoint(pieces[:: self._every])

    def seek(self, data: bytes, pieces: memoryview, found: set[bytes]) -> None:
        """Add the values that occur in the data to `found`."""
        met = self._all.intersection(pieces[:: self._every])
        for piece in met & self.pieces:
            for value in self._by_piece[piece]:
                further = self._further.get(value)
                if (further is None or not further.isdisjoint(met)) and value not in found and value in data:
                    found.add(value)


class KnownSecrets:
    """All secrets that are known so far, longest first."""

    def __init__(self) -> None:
        self._by_value: dict[str, Secret] = {}
        self._by_spelling: dict[bytes, list[tuple[Secret, str]]] = {}
        self._seeker = MultiSearch()
        self._plain_seeker = MultiSearch()
        self._sorted: list[Secret] | None = None
        self._learnt = 0
        self.unlearnt = 0
        """Number of values that were not learned because there were too many."""

    def __iter__(self) -> Iterator[Secret]:
        return iter(self._in_order())

    def __len__(self) -> int:
        return len(self._by_value)

    def add(self, value: str, rule: str) -> None:
        """Search for this value from now on."""
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
        """Return a value with its spellings for a single line. It is not searched elsewhere."""
        return self._by_value.get(value) or Secret(value, rule, tuple(_spellings(value)))

    def learn(self, value: str, rule: str) -> None:
        """Search for a value from a known secret's place, if it is unlikely to occur by chance."""
        if value in self._by_value or not is_telling(value) or len(value) > 100_000:
            return
        if self._learnt >= MOST:
            self.unlearnt += 1
            return
        self._learnt += 1
        self.add(value, rule)

    def may_be_in(self, data: bytes) -> bool:
        """Return whether a secret may occur in the data. Has no false negatives, and is cheaper than `within`."""
        return self._seeker.may_find(data)

    def within(self, data: bytes) -> list[Secret]:
        """Return the secrets that occur in the data in any spelling.

        If only the plain spelling of a secret occurs, the returned secret has only that one.
        """
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
        """Return the secrets of at least eight characters that occur unencoded."""
        return [self._by_value[each.decode("utf-8", "surrogateescape")] for each in self._plain_seeker.found(data)]

    def hidden(self, data: bytes) -> list[Secret]:
        """Like `within`, but also find secrets whose characters are JSON escapes, at any nesting depth."""
        if b"\\" not in data:
            return self.within(data)
        letters = _LETTER.sub(_letter, data)
        found = {each.value for form in (data, letters, _SIGN.sub(rb"\1", letters)) for each in self.within(form)}
        return [each for each in self if each.value in found]

    def survivor(self, data: bytes) -> tuple[Secret, str, int] | None:
        """Return the first remaining secret, its spelling and its position; None if there is none."""
        left = [(data.find(spelling), spelling) for spelling in self._seeker.found(data)] if self._by_value else []
        if not left:
            return None
        place, spelling = min(left)
        secret, name = self._by_spelling[spelling][0]
        return secret, name, place

    def longest(self) -> int:
        """Return the length of the longest spelling in bytes."""
        return max(map(len, self._by_spelling), default=0)

    def _in_order(self) -> list[Secret]:
        if self._sorted is None:
            self._sorted = sorted(self._by_value.values(), key=lambda each: -len(each.value))
        return self._sorted


def is_telling(value: str) -> bool:
    """Return whether a value is unlikely to occur by chance, so that it can be searched everywhere."""
    if len(value) < 8:
        return False
    if len(value) >= 20:
        return len(set(value)) > 5
    has_digit = any(char.isdigit() for char in value)
    has_letter = any(char.isalpha() for char in value)
    return has_digit and has_letter and len(set(value)) > 4


def is_harmless_variable(name: str) -> bool:
    """Return whether a variable of this name is in every environment, with a value that is not secret."""
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


def _in_base64(data: bytes) -> Iterator[str]:
    """Yield the base64 digits that do not depend on adjacent bytes, for each of the three offsets."""
    for offset in range(3):
        text = base64.b64encode(b"\0" * offset + data).decode().rstrip("=")
        skipped = (0, 2, 3)[offset]
        whole = (offset + len(data)) * 8 // 6
        yield text[skipped:whole]


def as_bytes(text: str) -> bytes:
    """Return the bytes of a text that was decoded from bytes or contains lone surrogates."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


# Pseudonyms: equal secrets get equal pseudonyms


class Pseudonyms:
    """Generates pseudonyms with one key."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._digest = lru_cache(maxsize=1024)(self._computed)

    def text(self, secret: str) -> str:
        """Return the pseudonym of a text: letters and digits that need no escapes.

        "" and pseudonyms are returned unchanged.
        """
        if not secret or is_pseudonym(secret):
            return secret
        length = length_class(len(secret))
        name = base64.b32encode(self._digest(secret)).decode().lower().rstrip("=")
        return _PREFIX + name[: length - len(_PREFIX)].ljust(length - len(_PREFIX), "0")

    def number(self, literal: str) -> str:
        """Return the pseudonym of a number as JSON: an integer without a sign, of one of a few lengths."""
        digits = next((each for each in _DIGITS if len(literal) <= each), _DIGITS[-1])
        low = 10 ** (digits - 1)
        return str(low + int.from_bytes(self._digest(literal)[:16], "big") % (9 * low))

    def mark(self, secret: str) -> str:
        """Return the identifier of a secret in the manifest: 16 hexadecimal digits."""
        return self._digest(secret).hex()[:16]

    def _computed(self, secret: str) -> bytes:
        return hmac.new(self._key, secret.encode("utf-8", "surrogatepass"), hashlib.sha512).digest()


def length_class(length: int) -> int:
    """Return the class of a length in characters: 12, 16, 32, 64 and so on, at most 65536."""
    size = _SHORTEST
    while size < length and size < _LONGEST:
        size = 16 if size == _SHORTEST else size * 2
    return size


def is_pseudonym(text: str) -> bool:
    return PSEUDONYM.fullmatch(text) is not None and len(text) == length_class(len(text))


# Secret members of JSON, valid or not


class Level:
    """An open object or array."""

    __slots__ = ("hot", "index", "is_list", "key", "named", "schema")

    def __init__(self, *, is_list: bool, hot: bool, schema: str) -> None:
        self.is_list = is_list
        self.hot = hot
        """Whether all values in it are secret."""
        self.schema = schema
        """"names" if its keys name schemas; "secret" for the schema of a secret."""
        self.key = ""
        self.index = 0
        self.named = False
        """Whether its `value` has the name of a secret."""


def spans(text: str, start: int, is_secret: Callable[[str], bool], levels: list[Level]) -> Iterator[Span]:
    """Yield keys, strings and numbers from a position on, in order.

    `levels` must be empty at first. During each iteration it holds the open objects and arrays.
    """
    for found in _TOKEN.finditer(text, start):
        kind, top = found.lastindex, levels[-1] if levels else None
        if kind == _KEY:
            if top is not None:
                top.key = unquoted(found.group().rstrip()[:-1].rstrip())
            end = found.start() + len(found.group()[:-1].rstrip())
            yield Span(found.start(), end, True, False, False)
        elif kind in (_STRING, _NUMBER):
            hot = _is_hot(top, is_secret)
            if not hot and top is not None and top.key == "value" and not top.is_list:
                hot = _is_named_later(text, found.end(), is_secret)
            yield Span(found.start(), found.end(), False, kind == _NUMBER, hot)
            if top is not None and kind == _STRING and top.key in _NAMES and len(found.group()) < 200:
                top.named = top.named or is_secret(unquoted(found.group()))
        elif kind == _OPEN:
            if len(levels) < _MAX_DEPTH:
                levels.append(_opened(top, found.group() == "[", is_secret))
        elif kind == _CLOSE:
            if levels:
                levels.pop()
        elif kind == _COMMA and top is not None:
            top.index += 1


def _is_named_later(text: str, at: int, is_secret: Callable[[str], bool]) -> bool:
    """Return whether a later member of the same object says that its value is that of a secret name."""
    key, depth = "", 0
    for found in islice(_TOKEN.finditer(text, at), _MOST_BEHIND):
        kind = found.lastindex
        if kind == _OPEN:
            depth += 1
        elif kind == _CLOSE:
            if not depth:
                return False
            depth -= 1
        elif kind == _KEY and not depth:
            key = unquoted(found.group().rstrip()[:-1].rstrip())
        elif kind == _STRING and not depth and key in _NAMES and len(found.group()) < 200:
            if is_secret(unquoted(found.group())):
                return True
    return False


def unquoted(literal: str) -> str:
    """Return the text of a JSON string literal. Parts that can't be decoded are kept."""
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
    """Return the member names and indexes of the current position, outermost first."""
    return tuple([str(each.index) if each.is_list else each.key for each in levels])


# Replacing secrets


class Replacing:
    """Replaces secrets and known values, and records the replacements."""

    def __init__(self, pseudonyms: Pseudonyms, known: KnownSecrets, *, learns: bool) -> None:
        """Create the replacer. `learns`: replaced values become known secrets."""
        self._pseudonyms = pseudonyms
        self._known = known
        self._learns = learns
        self.active: list[Secret] = []
        """The only secrets that are searched in the next texts."""
        self.where = ""
        """Field of the record that is processed."""
        self.within: list[list[Level]] = []
        """Open levels of each nested JSON text that is processed, outermost first."""
        self.found: list[Replacement] = []
        """Replacements since the list was last emptied."""

    def secret(self, secret: str, rule: str) -> str:
        """Return the replacement of a text."""
        new = self._pseudonyms.text(secret)
        if new != secret:
            self._note(secret, rule, "string")
            if self._learns and rule not in ("user", "home"):
                self._known.learn(secret, rule)
        return new

    def number(self, literal: str, rule: str) -> str:
        """Return the replacement of a number as JSON."""
        self._note(literal, rule, "number")
        return self._pseudonyms.number(literal)

    def plain(self, text: str) -> str:
        """Replace known values in their plain spelling."""
        for secret in self.active:
            if secret.value in text:
                text = text.replace(secret.value, self.secret(secret.value, secret.rule))
        return text

    def spelt(self, text: str) -> str:
        """Replace known values in every spelling."""
        for secret in self.active:
            for spelling, _ in secret.spellings:
                if spelling in text:
                    text = text.replace(spelling, self.secret(secret.value, secret.rule))
        return text

    def rule_of(self, literal: str) -> str:
        """Return the rule of a known value that occurs in a number; "" if there is none."""
        return next((secret.rule for secret in self.active if secret.value in literal), "")

    def activate_within(self, text: str) -> list[Secret]:
        """Activate the secrets that occur in a decoded text. Return those that were active before."""
        before, self.active = self.active, self._known.hidden(as_bytes(text))
        return before

    def _note(self, secret: str, rule: str, kind: str) -> None:
        path = ".".join([self.where, *(step for levels in self.within for step in path_of(levels))])
        self.found.append(Replacement(rule, path, length_class(len(secret)), self._pseudonyms.mark(secret), kind))


# Member paths, such as `params.arguments.path`, with `*` as wildcard


class JsonPath(tuple[str, ...]):
    """The steps from a message to a value; "*" matches any step."""

    __slots__ = ()

    def covers(self, path: tuple[str, ...]) -> bool:
        """Return whether a value at `path` is selected, or is within a selected one."""
        return len(path) >= len(self) and all(step in ("*", name) for step, name in zip(self, path, strict=False))


def read_path(text: str) -> JsonPath:
    """Parse a path. Raises: UsageError."""
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
