"""What is typed into a field becomes its value."""

import pytest

from inspector.forms.fields import UNSET
from inspector.tui.screens.choose import ChooseScreen
from inspector.tui.widgets.form_fields import FieldNode
from tests.tui.widgets.filling import TEXT, Filling, props
from tests.waiting import until


async def test_typing_makes_a_text_and_deleting_it_leaves_it_empty() -> None:
    app = Filling(props(a=TEXT))
    async with app.run_test(size=(60, 12)) as pilot:
        app.editor("a").focus()
        await pilot.press("h", "i")
        assert app.form.arguments == {"a": "hi"}
        await pilot.press("backspace", "backspace")
        assert app.form.arguments == {"a": ""}


async def test_a_key_unsets_a_field_and_another_makes_it_null() -> None:
    app = Filling(props(a=TEXT), {"a": "hi"})
    async with app.run_test(size=(60, 12)) as pilot:
        app.editor("a").focus()
        await pilot.press("ctrl+n")
        assert app.form.arguments == {"a": None}
        await pilot.press("ctrl+l")
        assert app.form.arguments == {}
        await pilot.press("x")
        assert app.form.arguments == {"a": "x"}


@pytest.mark.parametrize(("typed", "value"), [("12", 12), ("1.5", 1.5), ("-", "-"), ("", UNSET)])
async def test_a_number_is_what_was_typed_even_if_it_is_none(typed: str, value: object) -> None:
    app = Filling(props(a={"type": "number"}))
    async with app.run_test(size=(60, 12)) as pilot:
        app.editor("a").focus()
        await pilot.press(*typed, *([] if typed else ["1", "backspace"]))
        assert app.node("a").value == value


async def test_a_number_out_of_bounds_is_complained_of_at_its_field() -> None:
    app = Filling(props(a={"type": "integer", "maximum": 5}, b=TEXT), {"a": UNSET, "b": "x"})
    async with app.run_test(size=(60, 12)) as pilot:
        app.editor("a").focus()
        await pilot.press("9")
        await app.judged(pilot)
        assert app.node("a").is_wrong
        assert not app.node("b").is_wrong
        assert "✗ must be at most 5" in app.screen_text
        await pilot.press("backspace", "3")
        await app.judged(pilot)
        assert not app.node("a").is_wrong


async def test_choices_are_chosen_by_arrows_and_letters() -> None:
    app = Filling(props(a={"type": "boolean"}, b={"enum": ["red", "blue"]}))
    async with app.run_test(size=(60, 12)) as pilot:
        app.editor("a").focus()
        await pilot.press("t")
        app.editor("b").focus()
        await pilot.press("right", "right")
        assert app.form.arguments == {"a": True, "b": "blue"}
        await pilot.press("left", "left")
        assert app.form.arguments == {"a": True}


async def test_several_choices_are_a_list_in_the_order_of_the_schema() -> None:
    app = Filling(props(a={"type": "array", "items": {"enum": ["x", "y", "z"]}, "uniqueItems": True}))
    async with app.run_test(size=(60, 12)) as pilot:
        app.editor("a").focus()
        await pilot.press("right", "right", "space", "left", "left", "space")
        assert app.form.arguments == {"a": ["x", "z"]}
        await pilot.press("space")
        assert app.form.arguments == {"a": ["z"]}


async def test_a_long_choice_is_searched_in_a_list_of_its_own() -> None:
    app = Filling(props(a={"enum": [f"port {number}" for number in range(60)]}))
    async with app.run_test(size=(80, 30)) as pilot:
        app.node("a").query("FormBar").first().focus()
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ChooseScreen), "the list is open")
        await pilot.press(*"port", "space", *"42", "enter")
        await until(lambda: app.form.arguments == {"a": "port 42"}, "it is chosen")


async def test_json_that_can_not_be_read_says_where_and_changes_nothing() -> None:
    app = Filling({"type": "object", "properties": {"a": {"type": "fathoms"}}}, {"a": 1})
    async with app.run_test(size=(80, 16)) as pilot:
        app.editor("a").focus()
        await pilot.press("end", ",")
        assert "line 1, column 2" in app.screen_text
        assert app.form.arguments == {"a": 1}
        await pilot.press("backspace", "2")
        assert app.form.arguments == {"a": 12}
        assert "column" not in app.screen_text


async def test_enter_and_arrows_go_through_the_fields() -> None:
    app = Filling(props(a=TEXT, b=TEXT, c=TEXT))
    async with app.run_test(size=(60, 16)) as pilot:
        app.editor("a").focus()
        await pilot.press("enter", "1", "down", "2", "up", "3")
        assert app.form.arguments == {"b": "13", "c": "2"}


async def test_a_field_that_refers_to_itself_opens_as_far_as_somebody_wants() -> None:
    schema = {
        "type": "object",
        "properties": {"hold": {"$ref": "#/$defs/hold"}},
        "$defs": {"hold": {"type": "object", "properties": {"inside": {"$ref": "#/$defs/hold"}}}},
    }
    app = Filling(schema)
    async with app.run_test(size=(80, 30)) as pilot:
        app.node("hold").query("FormBar").first().focus()
        await pilot.press("enter")
        app.node("hold", "inside").query("FormBar").first().focus()
        await pilot.press("enter")
        assert app.form.arguments == {"hold": {"inside": {}}}
        assert app.node("hold", "inside", "inside").value is UNSET
        assert len(app.query(FieldNode)) == 4
