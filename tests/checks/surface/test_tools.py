"""What is peculiar about a tool."""

from typing import Any

import pytest

from inspector.checks.surface.tools import traits_of, writes
from inspector.checks.surface.walk import Budget

_TOOL: dict[str, Any] = {"name": "a", "description": "d", "inputSchema": {"type": "object"}}
_ALWAYS = {"name-length", "description-length"}


def _kinds(**more: Any) -> set[str]:
    return {each.kind for each in traits_of(_TOOL | more, Budget())} - _ALWAYS


@pytest.mark.parametrize(
    ("more", "kinds"),
    [
        ({}, set()),
        ({"name": "a.b"}, {"name-characters"}),
        ({"name": 7}, {"wrong-kind"}),
        ({"description": " "}, {"no-description"}),
        ({"title": None}, {"null-member"}),
        ({"outputSchema": None}, {"null-member"}),
        ({"annotations": {"readOnlyHint": "yes"}}, {"wrong-kind"}),
        ({"execution": {"taskSupport": "maybe"}}, {"wrong-kind"}),
        ({"icons": {}}, {"wrong-kind"}),
        ({"inputSchema": None}, {"wrong-kind", "input-root"}),
        ({"outputSchema": {"type": "array"}}, {"output-root"}),
        ({"inputSchema": {"type": "object", "x-mcp-header": "a b"}}, {"header", "mirrored"}),
        (
            {"inputSchema": {"type": "object", "properties": {"p": {"type": "string", "description": "x" * 1025}}}},
            {"schema-text-length"},
        ),
    ],
)
def test_each_trait_has_a_name(more: dict[str, Any], kinds: set[str]) -> None:
    assert _kinds(**more) == kinds


def test_a_number_comes_with_its_trait_and_a_place() -> None:
    found = {each.kind: each for each in traits_of(_TOOL | {"description": "x" * 3000}, Budget())}
    assert (found["description-length"].amount, found["description-length"].pointer) == (3000, "/description")


@pytest.mark.parametrize(
    ("name", "word"), [("delete_file", "delete"), ("fs.write", "write"), ("sendMail", "send"), ("sender", "")]
)
def test_a_word_that_sounds_like_writing_is_heard_in_a_name(name: str, word: str) -> None:
    assert writes({"name": name, "annotations": {"readOnlyHint": True}}) == word
    assert not writes({"name": name})
