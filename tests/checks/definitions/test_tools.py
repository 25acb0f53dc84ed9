"""A tool's name behind its server's."""

from typing import Any

import pytest

from inspector.checks.definitions.schemas import WalkBudget
from inspector.checks.definitions.tools import Naming, TooLong, shown_name, traits_of, writes

_LONG = "t" * 70


@pytest.mark.parametrize(
    ("naming", "tool", "shown", "is_too_long"),
    [
        (Naming("mcp__{server}__{tool}", 64), "add", "mcp__git.hub__add", False),
        (Naming("mcp__{server}__{tool}", 64, TooLong.HASH, "^A-Za-z0-9_-"), "a b", "mcp__git_hub__a_b", False),
        (Naming("{tool}", 64, TooLong.CUT), _LONG, "t" * 64, True),
        (Naming("{tool}", 63, TooLong.MIDDLE), _LONG, "t" * 30 + "..." + "t" * 30, True),
        (Naming("{tool}", 64, TooLong.HASH), _LONG, "t" * 51 + "_############", True),
        (Naming("{tool}", 64), _LONG, _LONG, True),
        (Naming("mcp_{server}_{tool}", 0, longest_server=8), "add", "mcp_git_add", False),
    ],
)
def test_each_program_has_its_way(naming: Naming, tool: str, shown: str, is_too_long: bool) -> None:
    found = shown_name(naming, "git.hub", tool)
    assert (found.name, found.is_too_long) == (shown, is_too_long)
    assert found.joined >= len(tool)


_TOOL: dict[str, Any] = {"name": "a", "description": "d", "inputSchema": {"type": "object"}}
_ALWAYS = {"name-length", "description-length"}


def _kinds(**more: Any) -> set[str]:
    return {each.kind for each in traits_of(_TOOL | more, WalkBudget())} - _ALWAYS


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
    found = {each.kind: each for each in traits_of(_TOOL | {"description": "x" * 3000}, WalkBudget())}
    assert (found["description-length"].amount, found["description-length"].pointer) == (3000, "/description")


@pytest.mark.parametrize(
    ("name", "word"),
    [("delete_file", "delete"), ("fs.write", "write"), ("sendMail", "send"), ("sender", ""), ("text_truncate", "")],
)
def test_a_word_that_sounds_like_writing_is_heard_in_a_name(name: str, word: str) -> None:
    assert writes({"name": name, "annotations": {"readOnlyHint": True}}) == word
    assert not writes({"name": name})
