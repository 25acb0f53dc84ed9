"""A line that can be pressed."""

from typing import Any

from inspector.forms.fields import UNSET
from inspector.forms.read_schema import read_schema
from inspector.present.spans import Span, plain
from inspector.tui.widgets.schema_form.fields import FieldNode
from inspector.tui.widgets.schema_form.view import (
    REMOVE,
    UP,
    FieldAction,
    FieldPlace,
    FormBar,
    about,
    has_head,
    head_spans,
    kind_words,
    state_of,
)
from inspector.tui.widgets.schema_form.view import field_actions as view_actions
from tests.tui.screen_text import shows, text
from tests.tui.widgets.filling import TEXT, Filling, props
from tests.tui.widgets.showing import Showing

ADD = FieldAction("add", "+ add")


def actions(app: Showing) -> list[str]:
    return [message.action for message in app.posted if isinstance(message, FormBar.Pressed)]


class Bars(Showing):
    def on_form_bar_pressed(self, event: FormBar.Pressed) -> None:
        self.posted.append(event)


async def test_enter_does_the_first_thing_and_letters_the_others() -> None:
    app = Bars(FormBar([("crew", "strong")], [FieldAction("fold", "fold"), UP, REMOVE]))
    async with app.run_test(size=(60, 3)) as pilot:
        app.query_one(FormBar).focus()
        await pilot.press("enter", "x d", "x up")
        assert actions(app) == ["fold", "remove", "up"]


async def test_the_letters_are_shown_only_with_the_focus() -> None:
    async with (app := Bars(FormBar([("crew", "strong")], [ADD, REMOVE]))).run_test(size=(60, 3)):
        app.screen.set_focus(None)
        await shows(app, "× remove")
        assert "remove x d" not in text(app)
        app.query_one(FormBar).focus()
        await shows(app, "remove x d")


async def test_a_click_does_what_was_clicked() -> None:
    async with (app := Bars(FormBar([("crew", "strong")], [ADD, REMOVE]))).run_test(size=(60, 3)) as pilot:
        app.screen.set_focus(None)
        await pilot.pause()
        await pilot.click(FormBar, offset=(text(app).index("remove"), 0))
        await pilot.click(FormBar, offset=(1, 0))
        assert actions(app) == ["remove", "add"]


async def test_a_line_without_actions_takes_no_focus() -> None:
    async with (app := Bars(FormBar([("name", "strong")]))).run_test(size=(60, 3)):
        assert not app.query_one(FormBar).focusable


async def test_a_full_line_keeps_its_actions_and_cuts_its_words() -> None:
    async with (app := Bars(FormBar([("n" * 100, "strong")], [ADD]))).run_test(size=(40, 3)):
        first, second = app.rows()[:2]
        assert "…" in first
        assert "+ add" in second


async def test_field_head_wraps_to_the_next_line() -> None:
    spans: list[Span] = [
        ("callsign", "strong"),
        ("  Call sign of the ship", "text"),
        ("  text · matches ^[A-Z]{2,4}$", "faint"),
    ]
    async with (app := Bars(FormBar(spans, [ADD, REMOVE]))).run_test(size=(44, 5)) as pilot:
        bar = app.query_one(FormBar)
        app.screen.set_focus(None)
        await pilot.pause()
        assert [row.rstrip() for row in app.rows()[:3]] == [
            "callsign  Call sign of the ship",
            "  text · matches ^[A-Z]{2,4}$",
            "  + add  × remove",
        ]
        await pilot.click(FormBar, offset=(12, 2))
        await pilot.click(FormBar, offset=(12, 1))
        assert actions(app) == ["remove", "add"]
        bar.show(spans[:1])
        await pilot.pause()
        assert app.rows()[0].rstrip() == "callsign  + add ⏎  × remove x d"
        assert bar.size.height == 1


def head(schema: Any, name: str = "x", shape: str = "line", value: Any = UNSET) -> str:
    return plain(head_spans(read_schema(schema), FieldPlace(name), shape, value, folded=False))


def test_field_head_describes_the_schema() -> None:
    assert (
        head({"type": "string", "minLength": 2, "maxLength": 9, "format": "email"})
        == "x  string · 2–9 characters · email"
    )
    assert head({"type": "integer", "minimum": 1, "maximum": 5}) == "x  integer · 1–5"
    assert head({"type": "string", "title": "Call sign"}) == "x  Call sign  string"


def test_a_title_that_only_repeats_the_name_is_left_out() -> None:
    assert head({"type": "string", "title": "Home port"}, "home_port") == "home_port  string"


