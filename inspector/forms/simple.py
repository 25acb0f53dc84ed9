"""The simple kinds of fields (text, number, boolean), and safe lookups in unchecked schemas."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from inspector.forms.fields import BoolField, NumberField, Opened, TextField

_MANY_LINES: Final = frozenset(("textarea", "multiline", "multi-line", "markdown", "html", "code", "text"))
_LONG: Final = 200
"""From this maxLength on, a text is assumed to have several lines."""

_HINTS: Final = (
    ("object", frozenset(("properties", "required", "additionalProperties", "patternProperties", "minProperties"))),
    ("array", frozenset(("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"))),
    ("string", frozenset(("pattern", "minLength", "maxLength", "format", "contentEncoding"))),
    ("number", frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"))),
)


def types_of(schema: Mapping[str, object]) -> list[str]:
    """Return the types of a schema, null only if it is the only one. Without `type` they are inferred from keywords."""
    named = schema.get("type")
    types = [named] if isinstance(named, str) else list(dict.fromkeys(strings(named)))
    real = [each for each in types if each != "null"]
    if real or types:
        return real or types[:1]
    if named is not None:
        return [as_text(named)]
    return next(([kind] for kind, hints in _HINTS if not hints.isdisjoint(schema)), [])


def has_null(schema: Mapping[str, object]) -> bool:
    """Return whether null is one of several types."""
    named = schema.get("type")
    return isinstance(named, list) and "null" in named and len(strings(named)) > 1


def strings(value: object) -> list[str]:
    """Return the strings of a list; empty if it is not a list."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def size(schema: Mapping[str, object], key: str) -> int | None:
    """Return a non-negative integer; None if it is absent or invalid."""
    value = schema.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e18:
        return None
    return int(value) if value == int(value) else None


def number(schema: Mapping[str, object], key: str) -> int | float | None:
    """Return a number; None if it is absent or invalid."""
    value = schema.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def as_text(value: object) -> str:
    """Return JSON on one line, a string without its quotes; for anything but JSON the name of its Python type."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return type(value).__name__


def _text(schema: Mapping[str, object], words: dict[str, Any]) -> TextField:
    asked_format = schema.get("format")
    pattern = schema.get("pattern")
    most = size(schema, "maxLength")
    named = asked_format if isinstance(asked_format, str) else ""
    return TextField(
        **words,
        multiline=named in _MANY_LINES
        or isinstance(schema.get("contentMediaType"), str)
        or (most is not None and most >= _LONG),
        format=named,
        pattern=pattern if isinstance(pattern, str) else "",
        min_length=size(schema, "minLength") or 0,
        max_length=most,
    )


def _number(schema: Mapping[str, object], words: dict[str, Any]) -> NumberField:
    least, most = number(schema, "minimum"), number(schema, "maximum")
    above, below = number(schema, "exclusiveMinimum"), number(schema, "exclusiveMaximum")
    if schema.get("exclusiveMinimum") is True:  # draft-04: a flag that applies to the bound
        least, above = None, least
    if schema.get("exclusiveMaximum") is True:
        most, below = None, most
    return NumberField(
        **words,
        integer=schema.get("type") != "number" and "integer" in types_of(schema),
        minimum=least,
        maximum=most,
        exclusive_minimum=above,
        exclusive_maximum=below,
        multiple_of=number(schema, "multipleOf"),
    )


def _bool(schema: Mapping[str, object], words: dict[str, Any]) -> BoolField:
    return BoolField(**words)


READERS: Final[Mapping[str, Callable[[dict[str, object], dict[str, Any]], Opened]]] = {
    "string": _text,
    "number": _number,
    "integer": _number,
    "boolean": _bool,
}
"""Field parsers by type."""
