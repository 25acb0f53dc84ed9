"""Features of a JSON Schema that clients handle differently, each with a name, a place and a sentence.

The names are shared with the compatibility data, which records how each client handles them.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from itertools import pairwise
from typing import Any, Final

import msgspec

from inspector.forms.dialects import DATA_KEYWORDS, DEFAULT, dialect_of
from inspector.forms.paths import Path
from inspector.forms.patterns import ecmascript_problem, has_lookaround
from inspector.forms.refs import SchemaDocument
from inspector.text import cut

MOST_OF_ONE: Final = 10_000
"""Maximum subschemas examined per schema."""
MOST_OF_ALL: Final = 250_000
"""Maximum subschemas examined in all the schemas of one list: a second or two."""
DEEPEST: Final = 64
"""Maximum nesting depth; some clients read no deeper."""

_MAPS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLES: Final = (
    *("items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"),
    *("not", "if", "then", "else", "contains", "propertyNames", "contentSchema"),
)
_BRANCHES: Final = frozenset(("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"))
"""Keywords whose subschemas describe only a part of a value."""
_KINDS: Final = {**dict.fromkeys(_MAPS, "map"), **dict.fromkeys(_LISTS, "list"), **dict.fromkeys(_SINGLES, "single")}
MOST_WRITTEN_OUT: Final = 100_000
"""Maximum parts of a schema with all references expanded."""
TYPES: Final = frozenset(("string", "number", "integer", "boolean", "array", "object", "null"))
_ONLY_WORDS: Final = frozenset(("title", "description", "default", "examples", "$comment", "deprecated"))
"""Keywords that do not constrain a value."""
_COMBINATORS: Final = ("anyOf", "oneOf", "allOf")
_CONDITIONS: Final = ("not", "if", "then", "else", "enum")
_MODERN: Final = ("2020-12", "2019-09")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_SHOWN = 40
_MOST_COMPARED = 500
"""Maximum values of an enum that are compared with each other."""
_OF_INPUTS: Final = frozenset(
    (
        *("array-without-items", "array-of-anything", "several-types", "enum-not-string", "enum-blank", "enum-twice"),
        *("boolean-bound", "boolean-required", "format-of-few", "items-union", "properties-of-no-object"),
        *("admits-nothing", "lookaround", "untyped-property", "type-and-any-of", "nothing-in-union"),
    )
)
"""Features that matter only if a model writes the values."""
_SIDED: Final = frozenset(("broken", "pattern", "enum-empty", "tuple-items"))
"""Features with another effect in input schemas than in output schemas, which SDKs compile."""
_OTHERS_NAMES = {each: each for each in TYPES} | dict(
    pair.split(":")
    for pair in (
        *("str:string", "int:integer", "long:integer", "float:number", "double:number", "bool:boolean"),
        *("list:array", "dict:object", "map:object", "nonetype:null"),
    )
)
"""Names of types in programming languages, in lower case, and their names in JSON Schema."""
_COMMON_FORMATS: Final = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
)
"""Those that the OpenAI API takes: its guide to structured outputs, 2026-05-06."""
_OLD: Final = {
    "nullable": 'is OpenAPI; JSON Schema uses "type": [..., "null"]',
    "dependencies": "is dependentRequired and dependentSchemas since 2019-09",
    "definitions": "is $defs since 2019-09",
}
_KINDS_BY_KEY: Final = {
    "type": {"broken", "array-without-items", "array-of-anything", "several-types"},
    "items": {"tuple-items", "items-union"},
    "properties": {"untyped-property", "type-and-any-of", "properties-of-no-object"},
    "exclusiveMinimum": {"boolean-bound"},
    "exclusiveMaximum": {"boolean-bound"},
    "enum": {"broken", "enum-empty", "enum-type", "enum-not-string", "enum-blank", "enum-twice"},
    "pattern": {"pattern", "lookaround"},
    "default": {"default-wrong"},
    "format": {"format-of-few"},
    "additionalProperties": {"admits-nothing"},
    "anyOf": {"nothing-in-union"},
}
"""Kinds of features that are found by visiting a keyword. Keywords that show other kinds are rare in schemas."""


class WalkBudget:
    """The number of subschemas that may still be examined, in one schema and in all of a list."""

    __slots__ = ("all_left", "left", "too_deep")

    def __init__(self, most: int = MOST_OF_ALL) -> None:
        self.all_left = most
        self.left = MOST_OF_ONE
        self.too_deep: Path | None = None
        """First place of the current schema that was too deep."""

    def begin(self) -> bool:
        """Start another schema; return whether any budget is left."""
        self.left, self.too_deep = min(MOST_OF_ONE, self.all_left), None
        return self.left > 0

    @property
    def is_spent(self) -> bool:
        """Whether the current schema was not examined completely."""
        return self.left < 0

    def spend(self) -> bool:
        """Spend one unit; return False if none is left."""
        if self.left <= 0:
            self.left = -1
            return False
        self.left -= 1
        self.all_left -= 1
        return True


Found = tuple[str, Path, str]
"""The kind, the place and the sentence."""


class SchemaFeature(msgspec.Struct, frozen=True):
    kind: str
    path: Path
    sentence: str
    """A predicate; may quote foreign text."""


FeatureFinder = Callable[[str, Path, dict[str, Any], bool, str], Iterator[SchemaFeature]]
"""Parameters: keyword, place of the schema, schema, whether it is one of several branches, dialect."""


def schemas_in(root: Any, budget: WalkBudget) -> Iterator[tuple[Path, dict[str, Any], bool]]:
    """Yield every schema that is an object, outermost first: place, schema, whether it is one of several branches."""
    waiting: list[tuple[Path, Any, bool]] = [((), root, False)]
    while waiting:
        path, node, is_branch = waiting.pop()
        if type(node) is not dict:
            continue
        if not budget.spend():
            return
        yield path, node, is_branch
        if len(path) >= DEEPEST * 2:
            budget.too_deep = budget.too_deep or path
            continue
        waiting.extend(reversed(list(_below(path, node, is_branch))))


def _below(path: Path, node: dict[str, Any], is_branch: bool) -> Iterator[tuple[Path, Any, bool]]:
    for key, value in node.items():
        kind = _KINDS.get(key)
        if kind is None:
            continue
        branch = is_branch or key in _BRANCHES
        if kind == "map" and type(value) is dict:
            for name, each in value.items():
                yield (*path, key, name), each, branch
        elif type(value) is list and (kind == "list" or key == "items"):
            for at, each in enumerate(value):
                yield (*path, key, at), each, branch
        elif kind == "single":
            yield (*path, key), value, branch


# References


def reference_features(
    schema: Any, reads: Sequence[tuple[Path, Any]], side: str, most: int = 2 * MOST_OF_ONE
) -> Iterator[Found]:
    """Yield the defects of the references at these places. Expanded are at most that many parts."""
    if not reads:
        return
    document = SchemaDocument(schema)
    for path, ref in reads:
        if type(ref) is not str:
            yield f"{side}-reference", (*path, "$ref"), "has a $ref that is not a string"
            continue
        target, why = document.find(ref)
        if why:
            kind = f"{side}-reference"
            yield kind, (*path, "$ref"), f"has a reference that cannot be resolved: {cut(ref, 60)}"
        elif _is_loop(document, target):
            yield "reference-loop", (*path, "$ref"), f"has references that lead only to each other: {cut(ref, 60)}"
            return
    size, is_recursive = written_out(schema, document, most)
    if size > MOST_WRITTEN_OUT:
        yield "multiplies", (), f"has references that multiply: expanded it has more than {MOST_WRITTEN_OUT:,} parts"
    elif is_recursive:
        yield "recursive", (), "is recursive"


def _is_loop(document: SchemaDocument, target: Any) -> bool:
    """Whether a chain of references returns to its start."""
    met: set[int] = set()
    while type(target) is dict and type(target.get("$ref")) is str and len(target) == 1:
        if id(target) in met:
            return True
        met.add(id(target))
        target, why = document.find(target["$ref"])
        if why:
            return False
    return False


def written_out(schema: Any, document: SchemaDocument, most: int = 2 * MOST_OF_ONE) -> tuple[int, bool]:
    """Return the number of parts of a schema with its references expanded, and whether it is recursive.

    A recursive reference counts as one part. Counting stops shortly after `MOST_WRITTEN_OUT`, and after `most` visits.
    """
    sizes: dict[int, int] = {}
    open_: set[int] = set()
    recursive = False
    visited = 0
    stack: list[tuple[Any, bool]] = [(schema, False)]
    while stack:
        node, is_done = stack.pop()
        key = id(node)
        if is_done:
            open_.discard(key)
            sizes[key] = min(1 + sum(sizes.get(id(each), 1) for each in _parts(node, document)), MOST_WRITTEN_OUT + 1)
            continue
        if key in open_:
            recursive = True
            continue
        visited += 1
        if key in sizes or visited > most:
            continue
        open_.add(key)
        stack.append((node, True))
        stack.extend((each, False) for each in _parts(node, document) if type(each) in (dict, list))
    return sizes.get(id(schema), 1), recursive


def _parts(node: Any, document: SchemaDocument) -> list[Any]:
    if type(node) is list:
        return node
    if type(node) is not dict:
        return []
    parts = [each for key, each in node.items() if key not in DATA_KEYWORDS and type(each) in (dict, list)]
    ref = node.get("$ref")
    if type(ref) is str:
        target, why = document.find(ref)
        if not why:
            parts.append(target)
    return parts


def features_of(
    schema: Any, budget: WalkBudget, *, is_input: bool, passed_over: Collection[str] = ()
) -> list[SchemaFeature]:
    """Return all features of an input or output schema, outermost first; [] once the budget is spent.

    Keywords in `passed_over` are not examined; see `keywords_of`.
    """
    if not budget.begin():
        return []
    side, most = "input" if is_input else "output", 2 * budget.left
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
    found += [
        SchemaFeature(kind, path, message) for kind, path, message in reference_features(schema, reads, side, most)
    ]
    found += _of_size(budget)
    return [_sided(each, side) for each in found if is_input or each.kind not in _OF_INPUTS]


def _sided(feature: SchemaFeature, side: str) -> SchemaFeature:
    return msgspec.structs.replace(feature, kind=f"{side}-{feature.kind}") if feature.kind in _SIDED else feature


def _of_root(schema: Any, side: str) -> Iterator[SchemaFeature]:
    if type(schema) is not dict or schema.get("type") != "object":
        yield SchemaFeature(f"{side}-root", (), "is not of type object")
        if type(schema) is not dict:
            return
    if "$schema" in schema and (dialect := dialect_of(schema)) != DEFAULT:
        named = dialect or str(schema["$schema"])[:_SHOWN]
        yield SchemaFeature(f"{side}-dialect", ("$schema",), f"declares {named}")
        if dialect not in (*_MODERN, "draft-07", "draft-06"):
            yield SchemaFeature(f"{side}-rare-dialect", ("$schema",), f"declares {named}")
    for keyword in _COMBINATORS:
        if keyword in schema:
            yield SchemaFeature(f"{side}-root-combinator", (keyword,), f"has {keyword} at its root")
    for keyword in _CONDITIONS:
        if keyword in schema:
            yield SchemaFeature(f"{side}-root-condition", (keyword,), f"has {keyword!r} at its root")
    yield from _of_members(schema, side)


def _of_members(schema: dict[str, Any], side: str) -> Iterator[SchemaFeature]:
    if "required" in schema and type(schema["required"]) is not list:
        yield SchemaFeature(f"{side}-required", ("required",), "has a required that is not an array")
    properties = schema.get("properties")
    if "properties" in schema and type(properties) is not dict:
        yield SchemaFeature(f"{side}-properties", ("properties",), "has properties that are not an object")
    for name, each in properties.items() if type(properties) is dict else ():
        if type(each) is bool:
            message = f"has {str(each).lower()} as the schema of {name[:_SHOWN]!r}"
            yield SchemaFeature("boolean-property", ("properties", name), message)
        elif each is None:
            yield SchemaFeature("null-property", ("properties", name), f"has null as the schema of {name[:_SHOWN]!r}")
        if side == "input" and _PLAIN.fullmatch(name) is None:
            message = f"has a property named {name[:_SHOWN]!r}"
            yield SchemaFeature("property-name", ("properties", name), message)


def _type(_key: str, path: Path, node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[SchemaFeature]:
    stated = node["type"]
    kinds = stated if type(stated) is list else [stated]
    odd = next((each for each in kinds if type(each) is not str or each not in TYPES), None)
    if odd is not None:
        meant = _OTHERS_NAMES.get(str(odd).lower())
        instead = f"; in JSON Schema it is {meant!r}" if meant else ", which is not a JSON Schema type"
        yield SchemaFeature("broken", (*path, "type"), f"has the type {str(odd)[:_SHOWN]!r}{instead}")
    elif stated == "array" and "items" not in node and not node.get("prefixItems"):
        yield SchemaFeature("array-without-items", path, f"has an array{_where(path)} without items")
    elif stated == "array" and node.get("items") in ({}, True):
        yield SchemaFeature("array-of-anything", path, f"has an array{_where(path)} whose items are of any type")
    elif type(stated) is list and len([each for each in stated if each != "null"]) > 1:
        yield SchemaFeature("several-types", (*path, "type"), f"allows several types{_where(path)}")


def _properties(_key: str, path: Path, node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[SchemaFeature]:
    if type(kind := node.get("type")) is str and kind in TYPES and kind != "object":
        message = f"has properties beside the type {kind}{_where(path)}"
        yield SchemaFeature("properties-of-no-object", (*path, "properties"), message)
    for name, each in node["properties"].items() if type(node["properties"]) is dict else ():
        if type(each) is dict and each and each.keys() <= _ONLY_WORDS:
            yield SchemaFeature(
                "untyped-property", (*path, "properties", name), f"has no type for {str(name)[:_SHOWN]!r}"
            )
        elif type(each) is dict and "type" in each and "anyOf" in each:
            what = f"has a type beside anyOf for {str(name)[:_SHOWN]!r}"
            yield SchemaFeature("type-and-any-of", (*path, "properties", name), what)


def _items(_key: str, path: Path, node: dict[str, Any], _branch: bool, dialect: str) -> Iterator[SchemaFeature]:
    if type(node["items"]) is list and dialect == DEFAULT:
        yield SchemaFeature(
            "tuple-items", (*path, "items"), f"has an array as items{_where(path)}; 2020-12 uses prefixItems"
        )
    kinds = node["items"].get("type") if type(node["items"]) is dict else ""
    if type(kinds) is list and "object" in kinds:
        message = f"has items{_where(path)} of the types {_named(kinds)}"
        yield SchemaFeature("items-union", (*path, "items", "type"), message)


def _format(_key: str, path: Path, node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[SchemaFeature]:
    name = node["format"]
    if node.get("type") == "string" and type(name) is str and name not in _COMMON_FORMATS:
        yield SchemaFeature("format-of-few", (*path, "format"), f"has the format {name[:_SHOWN]!r}{_where(path)}")


def _bound(key: str, path: Path, node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[SchemaFeature]:
    if type(node[key]) is bool:
        message = f"has a boolean {key}{_where(path)}; it is a number since draft-06"
        yield SchemaFeature("boolean-bound", (*path, key), message)


def _old(key: str, path: Path, _node: dict[str, Any], _branch: bool, dialect: str) -> Iterator[SchemaFeature]:
    if dialect in _MODERN or key == "nullable":
        kind = "old-place" if key == "definitions" else "old-keyword"
        yield SchemaFeature(kind, (*path, key), f"has {key!r}{_where(path)}, which {_OLD[key]}")


def _id(_key: str, path: Path, node: dict[str, Any], _branch: bool, dialect: str) -> Iterator[SchemaFeature]:
    if not path and type(node["id"]) is str and dialect in _MODERN:
        yield SchemaFeature("old-keyword", ("id",), "has 'id', which is $id since draft-06")


def _required(_key: str, path: Path, node: dict[str, Any], is_branch: bool, _dialect: str) -> Iterator[SchemaFeature]:
    wanted, there = node["required"], node.get("properties", {})
    if path and type(wanted) is bool:
        message = f"has a boolean required{_where(path)}; the enclosing object lists its required properties"
        yield SchemaFeature("boolean-required", (*path, "required"), message)
    if is_branch or type(wanted) is not list or type(there) is not dict or _is_open(node):
        return
    for at, name in enumerate(wanted):
        if type(name) is str and name not in there:
            yield SchemaFeature(
                "required-unknown",
                (*path, "required", at),
                f"requires {name[:_SHOWN]!r}, which is not one of its properties",
            )


def _is_open(node: dict[str, Any]) -> bool:
    """Whether properties may be defined elsewhere as well."""
    others = ("patternProperties", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas")
    return any(key in node for key in others) or type(node.get("additionalProperties")) is dict


def _enum(_key: str, path: Path, node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[SchemaFeature]:
    values = node["enum"]
    if type(values) is not list:
        yield SchemaFeature("broken", (*path, "enum"), f"has an enum{_where(path)} that is not an array")
        return
    if not values:
        yield SchemaFeature("enum-empty", (*path, "enum"), f"has an empty enum{_where(path)}: no value is valid")
    for at, value in enumerate(values):
        if "type" in node and not fits(value, node["type"]):
            message = (
                f"has the enum value {str(value)[:_SHOWN]!r}{_where(path)}, which is not of type {_named(node['type'])}"
            )
            yield SchemaFeature("enum-type", (*path, "enum", at), message)
            return
    typed = [(type(each) is bool, each) for each in values[:_MOST_COMPARED]]  # to Python, true is 1
    if twice := next((each for n, each in enumerate(typed) if each in typed[:n]), None):
        message = f"has the enum value {str(twice[1])[:_SHOWN]!r} twice{_where(path)}"
        yield SchemaFeature("enum-twice", (*path, "enum"), message)
    if "" in values:
        at = values.index("")
        yield SchemaFeature("enum-blank", (*path, "enum", at), f"has an enum{_where(path)} with an empty text")
    if values and not all(type(each) is str for each in values if each is not None):
        yield SchemaFeature(
            "enum-not-string", (*path, "enum"), f"has an enum{_where(path)} with values that are not strings"
        )


def _pattern(_key: str, path: Path, node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[SchemaFeature]:
    pattern = node["pattern"]
    if type(pattern) is not str:
        return
    if problem := ecmascript_problem(pattern):
        message = f"has the pattern {pattern[:_SHOWN]!r}{_where(path)}, which ECMAScript cannot compile: {problem}"
        yield SchemaFeature("pattern", (*path, "pattern"), message)
    elif has_lookaround(pattern):
        message = f"has the pattern {pattern[:_SHOWN]!r}{_where(path)} with lookaround"
        yield SchemaFeature("lookaround", (*path, "pattern"), message)


def _default(_key: str, path: Path, node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[SchemaFeature]:
    value, values = node["default"], node.get("enum")
    if "type" in node and not node.get("nullable") and not fits(value, node["type"]):
        shown = f" {value!r}" if isinstance(value, str | int | float) and len(str(value)) < _SHOWN else ""
        message = f"has a default{shown}{_where(path)} that is not of type {_named(node['type'])}"
        yield SchemaFeature("default-wrong", (*path, "default"), message)
    elif type(values) is list and value not in values and len(values) < 1000:
        yield SchemaFeature("default-wrong", (*path, "default"), f"has a default{_where(path)} that is not in its enum")


def _closed(key: str, path: Path, node: dict[str, Any], is_branch: bool, _dialect: str) -> Iterator[SchemaFeature]:
    elsewhere = ("patternProperties", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas")
    if node[key] is not False or node.get("properties") or is_branch or any(each in node for each in elsewhere):
        return
    if len(path) >= 2 and path[-2] == "properties" and node.get("type") == "object":
        yield SchemaFeature("admits-nothing", (*path, key), f"has an object{_where(path)} that allows no properties")


def _any_of(key: str, path: Path, node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[SchemaFeature]:
    if type(node[key]) is list and {"not": {}} in node[key]:
        message = f'has the alternative {{"not": {{}}}}{_where(path)}, as zod writes an optional one'
        yield SchemaFeature("nothing-in-union", (*path, key), message)


def _header(key: str, path: Path, _node: dict[str, Any], _branch: bool, _dialect: str) -> Iterator[SchemaFeature]:
    yield SchemaFeature("header", (*path, key), f"has x-mcp-header{_where(path)}")


_BY_KEY: Final[dict[str, FeatureFinder]] = {
    "type": _type,
    "items": _items,
    "properties": _properties,
    "exclusiveMinimum": _bound,
    "exclusiveMaximum": _bound,
    **dict.fromkeys(_OLD, _old),
    "id": _id,
    "required": _required,
    "enum": _enum,
    "pattern": _pattern,
    "default": _default,
    "anyOf": _any_of,
    "format": _format,
    "additionalProperties": _closed,
    "x-mcp-header": _header,
}


def keywords_of(kinds: Set[str]) -> frozenset[str]:
    """Return the keywords that are visited only for these kinds of features."""
    return frozenset(key for key, found in _KINDS_BY_KEY.items() if found <= kinds)


def fits(value: Any, kinds: Any) -> bool:
    """Whether a value is of one of the types; True for unknown types."""
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
    """Return “ (a.b[])”, the property that contains a place, or its items; "" at the root."""
    names = ""
    for before, name in pairwise(("", *path)):
        if before == "properties":
            names += f".{name}" if names else str(name)
        elif name == "items" and names:
            names += "[]"
    return f" ({cut(names, 60)})" if names else ""


def _of_size(budget: WalkBudget) -> Iterator[SchemaFeature]:
    if budget.too_deep is not None:
        yield SchemaFeature("too-deep", budget.too_deep, "is nested deeper than clients read")
    if budget.is_spent:
        yield SchemaFeature("too-large", (), "is too large to examine completely")
