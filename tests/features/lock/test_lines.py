"""Differences of surfaces as lines, Markdown and JSON: the worst first, and nothing foreign acts."""

import re
from typing import Any

import pytest

from inspector.features.lock.changes import compare_definitions
from inspector.features.lock.lines import diff_as_json, diff_lines, diff_markdown, shown
from inspector.present.spans import plain
from tests.features.lock.offered import SHOP, shop

_BUY, _LOOK = SHOP["tools"]
_CHANGED = shop(
    tools=[
        {**_LOOK, "title": "Look"},
        {**_BUY, "description": "Buys a big thing.", "inputSchema": {"type": "object", "required": ["what"]}},
    ],
    prompts=None,
)


def _lines(before: Any, after: Any) -> list[str]:
    return [plain(line) for line in diff_lines(compare_definitions(before, after), "a", "b")]


def test_the_summary_comes_first_then_the_thing_with_the_worst_change() -> None:
    lines = _lines(shop(), _CHANGED)
    assert lines[2] == "1 breaking, 3 warning, 1 info; 4 items on both sides"
    assert "prompts" in lines[3]
    assert [line for line in lines if line.startswith("tool ")] == ["tool buy", "tool look"]
    place = lines.index("tool buy")
    assert lines[place + 1] == "  ✗ breaking + inputSchema.required.what: what is required now"
    assert "             + Buys a [big ]thing." in lines
    assert _lines(shop(), shop())[2] == "no difference; 5 items on both sides"


def test_things_that_are_gone_or_new_stand_together_a_line_each() -> None:
    tools = [{"name": name} for name in "bca"]
    lines = _lines(shop(tools=tools, resources=[]), shop(tools=[], prompts=[]))
    place = lines.index("3 tools are gone")
    assert lines[place + 1 : place + 4] == ["  ✗ breaking − a", "  ✗ breaking − b", "  ✗ breaking − c"]
    assert lines[lines.index("prompt advise") + 1] == "  ✗ breaking − the prompt is gone"
    assert "3 new tools" in _lines(shop(tools=[]), shop(tools=tools))


def test_markdown_is_a_table_in_which_nothing_foreign_is_markup() -> None:
    evil = {"name": "a`|b\n<img>", "description": "x | y", "inputSchema": {}}
    worse = {**evil, "description": "[x](http://a) | `` \x1b[31m"}
    text = "\n".join(diff_markdown(compare_definitions(shop(tools=[evil]), shop(tools=[worse])), "a", "b"))
    (row,) = [line for line in text.splitlines() if "models read" in line]
    assert len(re.findall(r"(?<!\\)\|", row)) == 7, "as many cells as the head has"
    assert "``" in row
    assert "\x1b" not in text
    assert "\n<img>" not in text
    assert "**breaking**" in "\n".join(diff_markdown(compare_definitions(shop(), _CHANGED), "a", "b"))


def test_json_has_every_change_with_its_rule_and_both_sides() -> None:
    data = diff_as_json(compare_definitions(shop(), _CHANGED))
    assert data["counts"] == {"breaking": 1, "warning": 3, "info": 1}
    (change,) = [each for each in data["changes"] if each["rule"] == "required-added"]
    assert (change["kind"], change["name"], change["act"], change["after"]) == ("tools", "buy", "added", "what")
    assert "before" not in change


@pytest.mark.parametrize(("value", "said"), [("\x1b[2J", '"\\u001b[2J"'), ({"a": "‮"}, '{"a":"‹U+202E›"}')])
def test_values_are_safe(value: Any, said: str) -> None:
    assert shown(value) == said
    assert len(shown("x" * 10_000)) <= 170
