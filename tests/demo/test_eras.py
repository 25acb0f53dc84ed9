"""The demo's table of revisions, against what the specification's changelogs say."""

import pytest

from inspector.demo import eras

TOOL = {"name": "t", "title": "T", "inputSchema": {}, "outputSchema": {}, "annotations": {}, "icons": []}


@pytest.mark.parametrize(
    ("version", "members"),
    [
        ("2024-11-05", {"name", "inputSchema"}),
        ("2025-03-26", {"name", "inputSchema", "annotations"}),
        ("2025-06-18", {"name", "inputSchema", "annotations", "title", "outputSchema"}),
        ("2025-11-25", {"name", "inputSchema", "annotations", "title", "outputSchema", "icons"}),
    ],
)
def test_a_tool_has_the_members_its_revision_knows(version: str, members: set[str]) -> None:
    assert set(eras.trim("tool", TOOL, eras.LEGACY[version])) == members


def test_the_stateless_revision_knows_all_of_them() -> None:
    assert eras.trim("tool", TOOL, eras.NEWEST_MODERN) == TOOL


@pytest.mark.parametrize("version", list(eras.LEGACY))
def test_a_known_version_is_echoed(version: str) -> None:
    assert eras.counter_offer(version).name == version


@pytest.mark.parametrize("wanted", ["2026-07-28", "1999-01-01", "", None, 7, ["2025-06-18"]])
def test_anything_else_is_countered_with_the_newest_that_has_a_handshake(wanted: object) -> None:
    assert eras.counter_offer(wanted).name == "2025-11-25"


def test_a_block_of_an_unknown_type_becomes_a_line_of_text() -> None:
    sound = {"type": "audio", "data": "", "mimeType": "audio/wav"}
    assert eras.fit_content(sound, eras.LEGACY["2024-11-05"])["type"] == "text"
    assert eras.fit_content(sound, eras.LEGACY["2025-03-26"]) == sound


def test_structured_content_is_left_out_where_there_was_none() -> None:
    result = {"content": [], "structuredContent": {"a": 1}}
    assert eras.fit_result(result, eras.LEGACY["2025-03-26"]) == {"content": []}
    assert eras.fit_result(result, eras.LEGACY["2025-06-18"]) == result


def test_arguments_of_prompts_lose_their_titles_with_the_prompt() -> None:
    prompt = {"name": "p", "title": "P", "arguments": [{"name": "a", "title": "A"}]}
    assert eras.fit_prompt(prompt, eras.LEGACY["2025-03-26"]) == {"name": "p", "arguments": [{"name": "a"}]}
