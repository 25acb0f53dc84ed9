"""The editors of single values."""

from typing import Any

from inspector.forms.fields import UNSET, ChoiceField
from inspector.forms.read_schema import read_schema
from inspector.tui.widgets.form_editors import BlockEdit, LineEdit, Options, many
from tests.tui.screen_text import text
from tests.tui.widgets.filling import Filling, props
from tests.tui.widgets.showing import Showing


def test_a_boolean_has_three_states_and_null_where_it_is_allowed() -> None:
    plain = Options(read_schema({"type": "boolean"}), UNSET)
    assert plain.labels == ["unset", "true", "false"]
    assert [plain.index_of(value) for value in (UNSET, True, False, 1)] == [0, 1, 2, 0]
    assert Options(read_schema({"type": ["boolean", "null"]}), UNSET).labels[-1] == "null"


def test_a_choice_offers_its_titles_and_takes_its_values() -> None:
    asked = read_schema({"oneOf": [{"const": 1, "title": "One"}, {"const": None, "title": "Nothing"}]})
    options = Options(asked, UNSET)
    assert options.labels[:2] == ["unset", "One"]
    assert options.index_of(None) == options.values.index(None)


def test_many_options_are_too_many_for_a_line() -> None:
    few: Any = read_schema({"enum": ["a", "b"]})
    lots: Any = read_schema({"enum": [f"option {number}" for number in range(40)]})
    assert isinstance(few, ChoiceField)
    assert not many(few)
    assert many(lots)


async def test_an_empty_line_says_whether_it_is_unset_or_empty() -> None:
    app = Showing(LineEdit("", unset=True), BlockEdit("", unset=False))
    async with app.run_test(size=(40, 6)) as pilot:
        assert "unset" in text(app)
        assert 'empty text ""' in text(app)
        app.query_one(LineEdit).say(unset=False)
        await pilot.pause()
        assert "unset" not in text(app)


async def test_a_secret_is_not_shown() -> None:
    app = Showing()
    async with app.run_test(size=(40, 3)) as pilot:
        await app.mount(LineEdit("hunter2", unset=False, secret=True))
        await pilot.pause()
        assert "•••" in text(app)
        assert "hunter2" not in text(app)


async def test_a_focus_selects_nothing_that_the_next_key_would_replace() -> None:
    app = Filling(props(knots={"type": "number"}), {"knots": 20})
    async with app.run_test(size=(40, 5)) as pilot:
        edit = app.editor("knots")
        edit.focus()
        await pilot.pause()
        assert not app.style_of("20").reverse
        await pilot.press("5")
        assert app.form.arguments == {"knots": 205}
