"""A tool's name behind its server's."""

import pytest

from inspector.checks.surface.names import Naming, TooLong, shown_name

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
