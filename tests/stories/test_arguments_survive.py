"""What was typed into a form survives copying, moving about and mistakes; the result of a call is one key away."""

from typing import Any

import pytest
from textual.widgets import Input

from inspector.tui.widgets.schema_form.moves import FormScroll
from tests.stories.persons import Person
from tests.stories.test_keys_in_one_burst import app_of, at_tool, before, sent
from tests.waiting import until


def footer(person: Person) -> str:
    """The last line."""
    return person.screen.rstrip().splitlines()[-1]


def focused_row(person: Person) -> int:
    """The row in which what has the focus is drawn; -1 if it is out of sight."""
    app = app_of(person)
    focused = app.focused
    assert focused is not None
    seen = app.screen.find_widget(focused).visible_region
    return seen.y if seen.height else -1


@pytest.mark.parametrize("size", [(80, 24), (120, 40), pytest.param((160, 40), marks=pytest.mark.slow)])
async def test_after_a_call_the_result_has_the_focus_and_y_copies_there(size: tuple[int, int]) -> None:
    async with before(size) as person:
        await at_tool(person, "text")
        await person.press_quickly(*"fog", "ctrl+j", shows="✓ OK")
        app = app_of(person)
        await until(lambda: "^g Form" in person.line("✓ OK"), "the result has the focus")
        await person.press("y", shows="Copied")
        assert "got" in app.clipboard
        await person.press("ctrl+g")
        assert isinstance(app.focused, Input)
        assert app.focused.value == "fog"
        if size[0] >= 100:
            await until(lambda: "^g Result" in person.line("✓ OK"), "the headline names the key")
            await until(lambda: "^g Form/Result" in footer(person), "the footer names the key")
            assert "y Copy" not in footer(person)
        await person.press_quickly("g", "ctrl+j")
        await until(lambda: sent(person, "tools/call")[-1]["arguments"] == {"value": "fogg"}, "the second call")


async def test_a_key_after_tab_replaces_nothing() -> None:
    async with before() as person:
        await at_tool(person, "all")
        await person.press_quickly(*"fog", "tab", "up", "y", "ctrl+j", shows="✓ OK")
        assert sent(person, "tools/call")[0]["arguments"] == {"text": "fogy", "number": 4}


UNDONE: list[Any] = [
    ("text", (*"fog", "ctrl+u", "ctrl+z"), "fog"),
    pytest.param("text", (*"fog", "space", *"bank", "ctrl+z"), "fog ", marks=pytest.mark.slow),
    pytest.param("text", (*"fog", "ctrl+l", "ctrl+z"), "fog", marks=pytest.mark.slow),
    ("text", (*"fog", "ctrl+n", "ctrl+z", "ctrl+z", "ctrl+y"), "fog"),
    pytest.param("number", (*"2", "ctrl+z"), 4, marks=pytest.mark.slow),
    ("boolean", ("right", "right", "ctrl+z"), True),
    ("enum", ("right", "right", "ctrl+z"), "red"),
    ("list", ("enter", "enter", *"7", "up", "x", "d", "ctrl+z"), [7]),
    ("json", (*"7", "ctrl+l", "ctrl+z"), 7),
]


@pytest.mark.parametrize(("kind", "keys", "value"), UNDONE)
async def test_changes_of_every_kind_are_undone(kind: str, keys: tuple[str, ...], value: Any) -> None:
    async with before() as person:
        await at_tool(person, kind)
        await person.press_quickly(*keys, "ctrl+j", shows="✓ OK")
        assert sent(person, "tools/call")[0]["arguments"] == {"value": value}


async def test_arguments_replaced_by_those_of_an_earlier_call_come_back() -> None:
    async with before() as person:
        await at_tool(person, "text")
        await person.press_quickly(*"fog", "ctrl+j", shows="✓ OK")
        await person.press_quickly("ctrl+g", *"gy", "ctrl+g", "x", "e")
        await until(lambda: getattr(app_of(person).focused, "value", "") == "fog", "the earlier arguments are there")
        await person.press_quickly("ctrl+z", "ctrl+j", shows='"foggy"')


@pytest.mark.parametrize(
    "size", [(80, 24), *(pytest.param(size, marks=pytest.mark.slow) for size in [(120, 30), (160, 24)])]
)
async def test_the_field_with_the_focus_is_in_sight_also_after_a_call(size: tuple[int, int]) -> None:
    async with before(size) as person:
        await at_tool(person, "all")
        for _ in range(8):
            await person.press("tab")
            assert focused_row(person) >= 0
        await person.press_quickly("ctrl+j", shows="✓ OK")
        await person.press("ctrl+g")
        await until(lambda: focused_row(person) >= 0, "the field is in sight")
        app_of(person).panel.query(FormScroll).first().scroll_home(animate=False)
        await person.press("7")
        await until(lambda: focused_row(person) >= 0, "the field is in sight while it is typed into")


async def test_after_a_new_connection_the_last_call_of_any_tool_is_repeated_by_a_key() -> None:
    async with before() as person:
        for name, keys, said in (("text", "fog", '"fog"'), ("json", "7", "7")):
            await at_tool(person, name)
            await person.press_quickly(*keys, "ctrl+j", shows=f'got {{"value": {said}}}')
            await person.press_quickly("escape", "escape", "escape")
        await person.press("ctrl+r", shows=("Restarted in", "● Connected"))
        for name, said in (("text", '"fog"'), ("json", "7")):
            await at_tool(person, name)
            await person.press_quickly("escape", "x", "r", shows=("✓ OK", f'got {{"value": {said}}}'))
            await person.press_quickly("escape", "escape", "escape")
