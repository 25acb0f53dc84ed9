"""Validation of a value by a JSON Schema. Accepts anything; never raises, fetches or hangs.

A verdict has three outcomes: valid, invalid and unknown. It is unknown, and never reported as valid, for an unknown
dialect, an external reference, a broken keyword or an exhausted budget. Work is counted in steps (one keyword on one
value), so that a verdict is the same on every machine; a timeout may end it sooner. The time starts after imports
and preparation, and a validation that runs out of time is repeated once, because the machine may have been busy.

jsonschema is imported on first use (0.1 s). Do not validate in an event loop.
"""

from collections.abc import Callable, Iterator, Mapping, Sized
from contextvars import ContextVar
from functools import cache
from itertools import islice
from typing import Any, Final, TypeAlias

import msgspec

from inspector.forms import plain_schema
from inspector.forms.dialects import DEFAULT, TooLarge, dialect_of, mentions, without_dialects
from inspector.forms.fields import UNSET
from inspector.forms.keywords import OURS, Keyword, KeywordFault, schema_faults
from inspector.forms.paths import Path, dotted, get_at, pointer
from inspector.forms.patterns import PatternUnusable, bounds
from inspector.forms.simple import as_text
from inspector.text import cut

Error: TypeAlias = Any
"""A ValidationError of jsonschema, which this module does not import."""

_UNIONS = ("anyOf", "oneOf")
LONGEST_QUOTE: Final = 80
MOST_OPTIONS: Final = 8
_TYPES: Final = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
MOST_PROBLEMS: Final = 200
DEEPEST_VALUE: Final = 150
"""Maximum nesting of keywords, well below Python's recursion limit.

If that limit is reached in the Rust parts of the library, the exception can't be caught like others, and it prints
to the terminal.
"""
_TOO_DEEP: Final = "the schema or the value is nested too deep, or the schema refers to itself endlessly"
_CHOOSING: Final = frozenset(
    ("anyOf", "oneOf", "not", "if", "contains", "unevaluatedItems", "unevaluatedProperties", "disallow")
)
_COSTS: Final = {
    **dict.fromkeys(_CHOOSING, 5),
    **dict.fromkeys(("$ref", "$dynamicRef", "$recursiveRef"), 5),
    **dict.fromkeys(("pattern", "patternProperties", "format"), 20),
}
"""Steps per keyword, by its cost in time; 1 for the others."""
_BROKEN: Final = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError)
"""Exceptions that the library raises if a keyword's value is invalid."""
_CACHED: Final = 64


class Problem(msgspec.Struct, frozen=True):
    """A violation, at the place where the user would fix it."""

    path: Path
    """Path of the value; for a missing member, its intended path."""
    sentence: str
    """Short, without the path: "must be at least 3". May quote server text."""
    keyword: str
    """The violated keyword; "" for the schema `false`."""
    schema_path: tuple[str | int, ...] = ()
    expected: object = None
    """The keyword's value in the schema."""
    got: str = ""
    """The value, truncated; "" if it is missing."""

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer."""
        return pointer(self.path)

    @property
    def is_hint(self) -> bool:
        """Whether it is a text of another format: `format` is an annotation, and many servers accept more."""
        return self.keyword == "format"

    def about(self, place: Path) -> str:
        """Return a phrase about the value at `place`, which may be within the value shown with it."""
        words = f"{dotted(place)} {self.sentence}".lstrip()
        return f"{words}, but may be accepted" if self.is_hint else words


class Validation(msgspec.Struct, frozen=True):
    ok: bool | None
    """Whether the value is valid; None if unknown (see `note`)."""
    problems: tuple[Problem, ...] = ()
    """Violations in the order of their paths; present if and only if `ok` is False."""
    note: str = ""
    """What could not be checked, and why; "" if everything was."""


class _Spent(Exception):
    """The budget is exhausted."""


class _Undecided(Exception):
    """A keyword can't be evaluated."""


def plain_errors(error: Error) -> Iterator[tuple[Error, str]]:
    """Yield the errors to report instead of `error`, each with a sentence; "" for the keyword's usual one."""
    if error.validator not in _UNIONS:
        yield error, ""
        return
    if not error.context:
        yield error, "matches more than one alternative of oneOf"
        return
    branch = _likeliest(error)
    if branch is None:
        yield error, _none_of(error)
        return
    for each in branch:
        yield from plain_errors(each)


