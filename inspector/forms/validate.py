"""The verdict of a JSON Schema on a value, as sentences at places. Takes anything; never raises, fetches or hangs.

A verdict has three outcomes: fine, not fine, and nobody can tell. The last one is what an unknown dialect, a reference
to elsewhere, a broken keyword or a spent budget lead to; it is never passed off as fine. Work is counted in steps (one
keyword on one value), so that a verdict is the same on every machine; a clock may end it sooner. It starts when all
is imported and prepared, and who runs out of time gets a second chance: a machine may be busy with something else.

jsonschema is imported when first needed (0.1 s), and no event loop should wait for what happens here.
"""

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any, Final

from inspector.forms.bounds import bounds
from inspector.forms.dialects import DEFAULT, TooLarge, dialect_of, mentions, without_dialects
from inspector.forms.fields import UNSET
from inspector.forms.keywords import OURS, Fault, Keyword
from inspector.forms.paths import Path, get_at, pointer
from inspector.forms.patterns import PatternUnusable
from inspector.forms.schema_faults import schema_faults
from inspector.forms.sentences import quote, sentence
from inspector.forms.unions import Error, plain_errors

MOST_PROBLEMS: Final = 200
DEEPEST_VALUE: Final = 150
"""Keywords within one another. Well before Python's own end of the stack: where that comes while the library is in
its Rust parts, it is no exception that can be caught like others, and words of theirs go to the terminal."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a value, at the place where a person would mend it."""

    path: Path
    """For a missing member: where it would be."""
    sentence: str
    """Short, without the name of the place: "must be at least 3". May quote foreign text."""
    keyword: str
    """The keyword that failed; "" for the schema `false`."""
    schema_path: tuple[str | int, ...] = ()
    expected: object = None
    """The keyword's value in the schema."""
    got: str = ""
    """The value, shortened; "" if it is missing."""

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer."""
        return pointer(self.path)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the schema says of a value."""

    ok: bool | None
    """None: nobody can tell, and `note` says why."""
    problems: tuple[Problem, ...] = ()
    """In the order of their places; not empty exactly if `ok` is False."""
    note: str = ""
    """What could not be checked, and why; "" if all was."""


def validate(
    schema: object,
    instance: object,
    *,
    dialect_hint: str = "",
    steps: int | None = None,
    clock: Callable[[], float] | None = None,
) -> Verdict:
    """The verdict of `schema` on `instance`.

    The dialect is the schema's own (`$schema`), else `dialect_hint` (a URI, or a name such as "2020-12" or "draft-07"),
    else 2020-12 that also understands what draft-07 wrote differently. `clock` gives seconds and only ever advances;
    `time.thread_time` does not count what the machine does beside this. `steps` None for what the bounds let.
    """
    if isinstance(schema, bool):
        refused = Problem((), "is not allowed here", "", got=quote(instance))
        return Verdict(True) if schema else Verdict(False, (refused,))
    if not isinstance(schema, dict):
        return Verdict(None, note="cannot validate: the schema is not an object")
    dialect = dialect_of(schema, dialect_hint)
    if dialect is None:
        named = quote(schema.get("$schema", dialect_hint))
        return Verdict(None, note=f"cannot validate: the schema's dialect ({named}) is not known here")
    most = bounds().schema if steps is None else steps
    meter = _Meter(most, clock)
    verdict = _judged(dialect, schema, instance, meter)
    return _judged(dialect, schema, instance, _Meter(most, clock)) if meter.was_late else verdict


def verdict_on_schema(schema: object, *, dialect_hint: str = "", steps: int | None = None) -> Verdict:
    """Whether `schema` is a schema, by the metaschema of its dialect; the paths are places in the schema.

    One that names no dialect and is wrong in 2020-12 but right in draft-07 is fine, with a note.
    """
    if isinstance(schema, bool):
        return Verdict(True)
    if not isinstance(schema, dict):
        return Verdict(False, (Problem((), "must be an object or a boolean", "type", got=quote(schema)),))
    dialect = dialect_of(schema, dialect_hint)
    if dialect is None:
        named = quote(schema.get("$schema", dialect_hint))
        return Verdict(None, note=f"the schema's dialect ({named}) is not known here")
    steps = bounds().schema * 3 if steps is None else steps
    verdict = _by_metaschema(dialect, schema, steps)
    if verdict.ok is False and "$schema" not in schema and not dialect_hint:
        if _by_metaschema("draft-07", schema, steps).ok:
            return Verdict(True, note="valid in draft-07, not in 2020-12, which holds where no $schema is named")
    return verdict


def _by_metaschema(dialect: str, schema: object, steps: int) -> Verdict:
    """The metaschema's verdict, and below it what no metaschema sees."""
    verdict = _judged(dialect, _validator_class(dialect).META_SCHEMA, schema, _Meter(steps, None))
    if verdict.ok is not True:
        return verdict
    found = ((keyword, fault) for keyword, fault in schema_faults(schema))
    problems = tuple(
        Problem(tuple(fault.path), fault.sentence, keyword, got=quote(get_at(schema, fault.path)))
        for keyword, fault in islice(found, MOST_PROBLEMS)
    )
    return Verdict(not problems, problems)


