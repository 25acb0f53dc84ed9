"""The cases: one server for each fact about definitions, each with the tool `probe` beside the plain tool `fine`."""

from typing import Any

import msgspec


def mark_of(fact: str) -> str:
    """Return the text of the result for a case; a client that fails the call does not show it."""
    return f"result of {fact}"


class FactCase(msgspec.Struct, frozen=True):
    fact: str
    """The trait, for a numeric one with its amount: “description-length=3000”."""
    pages: tuple[tuple[dict[str, Any], ...], ...]
    kept: tuple[str, ...] = ()
    """Texts of the definition that are missing where a client changes it."""
    added: str = ""
    """Text that a client adds where it changes it."""
    probe: str = "probe"
    """The name of the tool that is looked for."""
    instructions: str = ""
    result: dict[str, Any] | None = None
    is_called: bool = False
    """Whether the fact is about calls."""


_TEXT: dict[str, Any] = {"type": "string", "description": "a text"}
_FINE = {"name": "fine", "description": "A plain tool.", "inputSchema": {"type": "object", "properties": {"a": _TEXT}}}


def _tool(**members: Any) -> dict[str, Any]:
    return {**_FINE, "name": "probe", "description": "The tool of the case.", **members}


def _case(fact: str, probe: dict[str, Any], *kept: str, **members: Any) -> FactCase:
    return FactCase(fact, ((_FINE, probe),), kept, probe=probe["name"], **members)


def _input(fact: str, schema: Any, *kept: str) -> FactCase:
    return _case(fact, _tool(inputSchema=schema), *kept)


def _property(fact: str, schema: Any, *kept: str) -> FactCase:
    return _input(fact, {"type": "object", "properties": {"a": _TEXT, "odd": schema}}, *kept)


def _output(fact: str, schema: Any, structured: dict[str, Any] | None = None) -> FactCase:
    content = {"content": [{"type": "text", "text": mark_of(fact)}]}
    result = content if structured is None else content | {"structuredContent": structured | {"mark": mark_of(fact)}}
    return _case(fact, _tool(outputSchema=schema), result=result, is_called=True)


_SHAPE = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def _shape(**of_n: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"n": of_n}}


def _long(length: int, last: str) -> str:
    return ("word " * length)[: length - len(last)] + last


def _branch(name: str) -> dict[str, Any]:
    return {"properties": {name: _TEXT}, "required": [name]}


_NODE = {"type": "object", "properties": {"mark_leaf": _TEXT, "next": {"$ref": "#/$defs/node"}}}

CASES: tuple[FactCase, ...] = (
    _case("plain", _tool()),
    _input("input-root", {}),
    _input("input-root-combinator", {"type": "object", "anyOf": [_branch("mark_b"), _branch("mark_c")]}, '"anyOf"'),
    _input(
        "input-root-condition",
        {"type": "object", "properties": {"a": _TEXT}, "if": _branch("a"), "then": _branch("mark_b")},
        '"then"',
    ),
    _input("input-required", {"type": "object", "properties": {"a": _TEXT}, "required": "a"}),
    _input("input-properties", {"type": "object", "properties": []}),
    _property("input-tuple-items", {"type": "array", "items": [{"type": "string", "description": "mark"}]}, "mark"),
    _property("input-broken", {"type": "str", "description": "mark"}, '"str"', "mark"),
    _property("null-property", None, '"odd": null'),
    _property("boolean-property", True, '"odd": true'),
    _property("boolean-bound", {"type": "number", "exclusiveMinimum": True, "minimum": 1}, '"exclusiveMinimum": true'),
    _case(
        "array-without-items",
        _tool(inputSchema={"type": "object", "properties": {"odd": {"type": "array"}}}),
        added='"items"',
    ),
    _property("input-reference", {"$ref": "#/$defs/none"}, "#/$defs/none"),
    _property("input-pattern", {"type": "string", "pattern": "("}, '"pattern": "("'),
    _input(
        "recursive",
        {"type": "object", "properties": {"odd": {"$ref": "#/$defs/node"}}, "$defs": {"node": _NODE}},
        '"$ref"',
    ),
    _input("property-name", {"type": "object", "properties": {"od d": _TEXT}}, '"od d"'),
    _property("schema-text-length=1500", {"type": "string", "description": _long(1500, "mark_end")}, "mark_end"),
    _case("null-member", _tool(title=None)),
    _case("wrong-kind", _tool(annotations="text")),
    _case("no-description", {name: value for name, value in _tool().items() if name != "description"}),
    *(_case(f"description-length={n}", _tool(description=_long(n, "mark_end")), "mark_end") for n in (3000, 5000)),
    *(
        _case(
            f"instructions-length={n}",
            _tool(),
            f"mark_instructions_{n}",
            instructions=_long(n, f"mark_instructions_{n}"),
        )
        for n in (3000, 5000)
    ),
    *(_case(f"name-length={length}", _tool(name="n" * length), "n" * length) for length in (60, 118, 119)),
    _case("name-characters", _tool(name="pro.be"), "pro.be"),
    FactCase("duplicate-name", ((_FINE, _tool(description="mark_first"), _tool(description="mark_second")),)),
    FactCase(
        "similar-name",
        ((_FINE, _tool(name="pro.be", description="mark_first"), _tool(name="pro_be", description="mark_second")),),
        probe="pro_be",
    ),
    FactCase("more-pages", ((_FINE,), (_tool(),))),
    _output("output-root", {"type": "array"}),
    _output("output-dialect", {"$schema": "http://json-schema.org/draft-07/schema#", **_SHAPE}, {"n": 1}),
    _output("output-rare-dialect", {"$schema": "http://json-schema.org/draft-04/schema#", **_SHAPE}, {"n": 1}),
    _output("output-broken", _shape(type="int"), {"n": 1}),
    _output("output-reference", _shape(**{"$ref": "#/$defs/none"}), {"n": 1}),
    _output("output-tuple-items", _shape(type="array", items=[{"type": "integer"}]), {"n": [1]}),
    _output("output-required", {**_SHAPE, "required": "n"}, {"n": 1}),
    _output("output-properties", {"type": "object", "properties": []}, {"n": 1}),
    _output("output-pattern", _shape(type="string", pattern="("), {"n": "a"}),
    _output("output-enum-empty", _shape(enum=[]), {"n": 1}),
    _output("structure-wrong", _SHAPE, {"n": "one"}),
    _output("structure-missing", _SHAPE),
    _case(
        "structure-alone",
        _tool(outputSchema=_SHAPE | {"properties": {"n": {"type": "string"}}}),
        result={"content": [], "structuredContent": {"n": mark_of("structure-alone")}},
        is_called=True,
    ),
)
