"""State between runs: traffic columns, sizes of parts, theme, muted findings, filters, server definitions.

A file that can't be read is treated as empty. A file that can't be written is skipped without a message.
"""

import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from inspector.config.paths import replace_file
from inspector.errors import UsageError
from inspector.protocol.fingerprints import Remembered
from inspector.text import lazy_pattern

_MOST_BYTES = 1 << 16
_MOST_COLUMNS = 40


class StoredAppearance(msgspec.Struct, frozen=True):
    """The stored appearance of the traffic list."""

    columns: tuple[str, ...] = ()
    """Column names, from left to right; empty: the width decides."""
    times: str = ""
    """Name of the time format; "" for the default."""


class StoredAppearances:
    """The stored appearance of one user."""

    def __init__(self, state: Path) -> None:
        """Do not access the file yet."""
        self._path = state / "traffic-list.json"

    def last(self) -> StoredAppearance:
        """Return what was stored last."""
        try:
            with self._path.open("rb") as file:
                found = msgspec.json.decode(file.read(_MOST_BYTES), type=StoredAppearance)
        except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
            return StoredAppearance()
        return StoredAppearance(found.columns[:_MOST_COLUMNS], found.times)

    def keep(self, look: StoredAppearance) -> None:
        """Store the appearance for the next run."""
        try:
            replace_file(self._path, msgspec.json.encode(look) + b"\n")
        except (OSError, UsageError, UnicodeEncodeError):
            return


class StoredTheme:
    """The last theme, by its name."""

    def __init__(self, state: Path) -> None:
        """Do not access the file yet."""
        self._path = state / "theme"

    def last(self) -> str:
        """Return the stored name; "" if there is none."""
        try:
            with self._path.open("rb") as file:
                return file.read(100).decode("ascii", errors="replace").strip()
        except OSError:
            return ""

    def keep(self, name: str) -> None:
        """Store the name for the next run."""
        try:
            replace_file(self._path, name.encode() + b"\n")
        except (OSError, UsageError):
            return


class KeptSizes:
    """Sizes of parts of the screens, in percent, by the name of the line that limits the part."""

    def __init__(self, state: Path) -> None:
        """Do not access the file yet."""
        self._path = state / "sizes.json"

    def read(self) -> dict[str, float]:
        """Return the stored sizes; those that no part can have are left out."""
        return {name: size for name, size in (_read(self._path, dict[str, float]) or {}).items() if 1 <= size <= 99}

    def keep(self, name: str, size: float) -> None:
        """Store a size for the next run; 0 removes it."""
        sizes = self.read() | {name: size}
        with suppress(OSError, UsageError):
            replace_file(self._path, msgspec.json.encode({name: size for name, size in sizes.items() if size}) + b"\n")


class KeptEnvironments:
    """The chosen environment of saved calls, by the directory of the project."""

    def __init__(self, state: Path) -> None:
        """Do not access the file yet."""
        self._path = state / "environments.json"

    def of(self, project: Path) -> str:
        """Return the name; "" for none."""
        return (_read(self._path, dict[str, str]) or {}).get(str(project), "")

    def keep(self, project: Path, name: str) -> None:
        """Store a name for the next run; "" removes it. A write error is ignored."""
        known = _read(self._path, dict[str, str]) or {}
        known.pop(str(project), None)
        newest = dict([*known.items(), *([(str(project), name)] if name else [])][-_MOST_PROJECTS:])
        with suppress(OSError, UsageError, UnicodeEncodeError):
            replace_file(self._path, msgspec.json.encode(newest) + b"\n")


_MOST_PROJECTS = 200

# Muted findings, per capture

_MUTES_MOST_BYTES = 1 << 20
_FIT = lazy_pattern(r"[A-Za-z0-9-]{1,80}")


class Mute(msgspec.Struct, frozen=True, omit_defaults=True):
    """A mute of a check, or of one of its findings."""

    id: str
    """Id of the check."""
    frame: int = 0
    """Entry of the finding; 0 for all findings of the check."""
    pointer: str = ""
    """Place in that entry's message."""


class StoredMutes:
    """The mutes of one capture."""

    def __init__(self, state: Path, capture: str) -> None:
        """Do not access the file yet. `capture` is the id in the capture's header, a foreign text."""
        self._path = state / "muted" / f"{capture}.json" if _FIT.fullmatch(capture) else None

    def read(self) -> frozenset[Mute]:
        if self._path is None:
            return frozenset()
        try:
            with self._path.open("rb") as file:
                return frozenset(msgspec.json.decode(file.read(_MUTES_MOST_BYTES), type=list[Mute]))
        except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
            return frozenset()

    def keep(self, mutes: Iterable[Mute]) -> bool:
        """Store exactly these mutes; return whether that succeeded. Without any, the file is removed."""
        if self._path is None:
            return False
        found = sorted(mutes, key=lambda each: (each.id, each.frame, each.pointer))
        try:
            if found:
                replace_file(self._path, msgspec.json.encode(found) + b"\n")
            else:
                self._path.unlink(missing_ok=True)
        except (OSError, UsageError, UnicodeEncodeError):  # a pointer may contain a lone surrogate
            return False
        return True


# Names in the lists of servers, for shell completion

_LISTED_MOST_BYTES = 1 << 20
_LISTED_MOST_FILES = 100
Names = dict[str, list[str]]
"""By kind: "tools", "resources", "prompts"."""


