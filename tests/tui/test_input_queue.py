"""Input events take their turn, and callbacks wait for a pause in typing."""

import asyncio
from functools import partial
from typing import Any

import pytest
from rich.console import RenderableType
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.events import Event, Key
from textual.screen import Screen
from textual.widgets import Input, Static

from inspector.tui import input_queue
from inspector.tui.input_queue import FocusKeeper, InputQueue, Postponed, postpone
from inspector.tui.queued_app import QueuedApp
from tests.settling import painting
from tests.waiting import until


async def test_a_key_waits_until_the_action_of_the_key_before_it_has_ended() -> None:
    began: list[str] = []
    verdict = asyncio.Event()

    async def act(event: Event) -> None:
        assert isinstance(event, Key)
        began.append(event.key)
        if event.key == "ctrl+j":
            await verdict.wait()

    app = App[None]()
    async with app.run_test(), asyncio.TaskGroup() as tasks:
        queue = InputQueue(app, lambda: None)
        tasks.create_task(queue.take(Key("ctrl+j", None), act))
        await until(lambda: began == ["ctrl+j"], "the action runs")
        await queue.take(Key("4", "4"), act)
        await queue.look()  # as at a tick
        assert began == ["ctrl+j"]
        verdict.set()
        await until(lambda: began == ["ctrl+j", "4"], "the next key is handled")


async def test_a_timer_that_is_due_after_its_callback_was_called_does_nothing() -> None:
    called: list[str] = []
    async with (app := App[None]()).run_test():
        postponed = Postponed()
        postponed.add(app.screen, 60, lambda: called.append("searched"))
        assert postponed.call_all()
        postponed._call(app.screen)
        assert not postponed.call_all()
    assert called == ["searched"]


class Painting(QueuedApp[None]):
    """Notes each update of the terminal; `x` changes a text in two steps, between which the clock of Textual paints."""

    BINDINGS = [("x", "change", "Change")]  # noqa: RUF012 - as Textual wants it

    def __init__(self) -> None:
        super().__init__()
        self.painted: list[str] = []
        self.label = Static("before")

    def compose(self) -> ComposeResult:
        yield self.label

    def action_change(self) -> None:
        self.label.update("half")
        self.call_later(self._finish)

    def _finish(self) -> None:
        self.screen._dirty_widgets.add(self.label)
        self.screen._on_timer_update()
        self.label.update("whole")

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        if renderable is not None:
            self.painted.append(str(self.label.render()))


async def test_a_key_is_painted_once_after_its_last_effect() -> None:
    async with (app := Painting()).run_test() as pilot:
        await pilot.pause()
        app.painted.clear()
        with painting():
            await pilot.press("x")
    assert app.painted == ["whole"]


async def test_only_after_a_long_paint_that_is_not_for_a_key_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"_LONG_PAINT_S": -1, "_REST_AFTER_PAINT": 1e12, "_LONGEST_REST_S": 60}.items():
        monkeypatch.setattr(input_queue, name, value)
    painted: list[str] = []
    async with (app := App[None]()).run_test():
        queue = InputQueue(app, lambda: None)
        queue._paints_key = True
        queue.paint(lambda: painted.append("key"))
        queue._paints_key = False
        for what in ("its result", "a flood", "a flood"):
            queue.paint(partial(painted.append, what))
        queue._paints_key = True
        queue.paint(lambda: painted.append("next key"))
        assert queue._late is not None
        queue._late.cancel()
    assert painted == ["key", "its result", "next key"]


class Searching(QueuedApp[None]):
    """Searches after a pause; `x` comes when the pause is over, and notes whether the search has ended."""

    BINDINGS = [Binding("x", "act", "Act", priority=True)]  # noqa: RUF012 - as Textual wants it

    def __init__(self) -> None:
        super().__init__()
        self.has_found = False
        self.acted: list[bool] = []

    def on_pause(self) -> None:
        """Search in another message, as the owner of a search line does."""
        self.screen.call_later(self._search)
        self.post_message(Key("x", "x"))

    async def _search(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        self.has_found = True

    def action_act(self) -> None:
        self.acted.append(self.has_found)


async def test_a_key_after_a_pause_waits_for_what_the_pause_has_started() -> None:
    async with (app := Searching()).run_test():
        postpone(app.screen, 0.001, app.on_pause)
        await until(lambda: app.acted, "the key has acted")
    assert app.acted == [True]


class Two(App[None]):
    """Two widgets, of which the first gets the focus if it is lost."""

    def compose(self) -> ComposeResult:
        yield Input(id="first")
        yield Input(id="second")

    def refocus(self) -> None:
        self.query_one("#first").focus()


async def test_a_focus_that_is_requested_before_the_lost_one_is_restored_stays() -> None:
    async with (app := Two()).run_test() as pilot:
        keeper = FocusKeeper(app, app.refocus)
        keeper.tick()
        app.screen.set_focus(None)
        keeper.tick()
        app.query_one("#second").focus()
        await pilot.pause()
        assert app.focused is app.query_one("#second")


async def test_a_lost_focus_is_restored() -> None:
    async with (app := Two()).run_test() as pilot:
        keeper = FocusKeeper(app, app.refocus)
        app.screen.set_focus(app.query_one("#second"))
        keeper.tick()
        app.query_one("#second").display = False
        keeper.tick()
        await pilot.pause()
        assert app.focused is app.query_one("#first")
        app.query_one("#first").display = False
        keeper.tick()
        await pilot.pause()
        assert app.focused is None
