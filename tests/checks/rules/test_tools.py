"""MCP Apps."""

from typing import Any

import pytest

from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, asked, ids

_TYPE = "text/html;profile=mcp-app"


def _listed(meta: Any, row: int = 4) -> Talk:
    tool = {"name": "a", "description": "d", "inputSchema": {"type": "object"}, "_meta": meta}
    return Talk(row).ask("tools/list").answer({"tools": [tool]})


def _app(uri: str = "ui://a", **more: Any) -> dict[str, Any]:
    return {"ui": {"resourceUri": uri, **more}}


def _read(kind: str, uri: str = "ui://a") -> Script:
    content = {"uri": uri, "mimeType": kind, "text": "<!doctype html>"}
    return lambda: _listed(_app()).ask("resources/read", {"uri": uri}).answer({"contents": [content]})


def _called(text: str, meta: Any = None, **more: Any) -> Script:
    result = {"content": [{"type": "text", "text": text}], **more}
    return lambda: _listed(meta or _app()).ask("tools/call", {"name": "a"}).answer(result)


CASES: Cases = {
    "app-resource-invalid": (_read("text/html"), _read("Text/HTML; profile=mcp-app")),
    "app-resource-deprecated": (
        lambda: _listed({"ui/resourceUri": "ui://a"}),
        lambda: _listed({"ui/resourceUri": "ui://a"} | _app()),
    ),
    "app-settings-misplaced": (lambda: _listed(_app(csp={})), lambda: _listed(_app(visibility=["app"]))),
    "app-result-without-text": (_called(" "), _called("12 °C")),
}


@pytest.mark.parametrize(
    "script",
    [
        lambda: _listed(_app("https://example.com/page")),
        lambda: _listed(_app()).ask("resources/read", {"uri": "ui://a"}).error(-32002, "not found"),
    ],
)
def test_a_page_elsewhere_and_one_that_is_not_there_can_t_be_shown(script: Script) -> None:
    assert "app-resource-invalid" in ids(script())


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        ("app-resource-invalid", _read("text/html", "ui://of-another-kind")),
        ("app-result-without-text", _called("", _app(visibility=["app"]))),
        ("app-result-without-text", _called("", isError=True)),
        ("app-result-without-text", _called("", {"other": 1})),
    ],
)
def test_tool_rule_accepts_legal_neighbour(id_: str, script: Script) -> None:
    assert id_ not in ids(script())


_OBJECT = {"type": "object"}
_PROPERTY = {"type": "string", "x-mcp-header": "Region"}


def _tools_listed(row: int = 4, transport: str = "stdio", **more: object) -> Script:
    tool = {"name": "a", "description": "d", "inputSchema": _OBJECT} | more
    return asked("tools/list", {"tools": [tool]}, row, transport=transport)


def _mirrored(name: str, field: object) -> dict[str, object]:
    return {"type": "object", "properties": {name: field}}


_TASKS: dict[str, Any] = {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}}
_OPTIONAL = {"name": "a", "inputSchema": _OBJECT, "execution": {"taskSupport": "optional"}}


def _nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


