"""The calls that probe a tool: finite, ordered, and deterministic.

Arguments are generated from `inputSchema`: the smallest and the fullest valid ones, then each property at its
bounds, of another type, null, missing, long and in unusual scripts. The validator decides which of them are valid;
calls that it can't decide are skipped.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final, NamedTuple

import msgspec

from inspector.forms.arguments import smallest_valid
from inspector.forms.fields import (
    ArrayField,
    BoolField,
    ChoiceField,
    ConstField,
    Field,
    NumberField,
    ObjectField,
    TextField,
    opened,
)
from inspector.forms.read_schema import read_schema
from inspector.forms.validate import validate
from inspector.protocol import peek

MOST: Final = 40
"""Maximum number of calls of a tool, not counting random ones."""
LONG: Final = 10_000
"""Length of a long text in characters."""
_MOST_CHOICES = 8
_UNUSUAL: Final = (
    ("emoji", "🧪👩‍🚀"),
    ("right-to-left text", "\u05e9\u05dc\u05d5\u05dd"),
    ("combining characters", "e\u0301\u0323"),
    ("a NUL character", "a\u0000b"),
    ("a line break", "a\r\nb"),
    ("quotes and brackets", "'\"`${}<%>;--"),
)
_OTHER_TYPES: Final[tuple[tuple[str, object], ...]] = (
    ("a string", "text"),
    ("a number", 7),
    ("a boolean", True),
    ("a list", []),
    ("an object", {}),
)


class ProbeCall(msgspec.Struct, frozen=True):
    tool: str
    """Untrusted text."""
    arguments: dict[str, Any]
    valid: bool
    """Whether the arguments match `inputSchema`."""
    what: str
    """Description of the arguments, such as `'count' is null`. May quote untrusted text."""
    argument: str = ""
    """Name of the invalid argument; "" if it is not a single one."""
    declared: bool = False
    """Whether the schema itself names the value: a choice, a constant, a bound, a boolean, or null."""
    again: bool = False
    """Whether the call repeats the previous call."""


def plan(tool: Mapping[str, Any], *, most: int = MOST, random: int = 0, seed: int = 0) -> list[ProbeCall]:
    """Return the calls that probe a tool, at most `most` and `random` more; [] if its schema can't be used."""
    name, schema = peek.text(tool, "name"), tool.get("inputSchema")
    if not name or not isinstance(schema, dict):
        return []
    root = opened(read_schema(schema))
    base = smallest_valid(schema)
    if not isinstance(root, ObjectField) or not isinstance(base, dict):
        return []
    found: dict[bytes, ProbeCall] = {}
    for proposal in _proposals(root, base):
        _add(found, name, schema, proposal)
        if len(found) == most:
            break
    hints = peek.at(tool, "annotations")
    if peek.flag(hints, "idempotentHint") is True and peek.flag(hints, "readOnlyHint") is not True and found:
        first = next(iter(found.values()))
        if first.valid:
            found[b"again"] = msgspec.structs.replace(first, what="the same arguments again", again=True)
    chance = Random(f"{seed} {name}")
    limit = len(found) + random
    for _ in range(20 * random):
        if len(found) == limit:
            break
        _add(found, name, schema, _Proposal(f"random arguments (seed {seed})", "", _random_object(root, chance)))
    return _ordered(list(found.values()))


def _ordered(calls: list[ProbeCall]) -> list[ProbeCall]:
    """Move the repetition directly after the call that it repeats."""
    again = [call for call in calls if call.again]
    rest = [call for call in calls if not call.again]
    return [*rest[:1], *again, *rest[1:]] if again else rest


class _Proposal(NamedTuple):
    what: str
    argument: str
    """The argument that may be invalid."""
    arguments: dict[str, Any]
    declared: bool = False


def _add(found: dict[bytes, ProbeCall], name: str, schema: object, proposal: _Proposal) -> None:
    what, argument, arguments, declared = proposal
    try:
        key = msgspec.json.encode(arguments, order="deterministic")
    except (UnicodeEncodeError, RecursionError):
        return
    verdict = validate(schema, arguments)
    if key not in found and verdict.ok is not None:
        found[key] = ProbeCall(name, arguments, verdict.ok, what, argument, declared)


def _proposals(root: ObjectField, base: dict[str, Any]) -> Iterator[_Proposal]:
    """Yield calls, the most relevant first."""
    yield _Proposal("only required arguments", "", base)
    full = base | {name: _sample(field) for name, field in root.properties}
    yield _Proposal("all arguments", "", full)
    for name, field in root.properties:
        if field.required:
            yield _Proposal(f"{name!r} is missing", name, {key: value for key, value in base.items() if key != name})
    for name, field in root.properties:
        yield _Proposal(f"{name!r} is null", name, base | {name: None}, opened(field).nullable)
        yield from _of_other_type(name, field, base)
    for name, field in root.properties:
        yield from _of_field(name, field, base)
    yield _Proposal("an argument that the schema does not name", "", base | {"mcp_inspect_unknown": 1})
    for name, field in root.properties:
        if not field.required:
            yield _Proposal(f"only {name!r} besides the required arguments", "", base | {name: _sample(field)})
    for name, field in root.properties:
        if isinstance(opened(field), TextField):
            for what, text in _UNUSUAL:
                yield _Proposal(f"{name!r} has {what}", "", base | {name: text})


