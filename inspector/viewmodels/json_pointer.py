"""From a JSON pointer to the line of a payload that it points at.

A pointer that leads out of the payload leads to the last value on the way that is there.
"""

import re
from itertools import islice

import msgspec

from inspector.viewmodels.json_lines import JsonLines

_CHILD = rb"\n {%d}[^ \]}]"
_MEMBER = rb'\n {%d}("(?:[^"\\\n]++|\\.)*+"): '


def tokens(pointer: str) -> list[str]:
    """The steps of a pointer (RFC 6901); none for the whole."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def line_of(lines: JsonLines, pointer: str) -> int:
    """The line where the value begins. In a long payload: some hundredths of a second."""
    at = 0
    if lines.problem or not lines.count:
        return at
    for step in tokens(pointer):
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
    try:
        return msgspec.json.decode(raw, type=str)
    except (msgspec.MsgspecError, UnicodeError):
        return raw[1:-1].decode("utf-8", "replace")
