"""All mutations: places of what a conforming server sends, and what is done to each."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

MEMBER_OPERATORS = ("drop", "rename", "retype", "null", "empty", "truncate", "duplicate", "reorder")
LINE_OPERATORS = (
    "drop",
    "duplicate",
    "delay",
    "truncate",
    "reorder",
    "split",
    "join",
    "no newline",
    "text before",
    "text after",
    "blank line",
    "carriage return",
    "byte order mark",
    "invalid UTF-8",
    "NUL byte",
    "Content-Length",
    "batch",
    "string",
    "terminal code",
)
HEADER_OPERATORS = ("drop", "rename", "retype", "empty", "duplicate", "truncate")
STATUSES = (
    *(201, 202, 204, 206, 301, 302, 307, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 413, 415, 421, 422, 429),
    *(500, 501, 502, 503, 504, 520),
)
BODY_OPERATORS = ("drop", "truncate", "duplicate", "delay", "HTML", "text", "byte order mark", "invalid UTF-8", "batch")
EVENT_OPERATORS = (
    "drop",
    "duplicate",
    "truncate",
    "rename event",
    "retype event",
    "rename data",
    "split data",
    "comment",
    "delay",
    "hang up",
)
_RENAMED = "X"


@dataclass(frozen=True)
class Mutation:
    """One thing that is different."""

    kind: str
    """member, line, header, status, body or event."""
    method: str
    """The request whose response is mutated, with the tool's name for a call; or the notification."""
    place: str
    """A pointer, the name of a header, a status; "" for the whole."""
    operator: str

    def __str__(self) -> str:
        return f"{self.kind} {self.method} {self.place} {self.operator}".replace("  ", " ")


def of_members(messages: Iterable[tuple[str, Any]]) -> Iterator[Mutation]:
    """Yield the mutations of all members of these messages, by their methods."""
    for method, message in messages:
        for pointer, value in _places(message, ""):
            for operator in MEMBER_OPERATORS:
                if _applies(value, operator, in_array=isinstance(_at(message, pointer.rpartition("/")[0]), list)):
                    yield Mutation("member", method, pointer, operator)


def _places(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        place = f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"
        yield place, child
        yield from _places(child, place)


def _applies(value: Any, operator: str, *, in_array: bool) -> bool:
    """Return whether an operator changes a value at all."""
    match operator:
        case "rename":
            return not in_array
        case "empty":
            return isinstance(value, str | list | dict) and bool(value)
        case "truncate":
            return isinstance(value, str | list) and len(value) > 1
        case "reorder":
            return isinstance(value, list | dict) and len(value) > 1
    return True


def mutated_text(message: Any, mutation: Mutation) -> str:
    """Return the JSON text of a message with one member mutated."""
    return _written(message, mutation.place.split("/")[1:], mutation.operator)


def _written(value: Any, tokens: list[str], operator: str) -> str:
    if not tokens:
        return json.dumps(_changed(value, operator))
    parts: list[tuple[str, str]] = []
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    wanted = tokens[0].replace("~1", "/").replace("~0", "~")
    for key, child in children:
        if str(key) != wanted:
            parts.append((str(key), json.dumps(child)))
        elif len(tokens) > 1 or operator not in ("drop", "rename", "duplicate"):
            parts.append((str(key), _written(child, tokens[1:], operator)))
        elif operator != "drop":
            name = str(key) + _RENAMED if operator == "rename" else str(key)
            parts += [(name, json.dumps(child))] * (2 if operator == "duplicate" else 1)
    if isinstance(value, list):
        return f"[{', '.join(text for _, text in parts)}]"
    if not isinstance(value, dict):
        return json.dumps(value)
    return "{" + ", ".join(f"{json.dumps(key)}: {text}" for key, text in parts) + "}"


def _changed(value: Any, operator: str) -> Any:
    match operator:
        case "null":
            return None
        case "empty":
            return type(value)()
        case "truncate":
            return value[: len(value) // 2]
        case "reorder":
            return value[::-1] if isinstance(value, list) else dict(reversed(value.items()))
    return _retyped(value)


def _retyped(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        return 7
    return [value] if isinstance(value, dict) else {str(at): each for at, each in enumerate(value)}


def _at(value: Any, pointer: str) -> Any:
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def original(message: Any, pointer: str) -> Any:
    """Return the value at a pointer; None if there is none."""
    try:
        return _at(message, pointer)
    except (KeyError, IndexError, TypeError, ValueError):
        return None
