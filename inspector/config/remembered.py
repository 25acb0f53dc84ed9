"""State between runs: traffic columns, sizes of parts, theme, muted findings, filters, server definitions.

A file that can't be read is treated as empty. A file that can't be written is skipped without a message.
"""

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from inspector.atomic_write import replace_file
from inspector.documents import UNENCODABLE, prepared_type
from inspector.errors import UsageError
from inspector.json_file import JsonFile, drop_oldest, newest_files
from inspector.protocol.fingerprints import Remembered
from inspector.text import lazy_pattern

_MOST_PROJECTS = 200
_FIT = lazy_pattern(r"[A-Za-z0-9-]{1,80}")
_LISTED_MOST_BYTES = 1 << 20
_LISTED_MOST_FILES = 100
MOST = 100
"""Maximum recent filters; the oldest one is removed first."""
NAME = lazy_pattern(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
"""Valid names of filters."""
MOST_SEEN = 300
"""Maximum servers remembered; the one whose file was written longest ago is removed first."""
MOST_BYTES = 8 << 20
"""Maximum bytes per server; beyond them only hashes are stored, and a change is reported without its text."""
_FORMAT = 1
logger = logging.getLogger(__name__)


@prepared_type
class StoredAppearance(msgspec.Struct, frozen=True):
    """The stored appearance of the traffic list."""

    columns: Annotated[tuple[str, ...], msgspec.Meta(max_length=40)] = ()
    """Column names, from left to right; empty: the width decides."""
    times: str = ""
    """Name of the time format; "" for the default."""


@prepared_type
class Mute(msgspec.Struct, frozen=True, omit_defaults=True):
    """A mute of a check, or of one of its findings."""

    id: str
    """Id of the check."""
    frame: int = 0
    """Entry of the finding; 0 for all findings of the check."""
    pointer: str = ""
    """Place in that entry's message."""


Names = dict[str, list[str]]
"""By kind: "tools", "resources", "prompts"."""


class _StoredItem(msgspec.Struct):
    key: str
    hash: str
    value: Any = None


class _List(msgspec.Struct):
    since: int
    items: list[_StoredItem] = msgspec.field(name="things")
    """`things` in the file."""


@prepared_type
class _File(msgspec.Struct):
    format: int
    lists: dict[str, _List]


def appearance_file(state: Path) -> JsonFile[StoredAppearance]:
    """Return the file with the appearance of one user's traffic list."""
    return JsonFile(state / "traffic-list.json", StoredAppearance, 1 << 16)


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
        try:
            replace_file(self._path, name.encode() + b"\n")
        except (OSError, UsageError):
            return


class KeptSizes:
    """Sizes of parts of the screens, in percent, by the name of the line that limits the part."""

    def __init__(self, state: Path) -> None:
        """Do not access the file yet."""
        self._file = JsonFile(state / "sizes.json", dict[str, float])

    def read(self) -> dict[str, float]:
        """Return the stored sizes; those that no part can have are left out."""
        return {name: size for name, size in (self._file.read() or {}).items() if 1 <= size <= 99}

    def keep(self, name: str, size: float) -> None:
        """Store a size for the next run; 0 removes it."""
        sizes = self.read() | {name: size}
        self._file.write({name: size for name, size in sizes.items() if size})


class KeptEnvironments:
    """The chosen environment of saved calls, by the directory of the project."""

    def __init__(self, state: Path) -> None:
        """Do not access the file yet."""
        self._file = JsonFile(state / "environments.json", dict[str, str])

    def of(self, project: Path) -> str:
        """Return the name; "" for none."""
        return (self._file.read() or {}).get(str(project), "")

    def keep(self, project: Path, name: str) -> None:
        """Store a name for the next run; "" removes it. A write error is ignored."""
        known = self._file.read() or {}
        known.pop(str(project), None)
        newest = [*known.items(), *([(str(project), name)] if name else [])][-_MOST_PROJECTS:]
        self._file.write(dict(newest))


# Muted findings, per capture


class StoredMutes:
    def __init__(self, state: Path, capture: str) -> None:
        """Do not access the file yet. `capture` is the id in the capture's header, a foreign text."""
        is_fit = _FIT.fullmatch(capture) is not None
        self._file = JsonFile(state / "muted" / f"{capture}.json", list[Mute]) if is_fit else None

    def read(self) -> frozenset[Mute]:
        return frozenset() if self._file is None else frozenset(self._file.read() or ())

    def keep(self, mutes: Iterable[Mute]) -> bool:
        """Store exactly these mutes; return whether that succeeded. Without any, the file is removed."""
        if self._file is None:
            return False
        found = sorted(mutes, key=lambda each: (each.id, each.frame, each.pointer))
        return self._file.write(found) if found else self._file.remove()


# Names in the lists of servers, for shell completion


class ListedNames:
    """Names in the lists of servers, as last fetched: a file per server."""

    def __init__(self, cache: Path) -> None:
        """Do not access the disk yet. `cache`: the user's cache directory."""
        self._directory = cache / "names"

    def of(self, target_key: str) -> list[Names]:
        """Return the names of one server; [] if none are known."""
        found = self._file(target_key).read()
        return [] if found is None else [found]

    def recent(self, most: int = 5) -> list[Names]:
        """Return the names of the most recently used servers, newest first."""
        return [found for path in newest_files(self._directory)[:most] for found in self.of(path.stem)]

    def keep(self, target_key: str, names: Names) -> None:
        """Store the names of a server. A file that can't be written is skipped: completion works without it.

        Names with lone surrogates are left out: no shell can complete them, and no file can contain them.
        """
        names = {kind: [name for name in found if _is_unicode(name)] for kind, found in names.items()}
        if any(names.values()) and len(msgspec.json.encode(names)) <= _LISTED_MOST_BYTES:
            self._file(target_key).write(names)
            drop_oldest(self._directory, _LISTED_MOST_FILES)

    def _file(self, target_key: str) -> JsonFile[Names]:
        return JsonFile(self._directory / f"{target_key}.json", Names, _LISTED_MOST_BYTES)


def _is_unicode(name: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in name)


# Saved filters


class SavedFilters:
    """The saved and recent filters of one user."""

    def __init__(self, config: Path, state: Path) -> None:
        """Do not access the files yet."""
        self._named = JsonFile(config / "filters.json", dict[str, str])
        self._used = JsonFile(state / "filter-history.json", list[str])

    def named(self) -> dict[str, str]:
        return self._named.read() or {}

    def used(self) -> list[str]:
        """Return the recent filters, newest last."""
        return self._used.read() or []

    def save(self, name: str, text: str) -> None:
        """Save a filter under a name; an empty text deletes it. Raises: UsageError if it can't be written."""
        named = self.named()
        named.pop(name, None)
        if text:
            named[name] = text
        self._named.replace(named, indent=2)

    def remember(self, text: str) -> None:
        """Add a filter to the recent ones, as the newest. A write error is ignored."""
        used = [each for each in self.used() if each != text]
        self._used.write([*used, text][-MOST:])


# Remembered server definitions


class SeenServer:
    """The remembered definitions of one server."""

    def __init__(self, state: Path, target_key: str) -> None:
        """Do not access the file yet. `target_key` is the key of a target."""
        assert target_key.isalnum(), "it is a hash"
        self._file = JsonFile(state / "seen" / f"{target_key}.json", _File, 4 * MOST_BYTES)

    def read(self) -> dict[str, Remembered]:
        """Return the remembered lists by kind; {} for an unknown server."""
        found = self._file.read()
        if found is None or found.format != _FORMAT:
            return {}
        return {
            kind: Remembered(each.since, {item.key: (item.hash, item.value) for item in each.items})
            for kind, each in found.lists.items()
        }

    def keep(self, lists: Mapping[str, Remembered]) -> bool:
        """Store these lists, replacing those of the same kinds; return whether that succeeded."""
        if not lists:
            return True
        try:
            self._file.replace(_limited(self.read() | dict(lists)))
        except (UsageError, *UNENCODABLE) as error:
            logger.warning("cannot save the definitions of a server: %s", error)
            return False
        drop_oldest(self._file.path.parent, MOST_SEEN)
        return True


def _limited(lists: Mapping[str, Remembered]) -> _File:
    """Return the lists with their items, or only with hashes if that would be too long."""
    items: dict[str, list[_StoredItem]] = {kind: [] for kind in lists}
    size = 0
    for kind, known in lists.items():
        for key, (hash_, value) in known.items.items():
            raw = msgspec.Raw(msgspec.json.encode(value if size <= MOST_BYTES else None))
            size += len(memoryview(raw)) + len(key) + len(hash_)
            items[kind].append(_StoredItem(key, hash_, raw))
    if size > MOST_BYTES:
        for item in (each for some in items.values() for each in some):
            item.value = None
    return _File(_FORMAT, {kind: _List(lists[kind].since, items[kind]) for kind in lists})
