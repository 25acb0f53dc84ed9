"""Keys that arrive at once act one after the other, as if each had been pressed after the previous one was shown."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol.capabilities import ALL
from inspector.protocol.frames import Direction
from inspector.protocol.revisions._shape import Era
from inspector.tui.app import InspectApp
from inspector.tui.navigation import Navigation
from inspector.tui.screens.inbox.server_request import QuestionPane
from inspector.tui.widgets.schema_form.field_view import FieldView
from inspector.tui.widgets.schema_form.form import SchemaForm
from tests.servers.fields import KINDS, MANY
from tests.servers.real import ROOT
from tests.stories.persons import SIZE, Person, at_the_screen
from tests.stories.terminals import Window
from tests.waiting import until

SERVER = (sys.executable, "-m", "tests.servers.fields")


@asynccontextmanager
async def before(size: tuple[int, int] = SIZE) -> AsyncIterator[Person]:
    """A person before the app on the server with fields of all kinds."""
    environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"])
    target = StdioTarget(SERVER, environment, str(ROOT))
    more: dict[str, Any] = {"offers": frozenset(ALL), "has_person": True, "era": Era.LEGACY}
    async with at_the_screen(target, None, size, **more) as person:
        await person.sees("● Connected", "→ tools/list")
        yield person


async def at_tool(person: Person, name: str) -> None:
    """Choose a tool; its form has the focus afterwards."""
    await person.press("2", shows=f" {name}")
    await person.press("slash", *name, shows=(f"▌ {name}", "✓"))
    await person.press_quickly("enter", "enter")


def app_of(person: Person) -> InspectApp:
    app = person.pilot.app
    assert isinstance(app, InspectApp)
    return app


def sent(person: Person, method: str) -> list[Any]:
    """The params of each request of a method that went to the server."""
    return [message.get("params") for message in person.wire().sent(method)]


def answered(person: Person) -> list[Any]:
    """The content of each response that went to the server."""
    sent = [json.loads(each.payload) for each in person.wire().frames if each.direction is Direction.TO_SERVER]
    return [each["result"].get("content") for each in sent if "result" in each]


VALUES: list[Any] = [
    ("text", (*"fog",), "fog"),
    pytest.param("number", ("ctrl+u", *"42"), 42, marks=pytest.mark.slow),
    pytest.param("date", (*"2026-07", "minus", *"28"), "2026-07-28", marks=pytest.mark.slow),
    ("boolean", ("right",), True),
    pytest.param("boolean", ("right", "right"), False, marks=pytest.mark.slow),
    ("enum", ("right", "right"), "green"),
    ("picker", ("enter", *MANY[2], "enter"), MANY[2]),
    ("list", ("enter", "enter", *"7", "tab", "enter", *"8"), [7, 8]),
    ("object", ("enter", *"fog"), {"inner": "fog"}),
    ("json", (*"[1,", *"2]"), [1, 2]),
]


@pytest.mark.parametrize(("kind", "keys", "value"), VALUES)
async def test_a_value_and_the_key_that_calls_in_one_burst(kind: str, keys: tuple[str, ...], value: Any) -> None:
    assert kind in KINDS
    async with before() as person:
        await at_tool(person, kind)
        await person.press_quickly(*keys, "ctrl+j", shows="✓ OK")
        (call,) = sent(person, "tools/call")
        assert call["arguments"] == {"value": value}


async def test_several_fields_and_the_call_in_one_burst() -> None:
    async with before() as person:
        await at_tool(person, "all")
        await person.press_quickly(*"fog", "tab", "ctrl+u", *"42", "down", *"x", "tab", "right", "ctrl+j", shows="✓ OK")
        (call,) = sent(person, "tools/call")
        assert call["arguments"] == {"text": "fog", "number": 42, "date": "x", "boolean": True}


async def test_a_burst_of_tabs_passes_fields_without_opening_them(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[FieldView] = []
    open_editor = FieldView._open_editor

    async def count(view: FieldView) -> None:
        opened.append(view)
        await open_editor(view)

    async with before() as person:
        await at_tool(person, "sixty")
        await until(lambda: isinstance(app_of(person).focused, Input), "the first field is open")
        monkeypatch.setattr(FieldView, "_open_editor", count)
        await person.press_quickly(*"a", *["tab"] * 45, *"b", *["up"] * 3, *"c", "ctrl+j", shows="✓ OK")
        (call,) = sent(person, "tools/call")
        assert call["arguments"] == {"f0": "a", "f45": "b", "f42": "c"}
        assert len(opened) < 12


async def test_keys_behind_a_refused_call_are_dropped_with_a_word() -> None:
    async with before() as person:
        await at_tool(person, "all")
        await person.press_quickly("tab", *"x", "ctrl+j", "ctrl+j", *"y", "escape", "escape", *"3q")
        await person.sees("Call anyway", "Dropped 6 keys typed ahead.")
        assert not sent(person, "tools/call")
        assert app_of(person).tab.shown == "tools"
        await person.press("ctrl+j", shows="✓ OK")
        assert sent(person, "tools/call")[0]["arguments"] == {"number": "x"}


@pytest.mark.parametrize("keys", [("f5",), ("right", "enter"), ("y", "ctrl+enter")])
async def test_keys_typed_before_a_question_do_not_answer_it(keys: tuple[str, ...]) -> None:
    async with before() as person:
        await at_tool(person, "destroy")
        await person.press_quickly("ctrl+j", *keys, shows=("Back", "typed ahead."))
        assert app_of(person).screen.is_modal
        assert not sent(person, "tools/call")
        await person.press("f5", shows="✓ OK")


async def test_keys_behind_a_key_that_a_menu_does_not_have_are_dropped_with_a_word() -> None:
    async with before() as person:
        await person.press_quickly("x", "Q", *"3q", shows=("x Q: no action here.", "Dropped 2 keys typed ahead."))
        assert app_of(person).tab.shown == "traffic"
        await person.press("3", shows="[3 Res")


async def test_a_tool_is_opened_filled_and_called_in_one_burst() -> None:
    async with before() as person:
        await person.press("2", shows=(" text ", "Call ^j"))
        await person.press_quickly("enter", *"fog", "ctrl+j", shows="✓ OK")
        assert sent(person, "tools/call")[0]["arguments"] == {"value": "fog"}


async def test_json_typed_for_all_arguments_is_what_is_sent() -> None:
    async with before() as person:
        await at_tool(person, "number")
        await person.press_quickly("ctrl+o", "down", "end", *',"q":7', "ctrl+j", shows="✓ OK")
        assert sent(person, "tools/call")[0]["arguments"] == {"value": 4, "q": 7}


async def test_arguments_of_a_prompt_and_variables_of_a_template() -> None:
    async with before() as person:
        await person.press("4", shows=(" greet ", "Get ^j"))
        await person.press_quickly("enter", *"Ann", "ctrl+j", shows='got {"who": "Ann"}')
        await person.press("3", shows=("port", "Read ^j"))
        await person.press_quickly("slash", *"{", "enter", "enter", *"oslo", "ctrl+j", shows="got port://oslo")


async def test_a_server_request_is_answered_with_what_was_just_typed() -> None:
    async with before() as person:
        await at_tool(person, "ask")
        await person.press("ctrl+j", shows="asks in ask")
        await person.press("5", shows="Request 1")
        await person.press_quickly("enter", *"3", "ctrl+j", shows="Request 2")
        await person.press_quickly(*"4", "ctrl+j")
        await until(lambda: len(answered(person)) == 2, "both were answered")
        assert answered(person) == [{"guests": 3}, {"guests": 4}]
        assert app_of(person).tab.shown == "inbox"


@pytest.mark.parametrize("where", ["inbox", "dialog"])
async def test_a_key_typed_when_the_next_request_is_seen_is_meant_for_its_form(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It went to the list, or nowhere, while the form was not drawn yet."""
    drawing, go_on = asyncio.Event(), asyncio.Event()
    load = SchemaForm.load

    async def slowly(form: SchemaForm, *args: Any) -> None:
        if any(isinstance(each, QuestionPane) for each in form.ancestors):  # others are drawn ahead
            drawing.set()
            await go_on.wait()
        await load(form, *args)

    async with before() as person:
        await at_tool(person, "ask_all")
        await person.press("ctrl+j", shows="asks in ask")
        await person.press(*(("5", "enter") if where == "inbox" else ("exclamation_mark",)))
        await person.sees("Request 1", "Respond ^j")
        await until(lambda: isinstance(app_of(person).focused, Input), "the first field has the focus")
        monkeypatch.setattr(SchemaForm, "load", slowly)
        await person.press_quickly(*"3", "ctrl+j")
        await until(drawing.is_set, "the form of the next request is being drawn")
        await person.press_quickly(*"4", "ctrl+j")
        go_on.set()
        await until(lambda: len(answered(person)) == 2, "both were answered")
        assert answered(person) == [{"value": "3"}, {"value": "4"}]


