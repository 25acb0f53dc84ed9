"""Two JSON values below each other, line by line, with the words that differ in brackets."""

import msgspec

from inspector.viewmodels.lines import Line, span
from inspector.viewmodels.read_changes import change_lines
from inspector.viewmodels.roles import Role

_MOST = 5000
"""Lines of a value that stands on one side alone."""


def value_lines(before: str, after: str) -> list[Line]:
    """Compare two values that were written as JSON; "" for one that is not there. Foreign text."""
    if not before or not after:
        return [*_alone("before", "- ", before, "removed"), *_alone("after", "+ ", after, "added")]
    sides = [{"contents": [{"uri": "value", "text": _spread(text)}]} if text else {} for text in (before, after)]
    return change_lines(*sides)[1:]


def _alone(when: str, sign: str, value: str, role: Role) -> list[Line]:
    """All of a value that has no other side; or that there is none."""
    if not value:
        return [((f"  {when}: not there", "muted"),)]
    several = _spread(value).splitlines() or [""]
    lines: list[Line] = [((sign, role), span(line, role)) for line in several[:_MOST]]
    if len(several) > _MOST:
        lines.append(((f"{sign}and {len(several) - _MOST:,} lines more", role),))
    return lines


def _spread(text: str) -> str:
    """JSON over several lines; a text as the lines that it holds."""
    try:
        value = msgspec.json.decode(text)
        return value if isinstance(value, str) else msgspec.json.format(text, indent=2)
    except (msgspec.DecodeError, RecursionError):
        return text
