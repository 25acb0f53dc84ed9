"""Fields of a form: what is typed, and the value that results."""

import pytest
from textual import events
from textual.containers import VerticalScroll
from textual.widgets import Input

from inspector.forms.fields import UNSET, Field, LazyField, Opened, opened
from inspector.tui.widgets.schema_form import field_view
from inspector.tui.widgets.schema_form.bodies import MOST_ITEMS, body_of
from inspector.tui.widgets.schema_form.fields import FieldNode, node_at
from inspector.tui.widgets.schema_form.moves import only_heads, steps_of
from inspector.tui.widgets.segments import Segments
from tests.tui.widgets.filling import TEXT, Filling, props
from tests.waiting import until


async def test_typing_makes_a_text_and_deleting_it_leaves_it_empty() -> None:
    async with (app := Filling(props(a=TEXT))).run_test(size=(60, 12)) as pilot:
        app.editor("a").focus()
        await pilot.press("h", "i")
        assert app.form.arguments == {"a": "hi"}
        await pilot.press("backspace", "backspace")
        assert app.form.arguments == {"a": ""}


@pytest.mark.parametrize(("typed", "value"), [("12", 12), ("1.5", 1.5), ("-", "-"), ("", UNSET)])
async def test_a_number_is_what_was_typed_even_if_it_is_none(typed: str, value: object) -> None:
    async with (app := Filling(props(a={"type": "number"}))).run_test(size=(60, 12)) as pilot:
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
        await pilot.pause()
        await pilot.press("right", "right", "space", "left", "left", "space")
        assert app.form.arguments == {"a": ["x", "z"]}
        await pilot.press("space")
        assert app.form.arguments == {"a": ["z"]}


async def test_invalid_json_field_keeps_its_text() -> None:
    app = Filling({"type": "object", "properties": {"a": {"type": "fathoms"}}}, {"a": [1]})
    async with app.run_test(size=(80, 16)) as pilot:
        app.editor("a").focus()
        await pilot.press("right", ",")
        assert "line 1, column 2" in app.screen_text
        assert app.form.arguments == {"a": "[,\n  1\n]"}
        await pilot.press("backspace")
        assert app.form.arguments == {"a": [1]}
        assert "column" not in app.screen_text


async def test_enter_and_arrows_go_through_the_fields() -> None:
    async with (app := Filling(props(a=TEXT, b=TEXT, c=TEXT))).run_test(size=(60, 16)) as pilot:
        app.editor("a").focus()
        await pilot.press("enter", "1", "enter", "2", "down", "3", "up", "4")
        assert app.form.arguments == {"a": "1", "b": "24", "c": "3"}


async def test_recursive_field_opens_level_by_level() -> None:
    schema = {
        "type": "object",
        "properties": {"hold": {"$ref": "#/$defs/hold"}},
        "$defs": {"hold": {"type": "object", "properties": {"inside": {"$ref": "#/$defs/hold"}}}},
    }
    async with (app := Filling(schema)).run_test(size=(80, 30)) as pilot:
        app.editor("hold").focus()
        await pilot.press("enter", "enter")
        assert app.form.arguments == {"hold": {"inside": {}}}
        assert app.node("hold", "inside", "inside").value is UNSET
        assert len(app.query(FieldNode)) == 4


HANDS = props(crew={"type": "array", "items": props("name", name=TEXT, role={"enum": ["mate", "cat"]})})


async def test_an_item_is_added_filled_moved_and_removed_by_keys() -> None:
    async with (app := Filling(HANDS)).run_test(size=(80, 40)) as pilot:
        app.editor("crew").focus()
        await pilot.press(*"Ann")
        app.node("crew").query("ListBody > ValueLine").last().focus()
        await pilot.press("enter", *"Tom")
        assert app.form.arguments == {"crew": [{"name": "Ann"}, {"name": "Tom"}]}
        app.node("crew", 1).query("FormBar").first().focus()
        await pilot.press("x up")
        assert app.form.arguments == {"crew": [{"name": "Tom"}, {"name": "Ann"}]}
        app.node("crew", 0).query("FormBar").first().focus()
        await pilot.press("x d")
        assert app.form.arguments == {"crew": [{"name": "Ann"}]}


async def test_an_optional_object_is_added_and_taken_away() -> None:
    app = Filling(props(wind=props(knots={"type": "number", "default": 10})))
    async with app.run_test(size=(80, 20)) as pilot:
        app.editor("wind").focus()
        await pilot.press("enter")
        assert app.form.arguments == {"wind": {"knots": 10}}
        app.node("wind").query("FormBar").first().focus()
        await pilot.press("x d")
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


async def test_a_member_that_the_schema_does_not_know_is_drawn_and_kept() -> None:
    async with (app := Filling(props(a=TEXT), {"a": UNSET, "odd": [1]})).run_test(size=(80, 20)):
        assert "not in the schema, no others allowed" in app.screen_text
        assert app.form.arguments == {"odd": [1]}