async def _is_not_locked(person: Person) -> None:
    """Keys do what they do."""
    await person.press_quickly("2", shows="[2 Tools")
    await person.press_quickly("ctrl+p")
    await until(lambda: app_of(person).screen.is_modal, "the palette is open")
    await person.press_quickly("escape")
    await until(lambda: not app_of(person).screen.is_modal, "the palette is closed")


@pytest.mark.parametrize("how", ["hidden", "gone"])
async def test_keys_work_while_the_terminal_lags_and_the_focus_is_on_what_is_not_there(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with before() as person:
        app = app_of(person)
        await at_tool(person, "text")
        field = app.focused
        assert isinstance(field, Input)
        monkeypatch.setattr(app.painted, "may_update", lambda: False)
        await app.navigation.action_show("traffic")
        await until(lambda: app.panel.has_focus_within, "the traffic has the focus")
        if how == "gone":
            await field.remove()
        app.screen.focused = field  # as by a focus that was asked for a moment before
        await _is_not_locked(person)


async def test_a_request_answered_and_the_next_one_typed_at_once_locks_nothing() -> None:
    async with before() as person:
        for screen, words in (("4", "greet"), ("5", "No server requests")):
            await person.press(screen, shows=words)
        await at_tool(person, "ask")
        await person.press_quickly("ctrl+j", shows="asks in ask")
        await person.press_quickly("escape", "escape", "escape", "5", shows="Request 1")
        await person.press_quickly("enter", *"3", "ctrl+j", *"4", "ctrl+j")
        await person.press_quickly("escape", "escape")
        await _is_not_locked(person)


async def test_a_message_written_by_hand_is_sent_as_it_was_just_typed() -> None:
    async with before() as person:
        await person.press("g", "o", shows="Composer")
        app = app_of(person)
        field = next(each for each in app.panel.query(Input) if each.display)
        field.value = ""
        field.focus()
        await until(lambda: field.has_focus, "the method is typed")
        await person.press_quickly(*"ping", "ctrl+j")
        await until(lambda: person.wire().sent("ping"), "it is sent")


async def test_a_filter_and_the_key_behind_it() -> None:
    async with before() as person:
        await person.press_quickly("slash", *"prompts", "enter", "home", "enter")
        await person.sees("filter prompts", "prompts/list")
        await until(lambda: "tools/list" not in person.screen.split("filter prompts")[1], "the others are hidden")


async def test_a_click_sends_what_was_typed_right_before() -> None:
    async with before() as person:
        await at_tool(person, "text")
        await person.press_quickly(*"fog")
        line = next(n for n, each in enumerate(person.screen.splitlines()) if "Call ^j" in each)
        column = person.screen.splitlines()[line].index("Call ^j")
        await person.press_quickly(*"gy")
        await person.click((column, line))
        await person.sees("✓ OK")
        assert sent(person, "tools/call")[0]["arguments"] == {"value": "foggy"}


async def test_a_value_set_by_other_means_is_read_before_it_is_sent() -> None:
    async with before() as person:
        await at_tool(person, "text")
        field = app_of(person).focused
        assert isinstance(field, Input)
        field.value = "set"
        person.pilot.app.simulate_key("ctrl+j")
        await person.sees("✓ OK")
        assert sent(person, "tools/call")[0]["arguments"] == {"value": "set"}


def test_burst_of_keys_works_in_a_real_terminal(tmp_path: Path) -> None:
    server = ("-e", f"PYTHONPATH={ROOT}", "--", *SERVER)
    with Window(server, tmp_path) as window:
        window.until(b"tools/list")
        window.press(b"2")
        window.until(b"number")
        window.press(b"/all\r\rfog\t\x1542\t\t\x1b[C\n")
        window.until("✓ OK".encode())
        window.until(b'"text"')


async def test_burst_of_screen_keys_shows_the_last_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty keys took five seconds before a `q` behind them acted."""
    shown: list[str] = []
    left: list[int] = []
    show = Navigation.action_show

    async def noting(navigation: Navigation, name: str) -> None:
        shown.append(name)
        await show(navigation, name)

    async def leaving(app: InspectApp) -> None:
        left.append(len(shown))

    async with before() as person:
        monkeypatch.setattr(Navigation, "action_show", noting)
        monkeypatch.setattr(InspectApp, "action_quit", leaving)
        await person.press_quickly(*"12345678" * 3, "q")
        await until(lambda: bool(left), "q has had its turn")
        assert len(shown) <= 3, "the first, which is under way, and the last"
        assert app_of(person).tab.shown == shown[-1]
        del shown[:], left[:]
        await person.press_quickly("1", *"jk" * 40, "ctrl+q")
        await until(lambda: bool(left), "ctrl+q acts")
        assert left == [0] or left == [1]


async def test_digits_typed_into_a_field_are_all_kept() -> None:
    async with before() as person:
        await person.press("2", shows=" text ")
        await person.press_quickly("slash", *"12345")
        await until(lambda: any(each.value == "12345" for each in app_of(person).query(Input)), "they are text")


@pytest.mark.parametrize(
    ("screen", "method", "first", "then"),
    [
        ("2", "tools/call", "text", "boolean"),
        ("4", "prompts/get", "part", "greet"),
        ("3", "resources/read", "alpha", "beta"),
    ],
)
async def test_search_and_send_in_one_burst_sends_what_the_search_finds(
    screen: str, method: str, first: str, then: str
) -> None:
    async with before() as person:
        await person.press(screen, shows=(first, then, " ^j"))
        for number, wanted in enumerate((first, then), 1):
            await person.press_quickly("escape", "escape", "slash", *wanted, "ctrl+j")
            await until(lambda: len(sent(person, method)) == number, f"{wanted} is sent")  # noqa: B023
        names = [each.get("name", each.get("uri")) for each in sent(person, method)]
        assert [name.rpartition("/")[2] for name in names] == [first, then]


@pytest.mark.parametrize("where", ["inbox", "dialog"])
async def test_three_requests_are_answered_in_one_burst_each_with_its_own_text(where: str) -> None:
    async with before() as person:
        await at_tool(person, "ask_all")
        await person.press("ctrl+j", shows="asks in ask_all")
        await person.press("escape", "escape", "escape")
        await person.press("5" if where == "inbox" else "exclamation_mark", shows="Request 1")
        await person.press_quickly(
            *(("enter",) if where == "inbox" else ()), *"hi", "ctrl+j", *"yo", "ctrl+j", "4", "ctrl+j"
        )
        await until(lambda: len(answered(person)) == 3, "all were answered")
        assert answered(person) == [{"value": "hi"}, {"value": "yo"}, {"value": 4}]


@pytest.mark.parametrize("back", ["escape", "ctrl+g"])
async def test_the_way_back_from_a_result_leads_to_the_field_that_it_began_in(back: str) -> None:
    async with before((80, 24)) as person:
        await at_tool(person, "sixty")
        await person.press_quickly("tab", "tab", *"ab", "ctrl+j", shows="✓ OK")
        await person.press(back, shows="▌ f2")
        await person.press_quickly(*"c", "ctrl+j")
        await until(lambda: len(sent(person, "tools/call")) == 2, "it is called again")
        assert sent(person, "tools/call")[1]["arguments"] == {"f2": "abc"}
        await person.sees("got")
        await person.press("escape", "escape", "escape")
        await until(lambda: not app_of(person).screen.query(".-here"), "no field is marked once the form is left")


async def test_the_hint_names_what_the_keys_do_in_each_kind_of_field() -> None:
    async with before((80, 24)) as person:
        await at_tool(person, "all")
        for keys, hint in (
            ((), "⏎ Edit  Tab Next  ^l Unset"),
            (("x",), "⏎ Next  Tab Next  ^l Unset"),
            (("tab", "tab", "tab"), "→ Choose or type  Tab Next  Esc Leave"),
            (("tab", "tab"), "⏎ Choose  Tab Next"),
            (("tab",), "⏎ Open  Tab Next"),
            (("7", "tab"), "⏎ Add  Tab Next"),
            (("enter",), "^l Remove"),
        ):
            await person.press(*keys, shows=hint)
            assert "Next tab" not in person.screen
