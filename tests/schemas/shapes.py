"""Shapes: the schemas of fields reduced to keywords and types, and how often each occurs.

Names and texts are replaced, and numbers kept only as a kind, so that two fields which need the same form have the same
shape. A shape is a valid schema of its own: its bounds, choices and default agree with each other.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft7Validator, Draft202012Validator

HERE: Final = Path(__file__).parent
SHAPES: Final = HERE / "shapes.json"
MANIFEST: Final = HERE / "manifest.json"

Schema = dict[str, Any]

_LARGEST: Final = 6_000
"""Maximum length of a shape as JSON: larger ones repeat smaller ones."""
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_DROPPED: Final = frozenset(
    ("title", "description", "examples", "example", "$comment", "$id", "$schema", "markdownDescription")
)
_FIXED: Final = frozenset(("const", "enum", "anyOf", "oneOf"))
"""Keywords beside which a format or a pattern limits texts that are replaced."""
_NESTED: Final = (
    "additionalProperties",
    "items",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "additionalItems",
)
_LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_LOWER: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_LONG: Final = 200
_SAMPLES: Final = {
    "date": "2000-01-01",
    "date-time": "2000-01-01T00:00:00Z",
    "email": "a@example.com",
    "ipv4": "192.0.2.1",
    "time": "00:00:00Z",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
"""A text of each format that a default is replaced by."""


@dataclass(frozen=True)
class Source:
    """The tools of a package."""

    registry: str
    package: str
    version: str
    tools: list[Schema]


@dataclass
class Count:
    """How often a shape occurs."""

    fields: int = 0
    required: int = 0
    """How many of the fields are required."""
    packages: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Shape:
    """A row of shapes.json."""

    schema: Schema
    fields: int
    required: int
    packages: tuple[str, ...]

    @property
    def text(self) -> str:
        """The schema as JSON: the name of the shape."""
        return json.dumps(self.schema)


@dataclass(frozen=True)
class Counted:
    """The result of a count."""

    sources: list[Source]
    counts: dict[str, Count]
    too_large: int
    """Number of fields whose shape is too large to keep."""
    invalid: int
    """Number of fields whose schema is none, such as one of an unknown type."""


@cache
def shapes() -> tuple[Shape, ...]:
    """Return the rows of shapes.json, the most frequent first."""
    return tuple(Shape(**{**row, "packages": tuple(row["packages"])}) for row in json.loads(SHAPES.read_text()))


def counted(sources: Iterable[Source]) -> Counted:
    """Count the shapes of all fields, those of nested objects as well."""
    kept: list[Source] = []
    counts: dict[str, Count] = {}
    too_large = invalid = 0
    for source in sources:
        kept.append(source)
        for tool in source.tools:
            root = tool.get("inputSchema")
            for found, required in fields_of(root):
                text = json.dumps(reduced(found, root))
                if len(text) > _LARGEST:
                    too_large += 1
                    continue
                if not _is_schema(text):
                    invalid += 1
                    continue
                count = counts.setdefault(text, Count())
                count.fields += 1
                count.required += required
                count.packages.add(source.package)
    return Counted(kept, counts, too_large, invalid)


def write(result: Counted) -> None:
    """Write shapes.json and manifest.json."""
    ranked = sorted(result.counts.items(), key=lambda each: (-each[1].fields, each[0]))
    rows = [
        json.dumps(
            {"schema": json.loads(text), "fields": c.fields, "required": c.required, "packages": sorted(c.packages)}
        )
        for text, c in ranked
    ]
    SHAPES.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    listed = {f"{each.registry}:{each.package}": f"{each.version}, {len(each.tools)} tools" for each in result.sources}
    left_out = {"fields_too_large": result.too_large, "fields_invalid": result.invalid}
    MANIFEST.write_text(json.dumps({"packages": listed, **left_out}, indent=1) + "\n")
    print(f"{len(listed)} packages, {len(rows)} shapes, {sum(c.fields for c in result.counts.values())} fields")


def fields_of(root: Any) -> Iterator[tuple[Any, bool]]:
    """Yield the schema of each property, at any level, and whether it is required. A definition counts once."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, list):
            waiting += schema
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        if isinstance(schema.get("$ref"), str):
            waiting.append(_pointed(root, schema["$ref"]))
        properties = schema.get("properties")
        if isinstance(properties, dict):
            required = schema.get("required")
            for name, each in properties.items():
                yield each, isinstance(required, list) and name in required
                waiting.append(each)
        waiting += [schema[key] for key in (*_NESTED, *_LISTS) if key in schema]


def reduced(schema: Any, root: Any) -> Any:
    """Return the shape of a field's schema; its definitions are in `$defs`."""
    reducer = _Reducer(root)
    shape = reducer.reduce(schema)
    definitions = reducer.definitions()
    return {**shape, "$defs": definitions} if definitions else shape


def _pointed(root: Any, ref: str) -> Any:
    """Return what a local reference points to; the empty schema if nothing."""
    found = root
    for step in ref.lstrip("#").strip("/").split("/") if ref.strip("#/") else ():
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        elif isinstance(found, dict):
            found = found.get(key, {})
        else:
            return {}
    return found


