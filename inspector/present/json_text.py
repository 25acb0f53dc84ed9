"""JSON as lines, read from bytes without building a single object.

The bytes are indented in one pass that keeps numbers, escapes and the order of keys as received. Each line is then
complete in itself, so a viewer reads only the visible lines. Text other than JSON is shown as its own lines. Depth,
closing line and path of a line follow from its indentation.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, islice
from typing import TypeAlias
from weakref import proxy

import msgspec

from inspector import json_pointer
from inspector.documents import UNDECODABLE
from inspector.present.spans import Role, Span, in_json
from inspector.protocol import peek
from inspector.text import decode, human_size, visible

# A tolerant scanner that indents JSON that the fast one rejects, so that the user can still navigate it.

LARGEST = 4_000_000
"""Bytes; each token costs about a microsecond."""
DEEPEST = 2_500
"""Maximum depth; beyond it, indentation alone would fill the memory."""
BOM = b"\xef\xbb\xbf"
_TOKEN = re.compile(rb'[ \t\r\n]*+("(?:[^"\\\n]++|\\[^\n])*+"|[\[\]{}:,]|[^\s\[\]{}:,"]++)', re.DOTALL)
_ESCAPE = re.compile(rb'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\.', re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x1f]")
_SURROGATE = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")
_NUMBER = re.compile(rb"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS = frozenset((b"true", b"false", b"null"))
_FOREIGN = frozenset((b"NaN", b"Infinity", b"-Infinity"))
_VALUE, _FIRST, _KEY, _FIRST_KEY, _COLON, _AFTER = range(6)
"""What may follow: a value; a value or the end of the array; a key; a key or the end of the object; and so on."""
_WANTED = ("a value", "a value or ]", "a key", "a key or }", "a colon", "a comma, } or ]")
_KEY_LIMIT = 1_000
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$-]*")
_JSON_PLACES_FIRST = rb"\n {%d}[^ \]}]"
LINE_LIMIT = 1_000
"""Bytes of a line that are shown until it is expanded."""
_BEFORE_HIT = 24
"""Bytes that are shown before a hit in a long line."""
_CONTINUED = frozenset(bytes([n]) for n in range(0x80, 0xC0))
"""Bytes in the middle of a character in UTF-8."""
OPEN_LIMIT = 64_000
"""Bytes of a line that are shown when it is expanded; the raw view has all."""
_INDENT = 2
_WINDOW = 1 << 20
_PIECE_BRACKETS = 1 << 14
_GROWTH_LIMIT = 256 << 20
"""Deeply nested JSON can grow a thousandfold by indentation; beyond this many bytes it is not indented."""
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_JSON_LINES_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"')
_JSON_LINES_KEY = re.compile(rb'"(?:[^"\\]|\\.)*": ')
_BRACKETS = {"{", "[", "}", "]", "{}", "[]"}
_ROLES: dict[str, Role] = {'"': "string", "t": "literal", "f": "literal", "n": "literal"}
_CHILD = rb"\n {%d}[^ \]}]"
_MEMBER = rb'\n {%d}("(?:[^"\\\n]++|\\.)*+"): '


class Scanned(msgspec.Struct, frozen=True):
    """Indented JSON."""

    text: bytes
    notes: tuple[str, ...]
    """Violations of the grammar that were tolerated, a short text each."""


class ScanError(ValueError):
    """The text is not JSON; the message has the position of the error."""


Step: TypeAlias = str | int
"""A key as written between its quotes, or an array index from 0."""


def scan(raw: bytes) -> Scanned:
    """Indent JSON by two spaces. Raises: ScanError."""
    if len(raw) > LARGEST:
        raise ScanError(f"larger than {LARGEST // 1_000_000} MB")
    scanner = _Scanner(raw)
    text = b"".join(scanner.pieces())
    return Scanned(text, tuple(sorted(scanner.notes)))


class _Scanner:
    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self.notes: set[str] = set()
        self._open: list[bytes] = []
        """Closing brackets that are still expected, innermost last."""
        self._next = _VALUE

    def pieces(self) -> Iterator[bytes]:
        """Yield the parts of the indented text."""
        at = 0
        if self._raw.startswith(BOM):
            self.notes.add("a byte order mark")
            at = len(BOM)
        end = len(self._raw.rstrip(b" \t\r\n"))
        while at < end:
            found = _TOKEN.match(self._raw, at, end)
            if found is None:
                raise ScanError(f"unterminated string at byte {at}")
            if self._next == _AFTER and not self._open:
                raise ScanError(f"extra data at byte {found.start(1)}")
            yield self._take(found.group(1), found.start(1))
            at = found.end()
        if self._open or self._next != _AFTER:
            raise ScanError(f"ends at byte {end}, expected {_WANTED[self._next]}")

    def _take(self, token: bytes, at: int) -> bytes:
        before, wanted = self._margin(), self._next
        if token in (b"]", b"}"):
            return self._close(token, at)
        if token in (b"[", b"{") and wanted in (_VALUE, _FIRST):
            if len(self._open) >= DEEPEST:
                raise ScanError(f"nested deeper than {DEEPEST:,}")
            self._open.append(b"]" if token == b"[" else b"}")
            self._next = _FIRST if token == b"[" else _FIRST_KEY
            return before + token
        if token == b"," and wanted == _AFTER and self._open:
            self._next = _VALUE if self._open[-1] == b"]" else _KEY
            return b","
        if token == b":" and wanted == _COLON:
            self._next = _VALUE
            return b": "
        if token[:1] == b'"' and wanted in (_KEY, _FIRST_KEY):
            self._look_into(token)
            self._next = _COLON
            return before + token
        if wanted in (_VALUE, _FIRST) and self._is_scalar(token):
            self._next = _AFTER
            return before + token
        raise self._unexpected(at)

    def _close(self, token: bytes, at: int) -> bytes:
        if not self._open or self._open[-1] != token or self._next not in (_AFTER, _FIRST, _FIRST_KEY):
            raise self._unexpected(at)
        empty = self._next != _AFTER
        self._open.pop()
        self._next = _AFTER
        return token if empty else b"\n" + b"  " * len(self._open) + token

    def _margin(self) -> bytes:
        """Return a line break with indentation before a key or an element; nothing before a member's value."""
        on_its_own = self._next in (_FIRST, _KEY, _FIRST_KEY) or (self._next == _VALUE and self._open[-1:] == [b"]"])
        return b"\n" + b"  " * len(self._open) if on_its_own else b""

    def _look_into(self, string: bytes) -> None:
        if _CONTROL.search(string):
            self.notes.add("control characters in a string")
        if b"\\" in string:
            if any(len(found) == 2 and found[1] not in b'"\\/bfnrt' for found in _ESCAPE.findall(string)):
                self.notes.add("an invalid escape")
            if _SURROGATE.search(string):
                self.notes.add("half of a surrogate pair")

    def _is_scalar(self, token: bytes) -> bool:
        if token[:1] == b'"':
            self._look_into(token)
            return True
        if token in _WORDS or _NUMBER.fullmatch(token):
            return True
        if token in _FOREIGN:
            self.notes.add(f"{token.decode()}, which is not JSON")
            return True
        return False

    def _unexpected(self, at: int) -> ScanError:
        return ScanError(f"expected {_WANTED[self._next]} at byte {at}")


