"""Two JSON values below each other, line by line, with the words that differ in brackets."""

import msgspec

from inspector.viewmodels.lines import Line
from inspector.viewmodels.read_changes import change_lines


def value_lines(before: str, after: str) -> list[Line]:
    """Compare two values that were written as JSON; "" for one that is not there. Foreign text."""
    sides = [{"contents": [{"uri": "value", "text": _spread(text)}]} if text else {} for text in (before, after)]
    return change_lines(*sides)[1:]


def _spread(text: str) -> str:
    """JSON over several lines; a text as the lines that it holds."""
    try:
        value = msgspec.json.decode(text)
        return value if isinstance(value, str) else msgspec.json.format(text, indent=2)
    except (msgspec.DecodeError, RecursionError):
        return text