def _judged(dialect: str, schema: dict[str, object], instance: object, meter: "_Meter") -> Verdict:
    """Collect errors until the end or until something stops it; what was found till then holds."""
    errors: list[Error] = []
    token = _METER.set(meter)
    try:
        validator, meter.has_patterns = _prepared(dialect, schema)
        meter.start()
        for error in _errors(validator, instance):
            errors.append(error)
            if len(errors) >= MOST_PROBLEMS:
                meter.note(f"only the first {MOST_PROBLEMS} problems are listed")
                break
    except (_Spent, _Undecided, TooLarge) as stopped:
        meter.note(str(stopped))
    except _BROKEN as broken:
        meter.note(
            f"the schema can't be read ({type(broken).__name__}): its $id or its parts are not what they must be"
        )
    except RecursionError:
        meter.note(_TOO_DEEP)
    finally:
        _METER.reset(token)
    return _verdict(errors, meter.notes)


def _errors(validator: Any, instance: object) -> Iterator[Error]:
    """The library's errors. Where the stack ends within its Rust parts, their word for it is no Exception."""
    try:
        yield from validator.iter_errors(instance)
    except BaseException as panic:
        if type(panic).__name__ == "PanicException":
            raise RecursionError from None
        raise


def _verdict(errors: list[Error], notes: list[str]) -> Verdict:
    found = {(problem.path, problem.sentence): problem for error in errors for problem in _problems(error)}
    problems = tuple(sorted(found.values(), key=lambda each: [(str(type(step)), step) for step in each.path]))
    why = "; ".join(notes)
    note = why if problems or not why else f"cannot validate: {why}"
    return Verdict(False if problems else None if notes else True, problems, note)


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


class _Spent(Exception):
    """The budget is used up."""


class _Undecided(Exception):
    """A keyword has no answer."""


@dataclass(slots=True)
class _Meter:
    """What one validation has used, and what it could not do."""

    left: int
    clock: Callable[[], float] | None
    notes: list[str] = field(default_factory=list)
    choosing: int = 0
    """Keywords above this one that choose by the outcome (anyOf, not, if): there an unknown answer spreads."""
    has_patterns: bool = False
    """The schema has patternProperties somewhere."""
    until: float = 0.0
    deep: int = 0
    """Keywords within one another just now."""
    was_late: bool = False
    """The clock has ended it."""

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


_TOO_DEEP: Final = "the schema or the value is nested too deep, or the schema refers to itself without end"
_METER: ContextVar[_Meter] = ContextVar("_METER")
_CHOOSING: Final = frozenset(
    ("anyOf", "oneOf", "not", "if", "contains", "unevaluatedItems", "unevaluatedProperties", "disallow")
)
_COSTS: Final = {
    **dict.fromkeys(_CHOOSING, 5),
    **dict.fromkeys(("$ref", "$dynamicRef", "$recursiveRef"), 5),
    **dict.fromkeys(("pattern", "patternProperties", "format"), 20),
}
"""The steps that a keyword is worth, by its time; 1 for the others."""
_BROKEN: Final = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError)
"""What the library raises where a keyword's value is not what it must be."""


def _metered(keyword: str, rule: Keyword) -> Keyword:
    """The rule, counted, and with an unknown answer where it would raise."""
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

    if not isinstance(fault, Fault):
        return fault
    if fault.got is None:
        return ValidationError(fault.sentence, path=fault.path)
    return ValidationError(fault.sentence, path=fault.path, instance=fault.got[0])


def _reason(keyword: str, asked: object, broken: Exception) -> str:
    if isinstance(broken, _Undecided | PatternUnusable):
        return str(broken)
    if keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
        return f"it refers to {quote(asked)}, which is not in the schema, and nothing is fetched"
    return f"its {keyword} ({quote(asked)}) can't be used here"


@cache
def _validator_class(dialect: str) -> Any:
    """The library's validator for a dialect, with our keywords in it and every keyword metered."""
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
    """`items` as a list is draft-07's tuple, and 2020-12's rule breaks on it."""

    def items(validator: Any, asked: Any, instance: Any, schema: Any) -> Iterator[Error] | None:
        return (older if isinstance(asked, list) else newer)(validator, asked, instance, schema)

    return items


def _without_patterns(rule: Keyword) -> Keyword:
    """The library tries the patterns beside unevaluatedProperties itself, without a time limit: not with ours."""

    def unevaluated(validator: Any, asked: Any, instance: Any, schema: Any) -> Iterator[Error] | None:
        if _METER.get().has_patterns:
            raise _Undecided("unevaluatedProperties together with patternProperties is not checked")
        return rule(validator, asked, instance, schema)

    return unevaluated


_CACHED: Final = 64
_prepared_before: dict[tuple[str, int], tuple[object, tuple[Any, bool]]] = {}
"""By dialect and identity, with the schema itself, so that the identity is nobody else's while it is here."""


def _prepared(dialect: str, schema: dict[str, object]) -> tuple[Any, bool]:
    """A validator for the schema, and whether it has patternProperties; kept, since schemas are never changed.

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
    """With the metaschemas to refer to, and nothing that fetches."""
    bare = without_dialects(schema)
    return _validator_class(dialect)(bare, registry=_metaschemas()), mentions(bare, "patternProperties")


@cache
def _metaschemas() -> Any:
    """The metaschemas, without their `$schema`: they are checked with our keywords too. It fetches nothing."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
    from referencing.jsonschema import specification_with

    known: Any = REGISTRY
    bare = {}
    for uri in known:
        contents = known.contents(uri)
        named = contents.get("$schema", "") if isinstance(contents, dict) else ""
        bare[uri] = specification_with(named).create_resource(without_dialects(contents))
    return known.with_resources(bare.items())
