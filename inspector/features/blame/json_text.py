"""Changes one place of a JSON text and leaves every other character as it was written.

Parsing and writing again would also change escapes, spaces, numbers and duplicate members, any of which may be what a
server fails at. Each function returns the text unchanged if the place does not exist in it.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[ \t\r\n]++|[^" \t\r\n]++', re.DOTALL)
_ESCAPED = re.compile(r"\\\\|((?:\\u[0-9a-fA-F]{4})+)")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


class JsonMember(NamedTuple):
    """Where a member of an object is in the text: `"name": value`."""

    name: str
    begin: int
    value: int
    end: int


def is_json(text: str) -> bool:
    """Return whether a text is JSON that can be changed here."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """Return the text with a member set; objects on the way to it are made if they are missing.

    A member that is there keeps its place, of several with one name the last.
    """
    *way, last = path
    at = _object_at(text, way)
    if at is None:
        return with_member(text, way, {last: value}) if way else text
    members = _members(text, at)
    spaced = _is_spaced(text)
    written = _written(value, text)
    for member in reversed(members):
        if member.name == last:
            return text[: member.value] + written + text[member.end :]
    separator = (", " if spaced else ",") if members else ""
    end = members[-1].end if members else text.index("{", at) + 1
    return f"{text[:end]}{separator}{json.dumps(last)}{': ' if spaced else ':'}{written}{text[end:]}"


def without_member(text: str, path: Sequence[str]) -> str:
    """Return the text without a member, however often it is there."""
    *way, last = path
    at = _object_at(text, way)
    members = _members(text, at) if at is not None else []
    pieces, is_first = [], True
    for before, member in zip([None, *members], members, strict=False):
        if member.name != last:
            pieces.append(text[member.begin if before is None or is_first else before.end : member.end])
            is_first = False
    if len(pieces) == len(members):
        return text
    return "".join([text[: members[0].begin], *pieces, text[members[-1].end :]])


def in_order(text: str, path: Sequence[str], names: Sequence[str]) -> str:
    """Return the text with the members of an object in this order; those without a place in it come last."""
    at = _object_at(text, path)
    members = _members(text, at) if at is not None else []
    ordered = sorted(members, key=lambda each: names.index(each.name) if each.name in names else len(names))
    pieces, done = [], 0
    for place, member in zip(members, ordered, strict=True):
        pieces += [text[done : place.begin], text[member.begin : member.end]]
        done = place.end
    return "".join(pieces) + text[done:]


def has_escapes(text: str) -> bool:
    """Return whether characters beyond ASCII are written as escapes."""
    return any(found[1] for found in _ESCAPED.finditer(text)) and with_escapes(text, wanted=False) != text


def with_escapes(text: str, *, wanted: bool) -> str:
    """Return the text with characters beyond ASCII as escapes, or as they are."""
    if wanted:
        return _BEYOND_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)
    return _ESCAPED.sub(lambda found: _unescaped(found[1]) if found[1] else found[0], text)


def _unescaped(escapes: str) -> str:
    text: str = json.loads(f'"{escapes}"')
    return "".join(
        each if ord(each) > 0x7F and not 0xD800 <= ord(each) < 0xE000 else f"\\u{ord(each):04x}" for each in text
    )


def has_spaces(text: str) -> bool:
    """Return whether there are spaces between the tokens."""
    return any(each[0].isspace() for each in _TOKEN.findall(text))


def with_spaces(text: str, *, wanted: bool) -> str:
    """Return the text with a space after each colon and comma, or without any space between tokens."""
    tight = _outside_strings(text, lambda token: "" if token.isspace() else token)
    return _outside_strings(tight, lambda token: re.sub(r"([:,])", r"\1 ", token)) if wanted else tight


def _outside_strings(text: str, change: Callable[[str], str]) -> str:
    return "".join(each if each.startswith('"') else change(each) for each in _TOKEN.findall(text))


def _written(value: Any, text: str) -> str:
    spaced = _is_spaced(text)
    separators = (", ", ": ") if spaced else (",", ":")
    return json.dumps(value, ensure_ascii=has_escapes(text), separators=separators)


def _is_spaced(text: str) -> bool:
    return '": ' in text


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _object_at(text: str, path: Sequence[str]) -> int | None:
    """Return where the object at a path begins; None if there is none."""
    at = _skip(text, 0)
    for name in path:
        found = [each for each in _members(text, at) if each.name == name]
        if not found:
            return None
        at = found[-1].value
    return at if text[at : at + 1] == "{" else None


def _members(text: str, at: int) -> list[JsonMember]:
    """Return the members of the object that begins here; none if it is not an object."""
    found: list[JsonMember] = []
    if text[at : at + 1] != "{":
        return found
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        name, end = _DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, end) + 1)
        _, value_end = _DECODER.raw_decode(text, value)
        found.append(JsonMember(name, at, value, value_end))
        at = _skip(text, value_end)
        if text[at : at + 1] != ",":
            break
        at = _skip(text, at + 1)
    return found
