"""Parsing of JSON, YAML and TOML files. Every defect is an UnreadableDocument with its position.

The parsers of the standard library and PyYAML also raise RecursionError, plain ValueError and OverflowError: for
deep nesting, for integers of thousands of digits, for invalid dates. Also, a YAML file of a few hundred bytes can
describe billions of values through aliases. None of these may crash the program.
"""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
UNDECODABLE = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""What msgspec raises for bytes of others that it can't decode."""
UNENCODABLE = (UnicodeEncodeError, OverflowError, RecursionError)
"""What it raises for values of others that no JSON can hold: half surrogates, deep nesting, huge integers."""
_MOST_VALUES = 1_000_000
"""Maximum number of values of a YAML document, counting each alias with all its values."""
_TOO_DEEP = "nested too deeply"
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


class UnreadableDocument(ValueError):
    """The reason why a document can't be parsed, one sentence without a full stop."""

    def __init__(self, why: str, line: int = 0, column: int = 0) -> None:
        """Create an error; `line` and `column` count from 1, 0 if unknown."""
        super().__init__(why)
        self.line, self.column = line, column

    @property
    def placed(self) -> str:
        """The reason with its position: "line 3, column 7: expecting value"."""
        column = f", column {self.column}" if self.column else ""
        return f"line {self.line}{column}: {self}" if self.line else str(self)


def read_json(text: str) -> Any:
    """Parse JSON. Raises: UnreadableDocument."""
    import json  # not needed for the first paint, like tomllib

    return _guarded(json.loads, text)


def read_toml(text: str) -> Any:
    """Parse TOML. Raises: UnreadableDocument."""
    import tomllib

    try:
        return _guarded(tomllib.loads, text)
    except UnreadableDocument as error:
        why = str(error)
        if why.startswith(("illegal character '\\n'", "found invalid character '\\n'")):
            raise UnreadableDocument("a string has no closing quote on its line", error.line) from None
        if why.startswith(("unterminated string", "expected \"'")):  # at the end of the document
            mark = next((each for each in ('"""', "'''") if text.count(each) % 2), "'" if "'" in why else '"')
            line = text.count("\n", 0, text.rindex(mark)) + 1
            raise UnreadableDocument("a string has no closing quote", line) from None
        if why == "cannot overwrite a value":
            raise UnreadableDocument("a name that already has a value", error.line) from None
        if why.startswith("invalid value"):  # without a place at the end of the document, before Python 3.14
            given = error.line and text.split("\n")[error.line - 1][error.column - 1 :].strip()
            why = "invalid value; text needs quotes" if given else "a value is missing"
            raise UnreadableDocument(why, error.line, error.column) from None
        raise


def read_yaml(text: str) -> Any:
    """Parse YAML. Raises: UnreadableDocument."""
    import yaml  # rarely needed

    def load(text: str) -> Any:
        try:
            return yaml.safe_load(text)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            why = error.problem or "invalid YAML"
            raise UnreadableDocument(why, *((mark.line + 1, mark.column + 1) if mark else ())) from None
        except yaml.YAMLError as error:
            raise UnreadableDocument(" ".join(str(error).split())) from None

    value = _guarded(load, text)
    if not _is_countable(value):
        raise UnreadableDocument(f"its aliases expand to more than {_MOST_VALUES:,} values, or refer to themselves")
    return value


def _guarded(load: Callable[[str], Any], text: str) -> Any:
    try:
        return load(text)
    except UnreadableDocument:
        raise
    except RecursionError:
        raise UnreadableDocument(_TOO_DEEP) from None
    except (ValueError, OverflowError) as error:
        if "integer string conversion" in str(error):
            raise UnreadableDocument("an integer has too many digits") from None
        why = getattr(error, "msg", str(error))  # JSONDecodeError separates reason and position
        line, column = getattr(error, "lineno", 0), getattr(error, "colno", 0)
        if not line and (place := _PLACE.search(why)):  # TOML errors have members for it since Python 3.14
            why, line, column = why[: place.start()], int(place[1]), int(place[2])
        raise UnreadableDocument(why[:1].lower() + why[1:], line, column) from None


def _is_countable(value: Any) -> bool:
    """Return whether the number of values, with repeated ones counted each time, is within the limit."""
    waiting, left = [value], _MOST_VALUES
    while waiting:
        each = waiting.pop()
        left -= 1
        if isinstance(each, dict):
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
        if left < len(waiting):
            return False
    return True


def prepared_type(kind: T) -> T:
    """Have msgspec read the members of a type now, and return it; a decorator of what is decoded without a decoder.

    Otherwise it does so at first use, and two threads that use a type for the first time at the same moment end the
    process (msgspec 0.22.0, segmentation fault).
    """
    msgspec.json.Decoder(kind)
    return kind
