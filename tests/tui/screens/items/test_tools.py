"""The Tools screen: the list with its search, the form and calls."""

import asyncio
import json
from typing import Any

import pytest
from textual.widgets import Input, TextArea

from inspector.errors import Disconnected
from inspector.protocol.flows.steps import Silent
from inspector.tui.conversation import ConversationStage
from inspector.tui.results.panel import ResultPanel
from inspector.tui.screens.items.list import ItemList
from inspector.tui.screens.items.tools import ToolsPanel
from inspector.tui.widgets.dialogs import ConfirmScreen
from inspector.tui.widgets.schema_form.fields import FieldNode
from inspector.tui.widgets.virtual_list import LogList
from tests.settling import click
from tests.tui.screen_text import press, shows, text
from tests.tui.screens.acting import NARROW, WIDE, Acting, Error, ShowingList, Tools, at_tool, chosen
from tests.tui.screens.schemas import ADD, ECHO, TOOLS, tool
from tests.waiting import until


class Side(ShowingList):
    def __init__(self, subject: Acting) -> None:
        super().__init__(ToolsPanel(subject).items)

    @property
    def meant(self) -> list[tuple[str, bool]]:
        return [
            (message.item.name if message.item else "", message.opened)
            for message in self.posted
            if isinstance(message, ItemList.Chosen)
        ]


async def test_tools_are_listed_with_what_they_claim_and_cost() -> None:
    async with (app := Side(Acting(TOOLS))).run_test(size=(60, 12)):
        await shows(app, "echo", "3 tools")
        words = [line.strip("▌▏ ").split() for line in text(app).splitlines()]
        assert {"R", "D"} <= {row[1] for row in words if len(row) > 1}


async def test_a_tool_is_meant_once_the_cursor_rests_and_at_once_on_enter(monkeypatch: pytest.MonkeyPatch) -> None:
    async with (app := Side(Acting(TOOLS))).run_test(size=(60, 12)) as pilot:
        await until(lambda: app.meant == [("echo", False)], "the first is meant")
        app.side.list.focus()
        monkeypatch.setattr("inspector.tui.screens.items.list._FIRST_REST_S", 3600)
        monkeypatch.setattr("inspector.tui.screens.items.list._REST_S", 3600)
        await pilot.press("j", "j", "enter")
        await until(lambda: app.meant[-1] == ("clear", True), "the last is opened")
        assert "add" not in [name for name, _ in app.meant]  # the cursor only passed it
        monkeypatch.setattr("inspector.tui.screens.items.list._REST_S", 0.01)
        await pilot.press("k")
        await until(lambda: app.meant[-1] == ("add", False), "the one before is meant")


async def test_a_search_shows_what_matches_and_escape_shows_all() -> None:
    async with (app := Side(Acting(TOOLS))).run_test(size=(60, 12)) as pilot:
        await until(lambda: bool(app.meant), "the tools are there")
        app.side.search()
        await press(pilot, *"bay", shows="1 of 3")
        assert "clear" not in text(app)
        await pilot.press("enter")
        assert isinstance(app.focused, LogList)
        assert app.side.end_search()
        await until(lambda: "clear" in text(app), "all are shown again")
        assert not app.side.end_search()


async def test_search_result_is_chosen_despite_a_new_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.tui.widgets.search_bar._PAUSE", 3600)
    async with (app := Side(subject := Acting(TOOLS))).run_test(size=(60, 12)) as pilot:
        await until(lambda: app.meant == [("echo", False)], "the tools are there")
        app.side.search()
        await pilot.press(*"clear")
        subject.list([*TOOLS, tool("clear_all")])
        await until(lambda: "2 of 4" in text(app), "the list is there again")
        await pilot.press("enter")
        await until(lambda: app.meant[1:] == [("clear", False)], "what is under the cursor is chosen")


async def test_a_pause_in_typing_does_not_keep_a_worse_match() -> None:
    async with (app := Side(Acting([tool("get-structure"), tool("get-sum")]))).run_test(size=(60, 12)) as pilot:
        await until(lambda: app.meant == [("get-structure", False)], "the tools are there")
        app.side.search()
        await press(pilot, *"get-s", shows="2 of 2")
        await pilot.press("u", "enter")
        await until(lambda: app.meant[1:] == [("get-sum", False)], "the best match is chosen")


