"""Schemas that programs stumble over: each diagnosis with its fault and a near miss."""

from typing import Any

import pytest

from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, asked

_OBJECT: dict[str, Any] = {"type": "object"}
_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
_LOOP = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
_TREE = {"$defs": {"a": {"type": "object", "properties": {"b": {"$ref": "#/$defs/b"}}}, "b": {"type": "string"}}}


def _in(schema: object, **more: object) -> Script:
    tool = {"name": "a", "description": "d", "inputSchema": schema} | more
    return asked("tools/list", {"tools": [tool]})


def _with(field: object, **more: object) -> Script:
    return _in(_OBJECT | {"properties": {"p": field}} | more)


def _bare(*descriptions: str, properties: dict[str, Any] | None = None) -> Script:
    schema = _OBJECT | {"properties": properties or {}}
    tools = [{"name": f"t{at}", "description": said, "inputSchema": schema} for at, said in enumerate(descriptions)]
    return asked("tools/list", {"tools": tools})


def _doubling(levels: int) -> dict[str, Any]:
    below = {f"d{at}": {"anyOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(levels)}
    return _OBJECT | {"properties": {"p": {"$ref": "#/$defs/d0"}}, "$defs": below | {f"d{levels}": {"type": "null"}}}


def _refused(schema: object) -> Script:
    """A call without arguments that an SDK refuses, of a tool with this schema."""
    said = "MCP error -32602: Input validation error: Invalid arguments for tool a: Required at b"
    refusal = {"content": [{"type": "text", "text": said}], "isError": True}
    return lambda: _in(schema)().ask("tools/call", {"name": "a", "arguments": {}}).answer(refusal)


CASES: Cases = {
    "arguments-not-listed": (
        _refused(_OBJECT | {"properties": {}}),
        _refused(_OBJECT | {"properties": {"b": {"type": "string"}}}),
    ),
    "schema-root-combinator": (
        _in(_OBJECT | {"anyOf": [{"required": ["p"]}]}),
        _with({"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ),
    "schema-dialect": (
        _in(_OBJECT | {"$schema": _DRAFT_7}),
        _in(_OBJECT | {"$schema": "https://json-schema.org/draft/2020-12/schema"}),
    ),
    "pattern-not-ecmascript": (
        _with({"type": "string", "pattern": "^(?P<id>a)$"}),
        _with({"type": "string", "pattern": "^(?<id>a)[\\w-]\\/$"}),
    ),
    "pattern-lookaround": (
        _with({"type": "string", "pattern": "^(?!undefined$|null$)"}),
        _with({"type": "string", "pattern": "^(?:a|\\(?=b)[(?=]"}),
    ),
    "keyword-not-in-dialect": (
        _with({"type": "string", "nullable": True}),
        _in(_OBJECT | {"$schema": _DRAFT_7, "dependencies": {}, "properties": {"nullable": {"type": "string"}}}),
    ),
    "array-without-items": (_with({"type": "array"}), _with({"type": "array", "items": {"type": "string"}})),
    "schema-expansion-limit": (
        _in(_OBJECT | {"properties": {"p": {"$ref": "#/$defs/a"}}} | _LOOP),
        _in(_OBJECT | {"properties": {"p": {"$ref": "#/$defs/a"}, "q": {"$ref": "#/$defs/a"}}} | _TREE),
    ),
    "schema-library-mismatch": (
        _bare("Adds. Parameters: a, b", "Takes a name"),
        _bare("Says hello", "Tells the time", "Takes nothing"),
    ),
    "contradictory-schema": (
        _with({"type": "string"}, required=["q"]),
        _with({"type": "string"}, required=["q"], patternProperties={"q": {"type": "string"}}),
    ),
    "schema-rejected-by-apis": (
        _in(_OBJECT | {"properties": {"Time<": {"type": "string"}}}),
        _in(_OBJECT | {"properties": {"a.b-c_1": {}}}),
    ),
    "foreign-schema-format": (
        _in({"_def": {"typeName": "ZodObject"}, "~standard": {"vendor": "zod"}}),
        _with({"type": "object"}, required=[], description="its _def and parameters"),
    ),
    "object-without-properties": (
        _with({"type": "object", "additionalProperties": False}),
        _in(_OBJECT | {"additionalProperties": False}),
    ),
    "invalid-keyword-value": (_with({"type": "strng"}), _with({"enum": ["strng"], "type": "string"})),
    "empty-tool-list": (asked("tools/list", {"tools": []}), asked("tools/list", {"tools": [], "nextCursor": "2"})),
}


@pytest.mark.parametrize(("line", "quoted"), [("no tools are enabled", True), ("no plugin is registered", False)])
def test_empty_tool_list_quotes_stderr_only_if_it_is_about_tools(line: str, quoted: bool) -> None:
    (found,) = of_one(Talk().said(line).ask("tools/list").answer({"tools": []}).findings(), "empty-tool-list")
    assert (line in found.sentence) is quoted


@pytest.mark.parametrize(
    ("id_", "script", "severity", "pointer"),
    [
        (
            "array-without-items",
            _with({"type": "object", "properties": {"q": {"type": "array"}}}),
            "warning",
            "/p/properties/q",
        ),
        (
            "array-without-items",
            _with({"type": "object", "properties": {"q": {"type": "array", "items": {}}}}),
            "hint",
            "/p/properties/q",
        ),
        ("schema-expansion-limit", _in(_doubling(40)), "warning", "/inputSchema"),
        ("schema-expansion-limit", _with({"$ref": "#"}), "hint", "/inputSchema"),
        ("contradictory-schema", _with({"type": "integer", "enum": [1, "2"]}), "warning", "/enum/1"),
        ("contradictory-schema", _with({"type": "string", "default": None}), "hint", "/default"),
        ("schema-rejected-by-apis", _with(True), "warning", "/properties/p"),
        ("keyword-not-in-dialect", _in(_OBJECT | {"definitions": {}}), "hint", "/definitions"),
        ("schema-dialect", _in(_OBJECT, outputSchema=_OBJECT | {"$schema": _DRAFT_7}), "hint", "/outputSchema/$schema"),
    ],
)
def test_schema_finding_has_severity_and_pointer(id_: str, script: Script, severity: str, pointer: str) -> None:
    (found,) = of_one(script().findings(), id_)
    assert found.severity == severity
    assert found.pointer.endswith(pointer)


def test_schema_dialect_distinguishes_label_and_old_keywords() -> None:
    label = {"$schema": _DRAFT_7}
    (bare,) = of_one(_in(_OBJECT | label)().findings(), "schema-dialect")
    tuple_ = {"p": {"type": "array", "items": [{"type": "string"}]}}
    (old,) = of_one(_in(_OBJECT | label | {"properties": tuple_})().findings(), "schema-dialect")
    assert "only the label is outdated" in bare.fix
    assert "prefixItems" in old.fix


@pytest.mark.parametrize(
    ("id_", "field", "at_root"),
    [
        ("array-without-items", {"type": "array", "items": {}}, {}),
        ("array-without-items", {"type": "array"}, {}),
        ("schema-expansion-limit", {"$ref": "#"}, {}),
        ("schema-root-combinator", {}, {"anyOf": [{"required": ["p"]}]}),
        ("pattern-lookaround", {"type": "string", "pattern": "(?!a)b"}, {}),
        ("invalid-keyword-value", {"type": "string", "enum": []}, {}),
        ("invalid-keyword-value", {"type": "string", "required": True}, {}),
    ],
)
def test_a_finding_that_many_tools_deserve_is_one_with_their_number_and_names(
    id_: str, field: object, at_root: dict[str, Any]
) -> None:
    schema = _OBJECT | {"properties": {"p": field}} | at_root
    tools = [{"name": f"t{n}", "inputSchema": schema} for n in range(20)]
    (found,) = of_one(asked("tools/list", {"tools": tools})().findings(), id_)
    assert found.sentence.endswith(", and 19 more tools (t1, t2, t3, …)")


def test_a_keyword_of_another_dialect_is_one_finding_for_all_properties() -> None:
    either = {"type": "string", "nullable": True}
    (found,) = of_one(_in(_OBJECT | {"properties": {"p": either, "q": either}})().findings(), "keyword-not-in-dialect")
    assert found.sentence.endswith(", and 1 more")


@pytest.mark.parametrize("member", ["inputSchema", "outputSchema"])
def test_schema_dialect_is_one_finding_for_all_input_schemas_and_one_for_all_output_schemas(member: str) -> None:
    tool = {"description": "d", "inputSchema": _OBJECT, member: _OBJECT | {"$schema": _DRAFT_7}}
    listed = {"tools": [{"name": f"t{at}"} | tool for at in range(9)]}
    (found,) = of_one(asked("tools/list", listed)().findings(), "schema-dialect")
    assert f"{member} declares draft-07, and 8 more tools" in found.sentence


def test_the_error_of_a_library_that_does_not_fit_is_known() -> None:
    result = {"content": [{"type": "text", "text": "keyValidator._parse is not a function"}], "isError": True}
    assert of_one(asked("tools/call", result, params={"name": "a"})().findings(), "schema-library-mismatch")
    assert not of_one(
        asked("tools/call", result | {"isError": False}, params={"name": "a"})().findings(), "schema-library-mismatch"
    )


@pytest.mark.parametrize(
    ("pattern", "is_written_well"),
    [
        ("^[a-z]{1,3}$", True),
        ("(?i)abc", False),
        (r"\-", False),
        (r"\A\Z", False),
        ("a++", False),
        ("[[:alpha:]]", False),
        (r"\p{L}\u{1F600}", True),
        ("(" * 900 + ")" * 900, True),
    ],
)
def test_pattern_not_ecmascript_judges_output_schemas_as_errors(pattern: str, is_written_well: bool) -> None:
    schema = {"type": "object", "properties": {"p": {"type": "string", "pattern": pattern}}}
    found = of_one(_in(_OBJECT, outputSchema=schema)().findings(), "pattern-not-ecmascript")
    assert [each.severity.name for each in found] == ([] if is_written_well else ["ERROR"])


@pytest.mark.parametrize("value", [{"enum": []}, {"type": "array", "items": [{"type": "string"}]}])
def test_invalid_keyword_value_names_empty_enums_and_tuples_of_an_older_dialect(value: dict[str, Any]) -> None:
    assert of_one(_with(value)().findings(), "invalid-keyword-value")
    assert of_one(
        _in(_OBJECT, outputSchema=_OBJECT | {"properties": {"p": value}})().findings(), "invalid-keyword-value"
    )


def test_invalid_keyword_value_when_draft_07_is_declared_accepts_tuples() -> None:
    value = {"type": "array", "items": [{"type": "string"}]}
    assert not of_one(_with(value, **{"$schema": _DRAFT_7})().findings(), "invalid-keyword-value")
