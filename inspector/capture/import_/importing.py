"""Import: a foreign file is recognised, read, and written as a capture that states its origin and what is missing.

Nothing is made up: what the format does not record is not in the capture, except timestamps, which every entry has.
"""

import hashlib
import os
import shlex
import uuid
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path

import msgspec

from inspector.capture.format.file import CaptureFile, create, demand_place
from inspector.capture.format.lines import open_for_reading, read_at
from inspector.capture.format.reader import LOOKS_AT, foreign, is_log_without_messages, read_head
from inspector.capture.format.records import NO_CREDENTIALS, Entry, Head, Import, Redaction
from inspector.capture.format.writer import Recorder
from inspector.capture.import_.items import ImportedItem, ImportSource, Reader
from inspector.capture.import_.readers import READERS, formats, recognised
from inspector.capture.journal import Journal, new_head
from inspector.errors import CaptureError
from inspector.protocol.frames import Frame

_BEGIN = 1_000_000_000
"""Monotonic time of the first entry."""
_FIRST = 10
"""Number of items searched for the first timestamp."""
_CHUNK_BYTES = 1024 * 1024
_NAMESPACE = uuid.UUID("5d0f6f0e-93f5-5b0c-9a52-6e8f0c2d7b41")
"""Namespace for the ids of captures made from other files."""


class Imported(msgspec.Struct, frozen=True):
    reader: Reader
    entries: int
    frames: int
    passed_over: dict[str, int]
    """What could not be imported: counts by kind."""


def import_file(
    path: Path, out: Path, *, name: str = "", overwrite: bool = False, keep_secrets: bool = False
) -> Imported:
    """Convert a foreign file to a capture. `name` is the format; "" to detect it.

    The same file always gives the same capture id: it is the same evidence.

    Raises: CaptureError if the format is unknown or the file is empty; UsageError if `out` can't be written.
    """
    demand_place(out, path, overwrite=True)  # `create` checks `overwrite`
    fd = open_for_reading(path)
    try:
        start = read_at(fd, 0, LOOKS_AT)
        reader = READERS[name] if name else recognised(start)
        if reader is None and start.startswith(b'{"r":"head"'):
            read_head(fd, path)
            raise CaptureError(
                f"{path} is a capture already", hint=f"mcp-inspect replay {shlex.quote(str(path))} opens it."
            )
        if reader is None:
            error = foreign(str(path), start)
            raise CaptureError(
                str(error), hint=error.hint if is_log_without_messages(start) else f"It reads {formats()}."
            )
        source = ImportSource(fd, str(path))
        found = reader.read(source)
        first = tuple(islice(found, _FIRST))
        origin = Import(tool=reader.name, file_sha256=_digest(fd), losses=reader.losses)
        began = next((each.wall_ns for each in first if each.wall_ns is not None), os.fstat(fd).st_mtime_ns)
        head = _head(origin, began, keep_secrets=keep_secrets)
        frames, entries = _write(chain(first, found), head, out, overwrite=overwrite, source=source)
        return Imported(reader, entries, frames, dict(source.passed_over))
    finally:
        os.close(fd)


def _nothing(source: ImportSource, tool: str) -> CaptureError:
    passed_over = "; ".join(f"{what} ({count:,})" for what, count in source.passed_over.items())
    return CaptureError(
        f"{source.name} holds no message that can be read as {READERS[tool].title}"
        + (f". Skipped: {passed_over}" if passed_over else ""),
        hint=f"If it is something else, say so to mcp-inspect import, --from {', '.join(READERS)}.",
    )


def _head(origin: Import, began_ns: int, *, keep_secrets: bool) -> Head:
    redaction = Redaction() if keep_secrets else Redaction(NO_CREDENTIALS, "write")
    head = new_head("import", _BEGIN, began_ns)
    own = str(uuid.uuid5(_NAMESPACE, f"{origin.tool} {origin.file_sha256}"))
    return msgspec.structs.replace(head, id=own, tz="", imported=origin, redaction=redaction)


def _write(
    found: Iterator[ImportedItem], head: Head, out: Path, *, overwrite: bool, source: ImportSource
) -> tuple[int, int]:
    """Write the capture; return the number of frames and of entries. A file without entries is removed."""
    file = CaptureFile(create(out, overwrite=overwrite), out)
    whole = head.redaction.on == "none"
    journal = Journal(file, head, recorder=Recorder(file, head), path=out, keep_secrets=whole)
    clock, frames = _Clock(head.tw), 0
    try:
        for item in found:
            frames += isinstance(item.what, Frame)
            journal.append(_entry(item, clock, head.tw))
        if not frames and not journal.http_exchanges and isinstance(head.imported, Import):
            raise _nothing(source, head.imported.tool)
    except BaseException:
        journal.close()
        with suppress(OSError):
            out.unlink()
        raise
    journal.close()
    if file.trouble:
        with suppress(OSError):
            out.unlink()
        raise CaptureError(f"{out} is not whole, so it is not kept. {file.trouble}", hint="Make room on the disk.")
    return frames, journal.count


def _entry(item: ImportedItem, clock: "_Clock", began_ns: int) -> Entry:
    wall_ns = clock.wall(item.wall_ns)
    time_ns = clock.time(wall_ns - began_ns + _BEGIN)
    what = item.what
    if isinstance(what, Frame):
        what = msgspec.structs.replace(what, time_ns=time_ns, wall_ns=wall_ns)
    return Entry(0, time_ns, wall_ns, what)


class _Clock:
    """Timestamps for all entries: a missing one repeats the previous one, and monotonic time never decreases."""

    def __init__(self, start_ns: int) -> None:
        self._wall = start_ns
        self._time = 0

    def wall(self, said_ns: int | None) -> int:
        if said_ns is not None:
            self._wall = said_ns
        return self._wall

    def time(self, wanted_ns: int) -> int:
        self._time = max(self._time, wanted_ns)
        return self._time


def _digest(fd: int) -> str:
    digest, at = hashlib.sha256(), 0
    while chunk := read_at(fd, at, _CHUNK_BYTES):
        digest.update(chunk)
        at += len(chunk)
    return digest.hexdigest()
