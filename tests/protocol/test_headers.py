"""What a revision puts into HTTP headers, and the base64 form."""

from typing import Any

import pytest

from inspector.protocol.headers import cautions, encode_value, headers_for, mirrors, version_header
from inspector.protocol.revisions.table import NEWEST, ROWS

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        "where": {"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}},
    },
}


def call(**arguments: Any) -> dict[str, str]:
    return headers_for(NEWEST, "tools/call", {"name": "add", "arguments": arguments}, SCHEMA)


def test_revisions_without_the_version_header_have_no_headers() -> None:
    assert [headers_for(row, "tools/list", None) for row in ROWS[:2]] == [{}, {}]


def test_later_handshake_revisions_carry_the_version_but_not_on_initialize() -> None:
    for row in ROWS[2:4]:
        assert headers_for(row, "tools/list", None) == {"MCP-Protocol-Version": row.date}
        assert headers_for(row, "initialize", {}) == {}
        assert version_header(row) == {"MCP-Protocol-Version": row.date}
    assert version_header(ROWS[0]) == {}


@pytest.mark.parametrize(
    ("method", "params", "name"),
    [
        ("tools/call", {"name": "add"}, "add"),
        ("prompts/get", {"name": "greet"}, "greet"),
        ("resources/read", {"uri": "file:///a b"}, "file:///a b"),
        ("tasks/get", {"taskId": "t1"}, "t1"),
    ],
)
def test_the_stateless_revision_repeats_method_and_name(method: str, params: Any, name: str) -> None:
    assert headers_for(NEWEST, method, params) == {
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
        "Mcp-Name": name,
    }


def test_a_method_without_a_name_has_no_name_header() -> None:
    assert "Mcp-Name" not in headers_for(NEWEST, "tools/list", {"name": "x"})


def test_parameters_are_mirrored_by_type_and_absent_ones_are_not() -> None:
    found = call(region="eu", count=7, dry=False, where={"city": "Oslo"})
    mirrored = {key: value for key, value in found.items() if key.startswith("Mcp-Param-")}
    assert mirrored == {
        "Mcp-Param-Region": "eu",
        "Mcp-Param-Count": "7",
        "Mcp-Param-Dry": "false",
        "Mcp-Param-City": "Oslo",
    }
    assert not [key for key in call(region=None) if key.startswith("Mcp-Param-")]
    assert not [key for key in call(count=2**53) if key.startswith("Mcp-Param-")]


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        ("plain value", "plain value"),
        ("", ""),
        ("é", "=?base64?w6k=?="),
        (" lead", "=?base64?IGxlYWQ=?="),
        ("trail ", "=?base64?dHJhaWwg?="),
        ("a\tb", "=?base64?YQli?="),
        ("a\r\nX: y", "=?base64?YQ0KWDogeQ==?="),
        ("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
    ],
)
def test_unfit_header_value_is_base64(value: str, encoded: str) -> None:
    assert encode_value(value) == encoded


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"properties": {"a": {"type": "string", "x-mcp-header": ""}}}, "no header name"),
        ({"properties": {"a": {"type": "string", "x-mcp-header": "a b"}}}, "no header name"),
        ({"properties": {"a": {"type": "number", "x-mcp-header": "A"}}}, "needs a string, an integer or a boolean"),
        (
            {"properties": {n: {"type": "string", "x-mcp-header": h} for n, h in (("a", "X"), ("b", "x"))}},
            "two properties want the header mcp-param-x",
        ),
        ({"properties": {"a": {"items": {"type": "string", "x-mcp-header": "A"}}}}, "names alone do not reach"),
        ({"anyOf": [{"properties": {"a": {"type": "string", "x-mcp-header": "A"}}}]}, "names alone do not reach"),
    ],
)
def test_unusable_mirror_has_a_problem(schema: Any, problem: str) -> None:
    assert problem in mirrors(schema)[1]


def test_a_good_wish_has_no_problem() -> None:
    found, problem = mirrors(SCHEMA)
    assert (len(found), problem) == (4, "")
    assert mirrors(None) == ((), "")


@pytest.mark.parametrize(
    ("kind", "value", "caution", "header"),
    [
        ("integer", 2**53, "p is beyond 2^53 and can't be sent in Mcp-Param-P", None),
        ("integer", -(2**60), "p is beyond 2^53", None),
        ("integer", 1e300, "p is beyond 2^53", None),
        ("integer", 2**53 - 1, "", "9007199254740991"),
        ("integer", 1e2, "", "100"),
        ("number", 1, "its x-mcp-header is invalid (p: x-mcp-header needs a string", None),
        ("string", "x", "", "x"),
    ],
)
def test_unfit_argument_has_a_caution(kind: str, value: Any, caution: str, header: str | None) -> None:
    schema = {"type": "object", "properties": {"p": {"type": kind, "x-mcp-header": "P"}}}
    said = cautions(schema, {"p": value})
    assert [caution in each for each in said] == ([True] if caution else [])
    params = {"name": "t", "arguments": {"p": value}}
    assert headers_for(NEWEST, "tools/call", params, schema).get("Mcp-Param-P") == header
