"""Typing into fields of the shapes that schema generators write."""

from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot

from inspector.forms.fields import UNSET
from tests.tui.widgets.filling import Filling, props
from tests.waiting import until

SIZE = (100, 30)
NULL = {"type": "null"}
MODEL = props("x", x={"type": "integer"})
CIRCLE = props("kind", "r", kind={"const": "circle"}, r={"type": "number"})
SQUARE = props("kind", "s", kind={"const": "square"}, s={"type": "number"})
FORMAT = {"type": "string", "format": "time"}
LEVEL = {"enum": ["low", "high"], "type": "string"}


def either(*branches: Any, **more: Any) -> dict[str, Any]:
    return {"anyOf": list(branches), **more}


def optional(schema: Any) -> dict[str, Any]:
    return either(schema, NULL, default=None)


SHAPES: dict[str, tuple[Any, str, Any]] = {
    "int": ({"type": "integer"}, "5", 5),
    "int or null": (optional({"type": "integer"}), "5", 5),
    "str or null": (optional({"type": "string"}), "abc", "abc"),
    "float or null": (optional({"type": "number"}), "0.5", 0.5),
    "date or null": (optional({"type": "string", "format": "date"}), "2031-12-31", "2031-12-31"),
    "bool or null": (optional({"type": "boolean"}), "t", True),
    "list or null": (optional({"type": "array", "items": {"type": "string"}}), "abc", ["abc"]),
    "list of int or null": (optional({"type": "array", "items": {"type": "integer"}}), "12", [12]),
    "model or null": (optional(MODEL), "12", {"x": 12}),
    "types with default": ({"type": ["string", "null"], "default": "x"}, "ab", "ab"),
    "Option<u32>": ({"type": ["integer", "null"], "format": "uint32", "minimum": 0}, "7", 7),
    "no type": ({}, "abc", "abc"),
    "no type, titled": ({"title": "Data"}, '{"a": 1}', {"a": 1}),
    "int or str": (either({"type": "integer"}, {"type": "string"}), "5", 5),
    "str or list": (either({"type": "string"}, {"type": "array", "items": {"type": "string"}}), "ab", "ab"),
    "default": ({"type": "integer", "default": 10}, "25", 25),
    "ref with default": ({"allOf": [{"$ref": "#/$defs/n"}], "default": 3}, "8", 8),
    "enum or null": (optional(LEVEL), "h", "high"),
    "enum with null": ({"enum": ["low", "high", None]}, "h", "high"),
    "ref enum with default": ({"$ref": "#/$defs/level", "default": "low"}, "h", "high"),
    "nested lists": ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, "1", [[1]]),
    "list of models": ({"type": "array", "items": MODEL}, "1", [{"x": 1}]),
    "tuple": ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "maxItems": 2}, "4", [4]),
    "list as JSON": ({"type": "array", "items": {"type": "integer"}}, "[1, 2]", [1, 2]),
    "model as JSON": (optional(MODEL), '{"x": 3}', {"x": 3}),
    "union of models": ({"oneOf": [CIRCLE, SQUARE]}, "s\t\t2", {"kind": "square", "s": 2}),
    "union of models by its word": ({"oneOf": [CIRCLE, SQUARE]}, "square\t\t2", {"kind": "square", "s": 2}),
    "list of unions": (
        {"type": "array", "items": {"oneOf": [CIRCLE, SQUARE]}},
        "square\t\t2",
        [{"kind": "square", "s": 2}],
    ),
    "list of choices": ({"type": "array", "items": LEVEL}, "h", ["high"]),
    "record": ({"type": "object", "additionalProperties": {"type": "integer"}}, "key\n4", {"key": 4}),
    "record or null": (optional({"type": "object", "additionalProperties": {"type": "string"}}), "k\nv", {"k": "v"}),
    "literal": ({"const": "a"}, "a", "a"),
    "long choice": ({"enum": [f"country {at}" for at in range(40)]}, "country 17\n", "country 17"),
}
KEYS = {" ": "space", "\t": "tab", "\n": "enter", "[": "left_square_bracket"}


