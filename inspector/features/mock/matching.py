"""Finds the recorded turn for a request: an identical, equivalent, or similar one.

A request that was recorded several times gets its recorded responses in turn; the last one is then repeated. A
request without a recorded turn gets an error that lists what was recorded.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import msgspec

from inspector.features.mock.openings import CAPABILITY_OF
from inspector.features.mock.script import Script, ScriptTurns, Turn, key_of
from inspector.protocol import peek
from inspector.protocol.conversation import target_of
from inspector.protocol.listed_items import KIND_OF_METHOD as LISTS
from inspector.protocol.revisions._shape import Era
from inspector.text import cut

METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL, NOT_FOUND = -32601, -32602, -32603, -32002
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?\Z")
_SHOWN = 20
"""Maximum number of names in an error."""
_CANDIDATES = 2000
"""Number of newest turns that are searched for the most similar one."""
_LONG = 200
"""Maximum length of a name that is compared with others."""
HARMLESS = {"logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
"""Requests that have an empty result and do not affect other recorded results."""


class MatchedTurn(msgspec.Struct, frozen=True):
    """A turn to play."""

    turn: Turn
    again: bool = False
    """Whether all recorded responses were already played, so that one is repeated."""
    word: str = ""
    """How the recorded request differs from the actual one; "" if it does not."""


class Empty(msgspec.Struct, frozen=True):
    """No turn was recorded, and none is needed: an empty result is sufficient."""


class Missing(msgspec.Struct, frozen=True):
    """No recorded turn answers the request."""

    code: int
    message: str
    data: Any = None


class Played:
    """The turns that were played to one client."""

    def __init__(self) -> None:
        self._times: Counter[tuple[str, str]] = Counter()

    def next(self, method: str, key: str, turns: Sequence[int]) -> tuple[int, bool]:
        """Return the next of equal turns, and whether all of them were already played."""
        at = self._times[method, key]
        self._times[method, key] += 1
        return turns[min(at, len(turns) - 1)], at >= len(turns)


class Book:
    """Index of the turns of a script."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._by_target: dict[str, dict[str, TargetTurns]] = {}
        """Shelves by method and target."""
        turns = script.turns
        for index, method in enumerate(turns.methods):
            by_target = self._by_target.setdefault(method, {})
            target = turns.target(index)
            (by_target.get(target) or by_target.setdefault(target, TargetTurns(turns))).turns.append(index)

    def note(self, method: str, played: Played) -> Turn | None:
        """Return the turn of a client notification; None if the server sent nothing after it."""
        group = self._by_target.get(method, {}).get("")
        index, again = played.next(method, "", group.turns) if group else (0, True)
        return None if again else self._script.turns[index]

    def find(self, method: str, params: Any, played: Played, era: Era) -> MatchedTurn | Empty | Missing:
        """Return what answers a request; `params` are those of `asked_of`."""
        by_target, target = self._by_target.get(method, {}), target_of(method, params)
        group = by_target.get(target) or by_target.get(target.strip())
        if group is not None:
            if same := group.same(key_of(params)):
                return self._found(method, key_of(params), same, played)
            if (like := group.like(params)) is not None:
                word = f"{_named(method, params)}: recorded with other spellings"
                return self._found(method, key_of(like), group.same(key_of(like)), played, word)
        if method in HARMLESS and self._declares(method):
            return Empty()
        if group is not None and not peek.has(params, "cursor"):
            nearest = group.nearest(params)
            word = f"{_named(method, params)}: never recorded with {_short(params)}; played is {_short(nearest)}"
            return self._found(method, key_of(nearest), group.same(key_of(nearest)), played, word)
        return self._missing(method, params, target, era)

    def _found(self, method: str, key: str, turns: Sequence[int], played: Played, word: str = "") -> MatchedTurn:
        index, again = played.next(method, key, turns)
        return MatchedTurn(self._script.turns[index], again, word)

    def _missing(self, method: str, params: Any, target: str, era: Era) -> Missing:
        there = self._by_target.get(method)
        if not there:
            return self._no_method(method)
        if method in LISTS:
            cursors = [peek.at(self._script.turns.params(index), "cursor") for index in _first(there)]
            return Missing(INVALID_PARAMS, f"the capture has no such page of {method}", {"recorded": cursors})
        names = sorted({*there} - {""})
        code = NOT_FOUND if method == "resources/read" and era is Era.LEGACY else INVALID_PARAMS
        known = ", ".join(_short(name, 60) for name in names[:_SHOWN]) or "others"
        about = f" of {_short(target, 60)}" if target else f" with {_short(params)}"
        near = _nearest_name(target, names)
        data = {"recorded": names[:_SHOWN]} | ({"nearest": near} if near else {})
        meant = f"; nearest is {_short(near, 60)}" if near else ""
        return Missing(code, f"the capture has no {method}{about}{meant}; recorded: {known}", data)

    def _no_method(self, method: str) -> Missing:
        if not self._declares(method):
            return Missing(METHOD_NOT_FOUND, f"Method not found: {method}")
        asked = sorted(name for name in self._by_target if not name.startswith("notifications/"))
        near = _nearest_name(method, asked)
        data = {"recorded": asked[:_SHOWN]} | ({"nearest": near} if near else {})
        meant = f"; nearest is {near}" if near else ""
        return Missing(INTERNAL, f"the capture has no {method}{meant}", data)

    def _declares(self, method: str) -> bool:
        needed = CAPABILITY_OF.get(method.partition("/")[0])
        return needed is not None and needed in self._script.capabilities