def _of_other_type(name: str, field: Field, base: dict[str, Any]) -> Iterator[_Proposal]:
    """Yield a value of a type that the schema does not allow.

    For a number or boolean it is a string, the most common mistake.
    """
    asked = opened(field)
    if isinstance(asked, NumberField | BoolField):
        yield _Proposal(f"{name!r} is a string", name, base | {name: "text"})
        return
    for what, value in _OTHER_TYPES:
        if validate(field.schema, value).ok is False:
            yield _Proposal(f"{name!r} is {what}", name, base | {name: value})
            return


def _of_field(name: str, field: Field, base: dict[str, Any]) -> Iterator[_Proposal]:
    match opened(field):
        case TextField() as text:
            yield _Proposal(f"{name!r} is an empty string", name, base | {name: ""})
            longest = min(text.max_length if text.max_length is not None else LONG, LONG)
            yield _Proposal(f"{name!r} has {longest:,} characters", name, base | {name: "x" * longest}, longest < LONG)
            if text.max_length is not None and text.max_length < LONG:
                yield _Proposal(f"{name!r} is too long", name, base | {name: "x" * (text.max_length + 1)})
            if text.min_length > 1:
                yield _Proposal(f"{name!r} is too short", name, base | {name: "x" * (text.min_length - 1)})
        case NumberField() as number:
            for what, value, is_bound in _numbers(number):
                yield _Proposal(f"{name!r} is {what}", name, base | {name: value}, is_bound)
        case BoolField():
            yield _Proposal(f"{name!r} is true", name, base | {name: True}, True)
            yield _Proposal(f"{name!r} is false", name, base | {name: False}, True)
        case ChoiceField() as choice if not choice.multi:
            for option in choice.options[:_MOST_CHOICES]:
                yield _Proposal(f"{name!r} is {_short(option.value)}", name, base | {name: option.value}, True)
            yield _Proposal(f"{name!r} is not one of the values", name, base | {name: "mcp_inspect_no_such_value"})
        case ConstField() as const:
            yield _Proposal(f"{name!r} is {_short(const.value)}", name, base | {name: const.value}, True)
        case ArrayField():
            yield _Proposal(f"{name!r} is an empty list", name, base | {name: []})
        case ObjectField():
            yield _Proposal(f"{name!r} is an empty object", name, base | {name: {}})
        case _:
            pass


def _numbers(number: NumberField) -> Iterator[tuple[str, int | float, bool]]:
    """Yield a description, the number, and whether the schema names it."""
    low = number.minimum if number.minimum is not None else number.exclusive_minimum
    high = number.maximum if number.maximum is not None else number.exclusive_maximum
    for bound, step, word in ((low, -1, "below"), (high, 1, "above")):
        if bound is not None and abs(bound) < 2**53:
            yield f"{bound}", bound, True
            yield f"{bound + step}, {word} the bound", bound + step, False
    if low is None:
        yield "-1", -1, False
    yield "0", 0, False
    if high is None:
        yield "a large number", 2**31, False
    if number.integer:
        yield "a fraction", 1.5, False


def _sample(field: Field) -> Any:
    return smallest_valid(field.schema)


def _short(value: object) -> str:
    return repr(value)[:60]


def _random_object(root: ObjectField, chance: Random) -> dict[str, Any]:
    """Return arguments that are randomly present and randomly valid."""
    found: dict[str, Any] = {}
    for name, field in root.properties:
        if chance.random() < (0.95 if field.required else 0.5):
            found[name] = _random_value(field, chance)
    return found


def _random_value(field: Field, chance: Random) -> Any:
    if chance.random() < 0.15:
        return chance.choice((None, "", 0, -1, 1.5, True, [], {}, "\u202e", "x" * 500))
    match opened(field):
        case TextField() as text:
            most = min(text.max_length if text.max_length is not None else 40, 200)
            count = chance.randint(min(text.min_length, most), most)
            return "".join(chance.choice("abc XYZ019-_./é漢🙂") for _ in range(count))
        case NumberField() as number:
            low = number.minimum if number.minimum is not None else -1000
            value = chance.uniform(low, max(low, number.maximum if number.maximum is not None else low + 2000))
            return int(value) if number.integer else value
        case ChoiceField() as choice if choice.options and not choice.multi:
            return chance.choice(choice.options).value
        case BoolField():
            return chance.random() < 0.5
        case _:
            return _sample(field)
