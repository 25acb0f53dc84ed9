"""Watches files in a background thread, and decides when a change should restart the server.

Changes are collected until there is a moment of quiet. The pauses between restarts grow if restarts follow each
other directly, or if the server exits immediately. Nothing is restarted here: the caller polls `due`.
"""

import logging
import os
import threading
import time
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from inspector.features.watch.globs import MOST_ENTRIES, Directories, Glob, directories_of

logger = logging.getLogger(__name__)

QUIET_S, LONGEST_S = 0.15, 1.0
"""Seconds without a change after which a restart is due, and the limit after which it is due anyway."""
GAP_S, LONGEST_GAP_S = 1.0, 10.0
"""Minimum seconds between two restarts: initially, and after a long series of restarts."""
FEW_FAILURES = 3
"""Number of consecutive failures after which the user is notified."""
_STEP_MS, _GROUP_MS, _LOOK_MS = 60, 240, 250
_MOST_NAMES, _MOST_PATHS = 100, 20_000
"""Maximum number of names kept per batch of changes, and of paths examined per batch."""
_ABSENT_S = 0.5
"""Polling interval for a root that does not exist."""
_PATIENCE_S = 2.0
_GRAIN_NS = 20_000_000
"""Maximum lag of file times behind the clock."""


class FileChange(msgspec.Struct, frozen=True):
    name: str
    """Path of one of them, relative to the root of its glob. Untrusted text."""
    more: int
    """Number of other changed files."""
    wall_ns: int
    """Time of the last change."""


