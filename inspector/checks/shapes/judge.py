"""Validates values against the shapes of a protocol version: missing members and wrong types, with their places.

One validator is compiled per type and version. For a valid value it visits each member once and allocates nothing:
JSON pointers are built only for faults.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import msgspec

from inspector.checks.shapes.notation import TYPES, Member, ShapeType, read
from inspector.json_pointer import escaped
from inspector.protocol import peek
from inspector.protocol.revisions.table import ROWS
from inspector.protocol.uri_templates import take_apart
from inspector.text import cut

MOST = 50
"""Maximum faults reported per value."""
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*")
_BRACES = re.compile(r"\{[^{}]{1,200}\}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_BASE64_OF_URLS = re.compile(r"[A-Za-z0-9_-]*={0,2}")
_DATA_URL = re.compile(r"(?i)data:[^,]{0,200},")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://")
_WHOLE_LOOK = 1 << 20
"""Maximum characters of base64 that are validated completely; of longer data, the beginning and the end are."""
_LONG_NAME = 60
_QUOTED = 40
"""Maximum characters of a string of the wrong type that is quoted."""
_KNOWN_VALUES = {"resultType": ("complete", "input_required", "task")}
"""Texts by which a member is recognised under another name."""
_EVERYWHERE = frozenset(("_meta", "annotations", "type", "name", "title", "description"))
"""Members so common that they do not indicate where they belong."""
_OF_OTHERS = frozenset({"_meta", "extensions"})
"""Members that are harmless in earlier versions."""
_NONE_BELOW: frozenset[str] = frozenset()
_SCHEMAS = frozenset({"Arguments", "Structured", "Dialected"})
"""Types that are JSON Schemas, in which any keyword is allowed."""
_MOST_LOOKED_AT = 2000
"""Maximum objects examined per message: the tools of a list mostly share their unknown members."""


class ShapeFault(NamedTuple):
    """A fault at one place."""

    pointer: str
    sentence: str
    """Predicate of a sentence whose subject is the place: "is missing", "must be a string, got null"."""
    rule: str
    """Id of the check."""
    hard: bool = True
    """False if only the content of a string is invalid."""


Faults = tuple[ShapeFault, ...]
Judge = Callable[[Any], Faults]
FINE: Faults = ()


class Stranger(msgspec.Struct, frozen=True):
    """A member of another protocol version."""

    type: str
    member: str
    pointer: str
    rows: tuple[int, ...]
    """Rows of the table of revisions that define it."""


@cache
def judge_of(row: int, name: str) -> Judge:
    """Return the validator of a type in a row of the table of revisions, from 1."""
    known = _types()[name]
    if known.arms:
        return _of_block(row, known)
    members = tuple(each for each in known.members if row in each.rows)
    return _of_object(row, known, members)


@cache
def _types() -> dict[str, ShapeType]:
    return read(TYPES)


def rules() -> frozenset[str]:
    """Return the ids of all checks that a shape can fail."""
    found = {"null-optional-member", "invalid-uri", "invalid-base64"}
    for each in _types().values():
        found |= {each.rule, *(rule for member in each.members for rule in (member.absent, member.wrong))}
    return frozenset(found - {""})


def _of_object(row: int, known: ShapeType, members: tuple[Member, ...]) -> Judge:
    prepared = tuple(
        (each.name, each.required, _kind(row, each.kind), each.absent or known.rule, each.wrong or known.rule)
        for each in members
    )
    needs, rule, own = known.needs, known.rule, frozenset(each.name for each in known.members)
    below_of = {each.name: _names_below(row, each.kind) for each in members if each.required}

    def judge(value: Any) -> Faults:
        if type(value) is not dict:
            return (ShapeFault("", f"must be an object, got {_a(value)}", rule),)
        found = FINE
        for name, required, kind, absent, wrong in prepared:
            if name in value:
                if below := kind(value[name]):
                    found += _within(name, below, wrong, optional_null=not required and value[name] is None)
            elif required:
                found += (
                    ShapeFault(f"/{escaped(name)}", f"is missing{_instead(name, value, below_of[name], own)}", absent),
                )
        if needs and not any(name in value for name in needs):
            others = _instead("", value, _NONE_BELOW, own)
            found += (ShapeFault("", f"has neither {' nor '.join(needs)}{others}", rule),)
        return found

    return judge


def _names_below(row: int, kind: str) -> frozenset[str]:
    """Return the member names of an object type; empty for other kinds."""
    known = _types().get(kind)
    return frozenset(each.name for each in known.members if row in each.rows) if known is not None else frozenset()


def _instead(name: str, value: dict[str, Any], below: frozenset[str], own: frozenset[str]) -> str:
    """Return a remark about what replaces a missing member: its name in another case, or members that belong inside.

    Else it names the members that the type, whose own ones are `own`, does not have.
    """
    wanted = _bare(name)
    names = [each for each in value if each != name and len(each) < _LONG_NAME]
    other = next((each for each in names if _bare(each) == wanted), None)
    other = other or next(
        (each for each in names if each not in own and _bare(each) in (f"{wanted}s", wanted[:-1])), None
    )
    if other is not None:
        return f"; found {other!r} instead"
    known = _KNOWN_VALUES.get(name, ())
    other = next((each for each, there in value.items() if isinstance(there, str) and there in known), None)
    if other is not None:
        return f"; found {other[:_LONG_NAME]!r}: {value[other]!r} instead"
    inside = [each for each in value if each in below and each not in _EVERYWHERE]
    if inside:
        return f"; {' and '.join(inside[:3])} belong{'' if len(inside) > 1 else 's'} inside it"
    others = [each for each in names if each not in own and each not in _EVERYWHERE and each.isidentifier()]
    return f"; found {', '.join(map(repr, others[:3]))}" if others else ""


def _bare(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _of_block(row: int, known: ShapeType) -> Judge:
    arms = {word: judge_of(row, arm.type_name) for word, arm in known.arms.items() if row in arm.rows}

    def judge(value: Any) -> Faults:
        if type(value) is not dict:
            return (ShapeFault("", f"must be one content block, got {_a(value)}", ""),)
        kind = value.get("type")
        arm = arms.get(kind) if isinstance(kind, str) else None
        if arm is not None:
            return arm(value)
        if not isinstance(kind, str):
            message = "is missing" if "type" not in value else f"must be a string, got {_a(kind)}"
            return (ShapeFault("/type", message, known.rule),)
        since = ROWS[min(known.arms[kind].rows) - 1].date if kind in known.arms else ""
        where = f"in this protocol version, only since {since}" if since else "in any protocol version"
        return (
            ShapeFault("/type", f"has the type {cut(kind, 40)!r}, which is not a content type {where}", known.rule),
        )

    return judge


def _within(name: str, below: Faults, rule: str, *, optional_null: bool) -> Faults:
    at = f"/{escaped(name)}"
    if optional_null:
        return (ShapeFault(at, "is null; omit it instead", "null-optional-member"),)
    return tuple(ShapeFault(at + each.pointer, each.sentence, each.rule or rule, each.hard) for each in below[:MOST])


def _kind(row: int, text: str) -> Judge:
    """Return the validator of a kind in the notation."""
    if text.startswith("["):
        return _array(_kind(row, text[1:-1]))
    if "|" in text:
        return _either(row, text.split("|"))
    if text.startswith("{"):
        return _map(_kind(row, text[1:-1]))
    if text.startswith("'"):
        return _words((text.strip("'"),))
    simple = _SIMPLE.get(text)
    return simple if simple is not None else _lazily(row, text)


def _lazily(row: int, name: str) -> Judge:
    """Return a validator that is compiled on first use, because types may be recursive."""

    def judge(value: Any) -> Faults:
        return judge_of(row, name)(value)

    return judge


def _array(item: Judge) -> Judge:
    def judge(value: Any) -> Faults:
        if type(value) is not list:
            return (ShapeFault("", f"must be an array, got {_a(value)}", ""),)
        found = FINE
        for at, each in enumerate(value):
            if below := item(each):
                found += _within(str(at), below, "", optional_null=False)
                if len(found) >= MOST:
                    break
        return found

    return judge


def _map(item: Judge) -> Judge:
    def judge(value: Any) -> Faults:
        if type(value) is not dict:
            return (ShapeFault("", f"must be an object, got {_a(value)}", ""),)
        found = FINE
        for name, each in value.items():
            if below := item(each):
                found += _within(name, below, "", optional_null=False)
                if len(found) >= MOST:
                    break
        return found

    return judge


def _either(row: int, kinds: list[str]) -> Judge:
    if all(kind.startswith("'") for kind in kinds):
        return _words(tuple(kind.strip("'") for kind in kinds))
    arms = [_kind(row, kind) for kind in kinds]

    def judge(value: Any) -> Faults:
        verdicts = [arm(value) for arm in arms]
        if not all(verdicts):
            return FINE
        nearest = verdicts[-1] if type(value) is list else verdicts[0]
        return nearest if kinds[0][0].isupper() else (ShapeFault("", f"is {_a(value)}, which is not allowed", ""),)

    return judge


def _words(words: tuple[str, ...]) -> Judge:
    known = frozenset(words)
    named = " or ".join(f'"{word}"' for word in words) if len(words) < 4 else f"one of {', '.join(words)}"

    def judge(value: Any) -> Faults:
        if type(value) is str and value in known:
            return FINE
        message = f'"{cut(value, 40)}"' if isinstance(value, str) else _a(value)
        return (ShapeFault("", f"must be {named}, got {message}", ""),)

    return judge


def _a(value: Any) -> str:
    name = peek.type_name(value)
    if name == "null":
        return name
    if type(value) is str and _holds_json(value):
        return "a string with JSON (encoded twice)"
    if type(value) is str and 0 < len(value) <= _QUOTED and value.isprintable():
        return f"the string {value!r}"
    return f"an {name}" if name[0] in "aeio" else f"a {name}"


def _holds_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _WHOLE_LOOK:
        return False
    try:
        return type(json.loads(text)) in (dict, list)
    except (ValueError, RecursionError):
        return False


def _plain(asked: str, holds: Callable[[Any], bool]) -> Judge:
    def judge(value: Any) -> Faults:
        return FINE if holds(value) else (ShapeFault("", f"must be {asked}, got {_shown(value)}", ""),)

    return judge


def _shown(value: Any) -> str:
    return cut(str(value), 40) if isinstance(value, int | float) and not isinstance(value, bool) else _a(value)


def _number(value: Any) -> bool:
    return type(value) is int or type(value) is float


def _whole(value: Any) -> bool:
    return type(value) is int or (type(value) is float and value.is_integer())


def _uri(value: Any) -> Faults:
    if type(value) is not str:
        return (ShapeFault("", f"must be a string, got {_a(value)}", ""),)
    if _URI.fullmatch(value):
        return FINE
    if not _SCHEME.match(value):
        return (ShapeFault("", f"{cut(value, 60)!r} is not a URI: no valid scheme", "invalid-uri"),)
    why = "it is a template" if _BRACES.search(value) else "characters must be percent-encoded"
    return (ShapeFault("", f"{cut(value, 60)!r} is not a URI: {why}", "invalid-uri", hard=False),)


def _name(value: Any) -> Faults:
    if type(value) is str and not value.strip():
        return (ShapeFault("", "is empty: clients have nothing to show, or to ask for", "", hard=False),)
    return _SIMPLE["text"](value)


def _template(value: Any) -> Faults:
    if type(value) is not str:
        return (ShapeFault("", f"must be a string, got {_a(value)}", ""),)
    problem = take_apart(value).problem
    return (ShapeFault("", f"{cut(value, 60)!r} is not a URI template: {problem}", "invalid-uri"),) if problem else FINE


def _base64(value: Any) -> Faults:
    if type(value) is not str:
        return (ShapeFault("", f"must be a string, got {_a(value)}", ""),)
    looked_at = value if len(value) <= _WHOLE_LOOK else value[: _WHOLE_LOOK // 2] + value[-_WHOLE_LOOK // 2 :]
    if len(value) % 4 == 0 and _BASE64.fullmatch(looked_at):
        return FINE
    if _DATA_URL.match(value):
        return (ShapeFault("", "is a data: URL; only the base64 after the comma belongs here", "invalid-base64"),)
    if _ADDRESS.match(value):
        sentence = f"is a URL, {cut(value, 60)!r}; the base64 of the data itself belongs here"
        return (ShapeFault("", sentence, "invalid-base64"),)
    why = "its length is not a multiple of four"
    if not _BASE64.fullmatch(looked_at):
        is_of_urls = _BASE64_OF_URLS.fullmatch(looked_at) is not None
        why = "it uses - and _, the alphabet for URLs" if is_of_urls else "invalid characters"
        why = "it is what Python prints of bytes, b'…': call decode() on it" if value.startswith(("b'", 'b"')) else why
        why = "it has line breaks or blanks" if _BASE64.fullmatch("".join(looked_at.split())) else why
    return (ShapeFault("", f"is not base64: {why}", "invalid-base64"),)


_SIMPLE: dict[str, Judge] = {
    "text": _plain("a string", lambda value: type(value) is str),
    "name": _name,
    "number": _plain("a number", _number),
    "whole": _plain("a whole number", _whole),
    "natural": _plain("a whole number, 0 or more", lambda value: _whole(value) and value >= 0),
    "unit": _plain("a number from 0 to 1", lambda value: _number(value) and 0 <= value <= 1),
    "flag": _plain("true or false", lambda value: type(value) is bool),
    "object": _plain("an object", lambda value: type(value) is dict),
    "nothing": _plain("null", lambda value: value is None),
    "any": lambda value: FINE,
    "uri": _uri,
    "template": _template,
    "base64": _base64,
}


# Members of other protocol versions


@cache
def _members(row: int, name: str) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[int, ...]]]:
    """Return the members of a type in a row with their types, and the members that only other rows define."""
    mine: dict[str, tuple[str, ...]] = {}
    others: dict[str, set[int]] = {}
    for each in _types()[name].members:
        if row in each.rows:
            below = (kind.strip("[]{}") for kind in each.kind.split("|"))
            mine[each.name] = tuple(kind for kind in below if kind in _types())
        else:
            others.setdefault(each.name, set()).update(each.rows)
    if name in _SCHEMAS:
        return mine, {}
    strange = {name: tuple(sorted(rows)) for name, rows in others.items() if name not in mine}
    return mine, {name: rows for name, rows in strange.items() if name not in _OF_OTHERS}


def strangers(row: int, name: str, value: Any) -> list[Stranger]:
    """Return the members of other versions in a value, each kind once, in document order."""
    found: dict[tuple[str, str], Stranger] = {}
    waiting: list[tuple[str, Any, str]] = [(name, value, "")]
    for _ in range(_MOST_LOOKED_AT):
        if not waiting:
            break
        type_name, each, at = waiting.pop(0)
        known = _types()[type_name]
        if type(each) is list:
            waiting += [(type_name, item, f"{at}/{place}") for place, item in enumerate(each[:_MOST_LOOKED_AT])]
        elif known.arms:
            word = each.get("type") if type(each) is dict else None
            arm = known.arms.get(word) if isinstance(word, str) else None
            if arm is not None and row in arm.rows:
                waiting.append((arm.type_name, each, at))
        elif type(each) is dict:
            mine, others = _members(row, type_name)
            for member, rows in others.items():
                if member in each:
                    found.setdefault((type_name, member), Stranger(type_name, member, f"{at}/{member}", rows))
            waiting += [
                (kind, each[key], f"{at}/{key}") for key, kinds in mine.items() if key in each for kind in kinds
            ]
    return list(found.values())
