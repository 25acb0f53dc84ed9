"""Paths within a JSON value. Changes return a new value: no value is ever modified in place.

Reading a path that does not exist returns UNSET; writing there creates the containers on the way.
"""

from typing import TypeAlias

from inspector.forms.fields import UNSET
from inspector.json_pointer import escaped

Path: TypeAlias = tuple[str | int, ...]
"""Member names and item indexes, outermost first; () is the whole value."""


def get_at(value: object, path: Path) -> object:
    """Return the value at `path`, or UNSET."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step, UNSET)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return UNSET
    return value


def set_at(value: object, path: Path, new: object) -> object:
    """Return `value` with `new` at `path`. Missing containers are created; UNSET keeps an empty place.

    An index at or past the end extends the array, filled with UNSET. A negative index counts as 0.
    """
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(step, str):
        members = dict(value) if isinstance(value, dict) else {}
        members[step] = set_at(members.get(step, UNSET), rest, new)
        return members
    at = max(step, 0)
    items = list(value) if isinstance(value, list) else []
    items.extend(UNSET for _ in range(at + 1 - len(items)))
    items[at] = set_at(items[at], rest, new)
    return items


def remove_at(value: object, path: Path) -> object:
    """Return `value` without the member or item at `path`; unchanged if it does not exist. For the root: UNSET."""
    if not path:
        return UNSET
    parent = get_at(value, path[:-1])
    if get_at(value, path) is UNSET and not _has(parent, path[-1]):
        return value
    if isinstance(parent, dict):
        shorter: object = {key: each for key, each in parent.items() if key != path[-1]}
    elif isinstance(parent, list):
        shorter = [each for at, each in enumerate(parent) if at != path[-1]]
    else:
        return value
    return set_at(value, path[:-1], shorter)


def move_at(value: object, path: Path, to: int) -> object:
    """Return `value` with the array item at `path` moved to index `to`; unchanged if there is no item."""
    parent = get_at(value, path[:-1])
    if not path or not isinstance(parent, list) or not _has(parent, path[-1]):
        return value
    items = list(parent)
    item = items.pop(int(path[-1]))
    items.insert(max(to, 0), item)
    return set_at(value, path[:-1], items)


def _has(parent: object, step: str | int) -> bool:
    if isinstance(parent, dict):
        return step in parent
    return isinstance(parent, list) and isinstance(step, int) and 0 <= step < len(parent)


def pointer(path: Path) -> str:
    """Return the path as a JSON pointer (RFC 6901): "/a/0"; "" for the root."""
    return "".join(f"/{escaped(str(step))}" for step in path)


def dotted(path: Path) -> str:
    """Return the path as people write it: "a[0].b"; "" for the root."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
