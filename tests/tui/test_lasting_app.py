"""What the app changes in how Textual reads the keyboard, waits for a layout and paints."""

import math
import os
import selectors
import termios
import time
import tty
from typing import Any

import pytest
from textual import constants
from textual._compositor import LayoutUpdate
from textual.app import ComposeResult
from textual.events import Resize
from textual.geometry import Size
from textual.widgets import TextArea

from inspector.transports.pipes import unread_bytes
from inspector.tui.lasting_app import KeyboardDecoder, KeyboardSelector, LastingApp
from tests.settling import click
from tests.tui.screen_text import text
from tests.waiting import until_sync


def test_keyboard_selector_after_input_waits_only_as_long_as_a_sequence_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    key: Any = object()
    readable: list[list[Any]] = [[], [key], [], [], []]
    waits: list[float | None] = []

    def select(_: object, timeout: float | None = None) -> list[Any]:
        waits.append(timeout)
        return readable.pop(0)

    monkeypatch.setattr(selectors.SelectSelector, "select", select)
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 0.04)
    with KeyboardSelector() as keyboard:
        keyboard.register(0, selectors.EVENT_READ)
        found = [keyboard.select(0.1) for _ in range(4)]
        monkeypatch.setattr(time, "monotonic", lambda: math.inf)
        found.append(keyboard.select(0.1))
    assert found == [[], [key], [], [], []]
    assert waits == [0.1, 0.1, 0.04, 0.02, 0.1], "for a moment it waits briefly: the key may end the app"


def test_keyboard_selector_does_not_wait_beyond_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float | None] = []

    def select(_: object, timeout: float | None = None) -> list[Any]:
        waits.append(timeout)
        return ["a key"]

    monkeypatch.setattr(selectors.SelectSelector, "select", select)
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 0.5)
    with KeyboardSelector() as keyboard:
        keyboard.register(0, selectors.EVENT_READ)
        keyboard.select(0.1)
        keyboard.select(0.1)
        keyboard.select(None)
    assert waits == [0.1, 0.1, None]


async def test_a_screen_of_our_app_waits_for_a_layout_at_most_half_as_long_as_by_default() -> None:
    async with LastingApp[None]().run_test() as pilot:
        assert pilot.app.screen._update_timer._interval == 0.5 / constants.MAX_FPS


async def test_a_toast_shows_foreign_text_as_it_is() -> None:
    async with (app := LastingApp[None]()).run_test() as pilot:
        app.screen.notify("[@click=app.quit]t\x1b[2J", title="[b]s\u202e", markup=True)
        await pilot.pause()
        (toast,) = app._notifications
        assert (toast.markup, toast.title, toast.message) == (False, "[b]s‹U+202E›", "[@click=app.quit]t␛[2J")


async def test_an_outdated_size_that_a_signal_reports_last_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with (app := LastingApp[None]()).run_test(size=(80, 24)) as pilot:
        assert app._driver is not None
        monkeypatch.setattr("inspector.tui.lasting_app.LinuxDriver", type(app._driver))
        monkeypatch.setattr(app._driver, "_get_terminal_size", lambda: (120, 40), raising=False)
        app._driver.process_message(Resize(Size(30, 2), Size(30, 2)))
        await pilot.pause()
        assert app.screen.size == (120, 40)


async def test_a_terminal_that_has_its_size_again_is_repainted_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[object] = []
    async with (app := Editing()).run_test() as pilot:
        await pilot.pause()
        monkeypatch.setattr(app, "_display", lambda _, update: painted.append(type(update)))
        app.post_message(Resize(app.size, app.size))
        await pilot.pause()
        assert LayoutUpdate in painted


def test_enter_typed_before_the_terminal_is_raw_stays_enter() -> None:
    typist, keyboard = os.openpty()
    os.write(typist, b"2\r")  # the terminal makes a newline of it, which is ctrl+j
    until_sync(lambda: unread_bytes(keyboard) == 2, "it was typed")
    tty.setraw(keyboard, termios.TCSANOW)
    decoder = KeyboardDecoder(keyboard)
    os.write(typist, b"\n\xff")
    until_sync(lambda: unread_bytes(keyboard) == 4, "more was typed")
    assert decoder.decode(os.read(keyboard, 3)) + decoder.decode(os.read(keyboard, 9)) == "2\r\n\ufffd"
    os.close(typist)
    os.close(keyboard)


class Editing(LastingApp[None]):
    def compose(self) -> ComposeResult:
        (area := TextArea("typed")).cursor_blink = False  # its timer needs a screen, which one test takes away
        yield area


async def test_a_widget_that_was_removed_since_the_last_layout_is_blank() -> None:
    async with (app := Editing()).run_test():
        assert "typed" in text(app)
        area, place = app.query_one(TextArea), app.screen
        area._detach()
        area._component_styles.clear()  # as the end of a removal does
        area.refresh()
        assert text(app).strip() == ""
        await click(app, (1, 1))
        area._attach(place)
