"""Values for a shape: those that it accepts, and those that it refuses; and how a person types them."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import jsonschema
import jsonschema_rs

from inspector.forms.fields import ArrayField, ChoiceField, Field, JsonField, ObjectField, UnionField, opened
from inspector.forms.interpret import interpret
from inspector.forms.typed import same
from inspector.forms.values import branch_of
from tests.schemas.shapes import Schema

TEXTS: Final = (
    "abc", "", "a", "5", "0", "-5", "1.5", "50000", "9007199254740993", "true", "false", "null", "012", "1e3",
    "2000-01-01", "https://example.com/", '{"a": 1}', '["a"]', "[1]", "[]", "{}", '"5"', " ", "{", "a, b", "A",
)  # fmt: skip
"""What people type, whatever is asked for."""
_FORMATS: Final = {
    "date": "2000-01-01",
    "date-time": "2000-01-01T00:00:00Z",
    "duration": "P1DT2H",
    "email": "a@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "json-pointer": "/a/b",
    "time": "10:20:30Z",
    "uri": "https://example.com/a",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_ODD: Final[tuple[Any, ...]] = (
    "abc",
    5,
    1.5,
    True,
    None,
    [],
    {},
    -5,
    "a" * 3000,
    ["a", "a"],
    [1, 2, 3, 4],
    {"zz": 1},
    10**9,
    "",
    -(10**20),
)
_DEEPEST: Final = 5


def as_tool(schema: Any) -> Schema:
    """Return the input schema of a tool with the shape as its one argument `value`."""
    if not isinstance(schema, dict):
        return {"type": "object", "properties": {"value": schema}}
    bare = {key: each for key, each in schema.items() if key != "$defs"}
    tool: Schema = {"type": "object", "properties": {"value": bare}}
    if "$defs" in schema:
        tool["$defs"] = schema["$defs"]
    if '"items": [' in json.dumps(schema):  # a tuple of draft-07
        tool["$schema"] = "http://json-schema.org/draft-07/schema#"
    return tool


def accepted_values(schema: Any) -> list[Any]:
    """Return values that the shape accepts, with one for each branch and the default: all valid, as jsonschema says."""
    made = list(_Maker(schema).values())
    values = [each for each in [*made, *_ODD] if is_valid(schema, each)]
    kept = [each for each in made if each in values]
    return kept or values[:1]


def refused_values(schema: Any) -> list[Any]:
    """Return some values that the shape does not accept; none if it accepts everything."""
    return [each for each in _ODD if not is_valid(schema, each)]


def is_valid(schema: Any, value: Any) -> bool:
    """Return the verdict of jsonschema, without formats, for which it needs other packages."""
    return bool(_validator(json.dumps(schema)).is_valid({"value": value}))


def is_valid_by_rust(schema: Any, value: Any) -> bool:
    """Return the verdict of jsonschema-rs, with formats."""
    return bool(_validator_of_rust(json.dumps(schema)).is_valid({"value": value}))


@cache
def _validator(shape: str) -> Any:
    tool = as_tool(json.loads(shape))
    return jsonschema.Draft7Validator(tool) if "$schema" in tool else jsonschema.Draft202012Validator(tool)


@cache
def _validator_of_rust(shape: str) -> Any:
    tool = as_tool(json.loads(shape))
    kind = jsonschema_rs.Draft7Validator if "$schema" in tool else jsonschema_rs.Draft202012Validator
    return kind(tool, validate_formats=True)


class _Maker:
    """Makes the fullest valid values of a shape."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._definitions = schema.get("$defs", {}) if isinstance(schema, dict) else {}

    def values(self) -> Iterator[Any]:
        """Yield a value for each alternative of the shape itself, then its default."""
        schema = self._flat(self._schema)
        for key in ("anyOf", "oneOf"):
            for branch in schema.get(key, ()):
                yield self._make(_merged({k: v for k, v in schema.items() if k != key}, self._flat(branch)), 0)
        if isinstance(schema.get("type"), list):
            for each in schema["type"]:
                yield self._make({**schema, "type": each}, 0)
        elif "anyOf" not in schema and "oneOf" not in schema:
            yield self._make(schema, 0)
        if "default" in schema:
            yield schema["default"]

    def _flat(self, schema: Any) -> Schema:
        """Return the schema with its reference and `allOf` merged into it."""
        if not isinstance(schema, dict):
            return {}
        flat = {key: each for key, each in schema.items() if key not in ("$ref", "allOf")}
        if "$ref" in schema:
            flat = _merged(flat, self._flat(self._definitions.get(schema["$ref"].rsplit("/", 1)[-1], {})))
        for each in schema.get("allOf", ()):
            flat = _merged(flat, self._flat(each))
        return flat

    def _make(self, given: Any, depth: int) -> Any:
        schema = self._flat(given)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return schema["enum"][0]
        for key in ("anyOf", "oneOf"):
            if schema.get(key):
                rest = {k: v for k, v in schema.items() if k != key}
                at = -1 if depth > _DEEPEST else 0
                return self._make(_merged(rest, self._flat(schema[key][at])), depth + 1)
        named = schema.get("type")
        kind = next((each for each in named if each != "null"), "null") if isinstance(named, list) else named
        if kind is None:
            kind = "object" if "properties" in schema else "array" if "items" in schema else "string"
        make = {"object": self._object, "array": self._array, "string": _text, "integer": _number, "number": _number}
        if kind in ("object", "array"):
            return make[kind](schema, depth)  # type: ignore[operator]
        return {"boolean": True, "null": None}[kind] if kind not in make else make[kind](schema)  # type: ignore[operator]

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        made = {
            name: self._make(each, depth + 1)
            for name, each in schema.get("properties", {}).items()
            if depth <= _DEEPEST or name in required
        }
        extra = schema.get("additionalProperties", True)
        extra = next(iter(schema.get("patternProperties", {}).values()), extra)
        for name in [each for each in required if each not in made]:
            made[name] = self._make(extra, depth + 1)
        if (isinstance(extra, dict) and depth <= _DEEPEST) or (not made and extra is True):
            made["k"] = self._make(extra, depth + 1)
        return made

    def _array(self, schema: Schema, depth: int) -> list[Any]:
        items = schema.get("items", True)
        prefix = schema.get("prefixItems", items if isinstance(items, list) else [])
        made = [self._make(each, depth + 1) for each in prefix]
        wanted = max(schema.get("minItems", 0), 0 if depth > _DEEPEST else len(made) or 1)
        while len(made) < wanted:
            made.append(self._make({} if isinstance(items, list) else items, depth + 1))
        return made