class _Reducer:
    """Reduces one field: the same text becomes the same letter, the same definition the same name."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._texts: dict[str, str] = {}
        self._members: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def definitions(self) -> Schema:
        """Return the definitions that were referred to, with those that they refer to."""
        found: Schema = {}
        while len(found) < len(self._names):
            ref, name = list(self._names.items())[len(found)]
            found[name] = self.reduce(_pointed(self._root, ref))
        return found

    def reduce(self, schema: Any) -> Any:
        """Return the shape of a schema or of a part of it."""
        if not isinstance(schema, dict):
            return schema
        shape: Schema = {}
        for key, value in sorted(schema.items(), key=lambda each: each[0]):
            if (
                key in _DROPPED
                or key.startswith("x-")
                or (key in ("format", "pattern") and not _FIXED.isdisjoint(schema))
            ):
                continue
            if key not in ("$defs", "definitions", "properties", "required"):
                shape[key] = self._keyword(key, value, schema)
        if isinstance(schema.get("properties"), dict):
            self._properties(schema, shape)
        elif isinstance(schema.get("required"), list):
            shape["required"] = [self._member(each) for each in schema["required"] if isinstance(each, str)][:2]
        _agree(shape)
        return shape

    def _keyword(self, key: str, value: Any, schema: Schema) -> Any:
        if key == "$ref" and isinstance(value, str):
            return f"#/$defs/{self._names.setdefault(value, f'D{len(self._names) + 1}')}"
        if key in _NESTED and isinstance(value, dict):
            return self.reduce(value)
        if key in (*_LISTS, "items") and isinstance(value, list):
            branches = [self.reduce(each) for each in value]
            return branches if key in ("prefixItems", "items") else _distinct(branches)
        if key == "patternProperties" and isinstance(value, dict):
            return {".*": self.reduce(next(iter(value.values()), {}))}
        if key == "enum" and isinstance(value, list):
            return _distinct([self._value(each) for each in value])[:3]
        if key == "const":
            return self._value(value)
        if key == "pattern":
            return ".+" if "format" in schema else "^[a-z]+$"
        if key == "default":
            return self._value(value) if "enum" in schema or "const" in schema else self._default(value, schema)
        if key in (*_LOWER, *_UPPER):
            return _bound(key, value)
        return value if isinstance(value, str | bool | list | int | float) or value is None else "…"

    def _value(self, value: Any) -> Any:
        """Replace a text by a letter; numbers of a list of choices are kept."""
        if isinstance(value, str):
            at = len(self._texts)
            return self._texts.setdefault(value, _LETTERS[at] if at < len(_LETTERS) else f"a{at}")
        return value

    def _default(self, value: Any, schema: Schema) -> Any:
        if isinstance(value, str):
            return _SAMPLES.get(schema.get("format", ""), "text") if value else ""
        if isinstance(value, list):
            return value[:1] if value and isinstance(value[0], int | float | bool) else (["a"] if value else [])
        if isinstance(value, dict):
            return {}
        if isinstance(value, bool) or value is None:
            return value
        return 0.5 if isinstance(value, float) and not value.is_integer() else _bound("minimum", value)

    def _properties(self, schema: Schema, shape: Schema) -> None:
        """Keep one property of each shape, required or not. One name becomes the same name in all branches."""
        names = schema["required"] if isinstance(schema.get("required"), list) else []
        found: dict[str, str] = {}
        for name, each in schema["properties"].items():
            found.setdefault(json.dumps([self.reduce(each), name in names]), name)
        shape["properties"] = {self._member(name): json.loads(text)[0] for text, name in found.items()}
        required = [self._member(name) for text, name in found.items() if json.loads(text)[1]]
        if required:
            shape["required"] = required

    def _member(self, name: str) -> str:
        return self._members.setdefault(name, f"p{len(self._members) + 1}")


@cache
def _is_schema(text: str) -> bool:
    """Return whether a text is a schema of 2020-12 or of draft-07."""
    schema = json.loads(text)
    return any(kind(kind.META_SCHEMA).is_valid(schema) for kind in (Draft202012Validator, Draft7Validator))


def _distinct(values: list[Any]) -> list[Any]:
    return list({json.dumps(each): each for each in values}.values())


def _bound(key: str, value: Any) -> Any:
    """Return a number of the same kind: 0, 1 and -1 as they are, others large or small, negative or fractional."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value in (0, 1, -1):
        return value
    if key in ("minLength", "minItems", "minProperties"):
        return 2
    if key in ("maxLength", "maxItems", "maxProperties"):
        return 1000 if value >= _LONG else 100
    if abs(value) < 1:
        return 0.5 if value > 0 else -0.5
    if abs(value) > 2**53 - 2:
        return value
    return (1000 if key in _UPPER else 10) if value > 0 else -100


def _agree(shape: Schema) -> None:
    """Make bounds, multiples and the default of a shape agree, as far as they may have been changed."""
    if "multipleOf" in shape:
        shape["multipleOf"] = 1 if shape.get("type") == "integer" else 0.01
    default = shape.get("default")
    numbers = [shape[key] for key in ("minimum", "maximum") if isinstance(shape.get(key), int | float)]
    if isinstance(default, int | float) and not isinstance(default, bool) and numbers:
        low, high = shape.get("minimum", default), shape.get("maximum", default)
        shape["default"] = min(max(default, low), high)
    if "enum" in shape and "default" in shape and default not in shape["enum"] and default is not None:
        shape["default"] = shape["enum"][0]
