"""What is peculiar about a schema: each peculiarity with a name, its place and a sentence. No verdict.

The names are shared with the packs of hosts, which say what a program does when it meets one.
"""

import re
from collections.abc import Callable, Collection, Iterator, Set
from typing import Any, Final

import msgspec

from inspector.checks.surface.references import reference_features
from inspector.checks.surface.walk import Budget, schemas_in
from inspector.forms.dialects import DEFAULT, dialect_of
from inspector.forms.paths import Path

TYPES: Final = frozenset(("string", "number", "integer", "boolean", "array", "object", "null"))
_COMBINATORS: Final = ("anyOf", "oneOf", "allOf")
_CONDITIONS: Final = ("not", "if", "then", "else", "enum")
_MODERN: Final = ("2020-12", "2019-09")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_SHOWN = 40


class Feature(msgspec.Struct, frozen=True):
    """One peculiarity."""

    kind: str
    path: Path
    """Within the schema."""
    sentence: str
    """Begins with what it speaks of; may quote foreign text."""


def features_of(schema: Any, budget: Budget, *, is_input: bool, passed_over: Collection[str] = ()) -> list[Feature]:
    """All that is peculiar about an input or output schema, outermost first; [] once the budget is spent.

    Keywords that are `passed_over` are not looked at; see `keywords_of`.
    """
    if not budget.begin():
        return []
    side = "input" if is_input else "output"
    found = list(_of_root(schema, side))
    if type(schema) is not dict:
        return found
    dialect = dialect_of(schema) or DEFAULT
    reads = []
    for path, node, is_branch in schemas_in(schema, budget):
        for key in node:
            if (look := _BY_KEY.get(key)) is not None and key not in passed_over:
                found += look(key, path, node, is_branch, dialect)
        if "$ref" in node:
            reads.append((path, node["$ref"]))
    found += [Feature(kind, path, said) for kind, path, said in reference_features(schema, reads, side)]
    found += _of_size(budget)
    return [_sided(each, side) for each in found if is_input or each.kind not in _OF_INPUTS]


_OF_INPUTS: Final = frozenset(
    ("array-without-items", "several-types", "enum-not-string", "boolean-bound", "boolean-required", "admits-nothing")
)
"""What matters only where a model is to write values."""


def _sided(feature: Feature, side: str) -> Feature:
    return msgspec.structs.replace(feature, kind=f"{side}-broken") if feature.kind == "broken" else feature


def _of_root(schema: Any, side: str) -> Iterator[Feature]:
    if type(schema) is not dict or schema.get("type") != "object":
        yield Feature(f"{side}-root", (), "is not of type object")
        if type(schema) is not dict:
            return
    if "$schema" in schema and (dialect := dialect_of(schema)) != DEFAULT:
        named = dialect or str(schema["$schema"])[:_SHOWN]
        yield Feature(f"{side}-dialect", ("$schema",), f"is labelled {named}")
        if dialect not in (*_MODERN, "draft-07", "draft-06"):
            yield Feature(f"{side}-rare-dialect", ("$schema",), f"is labelled {named}")
    for keyword in _COMBINATORS:
        if keyword in schema:
            yield Feature(f"{side}-root-combinator", (keyword,), f"has {keyword} at its root")
    for keyword in _CONDITIONS:
        if keyword in schema:
            yield Feature(f"{side}-root-condition", (keyword,), f"has {keyword!r} at its root")
    yield from _of_members(schema, side)


def _of_members(schema: dict[str, Any], side: str) -> Iterator[Feature]:
    if "required" in schema and type(schema["required"]) is not list:
        yield Feature(f"{side}-required", ("required",), "has a required that is no list")
    properties = schema.get("properties")
    if "properties" in schema and type(properties) is not dict:
        yield Feature(f"{side}-properties", ("properties",), "has properties that are no object")
    for name, each in properties.items() if type(properties) is dict else ():
        if type(each) is bool:
            said = f"has a mere {str(each).lower()} as the schema of {name[:_SHOWN]!r}"
            yield Feature("boolean-property", ("properties", name), said)
        if side == "input" and not _is_plain(name):
            said = f"has a property called {name[:_SHOWN]!r}"
            yield Feature("property-name", ("properties", name), said)


