"""What has changed in a list, as lines."""

from typing import Any

from inspector.protocol.list_changes import ListChanges, list_changes
from inspector.viewmodels.lines import plain
from inspector.viewmodels.list_changes import MOST_THINGS, change_lines, in_short, word_differences


def shown(kind: str, before: list[Any], after: list[Any]) -> list[str]:
    return [plain(line) for line in change_lines(list_changes(kind, before, after))]


def test_it_is_said_in_short() -> None:
    changes = list_changes("tools", [{"name": "a"}, {"name": "b"}], [{"name": "b", "title": "B"}, {"name": "c"}])
    assert in_short([changes]) == "1 new, 1 gone, 1 changed"
    assert in_short([changes, changes]) == "2 new, 2 gone, 2 changed"
    assert in_short([ListChanges("tools")]) == ""
    assert in_short([ListChanges("tools", reordered=True)]) == "another order"


def test_what_came_and_went_is_listed_by_name() -> None:
    before = [{"uri": "x://old", "name": "old", "title": "The old one"}]
    after = [{"uri": "x://new", "name": "new"}, {"uri": "x://newer", "name": "newer"}]
    assert shown("resources", before, after) == [
        "2 resources added",
        "  + x://new  new",
        "  + x://newer  newer",
        "",
        "1 resource removed",
        "  − x://old  The old one",
    ]


def test_a_schema_is_told_by_its_paths_and_a_description_word_by_word() -> None:
    before = {
        "name": "find",
        "description": "Find two things",
        "inputSchema": {"properties": {"q": {"type": "string"}, "old": {}}},
    }
    after = {
        "name": "find",
        "description": "Find three things",
        "inputSchema": {"properties": {"q": {"type": "integer"}, "new": {}}},
    }
    assert shown("tools", [before], [after]) == [
        "1 tool changed",
        "  ◆ find",
        "    description",
        "      − Find [two] things",
        "      + Find [three] things",
        '    inputSchema.properties.q.type: "string" → "integer"',
        "    inputSchema.properties.old: − {}",
        "    inputSchema.properties.new: + {}",
    ]


def test_arguments_of_a_prompt_are_told_by_their_names() -> None:
    before = {"name": "hail", "arguments": [{"name": "ship", "required": False}]}
    after = {"name": "hail", "arguments": [{"name": "ship", "required": True}]}
    assert shown("prompts", [before], [after])[2:] == ["    arguments.ship.required: false → true"]


def test_foreign_text_is_made_visible() -> None:
    lines = shown("tools", [{"name": "a", "\x1b": "x y"}], [{"name": "a", "\x1b": "x \x1b[31m y"}, {"name": "\x1b]0;"}])
    assert "\x1b" not in "".join(lines)


def test_many_things_are_not_all_told() -> None:
    lines = shown("tools", [], [{"name": f"t{n}"} for n in range(MOST_THINGS + 7)])
    assert lines[-1] == "  and 7 more"
    many = shown("tools", [{"name": "a"}], [{"name": "a"} | {f"m{n}": n for n in range(300)}])
    assert lines[0] == "507 tools added"
    assert many[-1] == "      and more"


def test_another_order_is_said() -> None:
    assert shown("tools", [{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "a"}]) == [
        "The tools are the same, in another order"
    ]


def test_texts_without_a_word_in_common_and_long_ones_are_shown_whole() -> None:
    before, after = word_differences("one", "two")
    assert (plain(before), plain(after)) == ("[one]", "[two]")
    before, after = word_differences("a " * 5_000, "b")
    assert "[" not in plain(before)