async def test_a_new_list_keeps_the_chosen_tool() -> None:
    async with (app := Side(subject := Acting(TOOLS))).run_test(size=(60, 12)) as pilot:
        await until(lambda: bool(app.meant), "the tools are there")
        app.side.list.focus()
        await pilot.press("j")
        await until(lambda: app.meant[-1][0] == "add", "add is chosen")
        subject.list([{"name": "new"}, ECHO, ADD])
        await until(lambda: "new" in text(app), "the new list is shown")
        assert app.side.chosen is not None
        assert app.side.chosen.name == "add"
        subject.tape.notify("notifications/tools/list_changed")
        await until(lambda: "changed: " in text(app), "it is said that the list is outdated")


async def test_empty_tool_list_has_a_reason() -> None:
    subject = Acting()
    subject.now_stage = ConversationStage.CONNECTING
    async with (app := Side(subject)).run_test(size=(60, 12), notifications=True) as pilot:
        await until(lambda: "Fetching the tools" in text(app), "it waits")
        app.side.list.focus()
        await press(pilot, "enter", shows="Nothing to open")
        subject.now_stage = ConversationStage.OPEN
        await until(lambda: "not listed" in text(app), "nobody asked")
        subject.list([])
        await until(lambda: "No tools" in text(app), "there are none")


async def test_a_tool_is_chosen_filled_called_and_its_result_is_shown() -> None:
    async with at_tool(subject := Acting(TOOLS), "echo") as (app, pilot):
        assert isinstance(app.panel, ToolsPanel)
        await pilot.press("enter")
        await until(lambda: app.panel.form.has_focus_within, "the form has the focus")
        await press(pilot, *"ahoy", "ctrl+j", shows="✓ OK · 12 ms")
        assert subject.calls == [{"name": "echo", "arguments": {"text": "ahoy"}}]
        await shows(app, "done", "History 1")


async def test_wrong_input_is_sent_by_the_second_press() -> None:
    async with (app := Tools(subject := Acting(TOOLS))).run_test(size=WIDE) as pilot:
        await chosen(app, pilot, "echo", "ctrl+j", shows=("Call anyway (1 error)", "✗ is required"))
        assert subject.calls == []
        await until(lambda: app.focused is not None and app.panel.form.has_focus_within, "the wrong field is focused")
        await press(pilot, "ctrl+j", shows="✓ OK")
        assert subject.calls == [{"name": "echo", "arguments": {}}]


async def test_a_change_after_the_warning_warns_again() -> None:
    async with at_tool(subject := Acting(TOOLS), "echo", "ctrl+j", shows="Call anyway") as (_, pilot):
        await press(pilot, "x", "ctrl+j", shows="✗ must have at least 2 characters")
        assert subject.calls == []


@pytest.mark.parametrize(
    ("answer", "headline"),
    [
        ({"content": [{"type": "text", "text": "no oil"}], "isError": True}, "✗ Tool error"),
        (Error(-32603, "exploded"), "✗ JSON-RPC error -32603"),
        (Silent(None, 60.0, "idle"), "▲ Timed out"),
        (Disconnected("the server is gone"), "✗ No response"),
    ],
)
async def test_each_way_to_fail_has_its_own_headline(answer: Any, headline: str) -> None:
    subject = Acting(TOOLS)
    subject.answer = lambda params: answer
    async with (app := Tools(subject)).run_test(size=WIDE) as pilot:
        await chosen(app, pilot, "add", "ctrl+j", shows=headline)


async def test_structured_content_has_its_own_tab_with_the_verdict() -> None:
    subject = Acting(TOOLS)
    subject.answer = lambda params: {"content": [], "structuredContent": {"sum": "many"}}
    async with (app := Tools(subject)).run_test(size=WIDE) as pilot:
        await chosen(app, pilot, "add", "ctrl+j", shows=("Structured ✗", "▲ OK, but does not match outputSchema (1)"))
        app.panel.steps.go("result")
        await until(lambda: app.panel.result.has_focus_within, "the result has the focus")
        await press(pilot, "]", shows=("does not match its outputSchema: 1 problem", '"sum": "many"', "/sum"))


async def test_progress_runs_and_a_key_cancels() -> None:
    subject = Acting(TOOLS)
    subject.gate = asyncio.Event()
    async with at_tool(subject, "add", "ctrl+j") as (app, pilot):
        await until(lambda: app.panel.requests.calling.newest is not None, "the call runs")
        subject.progress(3, 4, "swept [bold]far[/]")
        subject.tape.wait(1500)
        await shows(app, "3 of 4 · 75 %", "1.5 s", "swept [bold]far[/]")
        await press(pilot, "ctrl+c", shows="× Cancelled")
        assert [exchange.target for exchange in subject.cancelled] == ["add"]
        assert app.panel.requests.calling.newest is None


