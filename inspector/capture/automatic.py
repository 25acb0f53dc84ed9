"""The directory of automatic captures: their names, and the removal of the oldest.

Only files named like an automatic capture are removed, and never one that is being recorded to.
"""

import os
import re
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from inspector.capture.format.file import being_written
from inspector.capture.format.lines import open_for_reading, read_at
from inspector.capture.format.notes import remove_notes
from inspector.capture.format.reader import read_head
from inspector.capture.format.records import ConnectionRecord, Dated, EndRecord, FrameRecord, from_line
from inspector.documents import prepared_type
from inspector.errors import CaptureError
from inspector.json_file import JsonFile
from inspector.protocol import peek
from inspector.protocol.credentials import command_without_credentials, without_credentials
from inspector.protocol.facts import ConnectionEvent
from inspector.protocol.revisions.openings import SERVER_INFO

SUFFIX = ".mcpcap"
BUDGET = 2 * 1024 * 1024 * 1024
"""Total size in bytes of all captures in the directory."""
_OURS = re.compile(r"\d{8}-\d{6}-[A-Za-z0-9._-]+-[0-9a-f]{4}\.mcpcap")
"""File name as `fresh_path` makes it. A capture with another name was named by the user, who wants to keep it."""
_LABEL = 40

SMALL = 8 * 1024 * 1024
"""Bytes of a capture that is read completely: some tenths of a second."""

_END = 128 * 1024
"""Bytes read from the beginning and from the end of a larger capture."""

_MOST_CACHED = 64 << 20
"""Maximum bytes of the file with the summaries."""

_VERSION = 1

_ENTRIES = ("frame", "err", "conn", "proc", "http", "sse")
"""Record types that are entries."""


class Summary(msgspec.Struct, frozen=True):
    """Summary of one capture. Its texts are untrusted."""

    id: str = ""
    server: str = ""
    """Name of the server; "" if unknown."""
    target: str = ""
    """Command line or URL."""
    started_ns: int = 0
    """Wall clock time of the start."""
    lasted_ns: int = 0
    size: int = 0
    """Size of the file in bytes."""
    entries: int | None = None
    exchanges: int | None = None
    errors: int | None = None
    """Number of failed exchanges."""
    ended: str = ""
    """"recording", "clean", "died", "cut", or "" if unknown."""
    why: str = ""
    """Why it died, or why the file can't be read."""
    readable: bool = True


@prepared_type
class _CachedSummary(msgspec.Struct, frozen=True):
    version: int
    size: int
    changed_ns: int
    summary: Summary