class RestartPace:
    """Decides when a change should restart the server. `now` is in seconds of any monotonic clock."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._first = self._last = 0.0
        self._wall_ns = 0
        self._restarted: float | None = None
        self._gap = GAP_S
        self.failures = 0
        """Number of consecutive restarts after which the server failed or exited immediately."""

    def noticed(self, names: Iterable[str], now: float, wall_ns: int) -> None:
        """Record changed files."""
        if not self._names:
            self._first = now
        if len(self._names) < _MOST_NAMES:
            self._names |= dict.fromkeys(names)
        self._last, self._wall_ns = now, wall_ns

    def due(self, now: float) -> FileChange | None:
        """Return the changes once if it is time for a restart; None otherwise."""
        if not self._names or now < self.not_before:
            return None
        if now - self._last < QUIET_S and now - self._first < LONGEST_S:
            return None
        first, *others = self._names
        self._names = {}
        self._note_restart(now)
        return FileChange(first, len(others), self._wall_ns)

    def _note_restart(self, now: float) -> None:
        follows = self._restarted is not None and now - self._restarted < 2 * self._gap
        self._gap = min(LONGEST_GAP_S, 2 * self._gap) if follows else GAP_S
        self._restarted = now

    @property
    def not_before(self) -> float:
        """Earliest time of the next restart."""
        if self._restarted is None:
            return float("-inf")
        return self._restarted + max(self._gap, min(LONGEST_GAP_S, 2.0 ** (self.failures - 1)))

    def ended(self, *, well: bool) -> None:
        """Record whether a restart led to a connection."""
        self.failures = 0 if well else self.failures + 1

    def remark(self, now: float) -> str:
        """Return a sentence about the current pace for the user; "" for nothing."""
        waits = self.not_before - now
        later = f", not before {waits:.0f} s" if waits >= 1 else ""
        if self.failures >= FEW_FAILURES:
            return f"The server failed to start {self.failures} times in a row. The next change restarts it{later}."
        if self._gap >= 4 * GAP_S and waits > 0:
            return f"Files change all the time: one restart in {self._gap:.0f} s at most."
        return ""


class Watcher:
    """A thread that watches the files of some globs. Watching begins with `start`."""

    def __init__(self, globs: Sequence[Glob], warnings: Sequence[str] = ()) -> None:
        """Create the watcher. `warnings`: known problems, one sentence each."""
        self.globs = tuple(globs)
        self._warnings = tuple(warnings)
        self._found = Directories(())
        self._trouble = ""
        self._lock = threading.Lock()
        self.pace = RestartPace()
        self._stop = threading.Event()
        self.ready = threading.Event()
        """Set once changes are detected, also if there is nothing to watch yet."""
        self._heard = threading.Event()
        self._since_ns = 0
        """Wall clock time when changes were last read; 0 before the first time."""
        self._thread = threading.Thread(target=self._run, name="mcp-inspect watch", daemon=True)

    @property
    def shown(self) -> str:
        """The globs as they were typed."""
        return ", ".join(glob.text for glob in self.globs)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread."""
        self._stop.set()
        self._heard.set()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE_S)

    def due(self) -> FileChange | None:
        """Return the changes once when a restart is due."""
        with self._lock:
            return self.pace.due(time.monotonic())

    def wait(self, enough: threading.Event | None = None) -> FileChange | None:
        """Wait until a restart is due; None once `enough` is set."""
        while (change := self.due()) is None:
            if enough is not None and enough.is_set():
                return None
            self._heard.wait(QUIET_S)
            if self._heard.is_set():
                self._heard.clear()
                self._stop.wait(QUIET_S / 2)
        return change

    def ended(self, *, well: bool) -> None:
        """Record whether a restart led to a connection."""
        with self._lock:
            self.pace.ended(well=well)

    def problems(self) -> tuple[str, ...]:
        """Return the problems for the user, one sentence each, most severe first."""
        found = self._found
        said = [f"{place} does not exist; it is watched once it does." for place in found.missing]
        if self._trouble:
            said.append(self._trouble)
        with self._lock:
            said.append(self.pace.remark(time.monotonic()))
        said += [f"{place} is huge: only a part of it is watched. Narrow the glob." for place in found.huge]
        return tuple(each for each in (*said, *self._warnings) if each)

    # Methods that run in the thread

    def _run(self) -> None:
        known: frozenset[Path] | None = None
        while not self._stop.is_set():
            self._found = directories_of(self.globs)
            places = frozenset(self._found.places)
            new, known = frozenset() if known is None else places - known, places
            if not places:
                self.ready.set()
                self._stop.wait(_ABSENT_S)
                continue
            try:
                self._watch(places, new, polls=bool(self._trouble))
            except FileNotFoundError:  # a directory was removed meanwhile
                self._stop.wait(QUIET_S)
            except (OSError, RuntimeError) as error:  # no watches left, or a file system without them
                logger.info("watching failed: %s", error)
                self._trouble = f"The system does not report changes ({error}). Files are looked at once a second."
                self._stop.wait(_ABSENT_S)

    def _watch(self, places: frozenset[Path], new: frozenset[Path], *, polls: bool) -> None:
        """Report changes until the set of directories changes.

        In new directories, report all files once the directories are watched.
        """
        from watchfiles import Change, watch

        batches = watch(
            *sorted(map(str, places)),
            watch_filter=None,
            debounce=_GROUP_MS,
            step=_STEP_MS,
            stop_event=self._stop,
            rust_timeout=_LOOK_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=polls or None,
            poll_delay_ms=1000,
            recursive=False,
            ignore_permission_denied=True,
        )
        missing = set(self._found.missing)
        for at, batch in enumerate(batches):
            since_ns, self._since_ns = self._since_ns, time.time_ns()
            if not at and (new or since_ns):
                self._notice_files(places, new, since_ns or self._since_ns)
            self.ready.set()
            self._notice(Path(path) for _, path in batch)
            added = (Path(path) for change, path in batch if change is Change.added)
            if any(self._may_hold(path) for path in added) or any(place.exists() for place in missing):
                return
            if any(not glob.root.exists() for glob in self.globs if glob.root not in missing):
                return

    def _may_hold(self, path: Path) -> bool:
        """Return whether a new path is a directory that may hold a file of the globs."""
        if not path.is_dir() or path.is_symlink():
            return False
        return any(path.is_relative_to(glob.root) and not glob.ignores(path.name) for glob in self.globs)

    def _notice(self, paths: Iterable[Path]) -> None:
        found = (name for path in islice(paths, _MOST_PATHS) if (name := self._name_of(path)))
        names = dict.fromkeys(islice(found, _MOST_NAMES))
        if names:
            with self._lock:
                self.pace.noticed(names, time.monotonic(), time.time_ns())
            self._heard.set()

    def _notice_files(self, places: Iterable[Path], new: frozenset[Path], since_ns: int) -> None:
        """Report the files of new directories, and files that changed while the directories were listed again."""
        left = MOST_ENTRIES
        for place in places:
            try:
                with os.scandir(place) as entries:
                    found = [each for each in islice(entries, max(left, 0)) if place in new or _changed(each, since_ns)]
            except OSError:  # removed meanwhile
                continue
            left -= len(found)
            self._notice(Path(each.path) for each in found)

    def _name_of(self, path: Path) -> str:
        glob = next((each for each in self.globs if each.matches(path)), None)
        return "" if glob is None else path.relative_to(glob.root).as_posix()


def _changed(entry: "os.DirEntry[str]", since_ns: int) -> bool:
    try:
        return entry.stat(follow_symlinks=False).st_mtime_ns >= since_ns - _GRAIN_NS
    except OSError:
        return False
