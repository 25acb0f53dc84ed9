"""Dialogs opened hundreds of times, screens changed a thousand times: how soon, and what is left of them.

Memory is that of the process, seen from outside, after a few openings and after all of them; what imports and caches of
a bounded size take comes with the first few.
"""

import time
from collections.abc import Mapping
from statistics import median

import msgspec

from benchmarks import measure
from benchmarks.terminal import Terminal

_DIALOGS = ((b"?", b"Twelve keys"), (b"\x10", b"Enter runs"), (b"gO", b"Open another server"))
_SCREENS = b"23456781"
_FIRST = 20
"""Openings of each before memory is first looked at."""


class Seen(msgspec.Struct):
    """One sitting."""

    opened_ms: float
    """Key to picture, the median of all openings."""
    worst_ms: float
    dialogs_mb: float
    """How much memory grew over the dialogs, the first ones aside."""
    screens_mb: float
    """How much it grew over the changes of screens."""
    quit_s: float


def sitting(env: Mapping[str, str], *, dialogs: int = 100, screens: int = 200) -> Seen:
    """Open and close dialogs in turn, change between screens, and quit."""
    times: list[float] = []
    with Terminal(measure.inspector("demo"), env=env) as terminal:
        terminal.until(b"Tools ")
        measure.await_rest(terminal)
        before = 0.0
        for n in range(dialogs):
            if n == _FIRST * len(_DIALOGS):
                before = measure.resident_mb(terminal.pid)
            key, text = _DIALOGS[n % len(_DIALOGS)]
            times.append(terminal.answer(key, text) * 1000)
            terminal.press(b"\x1b")
            while terminal.read(0.25):  # until the screen below stands still again
                pass
        between = start = measure.resident_mb(terminal.pid)
        for n in range(screens):
            if n == _FIRST * len(_SCREENS):
                start = measure.resident_mb(terminal.pid)
            place = n % len(_SCREENS)
            terminal.press(_SCREENS[place : place + 1])
            terminal.rest(0.04)
        measure.await_rest(terminal)
        after, asked = measure.resident_mb(terminal.pid), time.perf_counter()
        terminal.press(b"q")
        terminal.ended(20.0)
        quit_s = time.perf_counter() - asked
    return Seen(median(times), max(times), between - before, after - start, quit_s)
