"""Where a line of a payload stands: the steps to it from the outside, and three ways of writing them down.

Keys are kept as they are written in the payload, escapes and all, until they are made a pointer.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from inspector.viewmodels.text import decode, visible

if TYPE_CHECKING:
    from inspector.viewmodels.json_lines import JsonLines

Step: TypeAlias = str | int
"""A key as it is written between its quotes, or the place in an array from 0."""
_KEY_LIMIT = 1_000
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$-]*")
_FIRST = rb"\n {%d}[^ \]}]"


class JsonPlaces:
    """Finds the steps to lines, and counts what a value holds. Remembers where it counted last."""

    def __init__(self, lines: "JsonLines") -> None:
        self._lines = lines
        self._known_index = (-1, 0, 0)
        """The array whose elements were last counted, a place in it, and the elements before that place."""

    def steps(self, index: int) -> tuple[Step, ...]:
        """The steps from the outermost value to that of a line; a line that ends a value has those of its beginning."""
        lines, steps = self._lines, list[Step]()
        line = lines.fold_partner(index) if lines.closes(index) else index
        while line is not None and (parent := lines.parent(line)) is not None:
            steps.append(self._step(line, parent))
            line = parent
        return tuple(reversed(steps))

    def items(self, first: int, last: int) -> int:
        """How many members or elements a value has that begins and ends in these lines."""
        lines = self._lines
        pattern = re.compile(_FIRST % (2 * (lines.depth(first) + 1)))
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
        """Count the elements of an array before a position, from the last count in that array if there is one."""
        newline = position - 1
        array_line, known, index = self._known_index
        if array_line != parent:
            known, index = self._lines.start(parent + 1) - 1, 0
        low, high = sorted((known, newline))
        first = re.compile(_FIRST % indent)
        between = sum(1 for _ in first.finditer(self._lines.text, low, high + 1 + indent))
        index += between if newline >= known else -between
        self._known_index = (parent, newline, index)
        return index


def dotted(steps: Sequence[Step]) -> str:
    """As filters write it: `params.items[3].q`; "" for the outermost value. Safe to show."""
    return "".join(map(_dotted, steps)).removeprefix(".")


def _dotted(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    name = visible(step)
    return f".{name}" if _PLAIN_KEY.fullmatch(name) else f'["{name}"]'


def json_path(steps: Sequence[Step]) -> str:
    """As JSONPath (RFC 9535): `$.params.items[3]["a key"]`. Safe to show."""
    return "$" + "".join(map(_path_step, steps))


def _path_step(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    name = visible(step)
    return f".{name}" if _PLAIN_KEY.fullmatch(name) and "-" not in name else f'["{name}"]'


def pointer(steps: Sequence[Step]) -> str:
    """As a JSON pointer (RFC 6901): `/params/items/3/a key`; "" for the outermost value. Safe to show."""
    return "".join(f"/{visible(_unescaped(step)) if isinstance(step, str) else step}" for step in steps)


def _unescaped(key: str) -> str:
    """A key as it is meant, `~` and `/` written as pointers do."""
    with suppress(msgspec.MsgspecError, UnicodeError):  # else it stays as it is written
        key = msgspec.json.decode(f'"{key}"'.encode("utf-8", "surrogatepass"), type=str)
    return key.replace("~", "~0").replace("/", "~1")
