"""Threads beside the app's: how soon it interrupts them, and which of them leaving waits for."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache, partial
from sys import setswitchinterval
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

TURN_S = 0.005
"""Python's default thread switch interval, in seconds."""
_SHORT_TURN_S, _LAST_TURN_S = 0.001, 0.0001
_turns = Lock()
_workers = 0
"""Number of threads within `short_turns`, and one for the end of the app."""


@contextmanager
def short_turns() -> Iterator[None]:
    """Let the app's thread interrupt this one sooner: for a long computation that never waits.

    Handling a key takes several waits for the interpreter, each as long as the switch interval. Threads that wait
    often themselves need the default: with a shorter one, they would interrupt the app's thread more.
    """
    global _workers
    with _turns:
        _workers += 1
        if _workers == 1:
            setswitchinterval(_SHORT_TURN_S)
    try:
        yield
    finally:
        with _turns:
            _workers -= 1
            if not _workers:
                setswitchinterval(TURN_S)


def end_turns() -> None:
    """From now on let the app's thread interrupt the others sooner: it ends the app, and they go on."""
    global _workers
    with _turns:
        _workers += 1
        setswitchinterval(_LAST_TURN_S)


def read_on_thread(function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> asyncio.Future[T]:
    """Start a long computation that changes nothing, and return its result to come: leaving does not wait for it.

    It does wait for what writes: that goes through `asyncio.to_thread`.
    """
    work = partial(copy_context().run, function, *arguments, **named)
    return asyncio.get_running_loop().run_in_executor(_readers(), work)


@cache
def _readers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_name_prefix="mcp-inspect reading")