async def test_form_without_arguments_has_a_note() -> None:
    async with (app := Filling({"type": "object", "additionalProperties": False})).run_test(size=(80, 8)):
        assert "No arguments." in app.screen_text


async def test_long_list_field_draws_its_beginning() -> None:
    app = Filling(props(a={"type": "array", "items": TEXT}), {"a": ["x"] * (MOST_ITEMS + 20)})
    async with app.run_test(size=(80, 20)):
        await node_at(app.node("a"), ("a", MOST_ITEMS - 1))
        assert len(app.query("ListBody FieldNode")) == MOST_ITEMS
        assert type(body_of(app.node("a"))).__name__ == "ListBody"


async def test_only_a_line_with_something_to_reach_below_it_is_passed_by() -> None:
    app = Filling(props(ship=props(name=TEXT), crew={"type": "array", "items": TEXT}), {"ship": {"name": "x"}})
    async with app.run_test(size=(80, 20)) as pilot:
        ship = app.node("ship").query("FormBar").first()
        assert only_heads(ship)
        assert not only_heads(app.editor("crew"))
        assert not only_heads(app.editor("ship", "name"))
        ship.focus()
        await pilot.press("enter")
        assert not only_heads(ship)


async def test_beyond_its_ends_the_focus_leaves_the_form() -> None:
    async with (app := Filling(props(a=TEXT, b=TEXT))).run_test(size=(80, 20)) as pilot:
        assert steps_of(app.editor("a")) is app.form
        assert steps_of(app.form) is None
        app.editor("b").focus()
        await pilot.press("down")
        assert app.focused is app.editor("a")  # there is nothing else on this screen
        await pilot.press("up")
        assert app.focused is app.editor("a")
        app.screen.set_focus(None)
        app.form.action_step(1)
        assert app.focused is None


PLACE = props(
    to={
        "oneOf": [
            {**props("harbour", harbour=TEXT), "title": "A harbour"},
            {**props("lat", lat={"type": "number"}), "title": "A position"},
            {"type": "string", "title": "Words"},
        ]
    }
)


async def test_a_branch_is_picked_and_its_fields_are_drawn() -> None:
    async with (app := Filling(PLACE)).run_test(size=(90, 24)) as pilot:
        app.editor("to").focus()
        await pilot.press("right")
        assert "harbour *" in app.screen_text
        app.editor("to", "harbour").focus()
        await pilot.press(*"Bay")
        assert app.form.arguments == {"to": {"harbour": "Bay"}}


async def test_union_branch_keeps_its_input() -> None:
    async with (app := Filling(PLACE, {"to": {"harbour": "Bay"}})).run_test(size=(90, 24)) as pilot:
        app.query_one("UnionBody > Segments", Segments).focus()
        await pilot.press("right")
        assert "lat *" in app.screen_text
        assert app.form.arguments == {"to": {}}
        await pilot.press("left")
        assert app.form.arguments == {"to": {"harbour": "Bay"}}


async def test_the_branch_of_a_value_is_found() -> None:
    async with (app := Filling(PLACE, {"to": {"lat": 5}})).run_test(size=(90, 24)):
        assert app.query_one("UnionBody > Segments", Segments).chosen == (2,)


async def test_unset_is_a_branch_too() -> None:
    async with (app := Filling(PLACE, {"to": {"lat": 5}})).run_test(size=(90, 24)) as pilot:
        app.query_one("UnionBody > Segments", Segments).focus()
        await pilot.press("left", "left")
        assert app.form.arguments == {}
        await pilot.press(*"north")
        assert app.form.arguments == {"to": "north"}


async def test_a_value_of_no_branch_is_edited_as_json() -> None:
    async with (app := Filling(PLACE, {"to": 7})).run_test(size=(90, 24)) as pilot:
        assert "another type than the schema" in app.screen_text
        app.editor("to", kind="BlockEdit").focus()
        await pilot.press("end", "7")
        assert app.form.arguments == {"to": 77}


MANY = props(**{f"field_{n}": {"type": ["integer", "null"]} for n in range(60)})


async def test_form_of_many_fields_draws_those_in_view_and_the_others_as_the_focus_comes_near() -> None:
    async with (app := Filling(MANY)).run_test(size=(80, 24)) as pilot:
        app.form.focus_first()
        await pilot.pause()
        assert len(app.query(FieldNode)) < 50
        assert len(app.query("ValueLine")) == 1
        assert app.form.size.height == 60
        await pilot.press("1", *(["tab"] * 59), "2")
        assert app.form.arguments == {"field_0": 1, "field_59": 2}
        assert len(app.query("ValueLine")) == 1