# The path of a line of a payload, in three notations.


class JsonPlaces:
    """Finds the paths of lines and counts the items of a value. Caches where it last counted."""

    def __init__(self, lines: "JsonLines") -> None:
        self._lines = proxy(lines)  # which owns this: a cycle would keep many megabytes until a collection
        self._known_index = (-1, 0, 0)
        """The array whose elements were last counted, a position in it, and the number of elements before that
        position.
        """

    def steps(self, index: int) -> tuple[Step, ...]:
        """Return the steps from the outermost value to that of a line; a closing line has those of the opening line."""
        lines, steps = self._lines, list[Step]()
        line = lines.fold_partner(index) if lines.closes(index) else index
        while line is not None and (parent := lines.parent(line)) is not None:
            steps.append(self._step(line, parent))
            line = parent
        return tuple(reversed(steps))

    def items(self, first: int, last: int) -> int:
        """Return the number of members or elements of the value that begins and ends on these lines."""
        lines = self._lines
        pattern = re.compile(_JSON_PLACES_FIRST % (2 * (lines.depth(first) + 1)))
        start, end = lines.start(first + 1) - 1, lines.start(last)
        return sum(1 for _ in pattern.finditer(lines.text, start, end))

    def _step(self, line: int, parent: int) -> Step:
        text, start = self._lines.text, self._lines.start(line)
        indent = 2 * self._lines.depth(line)
        opener = self._lines.start(parent + 1) - 2
        if text[opener : opener + 1] == b"[":
            return self._element(parent, start, indent)
        head = decode(text[start + indent : start + indent + _KEY_LIMIT])
        key = _STRING.match(head)
        return key.group(1) if key else head

    def _element(self, parent: int, position: int, indent: int) -> int:
        """Count the array elements before a position, starting from the last count in that array if there is one."""
        newline = position - 1
        array_line, known, index = self._known_index
        if array_line != parent:
            known, index = self._lines.start(parent + 1) - 1, 0
        low, high = sorted((known, newline))
        first = re.compile(_JSON_PLACES_FIRST % indent)
        between = sum(1 for _ in first.finditer(self._lines.text, low, high + 1 + indent))
        index += between if newline >= known else -between
        self._known_index = (parent, newline, index)
        return index