def schema_of(shape: Any) -> dict[str, Any]:
    return props(value=shape, after={"type": "string"}) | {"$defs": {"n": {"type": "integer"}, "level": LEVEL}}


async def press(pilot: Pilot[None], text: str) -> None:
    for each in text:
        await pilot.press(KEYS.get(each, each))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("way", ["typed", "entered", "arrows"])
async def test_field_takes_the_value_that_is_typed(name: str, way: str) -> None:
    shape, text, value = SHAPES[name]
    if way == "entered" and "as JSON" in name:
        way = "typed"  # Enter opens the first place, which is not one for the whole
    async with (app := Filling(schema_of(shape))).run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.pause()
        if way == "entered":
            await pilot.press("enter")
        elif way == "arrows":
            await pilot.press("down", "up")
        await press(pilot, text)
        await pilot.pause()
        assert app.form.arguments == {"value": value}


@pytest.mark.parametrize(
    "name", ["int or null", "str or null", "list or null", "model or null", "no type", "Option<u32>"]
)
async def test_unset_and_null_are_one_key_each(name: str) -> None:
    shape, text, _ = SHAPES[name]
    async with (app := Filling(schema_of(shape))).run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await press(pilot, text)
        await pilot.press("ctrl+n")
        assert app.form.arguments == {"value": None}
        assert "null" in app.screen_text
        await pilot.press("ctrl+l")
        assert app.form.arguments == {}
        assert "unset" in app.screen_text


async def test_a_default_is_replaced_by_typing_edited_by_arrows_and_restored_by_a_key() -> None:
    async with (app := Filling(props(n={"type": "integer", "default": 10}))).run_test(size=SIZE) as pilot:
        app.form.focus_first()
        assert "10 default" in app.screen_text
        assert app.form.arguments == {"n": 10}
        await pilot.press("end", "backspace", "5")
        assert app.form.arguments == {"n": 15}
        await pilot.press("ctrl+l")
        assert app.form.arguments == {}
        await pilot.press("ctrl+l", "7")
        assert app.form.arguments == {"n": 7}


async def test_the_kind_of_a_typed_value_is_shown_and_one_key_reads_it_as_the_next() -> None:
    app = Filling(props(value=either({"type": "integer"}, {"type": "string"})))
    async with app.run_test(size=SIZE) as pilot:
        app.form.focus_first()
        assert "integer or string" in app.screen_text
        await pilot.press("5")
        assert "integer or string" not in app.screen_text
        assert "integer" in app.screen_text
        assert "integer ^e" in app.screen_text, "the key is said beside it"
        await pilot.press("ctrl+e")
        assert app.form.arguments == {"value": "5"}
        assert "string ^e" in app.screen_text
        await pilot.press("ctrl+e", "6")
        assert app.form.arguments == {"value": 56}


async def test_unaccepted_text_is_kept_with_a_problem() -> None:
    async with (app := Filling(props(n=optional({"type": "integer"}), any={}))).run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.press("x")
        assert app.form.arguments == {"n": "x"}
        assert "is not an integer" in app.screen_text
        await pilot.press("tab")
        await press(pilot, "[1,")
        assert "is not JSON" in app.screen_text
        assert app.form.state.unread
        await press(pilot, "2]")
        assert app.form.arguments == {"n": "x", "any": [1, 2]}
        assert () not in app.form.state.unread


@pytest.mark.parametrize("value", ["5", 5, {"a": 1}, [1, "b"], "", None, True, 1.5])
@pytest.mark.parametrize("shape", [{}, either({"type": "integer"}, {"type": "string"}), optional({"type": "integer"})])
async def test_the_json_view_and_back_changes_no_value(shape: Any, value: Any) -> None:
    async with (app := Filling(props(value=shape), {"value": value})).run_test(size=SIZE) as pilot:
        await app.form.toggle_json()
        await app.form.toggle_json()
        app.form.read_editors()
        await pilot.pause()
        assert app.form.arguments == {"value": value}
        assert type(app.form.arguments["value"]) is type(value)


