"""Where in a text that is JSON, or was meant to be, keys and values stand, and which of them are secret by their names.

The text is walked as it stands and never parsed into a value, so that what is not replaced stays as it was: duplicate
keys, spaces, `1E2`, a line that was cut. Nothing raises, whatever comes.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

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
    """The text of a string as it stands in JSON; what can't be read of it stands for itself."""
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
