"""Fields in which a sign of several code points is one."""

from typing import Any

import pytest
from textual import events
from textual.geometry import Offset

from inspector.forms.fields import UNSET, ChoiceField
from inspector.forms.read_schema import read_schema
from inspector.tui.widgets.schema_form.editors import (
    BlockEdit,
    ChoiceSegments,
    ClusterInput,
    LineEdit,
    cluster_end,
    cluster_start,
    many,
)
from tests.tui.screen_text import shows, text
from tests.tui.widgets.filling import Filling, props
from tests.tui.widgets.showing import Showing

FAMILY, FLAG, THUMB, ACCENT, ENGLAND = (
    "\U0001f469\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1e9\U0001f1ea",
    "\U0001f44d\U0001f3fd",
    "e\u0301",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
)
SIGNS = (FAMILY, FLAG, THUMB, ACCENT, ENGLAND)


@pytest.mark.parametrize("sign", SIGNS)
def test_a_sign_begins_and_ends_as_one(sign: str) -> None:
    text = f"a{sign}b"
    for at in range(1, 1 + len(sign)):
        assert (cluster_start(text, at), cluster_end(text, at)) == (1, 1 + len(sign))
    assert (cluster_start(text, 0), cluster_end(text, 0)) == (0, 1)
    assert (cluster_start(text, len(text)), cluster_end(text, len(text))) == (len(text), len(text))


@pytest.mark.parametrize("sign", SIGNS)
async def test_keys_pass_over_a_sign_and_delete_it_whole_in_a_line(sign: str) -> None:
    async with (app := Showing()).run_test(size=(40, 5)) as pilot:
        field = ClusterInput(f"a{sign}b", select_on_focus=False)
        await app.mount(field)
        field.focus()
        await pilot.press("home", "right", "right")
        assert field.cursor_position == 1 + len(sign)
        await pilot.press("left")
        assert field.cursor_position == 1
        await pilot.press("shift+right")
        assert field.selected_text == sign
        await pilot.press("right", "backspace")
        assert (field.value, field.cursor_position) == ("ab", 1)
        field.value = f"a{sign}b"
        field.cursor_position = 1
        await pilot.press("delete")
        assert field.value == "ab"


@pytest.mark.parametrize("sign", SIGNS)
async def test_keys_pass_over_a_sign_and_delete_it_whole_in_a_text(sign: str) -> None:
    async with Showing(field := BlockEdit(f"a{sign}b\nx{sign}", unset=False)).run_test(size=(40, 8)) as pilot:
        field.focus()
        await pilot.press("right", "right")
        assert field.cursor_location == (0, 1 + len(sign))
        await pilot.press("left")
        assert field.cursor_location == (0, 1)
        await pilot.press("delete")
        assert field.text == f"ab\nx{sign}"
        await pilot.press("down", "end", "backspace")
        assert field.text == "ab\nx"


async def test_a_sign_is_drawn_whole_below_the_cursor_and_a_click_falls_on_its_start() -> None:
    async with (app := Showing()).run_test(size=(40, 5)) as pilot:
        field = ClusterInput(f"a{FAMILY}b", compact=True, select_on_focus=False)
        await app.mount(field)
        field.focus()
        field.cursor_position = 1
        await pilot.pause()
        assert any(segment.text == FAMILY for segment in field.render_line(0))
        for cell, place in ((0, 0), (1, 1), (2, 1), (3, 1 + len(FAMILY))):
            await pilot.click(field, offset=Offset(cell, 0) + field.gutter.top_left)
            assert field.cursor_position == place


async def test_joined_characters_can_be_typed() -> None:
    field = ClusterInput("", select_on_focus=False)
    area = BlockEdit("", unset=False)
    async with (app := Showing(field, area)).run_test(size=(40, 8)) as pilot:
        for each in (field, area):
            each.focus()
            for sign in FAMILY:
                app.post_message(events.Key("sign", sign))  # as a terminal's input is read
            await pilot.pause()
        assert (field.value, area.text) == (FAMILY, FAMILY)
        field.focus()
        await pilot.press("backspace")
        assert field.value == ""


def test_a_boolean_has_three_states_and_null_where_it_is_allowed() -> None:
    plain = ChoiceSegments(read_schema({"type": "boolean"}), UNSET)
    assert plain.labels == ["unset", "true", "false"]
    assert [plain.index_of(value) for value in (UNSET, True, False, 1)] == [0, 1, 2, 0]
    assert ChoiceSegments(read_schema({"type": ["boolean", "null"]}), UNSET).labels[-1] == "null"


def test_a_choice_offers_its_titles_and_takes_its_values() -> None:
    asked = read_schema({"oneOf": [{"const": 1, "title": "One"}, {"const": None, "title": "Nothing"}]})
    options = ChoiceSegments(asked, UNSET)
    assert options.labels[:2] == ["unset", "One"]
    assert options.index_of(None) == options.values.index(None)


def test_many_options_are_too_many_for_a_line() -> None:
    few: Any = read_schema({"enum": ["a", "b"]})
    lots: Any = read_schema({"enum": [f"option {number}" for number in range(40)]})
    assert isinstance(few, ChoiceField)
    assert not many(few)
    assert many(lots)


async def test_empty_editor_shows_unset_or_empty() -> None:
    async with (app := Showing(LineEdit("", unset=True), BlockEdit("", unset=False))).run_test(size=(40, 6)) as pilot:
        await shows(app, "unset", 'empty text ""')
        app.query_one(LineEdit).say(unset=False)
        await pilot.pause()
        assert "unset" not in text(app)


async def test_a_secret_is_not_shown() -> None:
    async with (app := Showing()).run_test(size=(40, 3)):
        await app.mount(LineEdit("hunter2", unset=False, secret=True))
        await shows(app, "•••")
        assert "hunter2" not in text(app)


async def test_a_focus_selects_nothing_that_the_next_key_would_replace() -> None:
    async with (app := Filling(props(knots={"type": "number"}), {"knots": 20})).run_test(size=(40, 5)) as pilot:
        edit = app.editor("knots")
        edit.focus()
        await pilot.pause()
        assert not app.style_of("20").reverse
        await pilot.press("5")
        assert app.form.arguments == {"knots": 205}


async def test_block_without_a_column_for_its_text_is_drawn() -> None:
    block = BlockEdit("", unset=True)
    async with (app := Showing(block)).run_test(size=(2, 4)) as pilot:
        await pilot.pause()
        assert not text(app).strip()
        await pilot.resize_terminal(20, 4)
        await shows(app, "unset")
