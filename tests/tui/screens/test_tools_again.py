"""The tools' screen over time: new connections, earlier calls, small screens and what is typed there."""

import asyncio

import pytest
from textual.pilot import Pilot

from inspector.errors import Disconnected
from inspector.tui.conversation import ConversationStage
from inspector.tui.widgets.virtual_list import LogList
from tests.tui.screen_text import press, shows, text
from tests.tui.screens.acting import NARROW, WIDE, Acting, Tools, at_tool, chosen
from tests.tui.screens.schemas import ADD, ECHO, TOOLS
from tests.waiting import until


async def reconnected(app: Tools, pilot: Pilot[None], values: tuple[int, ...] = (5, 6)) -> Acting:
    """Call `add` with each value on one connection, then stand on a new one."""
    await chosen(app, pilot, "add")
    for count, value in enumerate(values, 1):
        await app.panel.form.take({"a": value})
        await press(pilot, "ctrl+j", shows=(f"History {count}", "✓ OK"))
    app.panel.conversation.journal.close()
    other = Acting([ECHO, ADD])
    app.panel.rebind(other)
    await app.panel.form.take({"a": 99})
    return other


@pytest.mark.parametrize("key", ["x r", "x e"])
async def test_the_last_call_can_be_repeated_and_edited_on_a_new_connection(key: str) -> None:
    async with (app := Tools(Acting(TOOLS))).run_test(size=WIDE) as pilot:
        other = await reconnected(app, pilot)
        await shows(app, "of the previous connection")
        await pilot.press(key)
        await until(lambda: app.panel.form.form.arguments == {"a": 6}, "the call's arguments are in the form")
        if key == "x r":
            await until(lambda: bool(other.calls), "the new server is called")
            assert other.calls == [{"name": "add", "arguments": {"a": 6}}]
            await shows(app, "History 3")
            assert "of the previous connection" not in text(app)


async def test_the_history_keeps_the_calls_of_earlier_connections() -> None:
    async with (app := Tools(Acting(TOOLS))).run_test(size=WIDE) as pilot:
        other = await reconnected(app, pilot)
        await press(pilot, "v h", shows='{"a": 5}')
        await press(pilot, "G", "enter", shows=("lost with the previous connection", '"a": 5'))
        await pilot.press("x e")
        await until(lambda: app.panel.form.form.arguments == {"a": 5}, "its arguments are in the form")
        assert other.calls == []


async def test_a_call_that_runs_while_the_connection_is_renewed_ends_in_words() -> None:
    subject = Acting(TOOLS)
    subject.gate = asyncio.Event()
    subject.answer = lambda params: Disconnected("the connection was closed")
    async with at_tool(subject, "add", "ctrl+j") as (app, pilot):
        await until(lambda: app.panel.requests.calling.newest is not None, "the call runs")
        subject.journal.close()
        app.panel.rebind(Acting(TOOLS))
        subject.gate.set()
        await shows(app, "the connection was closed")
        await pilot.press("x e")
        await until(lambda: app.panel.form.form.arguments == {"a": 1}, "its arguments are in the form")


async def test_a_call_made_while_the_history_is_shown_shows_its_result() -> None:
    async with at_tool(Acting(TOOLS), "add", "v h") as (app, pilot):
        await until(lambda: app.panel.result.body.history.has_focus, "the history has the focus")
        await press(pilot, "ctrl+j", shows=("✓ OK", "▸ Content", "done"))
        assert "Not called yet" not in text(app)


async def test_a_search_for_tools_begins_with_the_old_words_chosen_and_a_key_ends_it() -> None:
    async with at_tool(Acting(TOOLS), "echo", "/", *"add", "enter", shows="1 of 3") as (app, pilot):
        await pilot.press("/", *"bay", "enter")
        await until(lambda: app.panel.form.tool is not None and app.panel.form.tool.name == "echo", "echo is found")
        await until(lambda: isinstance(app.focused, LogList), "the list has the focus")
        await press(pilot, "f c", shows="clear")
        assert not app.panel.items.has_class("-searching")


async def test_screen_key_keeps_the_focus() -> None:
    async with at_tool(Acting(TOOLS), "echo", "enter") as (app, pilot):
        await until(lambda: app.panel.form.has_focus_within, "the form has the focus")
        focused = app.focused
        app.panel.steps.go("list", focus=False)
        app.panel.take_focus()
        await pilot.pause()
        assert app.focused is focused


async def test_a_small_screen_shows_the_recorded_calls_first() -> None:
    subject = Acting(TOOLS)
    subject.can_act = False
    subject.now_stage = ConversationStage.RECORDED
    for number in (1, 2):
        subject.tape.call(number, "add", {"a": number})
        subject.tape.answer(number, {"content": [{"type": "text", "text": f"it was {number}"}]})
    async with (app := Tools(subject)).run_test(size=NARROW) as pilot:
        await chosen(app, pilot, "add", "enter", shows="it was 2")
        await press(pilot, "v h", shows='{"a": 1}')
        await press(pilot, "escape", shows="captures are read-only")
        await press(pilot, "escape", "v h", shows='{"a": 1}')


async def test_a_call_means_the_tool_under_the_cursor_however_fast_the_keys_came() -> None:
    async with at_tool(subject := Acting([ECHO, ADD]), "echo") as (app, pilot):
        await app.panel.form.take({"text": "ahoy"})
        await pilot.press("j", "ctrl+j")
        await until(lambda: bool(subject.calls), "something is called")
        assert subject.calls == [{"name": "add", "arguments": {"a": 1}}]
