"""JSON as lines, read from bytes without building a single object of it.

The bytes are indented in one pass that keeps numbers, escapes and the order of keys as they came; each line is
then complete in itself, so a viewer reads only the lines in sight. What is no JSON is shown as the lines it has.
Depth, partner and path of a line are told by its indentation.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

import msgspec

from inspector.viewmodels.roles import Role, Span
from inspector.viewmodels.text import decode, human_size, visible

LINE_LIMIT = 1_000
"""Bytes of a line that are shown before it is opened."""
OPEN_LIMIT = 64_000
"""Bytes of a line that are shown when it is opened; the raw view has all."""
_INDENT = 2
_WINDOW = 1 << 20
_GROWTH_LIMIT = 256 << 20
"""Deeply nested JSON can grow a thousandfold by indentation; beyond so many bytes it stays as it is."""
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"')
_KEY = re.compile(rb'"(?:[^"\\]|\\.)*": ')
_BRACKETS = {"{", "[", "}", "]", "{}", "[]"}
_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$-]*")
_ROLES: dict[str, Role] = {'"': "string", "t": "literal", "f": "literal", "n": "literal"}


class JsonLines:
    """The lines of one payload. Opening 10 MB takes a moment of CPU: beyond 1 MB, do it on a thread."""

    def __init__(self, raw: bytes) -> None:
        self.size = len(raw)
        """Bytes as they came."""
        self._text, self.problem = _indented(raw)
        self._starts = _line_starts(self._text)
        self._known_index = (-1, 0, 0)
        """The array whose elements were last counted, a place in it, and the elements before that place."""

    problem: str
    """Why it is no JSON, one sentence; "" if it is."""

    @property
    def count(self) -> int:
        """How many lines; 0 for an empty payload."""
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

    def long(self, index: int) -> bool:
        """Whether `line` shows only the beginning."""
        start, end = self._bounds(index)
        return end - start - self._indent(index) > LINE_LIMIT

    def depth(self, index: int) -> int:
        """Return how many values a line stands inside of."""
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
        return self._line_at(self._text.find(b"\n" + b" " * indent + closing, end) + 1)

    def parent(self, index: int) -> int | None:
        """Return the line that opens what a line stands in; None at the outside."""
        indent = self._indent(index)
        return self._opener(self._starts[index], indent - _INDENT) if indent and not self.problem else None

    def path(self, index: int) -> str:
        """Return where a line stands, for example `params.arguments.items[3].q`; "" for the outermost value."""
        parts: list[str] = []
        line = self.fold_partner(index) if self.closes(index) else index
        while line is not None and (parent := self.parent(line)) is not None:
            parts.append(self._step(line, parent))
            line = parent
        return "".join(reversed(parts)).removeprefix(".")

    def value(self, index: int) -> bytes:
        """Return the value that a line begins (or ends), indented, without its key and the comma behind it."""
        first = self.fold_partner(index) if self.closes(index) else index
        assert first is not None
        last = self.fold_partner(first)
        start = self._starts[first] + self._indent(first)
        key = _KEY.match(self._text, start)
        if key and not self.problem:
            start = key.end()
        text = self._text[start : self._starts[(first if last is None else last) + 1] - 1]
        return text if self.problem else text.removesuffix(b",")

    def find(self, needle: str, start: int = 0, *, backwards: bool = False) -> int | None:
        """Return the nearest line with `needle`, from line `start` on (that line included) and around the end.

        Small letters match capitals too. A letter that the payload writes as an escape is found all the same.
        """
        if not needle or not self.count:
            return None
        pattern = _pattern(needle)
        start = min(max(start, 0), self.count - 1)
        if backwards:
            middle = self._starts[start + 1]
            found = _last(pattern, self._text, 0, middle) or _last(pattern, self._text, middle, len(self._text))
        else:
            middle = self._starts[start]
            found = pattern.search(self._text, middle) or pattern.search(self._text, 0, middle)
        return self._line_at(found.start()) if found else None

    def matches(self, needle: str, limit: int = 10_000) -> int:
        """Return how often `needle` occurs, counting no further than `limit`."""
        if not needle:
            return 0
        found = _pattern(needle).finditer(self._text)
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

    def _line_at(self, position: int) -> int:
        return bisect_right(self._starts, position) - 1

    def _opener(self, before: int, indent: int) -> int:
        """Return the last line before a position that has this indentation: all lines between are deeper."""
        if indent == 0:
            return 0
        margin = b"\n" + b" " * indent
        end, window = before, 4096
        while True:
            begin = max(0, end - window)
            found = max(self._text.rfind(margin + first, begin, end) for first in (b'"', b"{", b"["))
            if found >= 0 or begin == 0:
                return self._line_at(found + 1)
            end, window = begin + len(margin) + 1, window * 8

    def _step(self, line: int, parent: int) -> str:
        start, _ = self._bounds(line)
        indent = self._indent(line)
        opener = self._starts[parent + 1] - 2
        if self._text[opener : opener + 1] == b"[":
            return f"[{self._element(parent, start, indent)}]"
        head = decode(self._text[start + indent : start + indent + LINE_LIMIT])
        key = _STRING.match(head)
        name = visible(key.group()[1:-1] if key else head)
        return f".{name}" if _PLAIN_KEY.fullmatch(name) else f'["{name}"]'

    def _element(self, parent: int, position: int, indent: int) -> int:
        """Count the elements of an array before a position, from the last count in that array if there is one."""
        newline = position - 1
        array_line, known, index = self._known_index
        if array_line != parent:
            known, index = self._starts[parent + 1] - 1, 0
        low, high = sorted((known, newline))
        first = re.compile(rb"\n {%d}[^ \]}]" % indent)
        between = sum(1 for _ in first.finditer(self._text, low, high + 1 + indent))
        index += between if newline >= known else -between
        self._known_index = (parent, newline, index)
        return index


def _indented(raw: bytes) -> tuple[bytes, str]:
    """Return the text to show, and why it is no JSON."""
    if _indented_size(raw) > _GROWTH_LIMIT and _indented_size(_STRINGS.sub(b"", raw)) > _GROWTH_LIMIT:
        return raw, "It is nested so deeply that it would grow beyond all measure; shown as it came."
    try:
        return msgspec.json.format(raw, indent=_INDENT), ""
    except (msgspec.MsgspecError, RecursionError) as error:
        return raw, f"It is no JSON that can be read ({error}); shown as it came."


def _indented_size(raw: bytes) -> int:
    """Return a bound of the size after indentation; brackets inside strings raise it."""
    brackets = raw.translate(None, _NO_BRACKETS)
    lines = 2 * len(brackets) + raw.count(b",") + 1
    if lines * len(brackets) < _GROWTH_LIMIT // _INDENT:
        return len(raw) + lines * len(brackets) * _INDENT
    depth = deepest = 0
    for at in range(0, len(brackets), _WINDOW):  # in pieces, so that another thread gets its turn
        depths = list(accumulate(map(_STEP.__getitem__, brackets[at : at + _WINDOW]), initial=depth))
        depth, deepest = depths[-1], max(deepest, max(depths))
    return len(raw) + lines * deepest * _INDENT


def _line_starts(text: bytes) -> "array[int]":
    """Return where each line begins, and one past the end of the last as if a newline followed."""
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
    """Return an end at most `limit` bytes after `start` that cuts no letter in two."""
    if end - start <= limit:
        return end
    cut = start + limit
    while cut > start and text[cut] & 0xC0 == 0x80 and start + limit - cut < 4:
        cut -= 1
    return cut


def _tokens(body: str) -> Iterator[Span]:
    """Split one indented line, or its beginning, into what its parts mean."""
    key = _STRING.match(body)
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


def _pattern(needle: str) -> re.Pattern[bytes]:
    """Return what finds `needle` in JSON, written as it is or with each foreign letter as an escape."""
    spellings = {needle, "".join(map(_escaped, needle))}
    flags = re.IGNORECASE if needle == needle.lower() else 0
    return re.compile(b"|".join(re.escape(each.encode(errors="replace")) for each in spellings), flags)


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isascii():
        return char
    units = char.encode("utf-16-be", errors="replace")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _last(pattern: re.Pattern[bytes], text: bytes, start: int, end: int) -> re.Match[bytes] | None:
    found = None
    for found in pattern.finditer(text, start, end):  # noqa: B007 - only the last one counts
        pass
    return found
