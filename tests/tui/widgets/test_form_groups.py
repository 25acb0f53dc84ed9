"""Objects and lists within a form."""

from typing import Any

from textual.widgets import Input

from inspector.forms.fields import UNSET
from inspector.tui.widgets.form_groups import MOST_ITEMS, body_of
from tests.tui.widgets.filling import TEXT, Filling, props

HANDS = props(crew={"type": "array", "items": props("name", name=TEXT, role={"enum": ["mate", "cat"]})})


async def test_an_item_is_added_filled_moved_and_removed_by_keys() -> None:
    app = Filling(HANDS)
    async with app.run_test(size=(80, 40)) as pilot:
        app.node("crew").query("FormBar").first().focus()
        await pilot.press("enter")  # makes the list
        await _add(app, pilot, "Ann")
        await _add(app, pilot, "Tom")
        assert app.form.arguments == {"crew": [{"name": "Ann"}, {"name": "Tom"}]}
        app.node("crew", 1).query("FormBar").first().focus()
        await pilot.press("K")
        assert app.form.arguments == {"crew": [{"name": "Tom"}, {"name": "Ann"}]}
        app.node("crew", 0).query("FormBar").first().focus()
        await pilot.press("d")
        assert app.form.arguments == {"crew": [{"name": "Ann"}]}


async def _add(app: Filling, pilot: Any, name: str) -> None:
    app.node("crew").query("ListBody > FormBar").last().focus()
    await pilot.press("enter")
    count = len(app.form.arguments["crew"])  # type: ignore[index]
    app.editor("crew", count - 1, "name").focus()
    await pilot.press(*name)


async def test_an_optional_object_is_added_and_taken_away() -> None:
    app = Filling(props(wind=props(knots={"type": "number", "default": 10})))
    async with app.run_test(size=(80, 20)) as pilot:
        app.node("wind").query("FormBar").first().focus()
        await pilot.press("a")
        assert app.form.arguments == {"wind": {"knots": 10}}
        app.node("wind").query("FormBar").first().focus()
        await pilot.press("d")
        assert app.form.arguments == {}


async def test_a_group_folds_and_keeps_its_value() -> None:
    app = Filling(props("a", a=props(inner=TEXT)), {"a": {"inner": "kept"}})
    async with app.run_test(size=(80, 20)) as pilot:
        app.node("a").query("FormBar").first().focus()
        await pilot.press("enter")
        assert "kept" not in app.screen_text
        assert "▸ a" in app.screen_text
        await pilot.press("enter")
        assert "kept" in app.screen_text


async def test_members_of_other_names_are_added_by_their_name() -> None:
    app = Filling({"type": "object", "additionalProperties": {"type": "integer"}})
    async with app.run_test(size=(80, 20)) as pilot:
        app.query_one("ObjectBody > Input", Input).focus()
        await pilot.press(*"depth", "enter")
        assert app.form.arguments == {"depth": 0}
        app.editor("depth").focus()
        await pilot.press("7")
        assert app.form.arguments == {"depth": 7}
        app.node("depth").query("FormBar").first().focus()
        await pilot.press("d")
        assert app.form.arguments == {}


async def test_a_member_that_the_schema_does_not_know_is_drawn_and_kept() -> None:
    app = Filling(props(a=TEXT), {"a": UNSET, "odd": [1]})
    async with app.run_test(size=(80, 20)):
        assert "does not name this member and allows no others" in app.screen_text
        assert app.form.arguments == {"odd": [1]}


async def test_a_tool_without_arguments_says_so() -> None:
    app = Filling({"type": "object", "additionalProperties": False})
    async with app.run_test(size=(80, 8)):
        assert "It takes no arguments." in app.screen_text


async def test_of_a_very_long_list_only_the_beginning_is_drawn() -> None:
    app = Filling(props(a={"type": "array", "items": TEXT}), {"a": ["x"] * (MOST_ITEMS + 20)})
    async with app.run_test(size=(80, 20)):
        assert len(app.query("ListBody FieldNode")) == MOST_ITEMS
        assert type(body_of(app.node("a"))).__name__ == "ListBody"
