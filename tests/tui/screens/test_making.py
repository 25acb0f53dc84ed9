"""One file is made at a time, and whoever left meanwhile is told what came of it."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inspector.errors import UsageError
from inspector.tui.screens.making import Making
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


class Slowly(Making[str]):
    """Makes nothing before it may."""

    SAID: ClassVar[str] = "#said"

    def __init__(self, fails: str = "") -> None:
        super().__init__()
        self.may_end = threading.Event()
        self.began: list[tuple[str, bool]] = []
        self._fails = fails

    def compose(self) -> ComposeResult:
        yield Input("here")
        yield Static(id="said")

    def maker(self, path: Path, *, replace: bool) -> Callable[[], str]:
        def make() -> str:
            self.began.append((path.name, replace))
            assert self.may_end.wait(20)
            if self._fails:
                raise UsageError(self._fails, hint="try again")
            return path.name

        return make

    def told(self, made: str) -> str:
        return f"made {made}"


class Told(Showing):
    """Keeps what is told in toasts."""

    def __init__(self) -> None:
        super().__init__()
        self.toasts: list[str] = []

    def notify(self, message: str, **more: object) -> None:
        self.toasts.append(message)


@pytest.fixture(params=["", "it is full"])
def screen(request: pytest.FixtureRequest) -> Iterator[Slowly]:
    slowly = Slowly(request.param)
    yield slowly
    slowly.may_end.set()


async def test_a_second_press_makes_nothing_more_and_whoever_has_left_is_told(screen: Slowly) -> None:
    app, results = Told(), list[str | None]()
    async with app.run_test() as pilot:
        app.push_screen(screen, results.append)
        await until(lambda: isinstance(app.focused, Input), "the line")
        await pilot.press("enter", "enter", "enter")
        await until(lambda: "Writing" in text(app), "that it is being made")
        assert screen.began == [("here", False)]
        screen.action_leave()
        await until(lambda: results == [None], "that it is left")
        assert not app.toasts
        screen.may_end.set()
        await until(lambda: bool(app.toasts), "what came of it")
    assert app.toasts == (["it is full. Try again"] if screen._fails else ["made here"])
    assert results == [None]


async def test_what_lies_over_the_dialog_stays_when_it_was_made(screen: Slowly) -> None:
    app, results = Told(), list[str | None]()
    async with app.run_test() as pilot:
        app.push_screen(screen, results.append)
        await until(lambda: isinstance(app.focused, Input), "the line")
        await pilot.press("enter")
        await until(lambda: bool(screen.began), "that it is being made")
        over = ModalScreen[None]()
        app.push_screen(over)
        await until(lambda: over.is_current, "what lies over it")
        screen.may_end.set()
        await app.workers.wait_for_complete()
        assert app.screen is over
        assert not results
        over.dismiss()
        if screen._fails:
            await until(lambda: "it is full. Try again" in text(app), "what went wrong")
        else:
            await until(lambda: results == ["here"], "what was made")
