"""A schema as a form and its value as JSON: two views of one value."""

import gc
from typing import Any, ClassVar

import pytest
from textual.binding import Binding, BindingType
from textual.widgets import TextArea

from inspector.demo.tools_content import TOOL
from inspector.forms.fields import UNSET
from inspector.forms.values import FormValue
from inspector.tui.widgets.schema_form import form
from inspector.tui.widgets.schema_form.fields import FieldNode
from inspector.tui.widgets.schema_form.form import SchemaForm
from inspector.tui.widgets.schema_form.state import FormState
from tests.tui.widgets.filling import TEXT, Filling, props
from tests.waiting import until


def json_of(app: Filling) -> TextArea:
    return app.form.query_one(".form--json", TextArea)


async def test_json_text_and_form_follow_each_other() -> None:
    app = Filling(props(a=TEXT, b={"type": "integer"}), {"a": "x", "b": UNSET})
    async with app.run_test(size=(80, 24)) as pilot:
        await app.form.toggle_json()
        assert json_of(app).text == '{\n  "a": "x"\n}'
        json_of(app).text = '{"a": "y", "b": 7, "c": null}'
        await pilot.pause()
        await app.form.toggle_json()
        await pilot.pause()
        assert app.form.arguments == {"a": "y", "b": 7, "c": None}
        assert " y" in app.screen_text
        app.editor("b").focus()
        await pilot.press("end", "1")
        await app.form.toggle_json()
        assert '"b": 71' in json_of(app).text


async def test_invalid_json_text_keeps_the_last_value() -> None:
    async with (app := Filling(props(a=TEXT), {"a": "x"})).run_test(size=(100, 24)) as pilot:
        await app.form.toggle_json()
        json_of(app).text = '{"a": "y"}'
        await pilot.pause()
        json_of(app).text = '{"a": \n nope}'
        await pilot.pause()
        assert app.form.json_problem
        assert "line 2, column 2" in app.screen_text
        assert app.form.arguments == {"a": "y"}
        await app.form.toggle_json()
        await pilot.pause()
        assert not app.form.json_problem
        assert " y" in app.screen_text


async def test_any_json_can_be_written_and_an_empty_text_is_nothing() -> None:
    async with (app := Filling(props(a=TEXT))).run_test(size=(100, 24)) as pilot:
        await app.form.toggle_json()
        json_of(app).text = "[1]"
        await pilot.pause()
        sent = [app.form.arguments]
        json_of(app).text = " "
        await pilot.pause()
        assert [*sent, app.form.arguments] == [[1], UNSET]


async def test_problems_are_listed_above_the_json() -> None:
    app = Filling(props(a=props(b={"type": "integer"})), {"a": {"b": "no"}})
    async with app.run_test(size=(100, 24)) as pilot:
        await app.form.toggle_json()
        await app.judged(pilot)
        assert "✗ a.b must be an integer" in app.screen_text


async def test_insisting_shows_what_is_missing_and_goes_there() -> None:
    app = Filling(props("a", "b", a=TEXT, b=TEXT), {"a": "x", "b": UNSET})
    async with app.run_test(size=(100, 24)) as pilot:
        await app.judged(pilot)
        assert "is required" not in app.screen_text
        assert app.form.problem_count == 1
        await app.form.show_all_problems()
        await pilot.pause()
        assert "✗ is required" in app.screen_text
        assert app.focused is app.editor("b")


async def test_problem_of_the_whole_value_is_above_the_fields() -> None:
    app = Filling({"type": "object", "properties": {"a": TEXT}, "minProperties": 2}, {"a": "x"})
    async with app.run_test(size=(100, 24)) as pilot:
        await app.judged(pilot)
        assert app.form.has_class("-wrong")


async def test_a_broken_schema_is_drawn_as_far_as_it_goes() -> None:
    schema: Any = {"type": "object", "properties": {"a": {"type": "fathoms"}, "b": 7, "c": TEXT}, "required": "a"}
    async with (app := Filling(schema)).run_test(size=(100, 30)) as pilot:
        await app.judged(pilot)
        assert "fathoms" in app.screen_text
        app.editor("c").focus()
        await pilot.press("x")
        assert app.form.arguments == {"c": "x"}