async def test_the_first_letter_after_add_item_reaches_the_new_item() -> None:
    app = Filling(props(tags={"type": "array", "items": {"type": "string"}}))
    async with app.run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await press(pilot, "ab\tax\txa")
        assert app.form.arguments == {"tags": ["ab", "ax", "xa"]}


async def test_three_optional_fields_take_one_row_each_and_twelve_keys() -> None:
    fields = {"n": {"type": "integer"}, "s": {"type": "string"}, "flag": {"type": "boolean"}}
    app = Filling(props(**{name: optional(each) for name, each in fields.items()}))
    async with app.run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await press(pilot, "5\tabc\tt")
        assert app.form.arguments == {"n": 5, "s": "abc", "flag": True}
        assert app.form.size.height <= 6


async def test_a_choice_takes_the_whole_word_that_is_typed() -> None:
    word = {"enum": ["abc", "abd", "in progress", "in review"]}
    app = Filling(props(flag={"type": "boolean"}, word=word, maybe=optional({"type": "boolean"})))
    async with app.run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await press(pilot, "true\tabd\tfalse")
        assert app.form.arguments == {"flag": True, "word": "abd", "maybe": False}
        await pilot.press("shift+tab")
        await press(pilot, "in review")
        assert app.form.arguments == {"flag": True, "word": "in review", "maybe": False}
        await press(pilot, "a")
        assert app.form.arguments == {"flag": True, "word": "abc", "maybe": False}


async def test_enter_on_a_choice_moves_to_the_next_field_as_on_a_line() -> None:
    flag = optional({"type": "boolean"})
    app = Filling(props(flag=flag, level=LEVEL, name=optional({"type": "string"})))
    async with app.run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.pause()
        await pilot.press("t", "enter", "h", "enter", *"abc")
        await until(lambda: app.form.arguments == {"flag": True, "level": "high", "name": "abc"}, "all three are set")


async def test_letters_that_begin_no_choice_are_not_dropped_without_a_word() -> None:
    async with (app := Filling(props(level=LEVEL))).run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.pause()
        await pilot.press("x")
        await until(lambda: "no choice begins with x" in app.screen_text, "the reason is shown")
        await pilot.press("h")
        await until(lambda: "no choice begins with xh" in app.screen_text, "the word is shown")
        assert app.form.arguments == {}
        assert app.form.problem_count == 1, "a call would ask first"
        await pilot.press("backspace")
        await until(lambda: "no choice begins with" not in app.screen_text, "it is gone with the word")
        assert app.form.problem_count == 0
        await pilot.press("h")
        assert app.form.arguments == {"level": "high"}


async def test_a_full_list_has_no_line_to_add_an_item() -> None:
    pair = {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}
    app = Filling(props(pair=pair, most={"type": "array", "items": {"type": "integer"}, "maxItems": 1}))
    async with app.run_test(size=SIZE) as pilot:
        await app.form.take({"pair": [5], "most": []})
        await until(lambda: app.screen_text.count("+ Add item") == 2, "each has space for one")
        await app.form.take({"pair": [5, "five"], "most": [1]})
        await until(lambda: "five" in app.screen_text and "+ Add item" not in app.screen_text, "both are full")
        await pilot.pause()


async def test_items_of_a_tuple_are_neither_removed_nor_moved_and_those_behind_them_are() -> None:
    pair = [{"type": "integer"}, {"type": "string"}]
    app = Filling(props(t={"type": "array", "prefixItems": pair, "minItems": 2, "items": {"type": "integer"}}))
    async with app.run_test(size=SIZE) as pilot:
        await app.form.take({"t": [5, "five", 6, 7]})
        await until(lambda: "7" in app.screen_text, "the items")
        rows = [line for line in app.rows() if line.strip("▏ ")[:1] in ("1", "2", "3", "4")]
        assert ["↑  ↓  ×" in line for line in rows] == [False, False, True, True]
        app.form.focus_first()
        await pilot.press("shift+down", "down", "down", "shift+up", "shift+down")
        assert app.form.arguments == {"t": [5, "five", 7, 6]}, "the third stays behind the tuple"


