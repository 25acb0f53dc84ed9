"""Several schemas that must all hold, written as one: `allOf`, and what stands beside a `$ref`.

This is for drawing alone; validation reads the schema as it came. So what can't be drawn (if, not, dependencies) is
let go in silence, and what would be drawn wrongly is refused.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

Schema: TypeAlias = dict[str, object]


class CannotMerge(Exception):
    """The two say different things of one keyword, and no single field shows both."""


def merge(first: Schema, second: Schema) -> Schema:
    """One schema that asks for what both ask for. Words about it (title, default) are the first one's.

    Raises: CannotMerge, with the keyword.
    """
    merged = dict(first)
    for key, value in second.items():
        merged[key] = _joined(key, merged[key], value) if key in merged else value
    return merged


def _joined(key: str, first: object, second: object) -> object:
    if key in _WORDS or first == second:
        return first
    rule = _RULES.get(key)
    if rule is None:
        raise CannotMerge(key)
    return rule(first, second)


def _both(first: object, second: object) -> object:
    """A schema within: both must hold, which the reader works out when it gets there."""
    return {"allOf": [first, second]}


def _members(first: object, second: object) -> object:
    if not isinstance(first, dict) or not isinstance(second, dict):
        raise CannotMerge("properties")
    merged = dict(first)
    for name, schema in second.items():
        merged[name] = _both(merged[name], schema) if name in merged and merged[name] != schema else schema
    return merged


def _listed(first: object, second: object) -> object:
    if not isinstance(first, list) or not isinstance(second, list):
        raise CannotMerge("required")
    return [*first, *(each for each in second if each not in first)]


def _common(first: object, second: object) -> object:
    """The values on both lists; a single value is a list of one."""
    left = first if isinstance(first, list) else [first]
    right = second if isinstance(second, list) else [second]
    common = [each for each in left if each in right or (each == "integer" and "number" in right)]
    if "number" in left and "integer" in right and "integer" not in common:
        common.append("integer")
    if not common:
        raise CannotMerge("type")
    return common[0] if len(common) == 1 and not isinstance(first, list) else common


def _extreme(pick: Callable[[list[float]], float]) -> Callable[[object, object], object]:
    def joined(first: object, second: object) -> object:
        numbers = [each for each in (first, second) if isinstance(each, int | float)]
        return pick(numbers) if numbers else first

    return joined


def _closed_wins(first: object, second: object) -> object:
    """additionalProperties: the stricter of the two, as far as a form can show it."""
    if first is False or second is False:
        return False
    if first is True or second is True:
        return second if first is True else first
    return _both(first, second)


def _either(first: object, second: object) -> object:
    return first is True or second is True


def _keep_first(first: object, second: object) -> object:
    return first


_WORDS: Final = frozenset(
    ("title", "description", "default", "examples", "$comment", "$id", "$schema", "$anchor", "deprecated")
)
_DRAWN_NOWHERE: Final = ("if", "then", "else", "not", "dependentRequired", "dependentSchemas", "dependencies")

_RULES: Final[Mapping[str, Callable[[object, object], object]]] = {
    "properties": _members,
    "patternProperties": _members,
    "$defs": _members,
    "definitions": _members,
    "required": _listed,
    "type": _common,
    "enum": _common,
    "additionalProperties": _closed_wins,
    "unevaluatedProperties": _closed_wins,
    "items": _both,
    "uniqueItems": _either,
    "readOnly": _either,
    "writeOnly": _either,
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _extreme(max)),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _extreme(min)),
    **dict.fromkeys(_DRAWN_NOWHERE, _keep_first),
    **dict.fromkeys(("pattern", "format", "multipleOf", "contains", "propertyNames"), _keep_first),
}