def _likeliest(error: Error) -> list[Error] | None:
    """Return the errors of the branch that was probably meant; None if no branch has the value's type."""
    branches: dict[object, list[Error]] = {}
    for each in error.context:
        branches.setdefault(each.schema_path[0] if each.schema_path else None, []).append(each)
    likely = [errors for errors in branches.values() if not any(_is_of_another_kind(each) for each in errors)]
    return min(likely, key=_distance) if likely else None


def _is_of_another_kind(error: Error) -> bool:
    """Return whether the value has another type than the branch: the branch is meant for other values."""
    if error.path:
        return False
    if error.validator in ("enum", "const"):
        asked = error.validator_value
        options = asked if error.validator == "enum" and isinstance(asked, list) else [asked]
        return type(error.instance) not in {type(each) for each in options}
    return error.validator in ("type", None)


def _distance(errors: list[Error]) -> tuple[bool, int]:
    """Return a sort key: branches whose fixed members (kind: circle) match come first, then those with fewer errors."""
    return any(each.validator in ("const", "enum") for each in errors), len(errors)


def _none_of(error: Error) -> str:
    """Return a sentence with the types of the branches, if each of them has a single type."""
    wanted = [each.get("type") if isinstance(each, dict) else None for each in error.validator_value]
    types = [each for each in wanted if isinstance(each, str)]
    if types and len(types) == len(wanted):
        return f"must be one of: {', '.join(dict.fromkeys(types))}"
    return f"matches none of the {len(wanted)} alternatives"


# Violations as short phrases to show beside a field ("must be at least 3 characters").


def sentence(keyword: str, asked: object, got: object) -> str:
    """Return why `got` violates `keyword: asked`. Works for any keyword and any value."""
    say = _SENTENCES.get(keyword)
    return say(asked, got) if say else f"does not satisfy {keyword}: {quote(asked)}"


def quote(value: object) -> str:
    """Format a value in at most 80 characters; containers only by size, since formatting a large one is slow."""
    if isinstance(value, dict):
        return f"an object with {_count(len(value), 'member')}"
    if isinstance(value, list) and len(value) > MOST_OPTIONS:
        return f"a list of {len(value)} items"
    if isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        return f"a list of {_count(len(value), 'item')}"
    text = as_text(value[: LONGEST_QUOTE + 1] if isinstance(value, str) else value)
    return cut(text, LONGEST_QUOTE)


def kind_name(value: object) -> str:
    """Return the type of a value with its article."""
    if isinstance(value, bool):
        return "true" if value else "false"
    names = ((str, "a string"), (int | float, "a number"), (dict, "an object"), (list, "an array"))
    return next((name for kind, name in names if isinstance(value, kind)), "null")


def _type(asked: object, got: object) -> str:
    types = asked if isinstance(asked, list) else [asked]
    wanted = " or ".join(_TYPES.get(str(each), str(each)) for each in types)
    if isinstance(got, float) and types == ["integer"]:
        return "must be an integer"
    return f"must be {wanted}, got {kind_name(got)}"


def _enum(asked: object, got: object) -> str:
    options = asked if isinstance(asked, list) else [asked]
    shown = ", ".join(quote(each) for each in options[:MOST_OPTIONS])
    more = f" and {len(options) - MOST_OPTIONS} more" if len(options) > MOST_OPTIONS else ""
    return f"is not one of: {shown}{more}"


def _at_least(noun: str) -> Callable[[object, object], str]:
    return lambda asked, got: f"must have at least {_count(asked, noun)}{_has(got)}"


def _at_most(noun: str) -> Callable[[object, object], str]:
    return lambda asked, got: f"must have at most {_count(asked, noun)}{_has(got)}"


def _bound(words: str) -> Callable[[object, object], str]:
    return lambda asked, got: f"must be {words} {quote(asked)}"


def _fixed(words: str) -> Callable[[object, object], str]:
    return lambda asked, got: words


def _has(got: object) -> str:
    return f", got {len(got)}" if isinstance(got, Sized) else ""


def _count(number: object, noun: str) -> str:
    return f"{quote(number)} {noun}" if number == 1 else f"{quote(number)} {noun}s"


