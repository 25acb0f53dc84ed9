"""What servers offered when they were first met, or when a person last approved it. Kept in the state directory.

A server that is trusted may say something else tomorrow: that can be told only by who remembers. Servers are known by
what is run and where, or by URL, never by the name they give themselves. Nothing is put in the place of what is
remembered but by an approval. A file that can't be read is no memory; one that can't be written is told by `keep`.
"""

import logging
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from inspector.config.whole_files import replace_file
from inspector.errors import UsageError
from inspector.protocol.fingerprints import Remembered

logger = logging.getLogger(__name__)

MOST = 300
"""Servers remembered; the one whose file was written longest ago is forgotten first."""
MOST_BYTES = 8 << 20
"""Of one server; beyond, only the hashes are kept, and then a change is told without its words."""
_FORMAT = 1


class _Thing(msgspec.Struct):
    key: str
    hash: str
    value: Any = None


class _List(msgspec.Struct):
    since: int
    things: list[_Thing]


class _File(msgspec.Struct):
    format: int
    lists: dict[str, _List]


class SeenServer:
    """What is remembered of one server."""

    def __init__(self, state: Path, target_key: str) -> None:
        """`target_key` as targets give it. Touch nothing yet."""
        assert target_key.isalnum(), "it is a hash"
        self._path = state / "seen" / f"{target_key}.json"

    def read(self) -> dict[str, Remembered]:
        """By kind; {} for a server that is not known."""
        try:
            with self._path.open("rb") as file:
                found = msgspec.json.decode(file.read(4 * MOST_BYTES), type=_File)
        except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
            return {}
        if found.format != _FORMAT:
            return {}
        return {
            kind: Remembered(each.since, {thing.key: (thing.hash, thing.value) for thing in each.things})
            for kind, each in found.lists.items()
        }

    def keep(self, lists: Mapping[str, Remembered]) -> bool:
        """Keep these, in place of what was remembered of the same kinds; whether that worked."""
        if not lists:
            return True
        both = self.read() | dict(lists)
        try:
            replace_file(self._path, _encoded(both))
        except (OSError, UsageError, UnicodeEncodeError, RecursionError) as error:
            logger.warning("what a server offers can't be remembered: %s", error)
            return False
        self._make_room()
        return True

    def _make_room(self) -> None:
        with suppress(OSError):
            files = [(each.stat().st_mtime_ns, each) for each in self._path.parent.glob("*.json")]
            for _, oldest in sorted(files)[: max(0, len(files) - MOST)]:
                oldest.unlink(missing_ok=True)


def _encoded(lists: Mapping[str, Remembered]) -> bytes:
    """As it is written: with the things, or with their hashes alone where that would be too long."""
    things: dict[str, list[_Thing]] = {kind: [] for kind in lists}
    size = 0
    for kind, known in lists.items():
        for key, (hash_, value) in known.things.items():
            raw = msgspec.Raw(msgspec.json.encode(value if size <= MOST_BYTES else None))
            size += len(memoryview(raw)) + len(key) + len(hash_)
            things[kind].append(_Thing(key, hash_, raw))
    if size > MOST_BYTES:
        for thing in (each for some in things.values() for each in some):
            thing.value = None
    return msgspec.json.encode(_File(_FORMAT, {kind: _List(lists[kind].since, things[kind]) for kind in lists})) + b"\n"