def _is_plain(name: str) -> bool:
    return _PLAIN.fullmatch(name) is not None


Look = Callable[[str, Path, dict[str, Any], bool, str], Iterator[Feature]]
"""A keyword, the place of the schema that has it, the schema, whether that is one branch of several, its dialect."""


_OTHERS_NAMES = {each: each for each in TYPES} | {
    "str": "string",
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "map": "object",
    "nonetype": "null",
}
"""Names of types in programming languages, in lower case, and in JSON Schema."""


def _type(_key: str, path: Path, node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[Feature]:
    said = node["type"]
    kinds = said if type(said) is list else [said]
    odd = next((each for each in kinds if type(each) is not str or each not in TYPES), None)
    if odd is not None:
        meant = _OTHERS_NAMES.get(str(odd).lower())
        instead = f"; in JSON Schema it is {meant!r}" if meant else ", which JSON Schema does not have"
        yield Feature("broken", (*path, "type"), f"has the type {str(odd)[:_SHOWN]!r}{instead}")
    elif said == "array" and not node.get("items"):
        yield Feature("array-without-items", path, f"has an array{_where(path)} that does not say of what")
    elif type(said) is list and len([each for each in said if each != "null"]) > 1:
        yield Feature("several-types", (*path, "type"), f"allows several types{_where(path)}")


def _items(_key: str, path: Path, node: dict[str, Any], _branch: bool, dialect: str) -> Iterator[Feature]:
    if type(node["items"]) is list and dialect == DEFAULT:
        yield Feature("tuple-items", (*path, "items"), f"has a list as items{_where(path)}; 2020-12 has prefixItems")


def _bound(key: str, path: Path, node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[Feature]:
    if type(node[key]) is bool:
        said = f"has {key} as true or false{_where(path)}; it is a number since draft-06"
        yield Feature("boolean-bound", (*path, key), said)


_OLD: Final = {
    "nullable": 'is OpenAPI; JSON Schema says "type": [..., "null"]',
    "dependencies": "is dependentRequired and dependentSchemas since 2019-09",
    "definitions": "is $defs since 2019-09",
}


def _old(key: str, path: Path, _node: dict[str, Any], _branch: bool, dialect: str) -> Iterator[Feature]:
    if dialect in _MODERN or key == "nullable":
        kind = "old-place" if key == "definitions" else "old-keyword"
        yield Feature(kind, (*path, key), f"has {key!r}{_where(path)}, which {_OLD[key]}")


def _id(_key: str, path: Path, node: dict[str, Any], _branch: bool, dialect: str) -> Iterator[Feature]:
    if not path and type(node["id"]) is str and dialect in _MODERN:
        yield Feature("old-keyword", ("id",), "has 'id', which is $id since draft-06")


def _required(_key: str, path: Path, node: dict[str, Any], is_branch: bool, _dialect: str) -> Iterator[Feature]:
    wanted, there = node["required"], node.get("properties")
    if path and type(wanted) is bool:
        said = f"has required as true or false{_where(path)}; the object around it lists what it requires"
        yield Feature("boolean-required", (*path, "required"), said)
    if is_branch or type(wanted) is not list or type(there) is not dict or _is_open(node):
        return
    for at, name in enumerate(wanted):
        if type(name) is str and name not in there:
            yield Feature(
                "required-unknown", (*path, "required", at), f"requires {name[:_SHOWN]!r}, which it does not have"
            )


def _is_open(node: dict[str, Any]) -> bool:
    """Whether properties may stand elsewhere, too."""
    others = ("patternProperties", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas")
    return any(key in node for key in others) or type(node.get("additionalProperties")) is dict


def _enum(_key: str, path: Path, node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[Feature]:
    values = node["enum"]
    if type(values) is not list:
        yield Feature("broken", (*path, "enum"), f"has an enum{_where(path)} that is no list")
        return
    for at, value in enumerate(values):
        if "type" in node and not fits(value, node["type"]):
            said = f"offers {str(value)[:_SHOWN]!r}{_where(path)}, which is not of type {_named(node['type'])}"
            yield Feature("enum-type", (*path, "enum", at), said)
            return
    if values and not all(type(each) is str for each in values if each is not None):
        yield Feature("enum-not-string", (*path, "enum"), f"has an enum{_where(path)} of something else than strings")


def _default(_key: str, path: Path, node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[Feature]:
    value, values = node["default"], node.get("enum")
    if "type" in node and not node.get("nullable") and not fits(value, node["type"]):
        said = f"has a default{_where(path)} that is not of type {_named(node['type'])}"
        yield Feature("default-wrong", (*path, "default"), said)
    elif type(values) is list and value not in values and len(values) < 1000:
        yield Feature("default-wrong", (*path, "default"), f"has a default{_where(path)} that its enum does not have")


def _closed(key: str, path: Path, node: dict[str, Any], is_branch: bool, _dialect: str) -> Iterator[Feature]:
    elsewhere = ("patternProperties", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas")
    if node[key] is not False or node.get("properties") or is_branch or any(each in node for each in elsewhere):
        return
    if len(path) >= 2 and path[-2] == "properties" and node.get("type") == "object":
        yield Feature("admits-nothing", (*path, key), f"has an object{_where(path)} that allows no property at all")


def _header(key: str, path: Path, _node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[Feature]:
    yield Feature("header", (*path, key), f"wants a value in a header{_where(path)}")


_BY_KEY: Final[dict[str, Look]] = {
    "type": _type,
    "items": _items,
    "exclusiveMinimum": _bound,
    "exclusiveMaximum": _bound,
    **dict.fromkeys(_OLD, _old),
    "id": _id,
    "required": _required,
    "enum": _enum,
    "default": _default,
    "additionalProperties": _closed,
    "x-mcp-header": _header,
}

_KINDS_BY_KEY: Final = {
    "type": {"broken", "array-without-items", "several-types"},
    "items": {"tuple-items"},
    "exclusiveMinimum": {"boolean-bound"},
    "exclusiveMaximum": {"boolean-bound"},
    "enum": {"broken", "enum-type", "enum-not-string"},
    "default": {"default-wrong"},
    "additionalProperties": {"admits-nothing"},
}
"""What looking at a keyword can find; of the other keywords there are few in a schema."""


def keywords_of(kinds: Set[str]) -> frozenset[str]:
    """The keywords that are looked at for these kinds of features alone."""
    return frozenset(key for key, found in _KINDS_BY_KEY.items() if found <= kinds)


def fits(value: Any, kinds: Any) -> bool:
    """Whether a value is of one of the types; True where they are no types."""
    return any(_is(value, kind) for kind in (kinds if type(kinds) is list else [kinds]))


def _is(value: Any, kind: Any) -> bool:
    match kind:
        case "integer":
            return (type(value) is int) or (type(value) is float and value.is_integer())
        case "number":
            return type(value) in (int, float)
        case "string":
            return type(value) is str
        case "boolean":
            return type(value) is bool
        case "array":
            return type(value) is list
        case "object":
            return type(value) is dict
        case "null":
            return value is None
    return True


def _named(kinds: Any) -> str:
    return " or ".join(str(each)[:20] for each in (kinds if type(kinds) is list else [kinds])[:4])


def _where(path: Path) -> str:
    """“ (a.b)”: the property that a place is in; "" at the root."""
    names = [str(name) for at, name in enumerate(path) if at and path[at - 1] == "properties"]
    return f" ({'.'.join(names)[:60]})" if names else ""


def _of_size(budget: Budget) -> Iterator[Feature]:
    if budget.too_deep is not None:
        yield Feature("too-deep", budget.too_deep, "is nested deeper than clients read")
    if budget.is_spent:
        yield Feature("too-large", (), "has more parts than can be looked at")