async def test_enter_begins_to_type_goes_on_once_the_value_has_changed_and_passes_fields_that_it_leads_to() -> None:
    app = Filling(props(a={"type": "string"}, flag={"type": "boolean"}, c={"type": "string"}))
    async with app.run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.pause()
        await pilot.press("enter", "x", "enter", "enter", "y")
        await until(lambda: app.form.arguments == {"a": "x", "c": "y"}, "the choice is passed")
        await pilot.press("up", "enter", "f", "enter", "z")
        await until(lambda: app.form.arguments == {"a": "x", "flag": False, "c": "yz"}, "the choice is made")


async def test_an_added_item_is_visibly_not_sent_until_it_is_typed_and_one_key_removes_it() -> None:
    app = Filling(props(tags={"type": "array", "items": {"type": "string"}}))
    async with app.run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await press(pilot, "ab\tcd\t\n")
        await until(lambda: "unset, not sent" in app.screen_text, "the third item is not sent")
        assert app.form.arguments == {"tags": ["ab", "cd"]}
        await pilot.press("ctrl+l")
        await until(lambda: "unset, not sent" not in app.screen_text, "it is removed")
        assert app.focused is app.editor("tags", 1)
        await pilot.press("ctrl+l")
        await until(lambda: app.form.arguments == {"tags": ["ab"]}, "so is the second one")
        await pilot.press("ctrl+z")
        await until(lambda: app.form.arguments == {"tags": ["ab", "cd"]}, "it is back")


async def test_one_key_removes_an_object_from_a_list_and_a_property_of_any_name() -> None:
    record = {"type": "object", "additionalProperties": {"type": "integer"}}
    app = Filling(props(many={"type": "array", "items": MODEL}, record=record))
    async with app.run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.press("1")
        await until(lambda: app.form.arguments == {"many": [{"x": 1}]}, "there is an item")
        await pilot.press("ctrl+l", "ctrl+l")
        await until(lambda: app.form.arguments == {"many": []}, "it is removed with its last value")
        app.editor("record").focus()
        await press(pilot, "k\n5")
        await until(lambda: app.form.arguments == {"many": [], "record": {"k": 5}}, "there is a property")
        await pilot.press("ctrl+l")
        await until(lambda: app.form.arguments == {"many": [], "record": {}}, "it is removed")


async def test_object_of_any_properties_has_a_hint_how_to_add_one() -> None:
    async with (app := Filling(props(record={"type": "object"}))).run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.press("enter")
        await until(lambda: "Any properties: type a name, ⏎, then its value." in app.screen_text, "how to add one")


async def test_choices_at_rest_keep_the_order_of_the_schema() -> None:
    words = ["asc", "desc", 1, None, "a long title of a choice", "another long title of a choice", "the last of all"]
    app = Filling(
        props(a={"type": "string"}, pick={"enum": words}), {"a": UNSET, "pick": "another long title of a choice"}
    )
    async with app.run_test(size=(70, 20)):
        await until(lambda: "● another" in app.screen_text, "the choice is shown")
        line = next(each for each in app.screen_text.splitlines() if "● another" in each)
        assert "asc" not in line
        await app.form.take({"pick": "desc"})
        await until(lambda: "● desc" in app.screen_text, "the other choice is shown")
        line = next(each for each in app.screen_text.splitlines() if "● desc" in each)
        assert line.index("asc") < line.index("● desc") < line.index("○ 1 ") < line.index("null")


@pytest.mark.parametrize("value", [None, UNSET, 10])
async def test_space_changes_no_state_of_a_number(value: Any) -> None:
    app = Filling(
        props(n=either({"type": "integer"}, NULL, default=10), s={"type": "string"}), {"n": value, "s": UNSET}
    )
    async with app.run_test(size=SIZE) as pilot:
        app.form.focus_first()
        before: Any = app.form.arguments
        await pilot.press("space")
        assert app.form.arguments == before
        assert {None: "null", UNSET: "unset", 10: "10 default"}[value] in app.screen_text
        await pilot.press("tab", "space")
        await until(lambda: app.form.arguments == {**before, "s": " "}, "a blank is a string")


