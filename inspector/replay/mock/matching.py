"""Which recorded turn answers a request: the same one, else one that says the same in other words, else the nearest.

A request that was made several times gets its recorded answers in turn, then the last one again. What was never asked
gets an error that says what was.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.conversation import target_of
from inspector.protocol.revisions._shape import Era
from inspector.protocol.things import KIND_OF_METHOD as LISTS
from inspector.replay.mock.openings import CAPABILITY_OF
from inspector.replay.mock.script import Script, Turn, key_of

METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL, NOT_FOUND = -32601, -32602, -32603, -32002
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?\Z")
_SHOWN = 20
"""Names that an error lists."""
_CANDIDATES = 2000
"""Turns among which the nearest is looked for: the newest."""
HARMLESS = {"logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
"""Requests whose result is empty, and which change nothing that was recorded."""


class Found(msgspec.Struct, frozen=True):
    """A turn to be played."""

    turn: Turn
    again: bool = False
    """Whether it was played before: all its recorded answers were given."""
    word: str = ""
    """How it differs from what was asked; "" if it does not."""


class Empty(msgspec.Struct, frozen=True):
    """Nothing was recorded, and nothing needs to have been: an empty result will do."""


class Missing(msgspec.Struct, frozen=True):
    """Nothing that was recorded answers it."""

    code: int
    message: str
    data: Any = None


class Played:
    """What one client has been given so far."""

    def __init__(self) -> None:
        self._times: Counter[tuple[str, str]] = Counter()

    def next(self, turns: list[Turn]) -> tuple[Turn, bool]:
        """The next of equal turns, and whether it had its turn already."""
        name = turns[0].method, turns[0].key
        at = self._times[name]
        self._times[name] += 1
        return turns[min(at, len(turns) - 1)], at >= len(turns)


class Book:
    """The turns of a script, to be looked up."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._exact: dict[tuple[str, str], list[Turn]] = {}
        self._loose: dict[tuple[str, str], list[Turn]] = {}
        self._by_method: dict[str, list[Turn]] = {}
        for turn in script.turns:
            self._exact.setdefault((turn.method, turn.key), []).append(turn)
            self._by_method.setdefault(turn.method, []).append(turn)
        for (method, _), turns in self._exact.items():
            self._loose.setdefault((method, key_of(loosened(turns[0].params))), turns)

    def note(self, method: str, played: Played) -> Turn | None:
        """The turn of a notification of the client's; None if the server said nothing after one."""
        turns = self._by_method.get(method)
        turn, again = played.next(turns) if turns else (None, True)
        return None if again else turn

    def find(self, method: str, params: Any, played: Played, era: Era) -> Found | Empty | Missing:
        """What answers a request; `params` are those of `asked_of`."""
        turns = self._exact.get((method, key_of(params)))
        if turns is not None:
            return Found(*played.next(turns))
        turns = self._loose.get((method, key_of(loosened(params))))
        if turns is not None:
            return Found(*played.next(turns), word=f"{_named(method, params)}: recorded with other spellings")
        if method in HARMLESS and self._declares(method):
            return Empty()
        target = target_of(method, params)
        same = [turn for turn in self._by_method.get(method, ()) if target_of(method, turn.params) == target]
        if same and not peek.has(params, "cursor"):
            nearest = max(same[-_CANDIDATES:], key=lambda turn: likeness(turn.params, params))
            word = f"{_named(method, params)}: never recorded with {_short(params)}; played is {_short(nearest.params)}"
            return Found(*played.next(self._exact[method, nearest.key]), word=word)
        return self._missing(method, params, target, era)

    def _missing(self, method: str, params: Any, target: str, era: Era) -> Missing:
        there = self._by_method.get(method)
        if not there:
            if not self._declares(method):
                return Missing(METHOD_NOT_FOUND, f"Method not found: {method}")
            asked = sorted({turn.method for turn in self._script.turns if not turn.method.startswith("notifications/")})
            return Missing(INTERNAL, f"the capture has no {method}", {"recorded": asked[:_SHOWN]})
        if method in LISTS:
            return Missing(INVALID_PARAMS, f"the capture has no such page of {method}", _told(there, "cursor"))
        names = sorted({target_of(method, turn.params) for turn in there} - {""})
        code = NOT_FOUND if method == "resources/read" and era is Era.LEGACY else INVALID_PARAMS
        known = ", ".join(_short(name, 60) for name in names[:_SHOWN]) or "others"
        about = f" of {_short(target, 60)}" if target else f" with {_short(params)}"
        return Missing(code, f"the capture has no {method}{about}; recorded: {known}", {"recorded": names[:_SHOWN]})

    def _declares(self, method: str) -> bool:
        needed = CAPABILITY_OF.get(method.partition("/")[0])
        return needed is not None and needed in self._script.capabilities


def loosened(value: Any) -> Any:
    """A value without differences that say nothing: absent or null, "3" or 3, spaces at the ends."""
    if isinstance(value, dict):
        inner = {name: loosened(each) for name, each in value.items()}
        return {name: each for name, each in inner.items() if each not in (None, {}, [])}
    if isinstance(value, list):
        return [loosened(each) for each in value]
    if isinstance(value, str):
        text = value.strip()
        if not _NUMBER.match(text) or len(text) > 15:
            return {"true": True, "false": False}.get(text, text)
        value = float(text)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def likeness(recorded: Any, asked: Any) -> float:
    """How much of two values is the same, from 0 to 1."""
    one, other = set(_leaves(loosened(recorded))), set(_leaves(loosened(asked)))
    places = {place for place, _ in one} & {place for place, _ in other}
    union = len(one | other) or 1
    return (len(one & other) + 0.25 * len(places)) / (1.25 * union)


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    inner: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inner is None:
        yield place, key_of(value)
        return
    for name, each in inner:
        yield from _leaves(each, f"{place}/{name}")


def _named(method: str, params: Any) -> str:
    return f"{method} {target_of(method, params)[:60]}".strip()


def _short(value: Any, most: int = 120) -> str:
    text = key_of(value)
    return text if len(text) <= most else f"{text[:most]}…"


def _told(turns: list[Turn], member: str) -> dict[str, Any]:
    return {"recorded": [peek.at(turn.params, member) for turn in turns[:_SHOWN]]}
