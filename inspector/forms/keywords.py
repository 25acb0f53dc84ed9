"""JSON Schema keywords that are implemented here instead of by jsonschema.

`pattern`, `patternProperties`, `additionalProperties`: the library's searches have no time limit. `uniqueItems`: it
compares all pairs of items. `required`, its variants, `propertyNames`, and `properties` that are `false`: the
library reports errors at the object, these functions at the member. `format`: it requires a package for each format.
This module does not depend on the library; `validate` combines the two.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from fractions import Fraction
from ipaddress import IPv6Address
from typing import Any, Final, TypeAlias

import msgspec

from inspector.forms.dialects import DATA_KEYWORDS
from inspector.forms.fields import UNSET
from inspector.forms.paths import Path
from inspector.forms.patterns import ecmascript_problem, matches
from inspector.forms.refs import MOST_NODES, SchemaDocument

_URI_CHARACTERS: Final = r"[^\s<>\"{}|\\^`]*"


# The `format` of a string. Formats that are not listed here allow any string.


class KeywordFault(msgspec.Struct, frozen=True):
    """A violation found by a keyword."""

    sentence: str
    path: tuple[str | int, ...] = ()
    """Path to the violation from the value that the keyword applies to."""
    got: tuple[object] | None = None
    """The invalid value, if it is not that value itself; UNSET if it is missing."""


Faults: TypeAlias = Iterator[Any]
"""Faults, and the library's errors from nested schemas."""
Keyword: TypeAlias = Callable[[Any, Any, Any, Any], Faults | None]
"""Arguments: validator, value of the keyword, instance, schema. Yields the violations."""


def wrong_format(name: str, text: str) -> str:
    """Return what `text` should be ("an email address"); "" if it is valid, or if the format is unknown."""
    check, message = _FORMATS.get(name, (_anything, ""))
    return "" if check(text) else message


def _anything(text: str) -> bool:
    return True


def _like(pattern: str) -> Callable[[str], bool]:
    """Return a check by regular expression. The patterns here are linear: they have no ambiguous nested repetition."""
    compiled = re.compile(pattern, re.ASCII)

    def check(text: str) -> bool:
        return compiled.fullmatch(text) is not None

    return check


_is_date_shaped: Final = _like(r"\d{4}-\d\d-\d\d")
_is_time: Final = _like(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)")


