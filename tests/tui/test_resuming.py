"""Going on after a stop. That the program ends afterwards is seen in a real terminal, among the faults."""

from typing import Any

import pytest
from textual.app import App

from inspector.tui.resuming import install, resume


class Reader:
    """A thread that reads keys."""

    def __init__(self, alive: bool) -> None:
        self.alive = alive

    def is_alive(self) -> bool:
        return self.alive


class Driver:
    """What was done to a driver, in its order."""

    def __init__(self, *, reads: bool | None, restarts: bool = True) -> None:
        self._key_thread = None if reads is None else Reader(reads)
        self._auto_restart = restarts
        self._must_signal_resume = False
        self.done: list[str] = []

    def suspend_application_mode(self) -> None:
        self.done.append("suspended")

    def _sigcont_application(self) -> None:
        self.done.append("resumed")


@pytest.mark.parametrize(
    ("driver", "done"),
    [
        (Driver(reads=True), ["suspended", "resumed"]),
        (Driver(reads=False), ["resumed"]),
        (Driver(reads=None), ["resumed"]),
        (Driver(reads=True, restarts=False), ["resumed"]),
    ],
    ids=["stopped without a word", "suspended before", "not begun", "an editor has the terminal"],
)
def test_what_still_runs_is_ended_before_it_is_begun_again(driver: Driver, done: list[str]) -> None:
    resume(driver)
    assert driver.done == done
    assert driver._must_signal_resume == (done[0] == "suspended")


async def test_without_a_terminal_nothing_is_installed() -> None:
    app: App[Any] = App()
    async with app.run_test():
        install(app)
