"""Safe lookups in unchecked JSON: a wrong type or a missing member yields None, never an exception.

All JSON from outside is read with this module: `"_meta": null` and `"tools": "no"` are ordinary input.
"""

from typing import Any, TypeVar

import msgspec

from inspector.documents import UNDECODABLE

T = TypeVar("T")
_EXACT = 2**53
"""Beyond it, a double no longer identifies the integer that was written."""
type_names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}


def decoded(written: bytes | str | msgspec.Raw) -> Any:
    """Return a JSON text as a value; None if it is not JSON."""
    return decoded_as(object, written)


def decoded_as(kind: type[T], written: bytes | str | msgspec.Raw) -> T | None:
    """Return a JSON text as a value of a type; None if it can't be read as one."""
    try:
        return msgspec.json.decode(written, type=kind)
    except UNDECODABLE:
        return None


def is_json(written: bytes | str) -> bool:
    """Return whether a text is one JSON value."""
    return decoded(written) is not None or written.strip() in (b"null", "null")


def at(value: Any, *path: str | int) -> Any:
    """Return the value at a path of member names and array positions; None if the path does not exist."""
    for step in path:
        if isinstance(step, str):
            if not isinstance(value, dict):
                return None
            value = value.get(step)
        else:
            if not isinstance(value, list) or not -len(value) <= step < len(value):
                return None
            value = value[step]
    return value


def has(value: Any, *path: str | int) -> bool:
    """Return whether the path exists. Unlike in `at`, an explicit null counts."""
    *way, last = path
    parent = at(value, *way)
    if isinstance(last, str):
        return isinstance(parent, dict) and last in parent
    return isinstance(parent, list) and -len(parent) <= last < len(parent)


def text(value: Any, *path: str | int) -> str | None:
    """Return the string at the path; None if it is not one."""
    found = at(value, *path)
    return found if isinstance(found, str) else None


def integer(value: Any, *path: str | int) -> int | None:
    """Return the integer at the path; None if it is not one. Booleans are not numbers; 3.0 is 3."""
    found = at(value, *path)
    if isinstance(found, bool):
        return None
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return found if isinstance(found, int) else None


def number(value: Any, *path: str | int) -> float | None:
    """Return the number at the path; None if it is not one. Booleans are not numbers."""
    found = at(value, *path)
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None


def flag(value: Any, *path: str | int) -> bool | None:
    """Return the boolean at the path; None if it is not one."""
    found = at(value, *path)
    return found if isinstance(found, bool) else None


def mapping(value: Any, *path: str | int) -> dict[str, Any]:
    """Return the object at the path; an empty one if it is not one."""
    found = at(value, *path)
    return found if isinstance(found, dict) else {}


def items(value: Any, *path: str | int) -> list[Any]:
    """Return the array at the path; an empty one if it is not one."""
    found = at(value, *path)
    return found if isinstance(found, list) else []


def request_id(value: Any, *path: str | int) -> int | str | None:
    """Return the JSON-RPC id or token at the path: a string, or an integer in any notation (`1.0` and `1e0` are 1).

    None for anything else: null, booleans, fractions, and floats beyond 2^53, where the integer is ambiguous.
    """
    found = at(value, *path)
    kind = type(found)
    if kind is str or kind is int:
        return found  # type: ignore[no-any-return]
    return int(found) if kind is float and found.is_integer() and abs(found) <= _EXACT else None


def type_name(value: Any) -> str:
    """Return the JSON type of a value: object, array, string, number, boolean, null."""
    return type_names.get(type(value), "null")
