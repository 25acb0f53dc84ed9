"""Places within a JSON value, and new values that differ in one place. No value is ever changed in place.

A step that leads nowhere reads as UNSET; writing there builds the way.
"""

from typing import TypeAlias

from inspector.forms.fields import UNSET

Path: TypeAlias = tuple[str | int, ...]
"""Names of members and indexes of items, outermost first; () is the whole value."""


def get_at(value: object, path: Path) -> object:
    """The value at `path`, or UNSET."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step, UNSET)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return UNSET
    return value


def set_at(value: object, path: Path, new: object) -> object:
    """`value` with `new` at `path`. An object or array is made where the way needs one; UNSET keeps the place.

    An index at or past the end lengthens the array, with UNSET between. A negative index counts as 0.
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
    """`value` without the member or item at `path`; unchanged if nothing is there. Without the whole: UNSET."""
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


def rename_at(value: object, path: Path, name: str) -> object:
    """`value` with the member at `path` called `name`, in its old place; unchanged if that can't be."""
    parent = get_at(value, path[:-1])
    if not path or not isinstance(parent, dict) or path[-1] not in parent or name in parent:
        return value
    return set_at(value, path[:-1], {name if key == path[-1] else key: each for key, each in parent.items()})


def move_at(value: object, path: Path, to: int) -> object:
    """`value` with the array item at `path` at index `to` instead; unchanged if there is no item."""
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
    """RFC 6901: "/a/0"; "" for the whole value."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def shown_path(path: Path) -> str:
    """For people: "a.b[0]", names that would confuse in quotes; "" for the whole value."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.isidentifier():
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text


def place_in_form(value: object, path: Path) -> Path:
    """Where the form keeps what its JSON has at `path`: items that are UNSET are not in the JSON, but in the form."""
    place: list[str | int] = []
    for step in path:
        here = get_at(value, tuple(place))
        if isinstance(step, int) and isinstance(here, list):
            given = [at for at, each in enumerate(here) if each is not UNSET]
            step = given[step] if 0 <= step < len(given) else step
        place.append(step)
    return tuple(place)