async def test_the_cancel_line_can_be_clicked() -> None:
    subject = Acting(TOOLS)
    subject.gate = asyncio.Event()
    async with at_tool(subject, "add", "ctrl+j", shows="[ Cancel ^c ]") as (app, pilot):
        await pilot.click("ResultPanel > FormBar")
        await shows(app, "× Cancelled")


async def test_a_destructive_tool_asks_once() -> None:
    async with at_tool(subject := Acting(TOOLS), "clear", "ctrl+j") as (app, pilot):
        await until(lambda: isinstance(app.screen, ConfirmScreen), "it is asked")
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, ConfirmScreen), "the question is gone")
        assert subject.calls == []
        await pilot.press("ctrl+j")
        await until(lambda: isinstance(app.screen, ConfirmScreen), "it is asked again after a no")
        await pilot.press("f5")
        await until(lambda: len(subject.calls) == 1, "it is called")
        await shows(app, "✓ OK")
        await pilot.press("ctrl+j")
        await until(lambda: len(subject.calls) == 2, "it is called without a question")


async def test_destructive_tool_with_invalid_arguments_asks_once_and_names_the_errors() -> None:
    needs = tool("wipe", "place", place={"type": "string"}, annotations={"destructiveHint": True})
    async with at_tool(subject := Acting([needs]), "wipe", "ctrl+j", shows="1 error in the arguments") as (_, pilot):
        await pilot.press("f5")
        await until(lambda: len(subject.calls) == 1, "it is called")


async def test_the_history_shows_edits_and_repeats_earlier_calls() -> None:
    subject = Acting(TOOLS)
    subject.answer = lambda params: {"content": [{"type": "text", "text": f"a is {params['arguments']['a']}"}]}
    async with at_tool(subject, "add") as (app, pilot):
        for value in (5, 6):
            await app.panel.form.take({"a": value})
            await press(pilot, "ctrl+j", shows=f"a is {value}")
        await pilot.press("v h")
        await until(lambda: app.panel.result.body.history.has_focus, "the history has the focus")
        assert '{"a": 6}' in text(app)
        await press(pilot, "j", "enter", shows="a is 5")
        await pilot.press("x r")
        await until(lambda: len(subject.calls) == 3, "the shown call is repeated")
        assert subject.calls[2]["arguments"] == {"a": 5}
        await shows(app, "History 3")
        await pilot.press("v h")
        await until(lambda: app.panel.result.body.history.has_focus, "the history has the focus")
        await pilot.press("k", "x e")
        await until(lambda: app.panel.form.form.arguments == {"a": 6}, "its arguments are in the form")


async def test_input_is_kept_per_tool() -> None:
    async with at_tool(Acting(TOOLS), "echo") as (app, pilot):
        await app.panel.form.take({"text": "kept"})
        await chosen(app, pilot, "add")
        app.panel.items.list.focus()
        await pilot.press("k")
        await until(lambda: app.panel.form.form.arguments == {"text": "kept"}, "the text is there again")


async def test_a_new_connection_keeps_the_tool_and_what_was_typed() -> None:
    async with at_tool(Acting(TOOLS), "add") as (app, pilot):
        await app.panel.form.take({"a": 41})
        other = Acting()
        app.panel.rebind(other)
        other.list([tool("first"), ECHO, ADD])
        await shows(app, "first")
        await until(
            lambda: app.panel.items.chosen is not None and app.panel.items.chosen.name == "add", "add is chosen"
        )
        await pilot.press("ctrl+j")
        await until(lambda: bool(other.calls), "the new server is called")
        assert other.calls == [{"name": "add", "arguments": {"a": 41}}]


async def test_a_recording_shows_its_calls_and_calls_nothing() -> None:
    subject = Acting(TOOLS)
    subject.can_act = False
    subject.now_stage = ConversationStage.RECORDED
    subject.tape.call(1, "add", {"a": 7})
    subject.tape.wait(5)
    subject.tape.answer(1, {"content": [{"type": "text", "text": "as it was"}]})
    async with (app := Tools(subject)).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "add", shows=("as it was", "▲ captures are read-only; x r in Traffic resends"))
        await press(pilot, "ctrl+j", shows="Not sent")
        assert subject.calls == []