async def test_arrows_in_an_empty_line_lead_through_the_branches_and_back_to_none() -> None:
    app = Filling(props(value=either({"type": "number"}, {"type": "string"}, NULL, default=None)))
    async with app.run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.press("right", "left", "1")
        await until(lambda: app.form.arguments == {"value": 1}, "no branch is chosen")
        await pilot.press("backspace", "left", "1")
        await until(lambda: app.form.arguments == {"value": "1"}, "the last branch is chosen")


async def test_no_letter_typed_at_the_branches_of_a_union_unsets_it() -> None:
    text = props("unit", unit={"type": "string"})
    async with (app := Filling(props(value={"oneOf": [text, MODEL]}))).run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.press(*"ur")
        await until(lambda: app.form.arguments == {"value": {"unit": "ur"}}, "all is typed into the first branch")


async def test_the_name_of_the_first_member_is_the_first_place_of_a_required_record() -> None:
    record = {"type": "object", "additionalProperties": {"type": "integer"}}
    async with (app := Filling(props("counts", counts=record, z={"type": "string"}))).run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.pause()
        await press(pilot, "key\n4")
        assert app.form.arguments == {"counts": {"key": 4}}


@pytest.mark.parametrize("shape", [FORMAT, optional(FORMAT), {"type": "array", "items": FORMAT}])
async def test_a_text_of_another_format_is_a_hint_and_is_sent(shape: Any) -> None:
    async with (app := Filling(props(at=shape))).run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.pause()
        await press(pilot, "10:20")
        await app.judged(pilot)
        assert "▲ is not a time with its zone, such as 23:59:59Z" in app.screen_text
        assert app.form.problem_count == 0
        assert not app.form.state.is_wrong
        await pilot.press("tab")
        assert "▲ is not a time with its zone, such as 23:59:59Z" in app.screen_text, "also at rest"
        await app.form.toggle_json()
        await until(lambda: "is not a time with its zone" in app.screen_text, "it is also above the JSON")


async def test_enter_begins_to_type_in_a_block_as_in_a_line() -> None:
    block = {"type": "string", "contentMediaType": "application/json"}
    async with (app := Filling(props(body=block))).run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.pause()
        await pilot.press("enter", *"ab", "enter", "c")
        assert app.form.arguments == {"body": "ab\nc"}


NAMES = {"type": "array", "items": {"type": "string"}}


async def test_a_letter_goes_into_the_first_item_also_if_the_form_is_entered_again() -> None:
    async with (app := Filling(props(tags={**NAMES, "default": ["p", "q"]}))).run_test(size=SIZE) as pilot:
        for _ in range(2):
            app.form.focus_first()
            await pilot.pause()
        await pilot.press("r")
        assert app.form.arguments == {"tags": ["pr", "q"]}


async def test_a_row_is_one_stop_on_the_way_up_and_takes_letters() -> None:
    async with (app := Filling(props(tags=NAMES), {"tags": ["a", "b", "c"]})).run_test(size=SIZE) as pilot:
        app.node("tags", 2).focus()
        await pilot.pause()
        await pilot.press("up", "x", "up", "y")
        assert app.form.arguments == {"tags": ["ay", "bx", "c"]}


async def test_an_item_is_moved_from_its_editor() -> None:
    async with (app := Filling(props(tags=NAMES), {"tags": ["a", "b", "c"]})).run_test(size=SIZE) as pilot:
        app.node("tags", 1).focus()
        await pilot.pause()
        await pilot.press("shift+up", "1")
        assert app.form.arguments == {"tags": ["b1", "a", "c"]}
        await pilot.press("shift+up", "shift+down", "shift+down", "shift+down", "2")
        assert app.form.arguments == {"tags": ["a", "c", "b12"]}