def _merged(first: Schema, second: Schema) -> Schema:
    merged = {**second, **first}
    if "properties" in first and "properties" in second:
        merged["properties"] = {**second["properties"], **first["properties"]}
    if "required" in first and "required" in second:
        merged["required"] = [*second["required"], *first["required"]]
    return merged


def _text(schema: Schema) -> str:
    text = _FORMATS.get(schema.get("format", ""), "abcdef")
    least, most = schema.get("minLength", 0), schema.get("maxLength", 10_000)
    return text if least <= len(text) <= most else ("abcdef" * 50)[: max(least, min(most, 3))]


def _number(schema: Schema) -> Any:
    low: Any = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    near = [5, 1.5, 0, low, low + 1, low + 0.25, schema.get("maximum", 0), schema.get("exclusiveMaximum", 1) - 1]
    return next((each for each in near if jsonschema.Draft202012Validator(schema).is_valid(each)), low)


class Typist:
    """Types a value into a field as a person does: each place of its own, JSON only where nothing else is possible."""

    def __init__(self) -> None:
        self.needs_json: list[str] = []
        """Why JSON had to be typed, for each place where it had to."""

    def type(self, field: Field, value: Any) -> Any:
        """Return the value that results."""
        asked = opened(field)
        if value is None and asked.nullable:
            return None  # a state of the field, with a key
        if isinstance(asked, UnionField) and isinstance(value, dict | list):
            at = branch_of(asked, value)
            if at is not None:
                return self.type(asked.branches[at].field, value)
        if isinstance(asked, ObjectField) and isinstance(value, dict):
            return {name: self.type(self._member(asked, name), each) for name, each in value.items()}
        if isinstance(asked, ArrayField) and isinstance(value, list):
            return [self.type(asked.item_at(at) or _ANYTHING, each) for at, each in enumerate(value)]
        if isinstance(asked, ChoiceField) and asked.multi and isinstance(value, list):
            return [interpret(asked, text_for(each)).value[0] for each in value]  # type: ignore[index]
        if isinstance(value, dict | list):
            self.needs_json.append(getattr(asked, "why", type(asked).__name__))
        reading = interpret(asked, text_for(value))
        if isinstance(asked, UnionField) and not same(reading.value, value):  # choose another branch
            reading = interpret(asked, text_for(value), branch_of(asked, value))
        return reading.value

    def _member(self, asked: ObjectField, name: str) -> Field:
        known = asked.child(name)
        if known is not None:
            return known
        if asked.patterns:
            return asked.patterns[0][1]
        return asked.additional if not isinstance(asked.additional, bool) else _ANYTHING


_ANYTHING: Final = JsonField(schema={}, why="")


def text_for(value: Any) -> str:
    """Return what a person types for a value."""
    return value if isinstance(value, str) else json.dumps(value)