async def test_the_newest_of_several_calls_is_followed() -> None:
    subject = Acting(TOOLS)
    subject.gate = asyncio.Event()
    async with at_tool(subject, "add", "ctrl+j") as (app, pilot):
        await until(lambda: len(subject.calls) == 1, "the first call runs")
        first = app.panel.requests.calling.newest
        await pilot.press("ctrl+j")
        await until(lambda: len(subject.calls) == 2, "the second call runs")
        assert app.panel.requests.calling.newest is not first
        subject.gate.set()
        await shows(app, "✓ OK")
        second = subject.journal.conversation.exchanges[-1]
        await until(lambda: app.panel.result.exchange is second, "the newer one is shown")


async def test_json_and_form_are_two_views_of_what_is_sent() -> None:
    async with at_tool(subject := Acting(TOOLS), "echo", "ctrl+o") as (app, pilot):
        await until(lambda: app.panel.form.form.as_json, "JSON is shown")
        edit = app.panel.form.form.query_one(".form--json", TextArea)
        edit.text = '{"text": "by hand", "more": null}'
        await pilot.press("ctrl+j")
        await until(lambda: bool(subject.calls), "it is called")
        assert subject.calls[0]["arguments"] == {"text": "by hand", "more": None}
        edit.focus()
        await pilot.press("ctrl+o")
        await until(lambda: not app.panel.form.form.as_json, "the form is shown")
        await shows(app, "by hand")


async def test_small_screen_shows_one_step_and_escape_goes_back() -> None:
    async with (app := Tools(Acting(TOOLS))).run_test(size=NARROW) as pilot:
        await chosen(app, pilot, "add")
        assert "[ Call" not in text(app)
        await press(pilot, "enter", shows="[ Call")
        assert "echo" not in text(app)
        await press(pilot, "ctrl+j", shows="✓ OK")
        assert "[ Call" not in text(app)
        await press(pilot, "escape", shows="[ Call")
        await press(pilot, "escape", shows="echo")
        await pilot.press("escape")
        assert app.went_back == 0
        assert "echo" in text(app)


async def test_hostile_tools_are_listed_drawn_and_called() -> None:
    hostile = tool(
        "wipe\x1b[2J", about="\x1b]0;t\x07 [@click=app.quit]x[/]", **{"[/]": {"type": "string", "default": "\x1b[31m"}}
    )
    subject = Acting([hostile, 7, {"name": None}, {"name": "bare"}])
    subject.answer = lambda params: {"content": [{"type": "text", "text": "\x1b[2J[/]\x9b"}]}
    async with at_tool(subject, "wipe\x1b[2J") as (app, pilot):
        assert "␛]0;t␇ [@click=app.quit]x[/]" in text(app)
        await press(pilot, "ctrl+j", shows="␛[2J[/]‹U+009B›")
        assert subject.calls[0]["arguments"] == {"[/]": "\x1b[31m"}
        assert "\x1b" not in text(app)
        assert "\x9b" not in text(app)


async def test_ten_thousand_tools_are_no_burden() -> None:
    app = Tools(Acting([tool(f"tool_{number}") for number in range(10_000)]))
    async with app.run_test(size=WIDE) as pilot:
        await shows(app, "10,000 tools")
        await until(lambda: isinstance(app.focused, LogList), "the list has the focus")
        await pilot.press("G")
        await until(lambda: app.panel.form.tool is not None and app.panel.form.tool.name == "tool_9999", "the last one")
        assert len(app.query("*")) < 100


async def test_a_quiet_panel_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_tool(Acting(TOOLS), "add") as (app, _):
        painted: list[object] = []
        for widget in app.panel.query("*"):
            monkeypatch.setattr(widget, "refresh", lambda *args, **more: painted.append(args))
        for _ in range(5):
            app.panel.sync()
        assert painted == []


async def test_the_keys_of_the_result_work_from_the_list_too() -> None:
    subject = Acting(TOOLS)
    subject.answer = lambda params: {"content": [{"type": "text", "text": "**loud**"}]}
    async with at_tool(subject, "add", "ctrl+j", shows="**loud**") as (app, pilot):
        await app.panel.form.take({"a": 99})
        await pilot.press("x e")
        await until(lambda: app.panel.form.form.arguments == {"a": 1}, "the call's arguments are in the form")
        app.panel.items.list.focus()
        await pilot.press("v m")
        await until(lambda: "**loud**" not in text(app), "the Markdown is rendered")
        app.panel.items.list.focus()
        await press(pilot, "]", "]", shows='"jsonrpc"')


