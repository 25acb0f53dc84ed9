"""Keys that arrive all at once on the screens of lists: a search and what follows act on what was found."""

import json
from typing import Any

import pytest
from textual.widgets import Input

from inspector.config.targets import OpenTyped
from inspector.tui.app import InspectApp
from inspector.tui.screens.start.start import ApproveApp
from inspector.tui.start_app import StartApp
from tests.captures.record import sample
from tests.settling import settled
from tests.stories.persons import Person, at_a_replay
from tests.tui.screen_text import text
from tests.tui.screens.start.test_start import GULLS, WHALES
from tests.waiting import until


def _entry(person: Person) -> int:
    """The entry under the cursor of Traffic; 0 on other screens."""
    app = person.pilot.app
    assert isinstance(app, InspectApp)
    return getattr(app.panel, "chosen_entry", 0) if app.tab.shown == "traffic" else 0


@pytest.mark.parametrize(
    ("screen", "ready", "wanted", "entries"),
    [
        ("7", "stair 1 creaks", "stair 2", {42}),
        ("7", "stair 1 creaks", "emergency", {49}),
        ("8", "stdout-not-json", "structured-content-invalid", {34}),
        ("8", "stdout-not-json", "hidden-text", {10}),
    ],
)
async def test_search_and_open_in_one_burst_opens_what_the_search_finds(
    screen: str, ready: str, wanted: str, entries: set[int]
) -> None:
    async with at_a_replay(sample("lighthouse"), (120, 50)) as person:
        await person.press(screen, shows=ready)
        keys = [{" ": "space", "-": "minus"}.get(letter, letter) for letter in wanted]
        await person.press_quickly("slash", *keys, "enter", "enter")
        await until(lambda: _entry(person) in entries, f"the entry of {wanted} is shown")


async def test_moves_and_a_jump_in_one_burst_show_the_call_of_the_chosen_task() -> None:
    async with at_a_replay(sample("shipyard"), (120, 36)) as person:
        await person.press("6")
        app = person.pilot.app
        assert isinstance(app, InspectApp)
        await until(lambda: app.panel.query("LogList"), "the tasks are there")
        await settled(app)
        exchanges = app.conversation.journal.conversation.exchanges
        await person.press_quickly("home", "j", "o")
        await until(lambda: _entry(person), "Traffic shows a call")
        second = _entry(person)
        await person.press_quickly("6", "home", "o")
        await until(lambda: _entry(person) not in (0, second), "Traffic shows the other call")
        assert {exchanges[app.conversation.journal.store.exchange(second) - 1].method} <= {"tools/call", "tasks/get"}


async def test_command_typed_on_the_start_screen_and_enter_in_one_burst_opens_it() -> None:
    async with (app := StartApp([GULLS], [])).run_test(size=(80, 24)) as pilot:
        await until(lambda: "Demo" in text(app), "the choices are there")
        keys = {":": "colon", "/": "slash", ".": "full_stop"}
        await pilot.press(*(keys.get(letter, letter) for letter in "http://h.example/mcp"), "enter")
        await until(lambda: app.return_value is not None, "it is chosen")
    assert isinstance(app.return_value, OpenTyped)
    assert app.return_value.url == "http://h.example/mcp"


async def test_keys_typed_ahead_approve_no_server_that_was_not_seen() -> None:
    async with (app := ApproveApp([GULLS, WHALES])).run_test(size=(100, 30)) as pilot:
        await until(lambda: "Run this command" in text(app), "the first")
        for _ in range(3):
            app.simulate_key("enter")
        await until(lambda: "Connect to this server?" in text(app), "the second")
        await settled(app)
        assert app.return_value is None
        await pilot.press("escape")
        await until(lambda: app.return_value is not None, "the answers")
    answers: Any = app.return_value
    assert [answer is not None for answer in answers] == [True, False]


async def test_search_on_the_start_screen_has_all_letters_of_a_burst() -> None:
    async with (app := StartApp([GULLS], [])).run_test(size=(80, 24)):
        await until(lambda: "Demo" in text(app), "the choices are there")
        for letter in "node1234q":
            app.simulate_key(letter)
        await until(lambda: app.query_one(Input).value == "node1234q", "all are typed")
    assert json.dumps(app.return_value) == "null"
