"""What a server says of a thing beside its description."""

from typing import Any

import pytest

from inspector.protocol.things import Prompt, Resource, Tool
from inspector.viewmodels.lines import plain
from inspector.viewmodels.thing_facts import annotation_facts, icon_facts, icon_words, meta_lines, said_facts


def told(thing: Any) -> dict[str, str]:
    return {each.key: each.value for each in said_facts(thing)}


def test_of_three_titles_the_one_that_is_shown_is_named() -> None:
    raw = {"name": "add", "title": "Add", "annotations": {"title": "Adder"}}
    assert told(Tool(raw)) == {"title": "Add  (this is shown)", "annotations.title": "Adder", "name": "add"}
    without = {"name": "add", "annotations": {"title": "Adder"}}
    assert told(Tool(without)) == {"annotations.title": "Adder  (this is shown)", "name": "add"}
    assert told(Prompt(without)) == {"annotations.title": "Adder", "name": "add  (this is shown)"}
    assert told(Tool({"name": "add", "title": "Add"})) == {}


def test_everything_that_was_given_is_told() -> None:
    raw = {
        "uri": "x://a",
        "name": "a",
        "annotations": {"audience": ["user"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z"},
        "icons": [{"src": "https://example.test/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}],
        "_meta": {"example.test/a": 1},
    }
    assert told(Resource(raw)) == {
        "audience": "user",
        "priority": "0.5",
        "lastModified": "2025-01-12T15:00:58Z",
        "icon": "https://example.test/i.png image/png 48x48 dark theme",
        "_meta": "example.test/a",
    }


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("audience", ["robot"], "robot  (neither user nor assistant)"),
        ("audience", "user", "user  (not an array)"),
        ("priority", 7, "7  (not between 0 and 1)"),
        ("priority", True, "true  (not a number)"),
        ("lastModified", "yesterday", "yesterday  (not an ISO 8601 time)"),
        ("lastModified", 5, "5  (not a string)"),
        ("readOnlyHint", "yes", "yes  (not a boolean)"),
        ("other\x1b", {"a": 1}, '{"a":1}'),
    ],
)
def test_what_is_wrong_is_said_beside_it(key: str, value: Any, shown: str) -> None:
    (found,) = annotation_facts({"annotations": {key: value}})
    assert found.value == shown
    assert "\x1b" not in found.key


@pytest.mark.parametrize("raw", [None, 7, {"icons": 7, "annotations": [], "_meta": "x"}])
def test_members_of_another_type_are_told_and_nothing_breaks(raw: Any) -> None:
    facts = said_facts(Tool(raw))
    assert [each.value for each in facts] == (
        []
        if not isinstance(raw, dict)
        else ["array instead of object", "number instead of array", "string instead of object"]
    )
    assert list(meta_lines(None)) == []


def test_icons_are_counted_and_never_whole() -> None:
    icons = [{"src": "data:image/png;base64," + "A" * 10_000}] * 12
    facts = icon_facts({"icons": icons})
    assert facts[-1].value == "2 more"
    assert len(facts[0].value) == 80
    assert icon_words({"sizes": "any"}) == "no src any"


def test_meta_is_shown_as_json() -> None:
    lines = [plain(line) for line in meta_lines({"_meta": {"ui": {"csp": ["\x1b"]}}})]
    assert lines[0] == "_meta"
    assert '"ui"' in "".join(lines)
    assert "\x1b" not in "".join(lines)
    many = [plain(line) for line in meta_lines({"_meta": {str(n): n for n in range(500)}})]
    assert many[-1].endswith("lines more")
