"""What tells a value from every other one: its canonical form, and a hash of that. And what is remembered of a list.

A definition is the same however its members are ordered and its numbers are written; anything else is a change, a blank
in a description included.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from inspector.protocol.jsonrpc import encode
from inspector.protocol.list_changes import key_of

_DEEPEST = 200
"""Below this depth members keep the order they came in."""
INSTRUCTIONS = "instructions"
"""The kind under which a server's instructions are remembered, as one thing without a name."""


def canonical(value: Any, depth: int = 0) -> Any:
    """The same value with members in the order of their names, and whole numbers without a fraction."""
    if isinstance(value, dict) and depth < _DEEPEST:
        return {name: canonical(value[name], depth + 1) for name in sorted(value)}
    if isinstance(value, list | tuple) and depth < _DEEPEST:
        return [canonical(item, depth + 1) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return int(value)
    return value


def content_hash(value: Any) -> str:
    """What tells a value from every other one: the same however its members are ordered and numbers are written."""
    return "sha256:" + hashlib.sha256(encode(canonical(value))).hexdigest()


class Remembered(msgspec.Struct, frozen=True):
    """What is remembered of a list: the things that were seen first, or approved since."""

    since: int
    """When that was: seconds since 1970."""
    things: Mapping[str, tuple[str, Any]] = {}
    """By key the hash, and the thing itself; None in its place where it was too large to be kept."""


def known_of(kind: str, items: Iterable[Any], now: int) -> Remembered:
    """A list as it is to be remembered; of several things with one key, the last."""
    return Remembered(now, {key_of(kind, raw): (content_hash(raw), canonical(raw)) for raw in items})


def known_text(text: str, now: int) -> Remembered:
    """A text as it is to be remembered."""
    return Remembered(now, {"": (content_hash(text), text)})
