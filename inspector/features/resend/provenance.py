"""Values that a later request took from an earlier response: cursors, task ids, created ids.

A value in a recorded request that originates from an earlier recorded response is replaced by the value at the same
place in the current response. A value that the client used before the server did is the client's own and is kept. A
number or a short text is replaced only in a member that is named like an id, because small numbers occur everywhere.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.listed_items import KIND_OF_METHOD as LISTS

Scalar = str | int
_WORD = re.compile(r"[\w][\w\-]*[\w]|\w")
_ID = re.compile(
    r"(?i:(?:^|[_\-])(?:id|uuid|key|ref|number|no|handle|token|cursor))$|(?<=[a-z])(?:Id|ID|Key|Ref|Token)$"
)
_LONG = 4
"""Minimum length of a text that is considered unique."""
_MADE_UP = re.compile(r"(?=.*\d)[\w\-]{6,}\Z")
_DEEPEST = 60
"""Maximum depth of values that are searched."""
_MOST = 200_000
"""Maximum number of values that are remembered."""
_LARGEST = 1_000_000
"""Maximum length of a text in which words are searched."""


class CarriedValue(msgspec.Struct, frozen=True):
    """A value that was replaced. The values are untrusted."""

    path: str
    recorded: Scalar
    live: Scalar
    source: int
    """Frame of the recorded request whose response contained the value."""


class _Origin(msgspec.Struct, frozen=True):
    live: Scalar | None
    """Current value; None if there is none."""
    source: int


class Provenance:
    """Values that responses have contained so far."""

    def __init__(self) -> None:
        self._origins: dict[Scalar, _Origin] = {}
        self._own: set[Scalar] = set()

    def asked(self, params: Any) -> None:
        """Record the values in a recorded request."""
        if len(self._own) < _MOST:
            self._own.update(value for _, value in _leaves(params) if value not in self._origins)

    def answered(self, method: str, recorded: Any, live: Any, source: int) -> None:
        """Record the values of a recorded response with the values of the current response to the same request."""
        if method in LISTS:  # listed items have names, and a name is never replaced
            recorded = {"nextCursor": cursor} if (cursor := peek.text(recorded, "nextCursor")) else {}
        for before, now in _together(recorded, live, 0):
            if before not in self._own and len(self._origins) < _MOST:
                self._origins[before] = _Origin(now, source)

    def lost_cursor(self, params: Any) -> bool:
        """Return whether a request refers to a page that the server no longer has."""
        origin = self._origins.get(peek.text(params, "cursor") or "")
        return origin is not None and origin.live is None

    def carry(self, method: str, params: Any) -> tuple[Any, list[CarriedValue]]:
        """Return the params with current values, and the list of replacements."""
        carried: list[CarriedValue] = []
        if not isinstance(params, dict):
            return params, carried
        kept = {"name", "ref"} if method in ("tools/call", "prompts/get", "completion/complete") else set()
        return {
            key: value if key in kept else self._value(value, key, key, carried) for key, value in params.items()
        }, carried

    def _value(self, value: Any, path: str, name: str, carried: list[CarriedValue], depth: int = 0) -> Any:
        if depth > _DEEPEST:
            return value
        if isinstance(value, dict):
            return {key: self._value(each, f"{path}.{key}", key, carried, depth + 1) for key, each in value.items()}
        if isinstance(value, list):
            return [self._value(each, f"{path}[{at}]", name, carried, depth + 1) for at, each in enumerate(value)]
        if isinstance(value, bool) or not isinstance(value, str | int):
            return value
        return self._scalar(value, path, name, carried)

    def _scalar(self, value: Scalar, path: str, name: str, carried: list[CarriedValue]) -> Scalar:
        telling = (isinstance(value, str) and len(value) >= _LONG) or _ID.search(name) is not None
        origin = self._origin(value) if telling else None
        if origin is not None and origin.live is not None:
            live = _as(value, origin.live)
            if live is not None and live != value:
                carried.append(CarriedValue(path, value, live, origin.source))
                return live
            return value
        return self._words(value, path, carried) if isinstance(value, str) else value

    def _words(self, text: str, path: str, carried: list[CarriedValue]) -> str:
        """Replace generated words within a text such as a URI or a sentence."""
        if len(text) > _LARGEST:
            return text

        def replaced(found: re.Match[str]) -> str:
            origin = self._origins.get(found.group()) if _MADE_UP.match(found.group()) else None
            if origin is None or origin.live is None or str(origin.live) == found.group():
                return found.group()
            carried.append(CarriedValue(path, found.group(), origin.live, origin.source))
            return str(origin.live)

        return _WORD.sub(replaced, text)

    def _origin(self, value: Scalar) -> _Origin | None:
        other: Scalar | None = str(value) if isinstance(value, int) else int(value) if _is_number(value) else None
        return self._origins.get(value) or (self._origins.get(other) if other is not None else None)


def _is_number(text: str) -> bool:
    return len(text) < 20 and text.isascii() and text.isdecimal()


def _as(recorded: Scalar, live: Scalar) -> Scalar | None:
    """Return the current value in the type of the recorded one; None if that is impossible."""
    if isinstance(recorded, str):
        return str(live)
    return int(live) if not isinstance(live, str) or _is_number(live) else None


def _leaves(value: Any, depth: int = 0) -> Iterator[tuple[str, Scalar]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from ((key, leaf) for _, leaf in _leaves(each, depth + 1))
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each, depth + 1)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield "", value


def _together(recorded: Any, live: Any, depth: int) -> Iterator[tuple[Scalar, Scalar | None]]:
    """Yield each scalar of the recorded value with the live value at the same place; None if there is none."""
    if depth > _DEEPEST:
        return
    if isinstance(recorded, dict):
        for key, each in recorded.items():
            yield from _together(each, live.get(key) if isinstance(live, dict) else None, depth + 1)
    elif isinstance(recorded, list):
        for at, each in enumerate(recorded):
            there = live[at] if isinstance(live, list) and at < len(live) else None
            yield from _together(each, there, depth + 1)
    elif isinstance(recorded, str | int) and not isinstance(recorded, bool):
        now = live if isinstance(live, str | int) and not isinstance(live, bool) else None
        yield recorded, now
        if isinstance(recorded, str) and isinstance(now, str):
            yield from _within(recorded, now, depth)


def _within(recorded: str, live: str, depth: int) -> Iterator[tuple[Scalar, Scalar | None]]:
    """Yield pairs of values within two texts: from JSON, or word by word if the word counts are equal."""
    if recorded == live or len(recorded) > _LARGEST or len(live) > _LARGEST:
        return
    ours, theirs = _json(recorded), _json(live)
    if ours is not None and theirs is not None:
        yield from _together(ours, theirs, depth + 1)
        return
    words, others = _WORD.findall(recorded), _WORD.findall(live)
    if len(words) == len(others):
        yield from ((word, other) for word, other in zip(words, others, strict=True) if any(map(str.isdigit, word)))


def _json(text: str) -> Any:
    if text[:1] not in ("{", "["):
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
