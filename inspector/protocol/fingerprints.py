"""What tells a value from every other one: its canonical form, and a hash of that. And what is remembered of a list.

A definition is the same however its members are ordered and its numbers are written; anything else is a change, a blank
in a description included.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from inspector.protocol.json_diff import key_of
from inspector.protocol.jsonrpc import encode

_MAY_BE_WHOLE = re.compile(rb"\d(?:\.0|e[+-]?\d)")
"""How a whole number is written where it is held as one with a fraction; also found in many a text."""
_DEEPEST = 200
"""Below this depth members keep the order they came in."""
INSTRUCTIONS = "instructions"
"""The kind under which a server's instructions are remembered, as one thing without a name."""


def canonical(value: Any) -> Any:
    """The same value with members in the order of their names, and whole numbers without a fraction.

    It is the very same where that is so already.
    """
    if not isinstance(value, dict | list | tuple):
        return _put_in_order(value, 0)
    raw = _sorted(value)
    if raw is None:
        return _put_in_order(value, 0)
    if raw == msgspec.json.encode(value):
        return value
    found = msgspec.json.decode(raw)
    return found if found == value else _put_in_order(value, 0)  # infinity is written as null


def _put_in_order(value: Any, depth: int) -> Any:
    if isinstance(value, dict) and depth < _DEEPEST:
        return {name: _put_in_order(value[name], depth + 1) for name in sorted(value)}
    if isinstance(value, list | tuple) and depth < _DEEPEST:
        return [_put_in_order(item, depth + 1) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return int(value)
    return value


def content_hash(value: Any) -> str:
    """What tells a value from every other one: the same however its members are ordered and numbers are written."""
    return "sha256:" + hashlib.sha256(_sorted(value) or encode(_put_in_order(value, 0))).hexdigest()


def _sorted(value: Any) -> bytes | None:
    """What the canonical form is written as, without making it; None if that takes a closer look."""
    try:
        raw = msgspec.json.encode(value, order="sorted")
    except (UnicodeEncodeError, OverflowError, RecursionError):
        return None
    if _MAY_BE_WHOLE.search(raw) or raw.count(b"{") + raw.count(b"[") >= _DEEPEST:
        return None
    return raw


class Remembered(msgspec.Struct, frozen=True):
    """What is remembered of a list: the things that were seen first, or approved since."""

    since: int
    """When that was: seconds since 1970."""
    things: Mapping[str, tuple[str, Any]] = {}
    """By key the hash, and the thing itself; None in its place where it was too large to be kept."""


def known_of(kind: str, items: Iterable[Any], now: int) -> Remembered:
    """A list as it is to be remembered; of several things with one key, the last. The things are not copied."""
    return Remembered(now, {key_of(kind, raw): (content_hash(raw), raw) for raw in items})


def known_text(text: str, now: int) -> Remembered:
    """A text as it is to be remembered."""
    return Remembered(now, {"": (content_hash(text), text)})
