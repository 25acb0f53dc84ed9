"""The keywords of JSON Schema that jsonschema is not left alone with: each here for a reason.

`pattern`, `patternProperties`, `additionalProperties`: the library searches without a time limit. `uniqueItems`: it
compares each item with each other. `required` and its kin, `propertyNames`: the library's error stands at the object,
ours at the member; so with `properties` that are `false`. `format`: it needs a package for each.
This file does not know the library: `validate` joins the two.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from inspector.forms.fields import UNSET
from inspector.forms.formats import wrong_format
from inspector.forms.patterns import matches


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that a keyword found wrong."""

    sentence: str
    path: tuple[str | int, ...] = ()
    """From the instance that the keyword looked at to what is wrong."""
    got: tuple[object] | None = None
    """What is wrong, if it is not that instance: UNSET for what is missing."""


Faults: TypeAlias = Iterator[Any]
"""Faults, and errors of the library from the schemas within."""

Keyword: TypeAlias = Callable[[Any, Any, Any, Any], Faults | None]
"""validator, the keyword's value, the instance, the schema: what is wrong."""


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Faults:
    if isinstance(instance, str) and not matches(pattern, instance):
        yield Fault(f"does not match the pattern {pattern}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Faults:
    if not isinstance(instance, dict):
        return
    for pattern, inner in patterns.items():
        for name, value in instance.items():
            if not matches(pattern, name):
                continue
            if inner is False:
                yield Fault("is not allowed here", (name,), (value,))
            else:
                yield from validator.descend(value, inner, path=name, schema_path=pattern)


def _properties(validator: Any, named: Any, instance: Any, schema: Any) -> Faults:
    if not isinstance(instance, dict):
        return
    for name, inner in named.items():
        if name not in instance:
            continue
        if inner is False:
            yield Fault("is not allowed here", (name,), (instance[name],))
        else:
            yield from validator.descend(instance[name], inner, path=name, schema_path=name)


def _additional_properties(validator: Any, asked: Any, instance: Any, schema: Any) -> Faults:
    if not isinstance(instance, dict):
        return
    named = schema.get("properties", {})
    patterns = list(schema.get("patternProperties", {}))
    for name, value in instance.items():
        if name in named or any(matches(pattern, name) for pattern in patterns):
            continue
        if asked is False:
            yield Fault("is not a member that the schema allows", (name,), (value,))
        else:
            yield from validator.descend(value, asked, path=name)


def _property_names(validator: Any, asked: Any, instance: Any, schema: Any) -> Faults:
    for name in instance if isinstance(instance, dict) else ():
        for _ in validator.descend(name, asked):
            yield Fault("has a name that the schema does not allow", (name,), (name,))
            break


def _required(validator: Any, names: Any, instance: Any, schema: Any) -> Faults:
    if isinstance(instance, dict) and isinstance(names, list):  # draft-03 has a boolean here
        for name in names:
            if name not in instance:
                yield Fault("is required", (name,), (UNSET,))


def _dependent(validator: Any, rules: Any, instance: Any, schema: Any) -> Faults:
    """dependentRequired, and the older `dependencies`, whose rules may be schemas."""
    if not isinstance(instance, dict):
        return
    for cause, rule in rules.items():
        if cause not in instance:
            continue
        if isinstance(rule, dict | bool):
            yield from validator.descend(instance, rule, schema_path=cause)
            continue
        for name in rule if isinstance(rule, list) else [rule]:
            if name not in instance:
                yield Fault(f"is required where {cause} is given", (name,), (UNSET,))


def _unique_items(validator: Any, asked: Any, instance: Any, schema: Any) -> Faults:
    if not asked or not isinstance(instance, list):
        return
    first: dict[object, int] = {}
    for at, item in enumerate(instance):
        before = first.setdefault(_identity(item), at)
        if before != at:
            yield Fault(f"is the same as item {before}", (at,), (item,))


def _identity(value: object) -> object:
    """Something hashable that is equal for values that are equal as JSON: 1 is 1.0 and is not true."""
    if isinstance(value, bool) or value is None:
        return (type(value), value)
    if isinstance(value, list):
        return (list, tuple(_identity(each) for each in value))
    if isinstance(value, dict):
        return (dict, frozenset((key, _identity(each)) for key, each in value.items()))
    return value


def _format(validator: Any, name: Any, instance: Any, schema: Any) -> Faults:
    if isinstance(instance, str) and isinstance(name, str):
        wanted = wrong_format(name, instance)
        if wanted:
            yield Fault(f"is not {wanted}")


OURS: Final[Mapping[str, Keyword]] = {
    "properties": _properties,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "required": _required,
    "dependentRequired": _dependent,
    "dependencies": _dependent,
    "uniqueItems": _unique_items,
    "format": _format,
}
"""In every dialect."""