def fresh_path(directory: Path, wall_ns: int, label: str, *, chance: str | None = None) -> Path:
    """Return the path of a new capture: named by local time and label, readable and sorted by age.

    `label` may be any text; `chance` distinguishes two captures that start within a second.
    """
    when = time.strftime("%Y%m%d-%H%M%S", time.localtime(wall_ns // 1_000_000_000))
    name = re.sub(r"[^A-Za-z0-9._]+", "-", label).strip("-.")[:_LABEL].rstrip("-.") or "capture"
    return directory / f"{when}-{name}-{chance or os.urandom(2).hex()}{SUFFIX}"


def captures(directory: Path) -> list[Path]:
    """Return the captures in a directory, newest first; empty if the directory does not exist."""
    try:
        with os.scandir(directory) as items:
            found = [
                (item.stat(follow_symlinks=False).st_mtime_ns, item.name)
                for item in items
                if item.name.endswith(SUFFIX) and item.is_file(follow_symlinks=False)
            ]
    except OSError:
        return []
    return [directory / name for _, name in sorted(found, reverse=True)]


def make_room(directory: Path, budget: int = BUDGET) -> list[Path]:
    """Remove the oldest captures until the others fit the budget in bytes; return the removed ones.

    Captures that the user has named, that can't be removed, or that are being recorded to are kept.
    """
    total = 0
    removed = []
    for path in captures(directory):
        total += _size(path)
        if total > budget and _OURS.fullmatch(path.name) and remove(path):
            removed.append(path)
    return removed


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def remove(path: Path) -> bool:
    """Remove a capture and its notes; return False if it can't be removed or is being recorded to.

    Symbolic links are not followed.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        if being_written(fd):
            return False
        path.unlink()
        with suppress(OSError):
            remove_notes(path)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


# Summary of a capture: a few facts for a list of captures, without reading each completely.


class Summaries:
    """Cache of summaries in a file. If a capture has changed, its summary is made again."""

    def __init__(self, file: Path | None) -> None:
        """Read the cache file; None: use no file."""
        self._file = None if file is None else JsonFile(file, dict[str, _CachedSummary], _MOST_CACHED)
        self._known = (self._file.read() if self._file is not None else None) or {}

    def known(self, path: Path) -> Summary | None:
        """Return the summary of a capture from the cache; None if it is not there or the capture has changed."""
        known = self._known.get(str(path))
        try:
            found = path.lstat()
        except OSError:
            return None
        is_same = known is not None and (known.version, known.size, known.changed_ns) == (
            _VERSION,
            found.st_size,
            found.st_mtime_ns,
        )
        return known.summary if known is not None and is_same else None

    def of(self, path: Path) -> Summary:
        """Return the summary of a capture from the cache, or make it. Any thread, one at a time."""
        try:
            found = path.lstat()
        except OSError as error:
            return Summary(readable=False, why=error.strerror or str(error))
        if (known := self.known(path)) is not None:
            return known
        made = summary(path)
        if made.ended != "recording":
            self._known[str(path)] = _CachedSummary(_VERSION, found.st_size, found.st_mtime_ns, made)
        return made

    def keep(self, paths: list[Path]) -> None:
        """Store the summaries of these captures only. A write error is ignored: they are made again."""
        names = {str(path) for path in paths}
        if self._file is not None:
            self._file.write({name: kept for name, kept in self._known.items() if name in names})


def summary(path: Path) -> Summary:
    """Return the summary of a capture. Never raises: why it can't be read is in `why`."""
    try:
        fd = open_for_reading(path)
    except CaptureError as error:
        return Summary(readable=False, why=str(error))
    try:
        size = os.fstat(fd).st_size
        recording = being_written(fd)
        head = read_head(fd, path)
        if size > SMALL:
            return _of_ends(fd, size, head.id, head.tw, recording=recording)
    except CaptureError as error:
        return Summary(size=size, readable=False, why=str(error))
    finally:
        os.close(fd)
    try:
        return _whole(path, recording=recording)
    except CaptureError as error:  # removed meanwhile
        return Summary(readable=False, why=str(error))


def _whole(path: Path, *, recording: bool) -> Summary:
    from inspector.capture.store.load import Loading  # not needed to record

    loading = Loading(path)
    journal = loading.journal
    try:
        while loading.step():
            pass
        count, opening, around = journal.count, journal.conversation.opening, journal.connection_facts
        opened, gone = around.connection, around.ended
        died = gone is not None and gone.event is ConnectionEvent.ABORT
        last = journal.store.time_ns(count) if count else journal.started_ns
        return Summary(
            id=journal.head.id,
            server=(peek.text(opening.server, "name") or "") if opening is not None else "",
            target=_target(opened.argv, opened.url) if opened is not None else "",
            started_ns=journal.started_wall_ns,
            lasted_ns=max(0, last - journal.started_ns),
            size=loading.total,
            entries=count,
            exchanges=len(journal.conversation.exchanges),
            errors=journal.conversation.exchanges.failures.count(1),
            ended="recording" if recording else "died" if died else "clean" if loading.is_whole else "cut",
            why=gone.why if gone is not None and died else "",
        )
    finally:
        journal.close()


def _of_ends(fd: int, size: int, id_: str, started_ns: int, *, recording: bool) -> Summary:
    """Summarize a large capture: the server is near its beginning, how it ended at its end."""
    first = _records(read_at(fd, 0, _END))
    last = _records(read_at(fd, max(0, size - _END), _END).partition(b"\n")[2])
    opened = next((each for each in first if isinstance(each, ConnectionRecord)), None)
    gone = next((each for each in reversed(last) if isinstance(each, ConnectionRecord)), None)
    died = gone is not None and gone.ev is ConnectionEvent.ABORT
    whole = bool(last) and isinstance(last[-1], EndRecord)
    times = [each.tm for each in (*first[:1], *last[-2:]) if not isinstance(each, EndRecord)]
    counts = last[-1].counts if whole and isinstance(last[-1], EndRecord) else None
    return Summary(
        id=id_,
        server=_named(first),
        target=_target(opened.target.argv, opened.target.url) if opened is not None else "",
        started_ns=started_ns,
        lasted_ns=max(times) - min(times) if times else 0,
        size=size,
        entries=None if counts is None else sum(counts.get(kind, 0) for kind in _ENTRIES),
        ended="recording" if recording else "died" if died else "clean" if whole else "cut",
        why=gone.why if gone is not None and died else "",
    )


def _records(data: bytes) -> "list[Dated | EndRecord]":
    found: list[Dated | EndRecord] = []
    for line in data.split(b"\n"):
        try:
            record = from_line(line)
        except ValueError:
            continue
        if isinstance(record, Dated | EndRecord):
            found.append(record)
    return found


def _named(records: "list[Dated | EndRecord]") -> str:
    """Return the server's name from the first response that contains it."""
    for record in records:
        if not isinstance(record, FrameRecord) or record.raw is None or "erverInfo" not in record.raw:
            continue
        result = peek.at(peek.decoded(record.raw), "result")
        if name := peek.text(result, "serverInfo", "name") or peek.text(result, "_meta", SERVER_INFO, "name"):
            return name
    return ""


def _target(argv: tuple[str, ...], url: str) -> str:
    return without_credentials(url) or " ".join(command_without_credentials(argv))