async def test_the_schemas_of_a_tool_are_one_key_away_before_and_after_a_call() -> None:
    async with (app := Tools(subject := Acting(TOOLS))).run_test(size=NARROW) as pilot:
        await chosen(app, pilot, "add", "v S", shows='"outputSchema": {')
        shown = text(app)
        assert '"default": 1' in shown
        assert '"sum": {' in shown
        await pilot.press("y")
        assert json.loads(app.clipboard) == {key: ADD[key] for key in ("inputSchema", "outputSchema")}
        await press(pilot, "escape", "escape", "k", "v S", shows='"minLength": 2')
        assert "outputSchema" not in text(app)
        assert subject.calls == []


async def test_stderr_of_a_call_is_one_key_away() -> None:
    subject = Acting(TOOLS)

    def answer(params: Any) -> Any:
        subject.tape.stderr(b"Traceback: \x1b[31mthe net is torn")
        subject.tape.wait(5).stderr(b"  KeyError: 'zzz'")
        return {"content": [{"type": "text", "text": "failed"}], "isError": True}

    subject.answer = answer
    subject.tape.stderr(b"before the call")
    async with at_tool(subject, "add", "ctrl+j", shows=("✗ Tool error", "stderr 2 lines g s")) as (app, pilot):
        subject.tape.wait(1).stderr(b"read late")
        await shows(app, "stderr 3 lines g s")
        subject.tape.wait(500).stderr(b"long after the call")
        await press(pilot, "escape", "g s", shows="KeyError: 'zzz'")
        shown = text(app)
        for line in ("the net is torn", "read late"):
            assert line in shown
        assert "\x1b" not in shown
        assert "before the call" not in shown
        assert "long after" not in shown
        assert "stderr 3" in shown


async def test_description_folds_while_a_field_has_the_focus() -> None:
    long = tool("long", about="Adds up.\n" + "It says a lot. " * 60, a={"type": "string"}, b={"type": "string"})
    async with (app := Tools(Acting([long]))).run_test(size=NARROW) as pilot:
        await chosen(app, pilot, "long", "enter")
        await until(lambda: isinstance(app.focused, Input), "the first field has the focus")
        await until(lambda: "It says a lot." not in text(app), "the text above is folded")
        assert app.focused is not None
        assert "Adds up. …" in text(app)
        assert app.focused.region.y <= NARROW[1] // 2
        await pilot.press("tab", "tab")
        await until(lambda: not isinstance(app.focused, Input), "the button has the focus")
        await until(lambda: "It says a lot." in text(app), "all of it is there again")


async def test_nothing_moves_below_a_mouse_button_that_is_held() -> None:
    long = tool("long", about="Adds up.\n" + "It says a lot. " * 60, a={"type": "boolean"})
    async with (app := Tools(Acting([long]))).run_test(size=(80, 40)) as pilot:
        await chosen(app, pilot, "long", "enter")
        await until(lambda: "It says a lot." not in text(app), "the text above is folded")
        app.panel.form._bar.focus()
        await until(lambda: "It says a lot." in text(app), "the text above is there again")
        field = next(node for node in app.panel.form.query(FieldNode) if node.path == ("a",))
        x = field.region.x + field.gutter.left + str(field.render()).index("true")
        await click(app, (x, field.region.y))
        await until(lambda: app.panel.form.form.arguments == {"a": True}, "the choice that was clicked")
        await until(lambda: "It says a lot." not in text(app), "it is folded after the click")


async def test_form_above_its_result_is_as_high_as_its_content_and_at_most_half() -> None:
    fields: dict[str, Any] = {f"field_{n}": {"type": "integer"} for n in range(60)}
    many = tool("many", about="", **fields)
    async with (app := Tools(Acting([tool("none"), many]))).run_test(size=(120, 36)) as pilot:
        heights = []
        for name in ("none", "many"):
            await chosen(app, pilot, name)
            app.panel.add_class("-called")
            await pilot.pause()
            assert "[ Call" in text(app)
            heights.append((app.panel.form.size.height, app.panel.query_one(ResultPanel).size.height))
        (none, below_none), (many_high, below_many) = heights
        assert none < 10 < many_high <= below_many + 2
        assert below_none > 20


async def test_tool_row_and_head_show_usage() -> None:
    subject = Acting(TOOLS)
    app, tape = Tools(subject), subject.tape
    async with app.run_test(size=WIDE):
        await shows(app, "echo")
        for id_, took in ((801, 20), (802, 340), (803, 1)):
            tape.call(id_, "echo")
            tape.wait(took).answer(id_, {"content": [], "isError": took == 1})
        await until(lambda: "3 calls, p" in text(app), "its row says so")
        await app.panel.action_do("about")
        await until(lambda: text(app).count("3 calls, p") == 2, "its head says so")
        assert ", 1 error" in text(app)