_SENTENCES: Final[Mapping[str, Callable[[object, object], str]]] = {
    "type": _type,
    "enum": _enum,
    "const": lambda asked, got: f"must be {quote(asked)}",
    "minLength": _at_least("character"),
    "maxLength": _at_most("character"),
    "minItems": _at_least("item"),
    "maxItems": _at_most("item"),
    "minProperties": _at_least("member"),
    "maxProperties": _at_most("member"),
    "minimum": _bound("at least"),
    "maximum": _bound("at most"),
    "exclusiveMinimum": _bound("more than"),
    "exclusiveMaximum": _bound("less than"),
    "multipleOf": _bound("a multiple of"),
    "not": _fixed("matches the schema under not"),
    "contains": _fixed("has no item that matches contains"),
    "minContains": _fixed("has too few items that match contains"),
    "maxContains": _fixed("has too many items that match contains"),
    "items": _fixed("has more items than the schema allows"),
    "additionalItems": _fixed("has more items than the schema allows"),
    "unevaluatedItems": _fixed("has items that the schema does not allow"),
    "unevaluatedProperties": _fixed("has properties that the schema does not allow"),
    "anyOf": _fixed("matches no alternative of the schema"),
    "": _fixed("is not allowed here"),
}


def validate(
    schema: object,
    instance: object,
    *,
    dialect_hint: str = "",
    steps: int | None = None,
    clock: Callable[[], float] | None = None,
) -> Validation:
    """Validate `instance` by `schema`.

    The dialect is the schema's own (`$schema`), else `dialect_hint` (a URI, or a name such as "2020-12" or
    "draft-07"), else 2020-12 extended by the differing syntax of draft-07. `clock` returns monotonic seconds, for
    the timeout; `time.thread_time` excludes time used by other processes. `steps` is the budget; None for the
    configured limit.
    """
    if isinstance(schema, bool):
        refused = Problem((), "is not allowed here", "", got=quote(instance))
        return Validation(True) if schema else Validation(False, (refused,))
    if not isinstance(schema, dict):
        return Validation(None, note="cannot validate: the schema is not an object")
    dialect = dialect_of(schema, dialect_hint)
    if dialect is None:
        named = quote(schema.get("$schema", dialect_hint))
        return Validation(None, note=f"cannot validate: unknown schema dialect ({named})")
    most = bounds().schema if steps is None else steps
    meter = _Meter(most, clock)
    verdict = _judged(dialect, schema, instance, meter)
    return _judged(dialect, schema, instance, _Meter(most, clock)) if meter.was_late else verdict


def verdict_on_schema(schema: object, *, dialect_hint: str = "", steps: int | None = None) -> Validation:
    """Validate `schema` itself by the metaschema of its dialect. Paths are within the schema.

    A schema without a dialect that is invalid in 2020-12 but valid in draft-07 is accepted, with a note.
    """
    if isinstance(schema, bool):
        return Validation(True)
    if not isinstance(schema, dict):
        return Validation(False, (Problem((), "must be an object or a boolean", "type", got=quote(schema)),))
    dialect = dialect_of(schema, dialect_hint)
    if dialect is None:
        named = quote(schema.get("$schema", dialect_hint))
        return Validation(None, note=f"unknown schema dialect ({named})")
    steps = bounds().schema * 3 if steps is None else steps
    verdict = _by_metaschema(dialect, schema, steps)
    if verdict.ok is False and "$schema" not in schema and not dialect_hint:
        older = {"definitions" if key == "$defs" else key: value for key, value in schema.items()}
        if _by_metaschema("draft-07", older, steps).ok:
            return Validation(True, note="valid in draft-07, not in 2020-12, the default without $schema")
    return verdict


def _by_metaschema(dialect: str, schema: object, steps: int) -> Validation:
    """Validate by the metaschema, unless it is beyond doubt; if that passes, check what a metaschema can't express."""
    if dialect in plain_schema.DIALECTS and plain_schema.is_plain(schema) and not any(schema_faults(schema)):
        return Validation(True)
    verdict = _judged(dialect, _validator_class(dialect).META_SCHEMA, schema, _Meter(steps, None))
    if verdict.ok is not True:
        return verdict
    problems = tuple(
        Problem(tuple(fault.path), fault.sentence, keyword, got=quote(get_at(schema, fault.path)))
        for keyword, fault in islice(schema_faults(schema), MOST_PROBLEMS)
    )
    return Validation(not problems, problems)


