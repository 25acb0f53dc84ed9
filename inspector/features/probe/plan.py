"""The calls that probe a tool: finite, ordered, and deterministic.

Arguments are generated from `inputSchema`: the smallest and the fullest valid ones, then each property at its
bounds, of another type, null, missing, empty, long and in unusual scripts, and pairs of choices. If there are too many,
each kind of call and each property gets its share. The validator decides which of them are valid; calls that it can't
decide are skipped.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from random import Random
from typing import Any, Final

import msgspec

from inspector.documents import UNENCODABLE
from inspector.forms.arguments import smallest_valid
from inspector.forms.fields import (
    UNSET,
    ArrayField,
    BoolField,
    ChoiceField,
    ConstField,
    Field,
    NumberField,
    ObjectField,
    TextField,
    UnionField,
    opened,
)
from inspector.forms.read_schema import read_schema
from inspector.forms.validate import validate
from inspector.protocol import peek

MOST: Final = 40
"""Maximum number of calls of a tool, not counting random ones."""
LONG: Final = 10_000
"""Length of a long text in characters."""
MARKED: Final = "qx漢字é🧪zj"
"""A text with characters outside ASCII and outside the BMP between two marks."""
BEYOND_DOUBLE: Final = 2**53 + 1
"""An integer that a double can't represent."""
_SAFE: Final = 2**53 - 1  # what libraries of JavaScript declare as the bound of any integer
BEYOND_INT: Final = 2**31 + 13
"""An integer beyond 32 bits; cut to them it is another one than its negation."""
WITH_FRACTION: Final = 48271.615
"""A number whose integer is found by itself in a text, and which a float of 32 bits can't represent."""
SMALL: Final = 2.5e-07  # JSON writes it with an exponent
WITH_OFFSET: Final = "2026-07-15T10:30:00+02:00"
UNKNOWN: Final = "mcp_inspect_unknown"
_NO_CHOICE: Final = "mcp_inspect_no_such_value"
_ABOUT_ZERO: Final = re.compile(r"(?i)<=? ?[01]\b|(?<![\d.])0(?![\d.])|\bzero|\bfalse\b|\bempty\b|positive|negative")
_MOST_CHOICES = 8
_MOST_BRANCHES = 4
_MOST_MEMBERS = 6
_MOST_ITEMS: Final = 1_000
_DEEP: Final = 100
_MOST_PAIRS = 12
_UNUSUAL: Final = (
    ("emoji", "🧪👩‍🚀"),
    ("right-to-left text", "\u05e9\u05dc\u05d5\u05dd"),
    ("combining characters", "e\u0301\u0323"),
    ("blanks around it", "  Sample "),
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
_MOST_NOT_TRIED = 1_000

MANY: Final = 200
"""Number of items of a list whose schema has no bound."""


class ProbeCall(msgspec.Struct, frozen=True):
    what: str
    """Description of the arguments, such as `'count' is null`. May quote untrusted text."""
    argument: str
    """Name of the argument that may be invalid; "" if it is not a single one."""
    arguments: dict[str, Any]
    declared: bool = False
    """Whether the schema itself names the value: a choice, a constant, a bound, a boolean, or null."""
    differs_from_default: bool = False
    """Whether the argument is optional and has another value than the default that the schema declares."""
    may_succeed: bool = False
    """Whether it may be accepted all the same: null for an optional argument, or a text that breaks `format` alone."""
    meant_valid: bool = False
    """Whether the call shows something only if it is valid."""
    leaves_default: bool = False
    """Whether the argument is left out, and has the default that the schema declares in the other calls."""
    tool: str = ""
    """Untrusted text."""
    valid: bool = False
    """Whether the arguments match `inputSchema`."""
    again: bool = False
    """Whether the call repeats the previous call."""

    @property
    def condition(self) -> str:
        """`what` as a clause after "if" or "although"."""
        is_clause = self.argument or " is " in self.what or " has " in self.what
        return self.what if is_clause else f"it is called with {self.what}"


class ToolPlan(msgspec.Struct, frozen=True):
    calls: list[ProbeCall]
    not_tried: tuple[str, ...] = ()
    """What the other calls would have tried, as `ProbeCall.what`."""


def plan_tool(tool: Mapping[str, Any], *, most: int = MOST, random: int = 0, seed: int = 0) -> ToolPlan:
    """Return the calls that probe a tool, at most `most` and `random` more; none if its schema can't be used."""
    name, schema = peek.text(tool, "name"), tool.get("inputSchema")
    if not name or not isinstance(schema, dict):
        return ToolPlan([])
    root = opened(read_schema(schema))
    base = _valid_arguments(root, schema) if isinstance(root, ObjectField) else None
    if not isinstance(root, ObjectField) or base is None:
        return ToolPlan([])
    found: dict[bytes, ProbeCall] = {}
    not_tried: list[str] = []
    for proposal in _interleaved(_proposals(root, base)):
        if len(found) < most:
            _add(found, name, schema, proposal)
        elif len(not_tried) < _MOST_NOT_TRIED:
            not_tried.append(proposal.what)
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
        _add(found, name, schema, ProbeCall(f"random arguments (seed {seed})", "", _random_object(root, chance)))
    return ToolPlan(_ordered(list(found.values())), tuple(not_tried))


def _valid_arguments(root: ObjectField, schema: object) -> dict[str, Any] | None:
    """Return the arguments that the calls vary: the required ones, all if these are not enough; None if none are valid.

    A call that differs in one place from invalid arguments would show nothing about that place.
    """
    least = smallest_valid(schema)
    if not isinstance(least, dict):
        return None
    base = least | {name: _sample(field) for name, field in root.properties if name in least}
    return next((each for each in (base, least, _full(root, base)) if validate(schema, each).ok), None)


def _full(root: ObjectField, base: dict[str, Any]) -> dict[str, Any]:
    return base | {name: _sample(field) for name, field in root.properties}


def _interleaved(kinds: Iterator[Iterator[ProbeCall]]) -> Iterator[ProbeCall]:
    """Yield the first call of each kind, then the second of each, and so on."""
    queues = list(kinds)
    while queues:
        rest = []
        for queue in queues:
            if (proposal := next(queue, None)) is not None:
                yield proposal
                rest.append(queue)
        queues = rest


def _ordered(calls: list[ProbeCall]) -> list[ProbeCall]:
    """Move the repetition directly after the call that it repeats, twice: the first call may create what it names."""
    again = [call for call in calls if call.again]
    rest = [call for call in calls if not call.again]
    return [*rest[:1], *again, *again, *rest[1:]] if again else rest


def _add(found: dict[bytes, ProbeCall], name: str, schema: object, proposal: ProbeCall) -> None:
    """Add a call, or describe one with the same arguments by the property that it is about."""
    try:
        key = msgspec.json.encode(proposal.arguments, order="deterministic")
    except UNENCODABLE:
        return
    known = found.get(key)
    if known is not None and (known.argument or not proposal.argument or known is next(iter(found.values()))):
        return
    verdict = validate(schema, proposal.arguments)
    if verdict.ok is not None and (verdict.ok or not proposal.meant_valid):
        annotated = proposal.may_succeed or all(each.keyword == "format" for each in verdict.problems)
        found[key] = msgspec.structs.replace(proposal, tool=name, valid=verdict.ok, may_succeed=annotated)


def _proposals(root: ObjectField, base: dict[str, Any]) -> Iterator[Iterator[ProbeCall]]:
    """Yield the kinds of calls, the most relevant first; each kind begins with another property if it can."""
    full = _full(root, base)
    whole = [ProbeCall("only required arguments", "", base), ProbeCall("all arguments", "", full, meant_valid=True)]
    yield iter(whole if base != full else whole[1:])
    required = [name for name, field in root.properties if field.required]
    yield (
        ProbeCall(f"{name!r} is missing", name, {key: value for key, value in base.items() if key != name})
        for name in required
    )
    yield iter([ProbeCall("an argument that the schema does not name", "", base | {UNKNOWN: 1})])
    yield _each(root, lambda name, field: _of_other_type(name, field, base))
    yield _each(root, lambda name, field: iter([_null(name, field, base)]))
    yield _each(root, lambda name, field: _empty(name, field, base))
    values = _each(root, lambda name, field: _of_field(name, field, base))
    yield from (values, values, values)  # most faults are there: three calls of each round
    yield _each(root, lambda name, field: _echoed(name, field, base))
    yield _each(root, lambda name, field: _default(name, field, base))
    yield (
        ProbeCall(f"only {name!r} besides the required arguments", "", base | {name: _sample(field)}, meant_valid=True)
        for name, field in root.properties
        if not field.required
    )
    yield _pairs(root, base)
    yield _each(root, lambda name, field: _unusual(name, field, base))


def _each(root: ObjectField, propose: Callable[[str, Field], Iterator[ProbeCall]]) -> Iterator[ProbeCall]:
    """Yield the first proposal for each property, then the second for each, and so on."""
    return _interleaved(propose(name, field) for name, field in root.properties)


def _null(name: str, field: Field, base: dict[str, Any]) -> ProbeCall:
    is_null = base | {name: None}
    return ProbeCall(f"{name!r} is null", name, is_null, opened(field).nullable, may_succeed=not field.required)


def _empty(name: str, field: Field, base: dict[str, Any]) -> Iterator[ProbeCall]:
    """Yield the value that programs confuse with a missing one."""
    match opened(field):
        case TextField():
            value: Any = ""
        case NumberField():
            value = 0
        case BoolField():
            value = False
        case ArrayField():
            value = []
        case _:
            return
    message = {"": "an empty string", "[]": "an empty list", "False": "false"}.get(str(value), str(value))
    default = field.schema.get("default") if isinstance(field.schema, dict) else None
    is_told = _ABOUT_ZERO.search(peek.text(field.schema, "description") or "")  # as that it stands for the default
    differs = not field.required and default is not None and default != value and not is_told
    yield ProbeCall(f"{name!r} is {message}", name, base | {name: value}, value is False, differs)


def _echoed(name: str, field: Field, base: dict[str, Any]) -> Iterator[ProbeCall]:
    """Yield values that are recognised if they come back changed."""
    match opened(field):
        case TextField(format="date-time"):
            yield ProbeCall(f"{name!r} is {WITH_OFFSET}", name, base | {name: WITH_OFFSET}, meant_valid=True)
        case TextField():
            yield ProbeCall(f"{name!r} has characters outside ASCII and the BMP", name, base | {name: MARKED})
        case NumberField(integer=True):
            yield ProbeCall(f"{name!r} is {BEYOND_DOUBLE}", name, base | {name: BEYOND_DOUBLE})
        case NumberField():
            yield ProbeCall(f"{name!r} is {WITH_FRACTION}", name, base | {name: WITH_FRACTION}, meant_valid=True)
            yield ProbeCall(f"{name!r} is {SMALL}", name, base | {name: SMALL}, meant_valid=True)
        case ArrayField(item=item, prefix=()) if item is not None and getattr(opened(item), "integer", False):
            yield ProbeCall(f"{name!r} has {BEYOND_DOUBLE}", name, base | {name: [BEYOND_DOUBLE]}, meant_valid=True)
        case ArrayField(item=item, prefix=()) if item is not None and isinstance(opened(item), TextField):
            items = ["qz", MARKED, "qa", "qz"]
            yield ProbeCall(f"{name!r} has an item twice", name, base | {name: items}, meant_valid=True)
        case ObjectField() as inner if any(isinstance(opened(each), TextField) for _, each in inner.properties):
            texts = {key: MARKED for key, field in inner.properties if isinstance(opened(field), TextField)}
            whole = _sample(field) | texts if isinstance(_sample(field), dict) else texts
            what = f"{name!r} has characters outside ASCII and the BMP"
            yield ProbeCall(what, name, base | {name: whole}, meant_valid=True)
        case _:
            return


def _default(name: str, field: Field, base: dict[str, Any]) -> Iterator[ProbeCall]:
    """Leave an argument out that has its declared default in the other calls: the result has to be the same."""
    default = field.schema.get("default") if isinstance(field.schema, dict) else None
    if default is not None and not field.required and base.get(name) == default:
        rest = {key: value for key, value in base.items() if key != name}
        what = f"{name!r}, whose default is {_short(default)}, is left out"
        yield ProbeCall(what, name, rest, meant_valid=True, leaves_default=True)


def _unusual(name: str, field: Field, base: dict[str, Any]) -> Iterator[ProbeCall]:
    if isinstance(opened(field), TextField):
        for what, text in _UNUSUAL:
            yield ProbeCall(f"{name!r} has {what}", name, base | {name: text})


def _pairs(root: ObjectField, base: dict[str, Any]) -> Iterator[ProbeCall]:
    """Yield calls that combine each two values of two properties with few values, several pairs in each call."""
    few = [(name, found) for name, field in root.properties if len(found := _few(field)) > 1][:_MOST_CHOICES]
    open_ = {
        (one, first, other, second)
        for at, (one, firsts) in enumerate(few)
        for other, seconds in few[at + 1 :]
        for first in range(len(firsts))
        for second in range(len(seconds))
    }
    for _ in range(_MOST_PAIRS):
        if not open_:
            return
        chosen: dict[str, int] = {}
        for one, first, other, second in sorted(open_):
            if chosen.get(one, first) == first and chosen.get(other, second) == second:
                chosen |= {one: first, other: second}
        picked = list(chosen.items())
        open_ -= {(*first, *second) for at, first in enumerate(picked) for second in picked[at + 1 :]} | {
            (*second, *first) for at, first in enumerate(picked) for second in picked[at + 1 :]
        }
        values = {name: dict(few)[name][at] for name, at in chosen.items()}
        message = ", ".join(f"{name!r} is {_short(value)}" for name, value in values.items())
        yield ProbeCall(message, "", base | values)


def _few(field: Field) -> list[Any]:
    """Return the values of a property with few of them; [] for others."""
    match opened(field):
        case BoolField():
            return [True, False]
        case ChoiceField() as choice if not choice.multi:
            return [option.value for option in choice.options[:_MOST_CHOICES]]
        case _:
            return []


def _of_other_type(name: str, field: Field, base: dict[str, Any]) -> Iterator[ProbeCall]:
    """Yield a value of a type that the schema does not allow.

    For a number or boolean it is a string, the most common mistake.
    """
    asked = opened(field)
    if isinstance(asked, NumberField | BoolField):
        yield ProbeCall(f"{name!r} is a string", name, base | {name: "text"})
        return
    usual = type(_sample(field))
    for what, value in _OTHER_TYPES:
        if type(value) is not usual and validate(field.schema, value).ok is False:
            yield ProbeCall(f"{name!r} is {what}", name, base | {name: value})
            return


def _of_field(name: str, field: Field, base: dict[str, Any]) -> Iterator[ProbeCall]:
    match opened(field):
        case TextField() as text:
            longest = min(text.max_length if text.max_length is not None else LONG, LONG)
            yield ProbeCall(f"{name!r} has {longest:,} characters", name, base | {name: "x" * longest}, longest < LONG)
            if text.max_length is not None and text.max_length < LONG:
                yield ProbeCall(f"{name!r} is too long", name, base | {name: "x" * (text.max_length + 1)})
            if text.min_length > 1:
                yield ProbeCall(f"{name!r} is too short", name, base | {name: "x" * (text.min_length - 1)})
        case NumberField() as number:
            yield ProbeCall(f"{name!r} is 1", name, base | {name: 1}, meant_valid=True)
            for what, value, is_bound in _numbers(number):
                yield ProbeCall(f"{name!r} is {what}", name, base | {name: value}, is_bound)
        case BoolField():
            yield ProbeCall(f"{name!r} is true", name, base | {name: True}, True)
        case ChoiceField() as choice if not choice.multi:
            for option in choice.options[:_MOST_CHOICES]:
                yield ProbeCall(f"{name!r} is {_short(option.value)}", name, base | {name: option.value}, True)
            yield ProbeCall(f"{name!r} is not one of the values", name, base | {name: _NO_CHOICE})
        case ChoiceField():
            yield ProbeCall(f"{name!r} has none of the values", name, base | {name: [_NO_CHOICE]})
        case ConstField() as const:
            yield ProbeCall(f"{name!r} is {_short(const.value)}", name, base | {name: const.value}, True)
        case ObjectField() as inner:
            yield ProbeCall(f"{name!r} is an empty object", name, base | {name: {}})
            for what, members in _objects(name, inner, _sample(field)):
                yield ProbeCall(what, name, base | {name: members})
        case ArrayField() as array:
            for what, items in _lists(name, array):
                yield ProbeCall(what, name, base | {name: items})
        case UnionField() as union:
            for branch in union.branches[:_MOST_BRANCHES]:
                sample = _sample(branch.field)
                yield ProbeCall(f"{name!r} is {_short(sample)}", name, base | {name: sample}, meant_valid=True)
        case _:
            pass


def _lists(name: str, array: ArrayField) -> Iterator[tuple[str, list[Any]]]:
    """Yield lists with an item of another type, too many or too few items, or an item twice."""
    if array.item is None or array.prefix:
        return
    whole = _items_of(array, max(array.min_items, 1))
    for wrong in _of_other_type(name, array.item, {}):
        yield f"an item of {wrong.what}", [*whole[:-1], wrong.arguments[name]]
    if array.unique:
        yield f"{name!r} has an item twice", [*whole[:-1], whole[-1], whole[-1]]
    if array.max_items is not None and array.max_items < _MOST_ITEMS:
        count = array.max_items + 1
        yield f"{name!r} has {count:,} items, above the bound", _items_of(array, count)
    elif array.max_items is None and not array.unique:
        yield f"{name!r} has {MANY:,} items", _items_of(array, MANY)
    if array.min_items > 1:
        yield f"{name!r} has {array.min_items - 1:,} items, below the bound", _items_of(array, array.min_items - 1)


def _items_of(array: ArrayField, count: int) -> list[Any]:
    """Return valid items, all different if they can be."""
    assert array.item is not None
    sample = _sample(array.item)
    match opened(array.item):
        case TextField(format="", pattern=""):
            return [f"{sample}{at or ''}" for at in range(count)]
        case NumberField(multiple_of=None):
            return [sample + at for at in range(count)]
        case ChoiceField() as choice if not choice.multi and len(choice.options) >= count:
            return [each.value for each in choice.options[:count]]
        case _:
            return [sample] * count


def _objects(name: str, inner: ObjectField, sample: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield objects with a member that is missing, of another type, or not declared."""
    whole = sample if isinstance(sample, dict) else {}
    for member, field in inner.properties[:_MOST_MEMBERS]:
        if field.required and len(whole) > 1:
            yield f"{member!r} of {name!r} is missing", {key: each for key, each in whole.items() if key != member}
        for wrong in _of_other_type(member, field, whole):
            yield f"{wrong.what} in {name!r}", wrong.arguments
    if deeper := [member for member, field in inner.properties if isinstance(opened(field), ObjectField)]:
        yield f"{name!r} is {_DEEP} objects deep", reduce(lambda value, _: {deeper[0]: value}, range(_DEEP), whole)
    if inner.additional is False:
        yield f"{name!r} has a member that the schema does not name", whole | {UNKNOWN: 1}
    elif not isinstance(inner.additional, bool):
        for wrong in _of_other_type(UNKNOWN, inner.additional, whole):
            yield f"{wrong.what} in {name!r}", wrong.arguments


def _numbers(number: NumberField) -> Iterator[tuple[str, int | float, bool]]:
    """Yield a description, the number, and whether the schema names it."""
    low = number.minimum if number.minimum is not None else number.exclusive_minimum
    high = number.maximum if number.maximum is not None else number.exclusive_maximum
    for bound, step, word in ((low, -1, "below"), (high, 1, "above")):
        if bound is not None and abs(bound) < 2**53:
            yield f"{bound}", bound, True
            yield f"{bound + step}, {word} the bound", bound + step, False
    if low is None or low <= -_SAFE:
        yield "-1", -1, False
    if high is None or high >= _SAFE:
        yield "a large number", BEYOND_INT, False
    if number.integer:
        yield "a fraction", 1.5, False


def _sample(field: Field) -> Any:
    """Return a valid value, if possible none that programs confuse with a missing one: that is a call of its own."""
    least, asked = smallest_valid(field.schema), opened(field)
    if least or least is None or field.default is not UNSET or field.examples:
        return least
    match asked:
        case TextField():
            fuller: Any = "sample"[: asked.max_length]
        case NumberField():
            fuller = 1
        case ArrayField(item=item) if item is not None:
            fuller = [smallest_valid(item.schema)]
        case _:
            return least
    return fuller if validate(field.schema, fuller).ok else least


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