async def test_page_down_moves_the_focus_by_a_screenful_to_the_last_field_and_page_up_back() -> None:
    async with (app := Filling(MANY)).run_test(size=(80, 24)) as pilot:
        app.form.focus_first()
        await pilot.pause()
        places = []
        for key in ("pagedown", "pagedown", "pagedown", "pagedown", "pageup", "pageup", "pageup"):
            await pilot.press(key)
            places.append(app.focused_path()[0])
        assert places == ["field_22", "field_44", "field_59", "field_59", "field_37", "field_15", "field_0"]


async def test_scrolled_form_draws_the_fields_that_come_into_view() -> None:
    async with (app := Filling(MANY)).run_test(size=(80, 24)) as pilot:
        app.query_one(VerticalScroll).scroll_end(animate=False)
        await until(lambda: "field_59" in app.screen_text, "the last field is drawn")
        await pilot.click(app.node("field_59"))
        await pilot.press("7")
        assert app.form.arguments == {"field_59": 7}


async def test_problem_of_a_field_that_is_not_drawn_is_shown_at_it_and_reached() -> None:
    app = Filling(MANY, {f"field_{n}": "x" if n == 50 else UNSET for n in range(60)})
    async with app.run_test(size=(80, 24)) as pilot:
        await app.judged(pilot)
        assert not app.form.has_class("-wrong")
        await app.form.show_all_problems()
        await until(lambda: app.focused_path() == ("field_50",), "the wrong field has the focus")
        await until(lambda: "must be" in app.screen_text, "its problem is in view")


async def test_keys_typed_before_the_editor_is_built_are_not_lost() -> None:
    async with (app := Filling(props(a=TEXT, b=TEXT))).run_test(size=(80, 24)) as pilot:
        field = app.node("b")
        assert field.is_at_rest
        assert field.check_consume_key("5", "5")
        for key in "xyz":
            field.post_message(events.Key(key, key))
        await until(lambda: app.form.arguments == {"b": "xyz"}, "all keys are in the field")
        await pilot.press("!")
        assert app.form.arguments == {"b": "xyz!"}


async def test_choice_and_action_of_a_field_at_rest_are_clicked() -> None:
    words = {"type": "array", "items": TEXT, "default": ["a", "b"]}
    app = Filling(props(first=TEXT, flag={"type": "boolean"}, words=words))
    async with app.run_test(size=(80, 24)) as pilot:
        for path, word in ((("flag",), "true"), (("words", 0), "×")):
            field = app.node(*path)
            assert field.is_at_rest
            await pilot.click(field, offset=(str(field.render()).index(word) + field.gutter.left, 0))
        assert app.form.arguments == {"flag": True, "words": ["b"]}


async def test_choices_that_do_not_fit_a_row_are_marked_on_both_sides_and_all_shown_with_the_focus() -> None:
    cities = ["Amsterdam", "Brussels", "Copenhagen", "Dublin", "Edinburgh", "Florence", "Geneva", "Helsinki"]
    app = Filling(props(name=TEXT, city={"enum": cities, "default": "Edinburgh"}))
    async with app.run_test(size=(60, 12)) as pilot:
        app.form.focus_first()
        await pilot.pause()
        row = next(row for row in app.screen_text.splitlines() if "city" in row)
        assert "… ○ Copenhagen" in row
        assert "● Edinburgh" in row
        assert row.rstrip().endswith("…")
        await pilot.press("tab")
        await until(lambda: all(city in app.screen_text for city in cities), "all choices")
        assert "…" not in app.screen_text


async def test_name_of_a_property_typed_before_the_call_is_a_member_that_waits_for_its_value() -> None:
    app = Filling({"type": "object", "additionalProperties": {"type": "integer"}})
    async with app.run_test(size=(80, 20)) as pilot:
        app.query_one("ObjectBody > Input", Input).focus()
        await pilot.press(*"depth")
        app.form.read_editors()
        await until(lambda: app.focused_path() == ("depth",), "its place has the focus")
        await pilot.pause()
        assert app.form.state.unread == {("depth",): "has no value yet: type it, or the property is not sent"}
        assert "has no value yet" in app.screen_text
        await pilot.press("7")
        assert app.form.arguments == {"depth": 7}
        assert not app.form.state.unread


async def test_closed_field_of_a_recursive_schema_is_not_read_until_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Field] = []

    def noted(field: Field) -> Opened:
        read.append(field)
        return opened(field)

    monkeypatch.setattr(field_view, "opened", noted)
    hold = {"type": "object", "properties": {"inside": {"$ref": "#/$defs/hold"}}}
    app = Filling(props(first=TEXT, hold={"$ref": "#/$defs/hold"}) | {"$defs": {"hold": hold}})
    async with app.run_test(size=(80, 30)) as pilot:
        await app.judged(pilot)
        assert "open" in app.screen_text
        assert not any(isinstance(field, LazyField) for field in read)
        app.editor("hold").focus()
        await pilot.pause()
        await pilot.press("enter")
        assert app.form.arguments == {"hold": {}}
