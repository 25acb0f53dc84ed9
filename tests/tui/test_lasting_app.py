"""What the app changes in how Textual reads the keyboard."""

import math
import selectors
import time
from typing import Any

import pytest
from textual import constants

from inspector.tui.lasting_app import KeyboardSelector, LastingApp


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
