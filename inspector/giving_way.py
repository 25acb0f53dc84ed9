"""Threads with much to do give way for a moment while the user waits for the effect of a key.

All threads of Python share one interpreter: in a flood, each step of the app would wait for the other threads' turns.
"""

import time
from typing import Final

_MOST_S: Final = 0.05
"""Maximum duration of one wait, in seconds. The same time passes before the next one: work gets half of the time."""

_WATCHED_S: Final = 1.0
"""Seconds after a key in which the next one is likely."""

_until_s = _next_s = 0.0
"""Monotonic times: until when to give way, and from when the next key may ask for it."""
_asked_s = float("-inf")
"""Monotonic time of the last key."""


def ask_for_way() -> None:
    """Let the other threads pause, for 50 ms at most: a key is processed."""
    global _until_s, _next_s, _asked_s
    _asked_s = now = time.monotonic()
    if now >= _next_s:
        _until_s, _next_s = now + _MOST_S, now + 2 * _MOST_S


def return_way() -> None:
    """Let them continue: the effect of the key is visible."""
    global _until_s, _next_s
    now = time.monotonic()
    if now < _until_s:
        _next_s = now + (now - (_until_s - _MOST_S))
        _until_s = now


def is_watched() -> bool:
    """Whether keys are pressed: long work takes shorter turns then."""
    return time.monotonic() - _asked_s < _WATCHED_S


def rest(seconds: float) -> None:
    """Sleep for a moment amid long work, longer while a key is processed. Not for the app's own thread."""
    time.sleep(seconds)
    while time.monotonic() < _until_s:
        time.sleep(0.002)