async def test_a_value_too_large_for_a_form_is_written_as_json_and_the_next_one_is_a_form_again() -> None:
    app = Filling({"type": "array", "items": {"type": "array", "items": TEXT}}, [["x"] * 150] * 20)
    async with app.run_test(size=(100, 30)) as pilot:
        shown_as_json = [app.form.as_json]
        assert "Too large for a form" in app.screen_text
        await app.form.load(props(a=TEXT))
        await pilot.pause()
        assert [*shown_as_json, app.form.as_json] == [True, False]
        assert "Too large" not in app.screen_text


async def test_no_garbage_is_collected_while_a_schema_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    collects: list[bool] = []

    class Noting(FormState):
        def __init__(self, schema: object, value: FormValue = UNSET) -> None:
            collects.append(gc.isenabled())
            super().__init__(schema, value)

    monkeypatch.setattr(form, "FormState", Noting)
    async with (app := Filling(props(a=TEXT))).run_test(size=(80, 24)):
        collects.clear()
        await app.form.load(props(**{f"p{n}": TEXT for n in range(3000)}))
        assert (collects, gc.isenabled()) == ([False], True)
        assert app.form.arguments == {}


async def test_the_longest_schema_of_the_demo_is_filled_by_taking_a_value() -> None:
    app = Filling(TOOL.input_schema)
    value = {
        "ship": {"name": "Grey Gull"},
        "sighted_at": "2026-11-22T00:00:00Z",
        "crew": [{"name": "Ann", "role": "captain"}],
        "cargo": {"label": "oil", "inside": [{"label": "lamp", "inside": [{"label": "wick"}]}]},
        "bound_for": {"latitude": 1, "longitude": 2},
    }
    async with app.run_test(size=(100, 120)) as pilot:
        await app.form.take(value)
        await app.judged(pilot)
        assert app.form.arguments == value
        assert app.form.problem_count == 0
        assert app.node("cargo", "inside", 0, "inside", 0, "label").value == "wick"


async def test_late_verdict_does_not_apply_to_another_value() -> None:
    async with (app := Filling(props(a={"type": "integer"}), {"a": "no"})).run_test(size=(100, 24)) as pilot:
        verdict = await app.form.judge()
        assert verdict.ok is False
        await app.form.take({"a": 1})
        await app.judged(pilot)
        assert app.form.problem_count == 0
        await until(lambda: not any(node.is_wrong for node in app.query(FieldNode)), "no field is wrong")


async def test_form_change_is_posted() -> None:
    class Hearing(Filling):
        heard = 0

        def on_schema_form_changed(self, event: SchemaForm.Changed) -> None:
            assert event.control is self.form
            self.heard += 1

    async with (app := Hearing(props(a=TEXT))).run_test(size=(60, 12)) as pilot:
        before = app.heard
        app.editor("a").focus()
        await pilot.press("x")
        assert app.heard > before


GROUPED = props(first=TEXT, ship=props("name", name=TEXT, flag={"type": "boolean"}), last={"type": "integer"})
A_SHIP = {"first": "a", "ship": {"name": UNSET, "flag": True}, "last": 5}


async def test_the_way_down_goes_from_value_to_value_and_the_way_up_by_the_lines_of_groups_too() -> None:
    async with (app := Filling(GROUPED, A_SHIP)).run_test(size=(100, 30)) as pilot:
        app.editor("first").focus()
        await pilot.pause()
        for key, path in (("down", ("ship", "name")), ("tab", ("ship", "flag")), ("down", ("last",))):
            await pilot.press(key)
            assert app.focused_path() == path
        await pilot.press("up", "shift+tab")
        assert app.focused_path() == ("ship", "name")
        await pilot.press("up")
        assert app.focused is app.node("ship").query("FormBar").first()