class TargetTurns:
    """The turns of one method and one target. Only hashes of their params are kept, and computed on demand."""

    def __init__(self, turns: ScriptTurns) -> None:
        self._turns = turns
        self.turns = array("I")
        """Positions of the turns, in order."""

    def same(self, key: str) -> list[int]:
        """Return the turns with exactly these params."""
        return [self.turns[at] for at in _places(self._exact, hash(key)) if self._key(at) == key]

    def like(self, params: Any) -> Any:
        """Return the first recorded params that are equivalent to these; None if there are none."""
        key = key_of(loosened(params))
        for at in _places(self._loose, hash(key)):
            recorded = self._turns.params(self.turns[at])
            if key_of(loosened(recorded)) == key:
                return recorded
        return None

    def nearest(self, params: Any) -> Any:
        """Return the most similar of the newest recorded params."""
        candidates = map(self._turns.params, self.turns[-_CANDIDATES:])
        return max(candidates, key=lambda recorded: likeness(recorded, params))

    def _key(self, at: int) -> str:
        return key_of(self._turns.params(self.turns[at]))

    @cached_property
    def _exact(self) -> "array[int]":
        return array("q", (hash(key_of(self._turns.params(index))) for index in self.turns))

    @cached_property
    def _loose(self) -> "array[int]":
        return array("q", (hash(key_of(loosened(self._turns.params(index)))) for index in self.turns))


def _places(hashes: "array[int]", wanted: int) -> Iterator[int]:
    at = -1
    with suppress(ValueError):
        while True:
            at = hashes.index(wanted, at + 1)
            yield at


def _first(by_target: Mapping[str, TargetTurns]) -> list[int]:
    """Return the positions of a method's first turns."""
    return sorted(index for group in by_target.values() for index in group.turns[:_SHOWN])[:_SHOWN]


def _nearest_name(name: str, among: Sequence[str]) -> str:
    """Return the most similar name; "" if none is similar."""
    if not name or len(name) > _LONG:
        return ""
    return next(iter(get_close_matches(name, [each for each in among[:_CANDIDATES] if len(each) <= _LONG], 1)), "")


def loosened(value: Any) -> Any:
    """Return a value without insignificant differences: absent or null, "3" or 3, surrounding blanks."""
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
    """Return the similarity of two values, from 0 to 1."""
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
    return f"{method} {cut(target_of(method, params), 60)}".strip()


def _short(value: Any, most: int = 120) -> str:
    return cut(key_of(value), most)
