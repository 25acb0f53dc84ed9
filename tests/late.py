"""Plugin of pytest that makes timers, callbacks and threads late at random, as a busy machine does.

What asyncio promises still holds, so a test that fails shows a race in it or in the program:

    pytest -p tests.late --late 15 tests/screens

The seed chooses the delays; the tests that run before in the same process use some of them up.
"""

import random
import time
from asyncio import AbstractEventLoop, Future
from asyncio.base_events import BaseEventLoop
from asyncio.events import TimerHandle
from collections.abc import Callable
from typing import Any

import pytest

_SLOW, _LATE, _THREAD = 0.1, 0.2, 0.3
"""Shares of the turns of an event loop that are slow, of the timers and of the calls on threads that are late."""
_SLOW_S, _LATE_S, _THREAD_S = (0.005, 0.02, 0.06, 0.15), (0.001, 0.01, 0.05), (0.01, 0.05, 0.15)
"""By how much, in seconds."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that the delays depend on."""
    parser.addoption("--late", type=int, default=0, metavar="SEED", help="make timers, callbacks and threads late")


def pytest_configure(config: pytest.Config) -> None:
    """Have every event loop be late from now on."""
    chance = random.Random(config.getoption("--late"))
    turn, call_at, run = BaseEventLoop._run_once, BaseEventLoop.call_at, BaseEventLoop.run_in_executor  # type: ignore[attr-defined]

    def slow_turn(loop: AbstractEventLoop) -> None:
        if chance.random() < _SLOW:
            time.sleep(chance.choice(_SLOW_S))
        turn(loop)

    def late_timer(loop: BaseEventLoop, when: float, *arguments: Any, **named: Any) -> TimerHandle:
        late = chance.choice(_LATE_S) if chance.random() < _LATE else 0.0
        return call_at(loop, when + late, *arguments, **named)

    def late_thread(loop: BaseEventLoop, executor: Any, call: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        return run(
            loop, executor, _after, chance.choice(_THREAD_S) if chance.random() < _THREAD else 0.0, call, *arguments
        )

    BaseEventLoop._run_once = slow_turn  # type: ignore[attr-defined]
    BaseEventLoop.call_at = late_timer  # type: ignore[method-assign, assignment]
    BaseEventLoop.run_in_executor = late_thread  # type: ignore[method-assign, assignment]


def _after(seconds: float, call: Callable[..., Any], *arguments: Any) -> Any:
    time.sleep(seconds)
    return call(*arguments)