def _is_date(text: str) -> bool:
    if not _is_date_shaped(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_date_time(text: str) -> bool:
    return len(text) > 11 and text[10] in "Tt " and _is_date(text[:10]) and _is_time(text[11:])


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text


def _is_hostname(text: str) -> bool:
    labels = text.split(".")
    return 0 < len(text) <= 253 and all(_is_label(each) for each in labels)


_is_label: Final = _like(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")


def _is_email(text: str) -> bool:
    name, at, host = text.rpartition("@")
    return bool(name and at and host) and not any(each.isspace() for each in text)


def _is_duration(text: str) -> bool:
    return _is_duration_shaped(text) and text[-1] not in "PT"


_is_duration_shaped: Final = _like(r"P(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)")

_FORMATS: Final[Mapping[str, tuple[Callable[[str], bool], str]]] = {
    "date": (_is_date, "a date such as 2031-12-31"),
    "time": (_is_time, "a time with its zone, such as 23:59:59Z"),
    "date-time": (_is_date_time, "a date and time with its zone, such as 2031-12-31T23:59:59Z"),
    "duration": (_is_duration, "a duration such as P3DT12H"),
    "email": (_is_email, "an email address"),
    "idn-email": (_is_email, "an email address"),
    "hostname": (_is_hostname, "a host name"),
    "ipv4": (_like(r"(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}"), "an IPv4 address"),
    "ipv6": (_is_ipv6, "an IPv6 address"),
    "uri": (_like(r"[A-Za-z][A-Za-z0-9+.-]*:" + _URI_CHARACTERS), "an absolute URI"),
    "url": (_like(r"[A-Za-z][A-Za-z0-9+.-]*:" + _URI_CHARACTERS), "an absolute URL"),
    "iri": (_like(r"[A-Za-z][A-Za-z0-9+.-]*:" + _URI_CHARACTERS), "an absolute IRI"),
    "uri-reference": (_like(_URI_CHARACTERS), "a URI reference"),
    "uuid": (_like(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"), "a UUID"),
    "json-pointer": (_like(r"(/([^~/]|~[01])*)*"), "a JSON pointer"),
    "regex": (lambda text: not ecmascript_problem(text), "a regular expression"),
}


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Faults:
    if isinstance(instance, str) and not matches(pattern, instance):
        yield KeywordFault(f"does not match the pattern {pattern}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Faults:
    if not isinstance(instance, dict):
        return
    for pattern, inner in patterns.items():
        for name, value in instance.items():
            if not matches(pattern, name):
                continue
            if inner is False:
                yield KeywordFault("is not allowed here", (name,), (value,))
            else:
                yield from validator.descend(value, inner, path=name, schema_path=pattern)


def _properties(validator: Any, named: Any, instance: Any, schema: Any) -> Faults:
    if not isinstance(instance, dict):
        return
    for name, inner in named.items():
        if name not in instance:
            continue
        if inner is False:
            yield KeywordFault("is not allowed here", (name,), (instance[name],))
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
            yield KeywordFault("is not allowed by the schema", (name,), (value,))
        else:
            yield from validator.descend(value, asked, path=name)


def _property_names(validator: Any, asked: Any, instance: Any, schema: Any) -> Faults:
    for name in instance if isinstance(instance, dict) else ():
        for _ in validator.descend(name, asked):
            yield KeywordFault("has a name that does not match propertyNames", (name,), (name,))
            break


def _required(validator: Any, names: Any, instance: Any, schema: Any) -> Faults:
    if isinstance(instance, dict) and isinstance(names, list):  # draft-03 has a boolean here
        for name in names:
            if name not in instance:
                yield KeywordFault("is required", (name,), (UNSET,))


def _dependent(validator: Any, rules: Any, instance: Any, schema: Any) -> Faults:
    """Check dependentRequired, and the older `dependencies`, whose rules may be schemas."""
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
                yield KeywordFault(f"is required because {cause} is set", (name,), (UNSET,))


def _unique_items(validator: Any, asked: Any, instance: Any, schema: Any) -> Faults:
    if not asked or not isinstance(instance, list):
        return
    first: dict[object, int] = {}
    for at, item in enumerate(instance):
        before = first.setdefault(_identity(item), at)
        if before != at:
            yield KeywordFault(f"duplicates item {before}", (at,), (item,))


def _identity(value: object) -> object:
    """Return a hashable key that is equal for equal JSON values: 1 equals 1.0 but not true."""
    if isinstance(value, bool) or value is None:
        return (type(value), value)
    if isinstance(value, list):
        return (list, tuple(_identity(each) for each in value))
    if isinstance(value, dict):
        return (dict, frozenset((key, _identity(each)) for key, each in value.items()))
    return value


def is_multiple(value: float, step: float) -> bool:
    """Return whether a number is a multiple of another one, as both are written: 0.07 is one of 0.01."""
    return (_as_written(value) / _as_written(step)).denominator == 1


def _as_written(number: int | float) -> Fraction:
    return Fraction(repr(number) if isinstance(number, float) else number)


def _multiple_of(validator: Any, step: Any, instance: Any, schema: Any) -> Faults:
    if isinstance(instance, int | float) and not isinstance(instance, bool) and not is_multiple(instance, step):
        yield KeywordFault(f"must be a multiple of {step!r}")


def _format(validator: Any, name: Any, instance: Any, schema: Any) -> Faults:
    if isinstance(instance, str) and isinstance(name, str):
        wanted = wrong_format(name, instance)
        if wanted:
            yield KeywordFault(f"is not {wanted}")


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
    "multipleOf": _multiple_of,
}
"""Keywords replaced in every dialect."""


# Defects of a schema that its metaschema can't detect: invalid patterns and references.


def schema_faults(schema: object) -> Iterator[tuple[str, KeywordFault]]:
    """Yield the invalid keywords of a schema with their faults, outermost first; paths are within the schema."""
    document = SchemaDocument(schema)
    for path, node in _objects(schema):
        ref = node.get("$ref")
        if isinstance(ref, str) and "json-schema.org/" not in ref:
            _, why = document.find(ref)
            if why:
                yield "$ref", KeywordFault(f"cannot be used: {why}", (*path, "$ref"))
        pattern = node.get("pattern")
        if isinstance(pattern, str) and ecmascript_problem(pattern):
            yield "pattern", KeywordFault("is not a usable regular expression", (*path, "pattern"))
        patterns = node.get("patternProperties")
        for each in patterns if isinstance(patterns, dict) else ():
            if ecmascript_problem(each):
                fault = KeywordFault("is not a usable regular expression", (*path, "patternProperties", each))
                yield "patternProperties", fault


def _objects(schema: object) -> Iterator[tuple[Path, dict[str, object]]]:
    """Yield every object of a schema except in data, with its path. Limited in number; not recursive."""
    waiting: list[tuple[Path, object]] = [((), schema)]
    for _ in range(MOST_NODES):
        if not waiting:
            return
        path, node = waiting.pop()
        if isinstance(node, dict):
            yield path, node
            inner = [((*path, key), each) for key, each in node.items() if key not in DATA_KEYWORDS]
            waiting.extend(reversed(inner))
        elif isinstance(node, list):
            waiting.extend(reversed([((*path, at), each) for at, each in enumerate(node)]))