def _judged(dialect: str, schema: dict[str, object], instance: object, meter: "_Meter") -> Validation:
    """Collect errors until the end or an interruption. Errors found before an interruption are kept."""
    errors: list[Error] = []
    token = _METER.set(meter)
    try:
        validator, meter.has_patterns = _prepared(dialect, schema)
        meter.start()
        for error in _errors(validator, instance):
            errors.append(error)
            if len(errors) >= MOST_PROBLEMS:
                meter.note(f"only the first {MOST_PROBLEMS} errors are listed")
                break
    except (_Spent, _Undecided, TooLarge) as stopped:
        meter.note(str(stopped))
    except _BROKEN as broken:
        meter.note(f"cannot read the schema ({type(broken).__name__}): $id or a subschema is invalid")
    except RecursionError:
        meter.note(_TOO_DEEP)
    finally:
        _METER.reset(token)
    return _verdict(errors, meter.notes)


def _errors(validator: Any, instance: object) -> Iterator[Error]:
    """Yield the library's errors. A stack overflow in its Rust parts raises a BaseException, converted here."""
    try:
        yield from validator.iter_errors(instance)
    except BaseException as panic:
        if type(panic).__name__ == "PanicException":
            raise RecursionError from None
        raise


def _verdict(errors: list[Error], notes: list[str]) -> Validation:
    found = {(problem.path, problem.sentence): problem for error in errors for problem in _problems(error)}
    problems = tuple(sorted(found.values(), key=lambda each: [(str(type(step)), step) for step in each.path]))
    why = "; ".join(notes)
    note = why if problems or not why else f"cannot validate: {why}"
    return Validation(False if problems else None if notes else True, problems, note)


def _problems(error: Error) -> Iterator[Problem]:
    for each, words in plain_errors(error):
        keyword = str(each.validator or "")
        own = each.message if keyword in OURS else words
        yield Problem(
            path=tuple(each.absolute_path),
            sentence=own or sentence(keyword, each.validator_value, each.instance),
            keyword=keyword,
            schema_path=tuple(each.absolute_schema_path),
            expected=each.validator_value,
            got="" if each.instance is UNSET else quote(each.instance),
        )


class _Meter(msgspec.Struct):
    """Resources used by a validation, and what it could not check."""

    left: int
    clock: Callable[[], float] | None
    notes: list[str] = msgspec.field(default_factory=list)
    choosing: int = 0
    """Number of enclosing keywords that branch on the outcome (anyOf, not, if): there, unknown must propagate."""
    has_patterns: bool = False
    """Whether the schema contains patternProperties."""
    until: float = 0.0
    deep: int = 0
    """Current nesting of keywords."""
    was_late: bool = False
    """Whether the timeout ended it."""

    def start(self) -> None:
        if self.clock:
            self.until = self.clock() + bounds().seconds

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise _Spent("the schema takes too many steps on this value (--max schema=N raises that)")
        if self.clock and self.clock() > self.until:
            self.was_late = True
            raise _Spent(
                f"the schema takes longer than {bounds().seconds:g} s on this value (--max schema=N raises that)"
            )

    def stop_if_too_deep(self) -> None:
        if self.deep > DEEPEST_VALUE:
            raise _Spent(_TOO_DEEP)

    def note(self, why: str) -> None:
        if why not in self.notes:
            self.notes.append(why)


_METER: ContextVar[_Meter] = ContextVar("_METER")


def _metered(keyword: str, rule: Keyword) -> Keyword:
    """Wrap a rule: count its steps, and make the outcome unknown if it raises."""
    from jsonschema.exceptions import UnknownType
    from referencing.exceptions import Unresolvable

    cost = _COSTS.get(keyword, 1)

    def choosing(validator: Any, asked: Any, instance: Any, schema: Any) -> Iterator[Error]:
        meter = _METER.get()
        meter.choosing += 1
        try:
            return iter(list(rule(validator, asked, instance, schema) or ()))
        finally:
            meter.choosing -= 1

    inner = choosing if keyword in _CHOOSING else rule

    def metered(validator: Any, asked: Any, instance: Any, schema: Any) -> Iterator[Error]:
        meter = _METER.get()
        meter.spend(cost)
        meter.deep += 1
        try:
            meter.stop_if_too_deep()
            for fault in inner(validator, asked, instance, schema) or ():
                yield _as_error(fault)
        except (*_BROKEN, UnknownType, Unresolvable, _Undecided, PatternUnusable) as broken:
            why = _reason(keyword, asked, broken)
            if meter.choosing:
                raise _Undecided(why) from None
            meter.note(why)
        finally:
            meter.deep -= 1

    return metered