async def test_a_folded_group_is_a_stop_on_the_way_down() -> None:
    async with (app := Filling(GROUPED, A_SHIP)).run_test(size=(100, 30)) as pilot:
        head = app.node("ship").query("FormBar").first()
        head.focus()
        await pilot.press("enter")
        app.editor("first").focus()
        await pilot.press("down")
        assert app.focused is head
        await pilot.press("down")
        assert app.focused_path() == ("last",)


async def test_a_folded_group_counts_what_is_wrong_within_and_insisting_unfolds_it() -> None:
    app = Filling(GROUPED, {"first": "a", "ship": {"name": 5, "flag": True}, "last": "x"})
    async with app.run_test(size=(100, 30)) as pilot:
        await app.judged(pilot)
        head = app.node("ship").query("FormBar").first()
        head.focus()
        await pilot.press("enter")
        assert "✗ 1" in next(line for line in app.screen_text.split("\n") if "ship" in line)
        await app.form.show_all_problems()
        await pilot.pause()
        assert "must be a string" in app.screen_text
        assert app.focused is app.editor("ship", "name")
        assert "✗ 1" not in app.screen_text


async def test_a_key_that_means_nothing_on_a_line_of_the_form_does_nothing_elsewhere() -> None:
    class Heard(Filling):
        BINDINGS: ClassVar[list[BindingType]] = [Binding(key, "hear", "Hear") for key in "126qMn.h/"]
        heard = 0

        def action_hear(self) -> None:
            self.heard += 1

    async with (app := Heard(GROUPED, A_SHIP)).run_test(size=(100, 30)) as pilot:
        for line in (app.node("ship").query("FormBar").first(), app.editor("ship", "flag")):
            line.focus()
            await pilot.press(*"Main126qh./")
        assert app.heard == 0


async def test_typing_appends_and_control_u_clears() -> None:
    async with (app := Filling(GROUPED, A_SHIP)).run_test(size=(100, 30)) as pilot:
        app.editor("ship", "flag").focus()
        await pilot.press("down", *"20")
        assert app.form.arguments == {"first": "a", "ship": {"flag": True}, "last": 520}
        await pilot.press("ctrl+u", *"20")
        await app.judged(pilot)
        assert app.form.arguments == {"first": "a", "ship": {"flag": True}, "last": 20}


async def test_the_line_with_the_focus_has_a_sign_without_colours() -> None:
    app = Filling(props(ship=props(crew={"type": "array", "items": TEXT})), {"ship": {"crew": ["Ann"]}})
    async with app.run_test(size=(100, 30)) as pilot:
        app.screen.set_focus(None)
        await pilot.pause()
        before = app.screen_text.count("▌")
        for line in (app.node("ship").query("FormBar").first(), app.query("ListBody > ValueLine").last()):
            line.focus()
            await pilot.pause()
            assert app.screen_text.count("▌") > before


async def test_wrong_field_and_focused_field_differ() -> None:
    app = Filling(props(a={"type": "integer"}, b=TEXT), {"a": "x", "b": ""})
    async with app.run_test(size=(100, 30)) as pilot:
        app.editor("b").focus()
        await app.judged(pilot)
        await until(lambda: app.node("a").is_wrong, "it is said what is wrong")
        await pilot.pause()
        rows = app.screen_text.split("\n")
        assert len([row for row in rows if "▌" in row]) == 1
        assert "┃" in app.screen_text


async def test_load_of_a_schema_leaves_no_problem_of_the_one_before() -> None:
    async with Filling(["no schema"]).run_test() as pilot:
        shown = pilot.app.query_one(SchemaForm)
        await shown.judge()
        assert shown.has_class("-wrong")
        await shown.load(props(a=TEXT))
        assert not shown.has_class("-wrong")
        await shown.judge()
        assert not shown.has_class("-wrong")


async def test_a_form_without_a_schema_yet_accuses_none() -> None:
    async with Filling(None).run_test() as pilot:
        shown = pilot.app.query_one(SchemaForm)
        await until(lambda: shown.is_ready, "it is laid out")
        assert shown.state.verdict is None
        assert not shown.query(FieldNode)