TOOLS_CASES: Cases = {
    "argument-description": (
        _tools_listed(inputSchema={"type": "object", "properties": {"a": {"type": "string", "title": "A"}}}),
        _tools_listed(inputSchema={"type": "object", "properties": {"a": {"type": "string", "description": "of a"}}}),
    ),
    "schema-too-large": (_tools_listed(inputSchema=_nested(25)), _tools_listed(inputSchema=_nested(10))),
    "invalid-schema": (
        _tools_listed(inputSchema={"type": "object", "properties": {"a": {"type": "strnig"}}}),
        _tools_listed(inputSchema={"type": "object", "properties": {"a": {"type": "string"}}}),
    ),
    "unknown-schema-dialect": (
        _tools_listed(inputSchema=_OBJECT | {"$schema": "https://example.com/own"}),
        _tools_listed(inputSchema=_OBJECT | {"$schema": "http://json-schema.org/draft-07/schema#"}),
    ),
    "tool-name-not-portable": (_tools_listed(name="add two"), _tools_listed(name="add.two-2_B")),
    "duplicate-tool-name": (
        asked("tools/list", {"tools": [{"name": "a", "inputSchema": _OBJECT}] * 2}),
        asked("tools/list", {"tools": [{"name": name, "inputSchema": _OBJECT} for name in "aA"]}),
    ),
    "confusable-tools": (
        asked("tools/list", {"tools": [{"name": name, "inputSchema": _OBJECT} for name in ("get_user", "get_users")]}),
        asked("tools/list", {"tools": [{"name": name, "inputSchema": _OBJECT} for name in ("get_user", "add_user")]}),
    ),
    "unresolved-reference": (
        _tools_listed(inputSchema={"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}),
        _tools_listed(inputSchema={"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {}}}),
    ),
    "mirrored-header-invalid": (
        _tools_listed(5, "http", inputSchema=_mirrored("r", _PROPERTY | {"type": "number"})),
        _tools_listed(5, "http", inputSchema=_mirrored("r", _PROPERTY)),
    ),
    "secret-in-mirrored-header": (
        _tools_listed(5, inputSchema=_mirrored("api_key", _PROPERTY)),
        _tools_listed(5, inputSchema=_mirrored("keyboard", _PROPERTY)),
    ),
    "annotations-invalid": (
        _tools_listed(annotations={"readOnlyHint": True, "destructiveHint": True}),
        _tools_listed(annotations={"readOnlyHint": True, "destructiveHint": False}),
    ),
    "task-support-invalid": (
        asked("tools/list", {"tools": [_OPTIONAL]}),
        asked("tools/list", {"tools": [_OPTIONAL]}, capabilities=_TASKS),
    ),
    "tool-description": (_tools_listed(description=" "), _tools_listed(description="d")),
    "icon-rejected": (
        _tools_listed(icons=[{"src": "file:///a.png"}]),
        _tools_listed(icons=[{"src": "https://a/b.png"}]),
    ),
}


def test_pairs_of_confusable_tools_are_one_finding() -> None:
    names = ("get_user", "get_users", "list_blog", "list_blogs", "read_file", "read_files", "find_day", "find_days")
    tools = [{"name": name, "inputSchema": _OBJECT} for name in names]
    (found,) = of_one(asked("tools/list", {"tools": tools})().findings(), "confusable-tools")
    assert "; they have the same words, and 3 more pairs (" in found.sentence


def test_a_bound_that_is_a_boolean_is_corrected_to_the_bound() -> None:
    age = {"type": "integer", "minimum": 0, "exclusiveMinimum": True}
    (found,) = of_one(
        _tools_listed(inputSchema={"type": "object", "properties": {"a": age}})().findings(), "invalid-schema"
    )
    assert '"exclusiveMinimum": 0' in found.fix


def test_a_slash_in_a_name_is_only_a_hint() -> None:
    assert [each.severity for each in _tools_listed(name="a/b")().findings()] == ["hint"]


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        (_mirrored("a", {"enum": ["x" * 100] * 1200}), True),
        ({"type": "object", "properties": {str(n): {} for n in range(2500)}}, True),
        ({"type": "object", "properties": {str(n): {"type": "string"} for n in range(500)}}, False),
    ],
)
def test_a_schema_may_be_large_in_several_ways(schema: dict[str, Any], *, found: bool) -> None:
    assert ("schema-too-large" in ids(_tools_listed(inputSchema=schema)())) is found


def test_arguments_without_description_are_one_finding() -> None:
    fields: dict[str, Any] = {
        "a": {"type": "string"},
        "b/c": {},
        "d": {"description": "of d"},
        "e": {"$ref": "#/$defs/e"},
    }
    fields["f"] = {"anyOf": [{"type": "null"}, {"type": "string", "description": "of f"}]}
    (found,) = of_one(
        _tools_listed(inputSchema={"type": "object", "properties": fields})().findings(), "argument-description"
    )
    assert found.sentence == "a: 'a' has no description, and 1 more"
    assert found.pointer == "/result/tools/0/inputSchema/properties/a"


@pytest.mark.parametrize(
    ("src", "severities"),
    [
        ("javascript:1", ["error"]),
        ("file:///srv/a.png", ["warning"]),
        ("http://cdn.example/a.png", ["hint"]),
        ("http://localhost:1/a.png", []),
        ("https://cdn.example/a.png", []),
        ("data:image/png;base64,AAAA", []),
    ],
)
def test_icons_are_where_clients_fetch_them(src: str, severities: list[str]) -> None:
    listed = {"prompts": [{"name": "a", "icons": [{"src": src}]}]}
    assert [each.severity for each in of_one(asked("prompts/list", listed)().findings(), "icon-rejected")] == severities