def dotted(steps: Sequence[Step]) -> str:
    """Return a path as filters write it: `params.items[3].q`; "" for the outermost value. Safe to show."""
    return "".join(map(_dotted, steps)).removeprefix(".")


def _dotted(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    name = visible(step)
    return f".{name}" if _PLAIN_KEY.fullmatch(name) else f'["{name}"]'


def json_path(steps: Sequence[Step]) -> str:
    """Return a JSONPath (RFC 9535): `$.params.items[3]["a key"]`. Safe to show."""
    return "$" + "".join(map(_path_step, steps))


def _path_step(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    name = visible(step)
    return f".{name}" if _PLAIN_KEY.fullmatch(name) and "-" not in name else f'["{name}"]'


def pointer(steps: Sequence[Step]) -> str:
    """Return a JSON pointer (RFC 6901): `/params/items/3/a key`; "" for the outermost value. Safe to show."""
    return "".join(f"/{visible(_unescaped(step)) if isinstance(step, str) else step}" for step in steps)


def _unescaped(key: str) -> str:
    """Return a key without JSON escapes, with `~` and `/` escaped as in a pointer."""
    with suppress(*UNDECODABLE):  # otherwise it stays as written
        key = msgspec.json.decode(f'"{key}"'.encode("utf-8", "surrogatepass"), type=str)
    return json_pointer.escaped(key)


class JsonLines:
    """The lines of one payload. Creating it for 10 MB takes a moment of CPU: use a thread beyond 1 MB."""

    def __init__(self, raw: bytes) -> None:
        self.size = len(raw)
        """Bytes of the payload as received."""
        self._text, self.problem, self.note = _indented(raw)
        self._starts = _line_starts(self._text)
        self.places = JsonPlaces(self)
        """Paths of the lines."""

    problem: str
    """Why it is not JSON, one sentence; "" if it is."""
    note: str
    """Violations of JSON that were tolerated, one sentence; "" if there are none."""

    @property
    def text(self) -> bytes:
        """The indented text; unchanged if there is a problem."""
        return self._text

    @property
    def length(self) -> int:
        """Bytes of the indented text."""
        return len(self._text)

    def start(self, index: int) -> int:
        """Return the position in `text` where a line starts."""
        return self._starts[index]

    def line_at(self, position: int) -> int:
        """Return the line at a position of `text`."""
        return bisect_right(self._starts, position) - 1

    @property
    def count(self) -> int:
        """Number of lines; 0 for an empty payload."""
        return len(self._starts) - 1

    def line(self, index: int, limit: int = LINE_LIMIT) -> list[Span]:
        """Return a line for the screen: at most `limit` bytes of it, then its exact size."""
        start, end = self._bounds(index)
        indent = self._indent(index)
        body = self._text[start + indent : _whole(self._text, start + indent, end, limit)]
        spans: list[Span] = [(" " * min(indent, 64), "punctuation")] if indent else []
        spans += _tokens(decode(body)) if not self.problem else [(visible(decode(body)), "foreign")]
        hidden = end - start - indent - len(body)
        if hidden > 0:
            spans.append((f"… {human_size(end - start - indent)}", "muted"))
        return spans

    def hit(self, index: int, needle: str, before: int | None = None, *, backwards: bool = False) -> int | None:
        """Return where in `text` the next hit of a search in a line begins, after the hit at `before`.

        Without `before`, return the first one, or the last one with `backwards`; None if there is none.
        """
        start, end = self._bounds(index)
        pattern = in_json(needle)
        if backwards:
            hits = [found.start() for found in pattern.finditer(self._text, start, end)]
            return max((hit for hit in hits if before is None or hit < before), default=None)
        at = None if before is None else pattern.match(self._text, before, end)
        found = pattern.search(self._text, start if at is None else at.end(), end)
        return None if found is None else found.start()

    def around(self, index: int, hit: int | None) -> list[Span]:
        """Return the part of a long line that has a hit of a search, then its size; [] without a hit."""
        if hit is None:
            return []
        start, end = self._bounds(index)
        first = max(start, hit - _BEFORE_HIT)
        first += next((n for n in range(4) if self._text[first + n : first + n + 1] not in _CONTINUED), 0)
        body = self._text[first : _whole(self._text, first, end, LINE_LIMIT)]
        size = human_size(end - start - self._indent(index))
        return [("…", "muted"), (visible(decode(body)), "string"), (f"… {size}", "muted")]

    def long(self, index: int) -> bool:
        """Whether `line` returns only the beginning of a line."""
        start, end = self._bounds(index)
        return end - start - self._indent(index) > LINE_LIMIT

    def wider_than(self, width: int) -> list[int]:
        """Return the lines of more than `width` bytes: all others fit into as many cells."""
        starts = self._starts
        return [index for index in range(self.count) if starts[index + 1] - starts[index] > width + 1]

    def depth(self, index: int) -> int:
        """Return how many values a line is nested in."""
        return self._indent(index) // _INDENT

    def fold_partner(self, index: int) -> int | None:
        """Return the line that closes what this line opens, or opens what it closes; None if it does neither."""
        start, end = self._bounds(index)
        indent = self._indent(index)
        if self.closes(index):
            return self._opener(start, indent)
        if not self.opens(index):
            return None
        closing = b"}" if self._text[end - 1 : end] == b"{" else b"]"
        if index == 0:
            return self.count - 1
        return self.line_at(_find(self._text, b"\n" + b" " * indent + closing, end) + 1)

    def parent(self, index: int) -> int | None:
        """Return the line that opens the value around a line; None for the outermost."""
        indent = self._indent(index)
        return self._opener(self._starts[index], indent - _INDENT) if indent and not self.problem else None

    def path(self, index: int) -> str:
        """Return the path of a line, for example `params.arguments.items[3].q`; "" for the outermost value."""
        return dotted(self.places.steps(index))

    def value(self, index: int) -> bytes:
        """Return the value that a line begins or ends, indented, without its key and the comma behind it."""
        start, end = self.value_bounds(index)
        return self._text[start:end]

    def value_bounds(self, index: int) -> tuple[int, int]:
        """Return the bounds in `text` of the value that a line begins or ends, without its key and the comma."""
        first = self.fold_partner(index) if self.closes(index) else index
        assert first is not None
        last = self.fold_partner(first)
        start = self._starts[first] + self._indent(first)
        key = _JSON_LINES_KEY.match(self._text, start)
        if key and not self.problem:
            start = key.end()
        end = self._starts[(first if last is None else last) + 1] - 1
        return start, end - (not self.problem and self._text[end - 1 : end] == b",")

    def find(
        self, needle: str, start: int = 0, *, backwards: bool = False, go_on: Callable[[], bool] = lambda: True
    ) -> int | None:
        """Return the nearest line with `needle`, from line `start` on (inclusive), wrapping around at the end.

        Small letters match capitals too; see `in_json` for other kinds of needles. A letter that the payload writes
        as an escape is found as well. `go_on` is called for each megabyte; None is returned once it returns False.
        """
        if not needle or not self.count:
            return None
        pattern, size = in_json(needle), len(self._text)
        start = min(max(start, 0), self.count - 1)
        if backwards:
            middle = self._starts[start + 1]
            found = _last(pattern, self._text, 0, middle, go_on)
            found = _last(pattern, self._text, middle, size, go_on) if found is None else found
        else:
            middle = self._starts[start]
            found = next(_hits(pattern, self._text, middle, size, go_on), None)
            found = next(_hits(pattern, self._text, 0, middle, go_on), None) if found is None else found
        return None if found is None else self.line_at(found)

    def matches(self, needle: str, limit: int = 10_000, *, go_on: Callable[[], bool] = lambda: True) -> int:
        """Return the number of occurrences of `needle`, counting up to `limit` and while `go_on` returns True."""
        if not needle:
            return 0
        found = _hits(in_json(needle), self._text, 0, len(self._text), go_on)
        return sum(1 for _ in zip(range(limit), found, strict=False))

    def _bounds(self, index: int) -> tuple[int, int]:
        return self._starts[index], self._starts[index + 1] - 1

    def _indent(self, index: int) -> int:
        if self.problem:
            return 0
        start, end = self._bounds(index)
        head = self._text[start : min(end, start + 4096)]
        return len(head) - len(head.lstrip(b" "))

    def opens(self, index: int) -> bool:
        """Whether a line opens a value that later lines belong to."""
        _, end = self._bounds(index)
        return not self.problem and self._text[end - 1 : end] in (b"{", b"[")

    def closes(self, index: int) -> bool:
        """Whether a line closes a value that earlier lines belong to."""
        at = self._starts[index] + self._indent(index)
        return not self.problem and self._text[at : at + 1] in (b"}", b"]")

    def _opener(self, before: int, indent: int) -> int:
        """Return the last line before a position that has this indentation; all lines between are deeper."""
        if indent == 0:
            return 0
        margin = b"\n" + b" " * indent
        end, window = before, 4096
        while True:
            begin = max(0, end - window)
            found = max(self._text.rfind(margin + first, begin, end) for first in (b'"', b"{", b"["))
            if found >= 0 or begin == 0:
                return self.line_at(found + 1)
            end, window = begin + len(margin) + 1, min(window * 8, _WINDOW)


def _indented(raw: bytes) -> tuple[bytes, str, str]:
    """Return the text to show, why it is not JSON, and what was tolerated."""
    if _indented_size(raw) > _GROWTH_LIMIT and _indented_size(_STRINGS.sub(b"", raw)) > _GROWTH_LIMIT:
        return raw, "Nested too deeply to format; showing raw text.", ""
    try:
        return msgspec.json.format(raw, indent=_INDENT), "", ""
    except UNDECODABLE:
        return _scanned(raw)


def _scanned(raw: bytes) -> tuple[bytes, str, str]:
    try:
        found = scan(raw)
    except ScanError as error:
        return raw, f"Invalid JSON ({error}); showing raw text.", ""
    return found.text, "", f"JSON with {' and '.join(found.notes)}." if found.notes else ""


def _indented_size(raw: bytes) -> int:
    """Return an upper bound of the size after indentation; brackets inside strings increase it."""
    pieces = [raw[at : at + _WINDOW] for at in range(0, len(raw), _WINDOW)] if len(raw) > _WINDOW else [raw]
    brackets = b"".join([piece.translate(None, _NO_BRACKETS) for piece in pieces])
    lines = 2 * len(brackets) + sum(piece.count(b",") for piece in pieces) + 1
    if lines * len(brackets) < _GROWTH_LIMIT // _INDENT:
        return len(raw) + lines * len(brackets) * _INDENT
    depth = deepest = 0
    for at in range(0, len(brackets), _PIECE_BRACKETS):  # in pieces, so that another thread gets its turn
        depths = list(accumulate(map(_STEP.__getitem__, brackets[at : at + _PIECE_BRACKETS]), initial=depth))
        depth, deepest = depths[-1], max(deepest, max(depths))
    return len(raw) + lines * deepest * _INDENT


def _find(text: bytes, needle: bytes, start: int) -> int:
    """Find `needle` in pieces, so that another thread gets its turn; -1 if it is not found."""
    for at in range(start, len(text), _WINDOW):
        found = text.find(needle, at, at + _WINDOW + len(needle) - 1)
        if found >= 0:
            return found
    return -1


def _line_starts(text: bytes) -> "array[int]":
    """Return the start of each line, and one past the end of the last as if a newline followed."""
    starts = array("Q", [0])
    if not text:
        return starts
    for at in range(0, len(text), _WINDOW):
        pieces = text[at : at + _WINDOW].split(b"\n")
        ends = accumulate([len(piece) + 1 for piece in pieces[:-1]], initial=at)
        next(ends)
        starts.extend(ends)
    starts.append(len(text) + 1)
    return starts


def _whole(text: bytes, start: int, end: int, limit: int) -> int:
    """Return an end at most `limit` bytes after `start` that splits no character."""
    if end - start <= limit:
        return end
    cut = start + limit
    while cut > start and text[cut] & 0xC0 == 0x80 and start + limit - cut < 4:
        cut -= 1
    return cut


def _tokens(body: str) -> Iterator[Span]:
    """Split one indented line, or its beginning, into spans by the role of each token."""
    key = _JSON_LINES_STRING.match(body)
    if key and body.startswith(": ", key.end()):
        yield visible(key.group()), "key"
        yield ": ", "punctuation"
        body = body[key.end() + 2 :]
    end = len(body) - body.endswith(",")
    value = body[:end]
    role: Role = "punctuation" if value in _BRACKETS else _ROLES.get(value[:1], "number")
    if value:
        yield visible(value), role
    if end < len(body):
        yield ",", "punctuation"


def _hits(pattern: re.Pattern[bytes], text: bytes, start: int, end: int, go_on: Callable[[], bool]) -> Iterator[int]:
    """Yield the positions of matches, searching in pieces so that another thread gets its turn."""
    reach = len(pattern.pattern)
    for at in range(start, end, _WINDOW):
        if not go_on():
            return
        for found in pattern.finditer(text, at, min(at + _WINDOW + reach, end)):
            if found.start() >= at + _WINDOW:
                break  # the next piece finds it
            yield found.start()


def _last(pattern: re.Pattern[bytes], text: bytes, start: int, end: int, go_on: Callable[[], bool]) -> int | None:
    """Return the position of the last match between two positions; None if there is none."""
    reach = len(pattern.pattern)
    for at in range(end, start, -_WINDOW):
        begin = max(at - _WINDOW, start)
        found = [hit for hit in _hits(pattern, text, begin, min(at + reach, end), go_on) if hit < at]
        if found:
            return found[-1]
        if not go_on():
            return None
    return None


# Mapping a JSON pointer to the line of a payload that it refers to.


def line_of(lines: JsonLines, pointer: str) -> int:
    """Return the line where the value begins. A long payload takes some hundredths of a second."""
    at = 0
    if lines.problem or not lines.count:
        return at
    for step in json_pointer.steps(pointer):
        child = _child(lines, at, step)
        if child is None:
            break
        at = child
    return at


def _child(lines: JsonLines, at: int, step: str) -> int | None:
    end = lines.fold_partner(at) if lines.opens(at) else None
    if end is None:
        return None
    indent = 2 * (lines.depth(at) + 1)
    first, last = lines.start(at + 1) - 1, lines.start(end)
    if lines.text[first - 1 : first] == b"[":
        found = re.compile(_CHILD % indent).finditer(lines.text, first, last)
        place = int(step) if step.isdecimal() and len(step) < 10 else 1 << 62
        hit = next(islice(found, place, None), None) if place < 1 << 40 else None
        return None if hit is None else lines.line_at(hit.start() + 1)
    members = re.compile(_MEMBER % indent).finditer(lines.text, first, last)
    hit = next((each for each in members if _key(each.group(1)) == step), None)
    return None if hit is None else lines.line_at(hit.start() + 1)


def _key(raw: bytes) -> str:
    found = peek.decoded_as(str, raw)
    return raw[1:-1].decode("utf-8", "replace") if found is None else found
