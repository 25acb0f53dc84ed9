"""Fingerprints: the canonical form of a JSON value and its hash, and the remembered state of a list.

The order of members and the notation of numbers do not matter. Any other difference is a change, even a space in a
description.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from inspector.documents import UNENCODABLE
from inspector.protocol.changes import key_of
from inspector.protocol.jsonrpc import encode
from inspector.text import lazy_pattern

_MAY_BE_WHOLE = lazy_pattern(rb"\d(?:\.0|e[+-]?\d)")
"""How an integer held as a float is written in JSON; also matches within many strings."""
_DEEPEST = 200
"""Below this depth, members keep their order."""
KINDS = ("tools", "prompts", "templates")
"""Lists whose texts are read by models. Resources are left out because they change all the time."""
INSTRUCTIONS = "instructions"
"""The kind under which a server's instructions are remembered, as a single item without a name."""


class Remembered(msgspec.Struct, frozen=True):
    """The remembered items of a list: as first seen, or as last approved."""

    since: int
    """Time of that, in seconds since 1970."""
    items: Mapping[str, tuple[str, Any]] = {}
    """Hash and item by key; the item is None if it was too large to be stored."""


def canonical(value: Any) -> Any:
    """Return the value with members sorted by name, and integral floats as integers.

    Returns the same object if it is already in this form.
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
    """Return a hash that is independent of the order of members and the notation of numbers."""
    return "sha256:" + hashlib.sha256(_sorted(value) or encode(_put_in_order(value, 0))).hexdigest()


def _sorted(value: Any) -> bytes | None:
    """Encode the canonical form without building it; None if that requires the slow path."""
    try:
        raw = msgspec.json.encode(value, order="sorted")
    except UNENCODABLE:
        return None
    if _MAY_BE_WHOLE.search(raw) or raw.count(b"{") + raw.count(b"[") >= _DEEPEST:
        return None
    return raw


def known_of(kind: str, items: Iterable[Any], now: int) -> Remembered:
    """Return the state of a list to be remembered; of items with the same key, the last. Items are not copied."""
    return Remembered(now, {key_of(kind, raw): (content_hash(raw), raw) for raw in items})


def known_text(text: str, now: int) -> Remembered:
    """Return the state of a text to be remembered."""
    return Remembered(now, {"": (content_hash(text), text)})