class ListedNames:
    """Names in the lists of servers, as last fetched: a file per server."""

    def __init__(self, cache: Path) -> None:
        """Do not access the disk yet. `cache`: the user's cache directory."""
        self._directory = cache / "names"

    def of(self, target_key: str) -> list[Names]:
        """Return the names of one server; [] if none are known."""
        found = _read(self._directory / f"{target_key}.json", Names)
        return [] if found is None else [found]

    def recent(self, most: int = 5) -> list[Names]:
        """Return the names of the most recently used servers, newest first."""
        return [found for path in self._files()[:most] if (found := _read(path, Names)) is not None]

    def keep(self, target_key: str, names: Names) -> None:
        """Store the names of a server. A file that can't be written is skipped: completion works without it.

        Names with lone surrogates are left out: no shell can complete them, and no file can contain them.
        """
        names = {kind: [name for name in found if _is_unicode(name)] for kind, found in names.items()}
        raw = msgspec.json.encode(names)
        if not any(names.values()) or len(raw) > _LISTED_MOST_BYTES:
            return
        with suppress(OSError, UsageError):
            replace_file(self._directory / f"{target_key}.json", raw)
            for old in self._files()[_LISTED_MOST_FILES:]:
                old.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        """Return the files, newest first."""
        try:
            return sorted(self._directory.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        except OSError:
            return []


def _is_unicode(name: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in name)


# Saved filters

T = TypeVar("T")

MOST = 100
"""Maximum recent filters; the oldest one is removed first."""
NAME = lazy_pattern(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
"""Valid names of filters."""
_FILTERS_MOST_BYTES = 1 << 20


class SavedFilters:
    """The saved and recent filters of one user."""

    def __init__(self, config: Path, state: Path) -> None:
        """Do not access the files yet."""
        self._named = config / "filters.json"
        self._used = state / "filter-history.json"

    def named(self) -> dict[str, str]:
        return _read(self._named, dict[str, str]) or {}

    def used(self) -> list[str]:
        """Return the recent filters, newest last."""
        return _read(self._used, list[str]) or []

    def save(self, name: str, text: str) -> None:
        """Save a filter under a name; an empty text deletes it.

        Raises: UsageError if it can't be written.
        """
        named = self.named()
        named.pop(name, None)
        if text:
            named[name] = text
        try:
            replace_file(self._named, msgspec.json.format(msgspec.json.encode(named), indent=2) + b"\n")
        except OSError as error:
            raise UsageError(f"the filter can't be saved in {self._named}: {error.strerror}") from None
        except UnicodeEncodeError:
            raise UsageError("the filter can't be saved: it is not valid Unicode") from None

    def remember(self, text: str) -> None:
        """Add a filter to the recent ones, as the newest. A write error is ignored."""
        used = [each for each in self.used() if each != text]
        try:
            replace_file(self._used, msgspec.json.encode([*used, text][-MOST:]))
        except (OSError, UsageError, UnicodeEncodeError):
            return


def _read(path: Path, kind: type[T]) -> T | None:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_FILTERS_MOST_BYTES), type=kind)
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


# Remembered server definitions

logger = logging.getLogger(__name__)

MOST_SEEN = 300
"""Maximum servers remembered; the one whose file was written longest ago is removed first."""
MOST_BYTES = 8 << 20
"""Maximum bytes per server; beyond them only hashes are stored, and a change is reported without its text."""
_FORMAT = 1


class _StoredItem(msgspec.Struct):
    key: str
    hash: str
    value: Any = None


class _List(msgspec.Struct):
    since: int
    things: list[_StoredItem]


class _File(msgspec.Struct):
    format: int
    lists: dict[str, _List]


class SeenServer:
    """The remembered definitions of one server."""

    def __init__(self, state: Path, target_key: str) -> None:
        """Do not access the file yet. `target_key` is the key of a target."""
        assert target_key.isalnum(), "it is a hash"
        self._path = state / "seen" / f"{target_key}.json"

    def read(self) -> dict[str, Remembered]:
        """Return the remembered lists by kind; {} for an unknown server."""
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
        """Store these lists, replacing those of the same kinds; return whether that succeeded."""
        if not lists:
            return True
        both = self.read() | dict(lists)
        try:
            replace_file(self._path, _encoded(both))
        except (OSError, UsageError, UnicodeEncodeError, RecursionError) as error:
            logger.warning("cannot save the definitions of a server: %s", error)
            return False
        self._make_room()
        return True

    def _make_room(self) -> None:
        with suppress(OSError):
            files = [(each.stat().st_mtime_ns, each) for each in self._path.parent.glob("*.json")]
            for _, oldest in sorted(files)[: max(0, len(files) - MOST_SEEN)]:
                oldest.unlink(missing_ok=True)


def _encoded(lists: Mapping[str, Remembered]) -> bytes:
    """Encode the lists with their items, or only with hashes if that would be too long."""
    things: dict[str, list[_StoredItem]] = {kind: [] for kind in lists}
    size = 0
    for kind, known in lists.items():
        for key, (hash_, value) in known.things.items():
            raw = msgspec.Raw(msgspec.json.encode(value if size <= MOST_BYTES else None))
            size += len(memoryview(raw)) + len(key) + len(hash_)
            things[kind].append(_StoredItem(key, hash_, raw))
    if size > MOST_BYTES:
        for thing in (each for some in things.values() for each in some):
            thing.value = None
    return msgspec.json.encode(_File(_FORMAT, {kind: _List(lists[kind].since, things[kind]) for kind in lists})) + b"\n"