def test_states_are_words() -> None:
    assert state_of(read_schema({"type": "object"}), UNSET, "opener")[0] == "unset  ⏎ open"
    assert state_of(read_schema({"type": "string"}), None, "line") == ("null", "")
    assert state_of(read_schema({"type": "integer", "default": 10}), 10, "line") == ("10 default", "10")
    assert state_of(read_schema({"type": "string"}), "", "line") == ('empty text ""', "")
    assert "2 now" in head({"type": "array", "items": {"type": "string"}}, shape="list", value=["a", "b"])


def test_the_words_of_a_schema_are_made_safe() -> None:
    shown = head({"type": "string", "title": "\x1b[31mred", "pattern": "\x07"}, "\u202ename")
    assert "\x1b" not in shown
    assert "‹U+202E›name" in shown
    assert "\x07" not in shown


def test_field_actions_depend_on_the_place() -> None:
    text, group = read_schema({"type": "string"}), read_schema({"type": "object"})
    names = [
        action.name
        for action in view_actions(text, FieldPlace("1", item=0, of=2, removable=True), "line", folded=False)
    ]
    assert names == ["up", "down", "remove"]
    assert [action.name for action in view_actions(group, FieldPlace("g"), "object", folded=False)] == [
        "fold",
        "remove",
    ]
    assert view_actions(text, FieldPlace("t"), "line", folded=False) == []


def test_a_bare_place_has_no_head() -> None:
    assert not has_head(FieldPlace(bare=True))
    assert has_head(FieldPlace("x"))


def test_kind_words_name_each_type_once() -> None:
    either = {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}
    assert kind_words(read_schema(either)) == "integer or string or null"
    assert kind_words(read_schema({"type": ["integer", "null"]})) == "integer or null"
    assert kind_words(read_schema({})) == "any"
    assert kind_words(read_schema({"type": "fathoms"})) == "JSON"
    assert head({"type": ["integer", "null"], "minimum": 0}) == "x  integer or null · ≥ 0"


def test_missing_form_has_a_reason() -> None:
    assert "Edit as JSON: its type is 'fathoms'" in about(read_schema({"type": "fathoms"}), "json")
    assert "another type" in about(read_schema({"type": "string"}), "json")
    assert about(read_schema({"type": "string", "examples": ["a b"]}), "line") == 'Example: "a b"'


async def test_every_kind_of_field_is_drawn_with_its_value() -> None:
    schema = props(
        "name",
        name=TEXT,
        age={"type": "integer", "minimum": 0},
        awake={"type": "boolean"},
        colour={"enum": ["red", "blue"]},
        tags={"type": "array", "items": {"enum": ["x", "y"]}},
        form={"const": "GR-12"},
        bare={"type": "null"},
        thing=True,
        big={"enum": [f"port {n}" for n in range(50)]},
    )
    app = Filling(schema, {"name": "Ann", "age": 7, "awake": True, "colour": "blue", "tags": ["y"], "thing": {"k": 1}})
    async with app.run_test(size=(90, 60)):
        shown = app.screen_text
    for word in (
        "name *",
        " Ann",
        " 7",
        "● true",
        "● blue",
        "✓ y",
        "○ GR-12",
        '"k": 1',
        "one of 50",
        "unset  ⏎ choose",
    ):
        assert word in shown, word


async def test_schema_text_is_shown_literally() -> None:
    hostile = {"type": "string", "title": "[bold]t[/]", "description": "\x1b[5mblinks [@click=app.quit]x[/]"}
    async with (app := Filling(props(**{"\x1b]0;n\x07": hostile}))).run_test(size=(90, 12)):
        assert "[bold]t[/]" in app.screen_text
        assert "␛[5mblinks [@click=app.quit]x[/]" in app.screen_text
        assert "␛]0;n␇" in app.screen_text
        assert all(widget.id is None for widget in app.query(FieldNode))


async def test_a_long_description_is_shown_in_full_where_the_focus_is() -> None:
    app = Filling(props(a={"type": "string", "description": "word " * 40 + "the end"}, b=TEXT))
    async with app.run_test(size=(60, 24)) as pilot:
        app.editor("b").focus()
        await pilot.pause()
        assert "the end" not in app.screen_text
        app.editor("a").focus()
        await pilot.pause()
        assert "the end" in app.screen_text


async def test_unset_null_and_empty_look_different() -> None:
    either = {"type": ["string", "null"]}
    app = Filling(props(a=either, b=either, c=either), {"a": UNSET, "b": None, "c": ""})
    async with app.run_test(size=(60, 20)):
        rows = [row.strip(" ▌") for row in app.rows() if row.strip()]
    assert any(row.endswith(" unset") for row in rows)
    assert any(row.endswith(" null") for row in rows)
    assert any(row.endswith('empty text ""') for row in rows)