@pytest.mark.parametrize(
    ("shape", "text", "value"),
    [
        (MODEL, "4", {"x": 4}),
        (NAMES, "a", ["a"]),
        ({"oneOf": [CIRCLE, SQUARE]}, "square\t\t2", {"kind": "square", "s": 2}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "key\n4", {"key": 4}),
    ],
)
@pytest.mark.parametrize("is_folded", [False, True])
async def test_letters_at_the_head_of_a_group_go_to_its_first_place(
    shape: Any, text: str, value: Any, is_folded: bool
) -> None:
    app = Filling(props("value", value=shape), {"value": [] if shape is NAMES else {}})
    async with app.run_test(size=SIZE) as pilot:
        app.query("FormBar").first().focus()
        await pilot.pause()
        await pilot.press(*["enter"] * is_folded)
        await press(pilot, text)
        assert app.form.arguments == {"value": value}


@pytest.mark.parametrize(
    ("shape", "text", "value"),
    [
        ({"type": "string"}, "a\nb\n\nc", "a\nb\n\nc"),
        ({"type": "string"}, "one line\n", "one line"),
        ({"type": "integer"}, "5\r\n", 5),
        (optional({"type": "string"}), "a\r\nb", "a\nb"),
        (MODEL, '{\n "x": 3\n}\n', {"x": 3}),
        (NAMES, '[\n "a",\n "b"\n]', ["a", "b"]),
        (NAMES, "a\nb", ["a\nb"]),
        ({}, '{\n "a": 1\n}', {"a": 1}),
        ({"type": "string", "format": "password"}, "key\nend", "key\nend"),
    ],
)
async def test_all_lines_of_a_pasted_text_are_taken(shape: Any, text: str, value: Any) -> None:
    async with (app := Filling(props(value=shape))).run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.pause()
        app.post_message(Paste(text))
        await until(lambda: app.form.arguments == {"value": value}, "the value is all of the text")
        assert ("key" in app.screen_text) is False


@pytest.mark.parametrize("offset", [(6, 0), (40, 0)])
async def test_a_click_on_the_head_of_a_group_goes_to_its_first_place(offset: tuple[int, int]) -> None:
    async with (app := Filling(props("value", value=MODEL))).run_test(size=SIZE) as pilot:
        await pilot.click(app.query("FormBar").first(), offset=offset)
        await pilot.press("4")
        assert app.form.arguments == {"value": {"x": 4}}


async def test_a_click_on_the_sign_of_a_group_folds_it() -> None:
    async with (app := Filling(props("value", value=MODEL))).run_test(size=SIZE) as pilot:
        await pilot.click(app.query("FormBar").first(), offset=(0, 0))
        assert app.node("value").has_class("-folded")


RECORD = {"type": "object", "additionalProperties": {"type": "integer"}}


@pytest.mark.parametrize("key", ["enter", "tab"])
async def test_a_json_object_in_place_of_a_name_is_all_of_its_members(key: str) -> None:
    async with (app := Filling(props("counts", counts=RECORD), {"counts": {"a": 1}})).run_test(size=SIZE) as pilot:
        app.query_one("ObjectBody > .body--more").focus()
        await pilot.pause()
        await press(pilot, '{"b": 2, "c": 3}')
        await pilot.press(key)
        await until(lambda: app.form.arguments == {"counts": {"a": 1, "b": 2, "c": 3}}, "the members are there")


async def test_enter_on_a_name_that_exists_goes_to_its_value() -> None:
    async with (app := Filling(props("counts", counts=RECORD), {"counts": {"a": 1, "b": 2}})).run_test(
        size=SIZE
    ) as pilot:
        app.query("ObjectBody > .body--more").last().focus()
        await pilot.pause()
        await press(pilot, "a\n5")
        assert app.form.arguments == {"counts": {"a": 15, "b": 2}}


async def test_a_space_in_a_word_that_begins_no_choice_chooses_nothing() -> None:
    async with (app := Filling(props(flag={"type": "boolean"}))).run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.pause()
        await press(pilot, "an idea")
        await until(lambda: "no choice begins with an idea" in app.screen_text, "the text is shown")
        assert app.form.arguments == {}
