"""Headers of a stateless POST against its body."""

import base64
from typing import Any

import pytest

from inspector.demo import headers
from inspector.demo.call import HEADER_MISMATCH, Refusal
from tests.demo.driving import MODERN, stateless

SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "deep": {"type": "object", "properties": {"level": {"type": "integer", "x-mcp-header": "Level"}}},
        "loud": {"type": "boolean", "x-mcp-header": "Loud"},
    },
}
PLAIN = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "t"}


def a_call(**arguments: Any) -> dict[str, Any]:
    return stateless(1, "tools/call", name="t", arguments=arguments)


def encoded(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        ({}, {}),
        ({"region": None}, {}),
        ({"region": "eu"}, {"mcp-param-region": "eu"}),
        ({"region": "Sørine"}, {"mcp-param-region": encoded("Sørine")}),
        ({"region": ""}, {"mcp-param-region": ""}),
        ({"deep": {"level": -3}, "loud": True}, {"mcp-param-level": "-3", "mcp-param-loud": "true"}),
        ({}, {"mcp-param-other": "x"}),
    ],
)
def test_headers_that_repeat_the_body_pass(arguments: dict[str, Any], more: dict[str, str]) -> None:
    headers.check(a_call(**arguments), PLAIN | more, SCHEMA)


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        ({}, {"mcp-protocol-version": "2025-11-25"}),
        ({}, {"mcp-method": "tools/list"}),
        ({}, {"mcp-method": "TOOLS/CALL"}),
        ({}, {"mcp-name": "u"}),
        ({}, {"mcp-name": "=?base64?%?="}),
        ({}, {"mcp-param-region": "eu"}),
        ({"region": "eu"}, {}),
        ({"region": "eu"}, {"mcp-param-region": "us"}),
        ({"deep": {"level": 3}}, {"mcp-param-level": "4"}),
        ({"loud": True}, {"mcp-param-loud": "True"}),
    ],
)
def test_headers_that_say_something_else_are_refused(arguments: dict[str, Any], more: dict[str, str]) -> None:
    with pytest.raises(Refusal) as refused:
        headers.check(a_call(**arguments), PLAIN | more, SCHEMA)
    assert refused.value.code == HEADER_MISMATCH


@pytest.mark.parametrize("missing", list(PLAIN))
def test_a_header_that_is_not_there_is_refused(missing: str) -> None:
    rest = {name: value for name, value in PLAIN.items() if name != missing}
    with pytest.raises(Refusal, match="missing"):
        headers.check(a_call(), rest, SCHEMA)


def test_a_list_needs_no_name() -> None:
    headers.check(stateless(1, "tools/list"), {"mcp-protocol-version": MODERN, "mcp-method": "tools/list"})