def _as_error(fault: object) -> Error:
    from jsonschema.exceptions import ValidationError

    if not isinstance(fault, KeywordFault):
        return fault
    if fault.got is None:
        return ValidationError(fault.sentence, path=fault.path)
    return ValidationError(fault.sentence, path=fault.path, instance=fault.got[0])


def _reason(keyword: str, asked: object, broken: Exception) -> str:
    if isinstance(broken, _Undecided | PatternUnusable):
        return str(broken)
    if keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
        return f"it refers to {quote(asked)}, which is not in the schema, and schemas are never fetched"
    return f"its {keyword} ({quote(asked)}) cannot be used here"


@cache
def _validator_class(dialect: str) -> Any:
    """Return the library's validator for a dialect, with our keywords, and with every keyword metered."""
    import jsonschema

    classes: dict[str, Any] = {
        "2020-12": jsonschema.Draft202012Validator,
        "2019-09": jsonschema.Draft201909Validator,
        "draft-07": jsonschema.Draft7Validator,
        "draft-06": jsonschema.Draft6Validator,
        "draft-04": jsonschema.Draft4Validator,
    }
    base = classes[dialect]
    rules = {**base.VALIDATORS, **OURS}
    if dialect == DEFAULT:
        older = jsonschema.Draft7Validator.VALIDATORS
        rules["items"] = _either_items(base.VALIDATORS["items"], older["items"])
        rules["additionalItems"] = older["additionalItems"]
    if "unevaluatedProperties" in rules:
        rules["unevaluatedProperties"] = _without_patterns(rules["unevaluatedProperties"])
    extend: Callable[..., Any] = jsonschema.validators.extend
    return extend(base, {name: _metered(name, rule) for name, rule in rules.items()})


def _either_items(newer: Keyword, older: Keyword) -> Keyword:
    """Choose the rule by the value: a list in `items` is a draft-07 tuple, on which 2020-12's rule fails."""

    def items(validator: Any, asked: Any, instance: Any, schema: Any) -> Iterator[Error] | None:
        return (older if isinstance(asked, list) else newer)(validator, asked, instance, schema)

    return items


def _without_patterns(rule: Keyword) -> Keyword:
    """Make the rule undecided if there are patterns: the library would search for them without a timeout."""

    def unevaluated(validator: Any, asked: Any, instance: Any, schema: Any) -> Iterator[Error] | None:
        if _METER.get().has_patterns:
            raise _Undecided("unevaluatedProperties together with patternProperties is not checked")
        return rule(validator, asked, instance, schema)

    return unevaluated


_prepared_before: dict[tuple[str, int], tuple[object, tuple[Any, bool]]] = {}
"""By dialect and schema identity. The schema is stored too, so that its identity can't be reused."""


def _prepared(dialect: str, schema: dict[str, object]) -> tuple[Any, bool]:
    """Return a cached validator for the schema, and whether it has patternProperties. Schemas are never modified.

    Raises: TooLarge.
    """
    found = _prepared_before.get((dialect, id(schema)))
    if found is not None and found[0] is schema:
        return found[1]
    prepared = _prepare(dialect, schema)
    while len(_prepared_before) >= _CACHED:
        _prepared_before.pop(next(iter(_prepared_before)), None)
    _prepared_before[dialect, id(schema)] = (schema, prepared)
    return prepared


def _prepare(dialect: str, schema: dict[str, object]) -> tuple[Any, bool]:
    """Create a validator that can refer to the metaschemas and never fetches."""
    bare = without_dialects(schema)
    return _validator_class(dialect)(bare, registry=_metaschemas()), mentions(bare, "patternProperties")


@cache
def _metaschemas() -> Any:
    """Return a registry of metaschemas without `$schema`, so that our keywords check them, too. Never fetches."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
    from referencing.jsonschema import specification_with

    known: Any = REGISTRY
    bare = {}
    for uri in known:
        contents = known.contents(uri)
        named = contents.get("$schema", "") if isinstance(contents, dict) else ""
        bare[uri] = specification_with(named).create_resource(without_dialects(contents))
    return known.with_resources(bare.items())
