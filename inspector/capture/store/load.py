"""Loading a capture: its records become a journal. Nothing is connected, started or fetched.

What can't be read is counted and reported in notices; everything else is loaded.
"""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from inspector.capture.foreign_files import ConvertedCapture, open_capture
from inspector.capture.format.file import being_written
from inspector.capture.format.lines import MAX_BLOCK_LINES, FileWindow, LineBlock, blocks, read_at
from inspector.capture.format.reader import is_newer_minor
from inspector.capture.format.records import (
    KNOWN,
    Dated,
    EditRecord,
    EndRecord,
    Entry,
    FrameRecord,
    GapRecord,
    Head,
    Import,
    Record,
    RedactRecord,
    RuleRecord,
    SumRecord,
    entry_of,
    from_line,
    type_of,
)
from inspector.capture.journal import Journal
from inspector.capture.store import index
from inspector.capture.store.fold_fast_path import FrameListener, Rows
from inspector.capture.store.history import point_of
from inspector.capture.store.points import Points
from inspector.protocol.events import Event
from inspector.protocol.frames import Frame
from inspector.text import cut

# Check whether an open capture is still the file that was read: it may be truncated, rewritten or replaced.

_START = 1024
"""Bytes at the beginning that identify a capture: its head contains an id."""

_PASSED_OVER = {
    "partial": "The last line of the capture is incomplete and was left out.",
    "unreadable": "Left out of the capture, because unreadable: {}.",
    "unknown": "Left out of the capture, because their type is unknown: {}.",
    "no payload": "Left out of the capture, because the payload is in another file, which is not read: {}.",
    "other length": "The payload has another length than the capture says, so it was changed after recording: {}.",
}


class FileProblem(msgspec.Struct, frozen=True):
    """What has happened to a file."""

    why: str
    """Part of a sentence."""
    readable: int | None = None
    """Number of unchanged bytes from the beginning; None if everything that was read is unchanged."""


class OpenedFile:
    """An open file and its initial state."""

    def __init__(self, fd: int, path: Path) -> None:
        self._fd = fd
        self._path = path
        self._start = read_at(fd, 0, _START)

    def trouble(self, read: int) -> FileProblem | None:
        """Return what has happened to the file since it was opened; None if it is unchanged.

        `read` is the number of bytes read so far.
        """
        try:
            opened, there = os.fstat(self._fd), os.stat(self._path)
            start = read_at(self._fd, 0, len(self._start))
            # If the start differs, the file may have been truncated after `opened` was taken.
            size = opened.st_size if start == self._start else os.fstat(self._fd).st_size
        except OSError as error:
            return FileProblem(f"the capture can't be looked at any more: {error.strerror}")
        if size < read:
            return FileProblem("the capture was cut while it was read", self._readable(size))
        if start != self._start:
            return FileProblem("the capture was rewritten while it was read", 0)
        if (there.st_dev, there.st_ino) != (opened.st_dev, opened.st_ino):
            return FileProblem("another file has taken the place of the capture")
        return None

    def _readable(self, size: int) -> int:
        start = self._start[:size]
        return size if read_at(self._fd, 0, len(start)) == start else 0


class RecordedFile:
    """Lines of a finished file. Any thread may read."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._lock = threading.Lock()
        self._window = FileWindow()
        self._closed = False
        self._end: int | None = None

    def read(self, place: int, length: int) -> bytes:
        """Return the bytes of a line; fewer or none if the file has changed or is closed."""
        with self._lock:
            if self._closed or (self._end is not None and place + length > self._end):
                return b""
            return self._window.read(self.fd, place, length)

    def end_at(self, size: int) -> None:
        """Read nothing after this offset from now on: the content there has changed."""
        with self._lock:
            self._end = size
            self._window = FileWindow()

    def close(self) -> None:
        """Close the descriptor. A second call does nothing."""
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self.fd)


class Loading:
    """A capture being loaded: `journal` grows with every step and can be shown meanwhile.

    For another program's file, its temporary capture is read; the journal has the path of the original file.

    Raises (when created): CaptureError if the file is not a capture or must not be read.
    """

    def __init__(self, path: Path) -> None:
        fd, head, read, self._stand_in = open_capture(path)
        self._source = RecordedFile(fd)
        self.journal = Journal(self._source, head, path=path)
        """Available from the beginning. Closing it ends the loading."""
        self.total = os.fstat(fd).st_size
        """Size of the file in bytes when it was opened."""
        self.done = 0
        """Bytes read so far."""
        self._blocks: Iterator[LineBlock] | None = None
        self._rows = Rows(self.journal)
        self._points = self.journal.points = Points()
        self._anchor = head.tw - head.tm
        self._passed_over: Counter[str] = Counter()
        self._end: EndRecord | None = None
        self._head = head
        self._path = read
        self._identity: index.Identity | None = None
        self.standing = OpenedFile(fd, read)
        """Detects changes of the file."""

    def tell(self, listener: FrameListener) -> None:
        """Add a listener for every frame. Call this before the first step."""

        def hear(entry: Entry, events: Sequence[Event]) -> None:
            if isinstance(entry.what, Frame):
                listener.on_frame(entry.what, events)

        self._rows.listener = listener
        self.journal.listen(hear)

    @property
    def is_whole(self) -> bool:
        """Whether the last record says that the capture was closed."""
        return self._end is not None and self._end.clean

    def step(self, most: int = MAX_BLOCK_LINES) -> bool:
        """Read the next lines, at most `most`; return False at the end, when the notices are complete.

        The value of the first call determines `most`.
        """
        if self._blocks is None:
            self._blocks = blocks(self._source.read, most=most)
        block = next(self._blocks, None)
        if block is not None:
            self._take_block(block)
            return True
        self.conclude()
        return False

    def mark_changed(self, trouble: FileProblem) -> None:
        """Add a notice that the file has changed, and stop reading the changed content."""
        if trouble.readable is not None:
            self._source.end_at(trouble.readable)
        self.journal.note(f"Now {trouble.why}: shown is what was read before, as far as it can still be had.")

    def has_index(self, directory: Path) -> bool:
        """Whether a directory has an index of this capture; it may turn out to be unusable."""
        identity = self._identified()
        return identity is not None and index.exists(directory, identity)

    def load_index(self, directory: Path) -> bool:
        """Restore the journal from the index in a directory; if True is returned, no step is needed.

        It is False after the first step.
        """
        self._identity = self._identified()
        if self._identity is None or self.done or not index.load(directory, self.journal, self._identity):
            return False
        self.done = self.total
        return True

    def _identified(self) -> index.Identity | None:
        """Return what an index is found by; None for captures that have none."""
        if self._stand_in is not None or self.total < index.SMALLEST or being_written(self._source.fd):
            return None
        try:
            return index.identity(self._source.fd, self._path, self._head.id)
        except OSError:
            return None

    def save_index(self, directory: Path) -> bool:
        """After the last step: save an index if the capture is unchanged since `load_index`; return whether it did."""
        if self._identity is None or self.journal.edits or being_written(self._source.fd):
            return False  # an index holds no edits
        try:
            now = index.identity(self._source.fd, self._path, self._head.id)
        except OSError:
            return False
        return now == self._identity and index.save(directory, self.journal, now)

    def _take_block(self, block: LineBlock) -> None:
        place, several, end, whole = block
        at, count = 0, len(several)
        while at < count:
            at, behind = self._rows.take(several, at, place, self._anchor)
            if behind != place:
                self._end = None
            place = behind
            if at < count:
                self._rows.flush()
                self._line(several[at], place, whole)
                place += len(several[at]) + 1
                at += 1
        self._rows.flush()
        self._points.offer(self.journal.count, lambda: point_of(self.journal))
        self.done = end

    def _line(self, line: bytes, place: int, whole: bool) -> None:
        """Read a line other than an ordinary frame."""
        try:
            record = from_line(line)
        except ValueError:
            self._unknown(line, whole)
        else:
            self._record(record, place, len(line))

    def _record(self, record: Record, place: int, length: int) -> None:
        self._end = None
        match record:
            case Head():
                self._anchor = record.tw - record.tm
            case SumRecord() | RedactRecord() | RuleRecord():
                pass
            case EditRecord():
                self.journal.edits.setdefault(record.of, []).append(record)
            case GapRecord():
                self.journal.note(_gap(record))
            case EndRecord():
                self._end = record
            case _:
                self._take(record, place, length)

    def _take(self, record: Dated, place: int, length: int) -> None:
        try:
            entry = entry_of(record, self.journal.count + 1, record.tm + self._anchor)
        except ValueError:
            self._passed_over["no payload"] += 1
            return
        if isinstance(record, FrameRecord) and isinstance(entry.what, Frame):
            self._passed_over["other length"] += record.len not in (None, len(entry.what.payload))
        self.journal.take(entry, place, length)

    def _unknown(self, line: bytes, whole: bool) -> None:
        kind = type_of(line)
        if not whole:
            self._passed_over["partial"] += 1
        elif kind is None or kind in KNOWN:
            self._passed_over["unreadable"] += 1
        else:
            self._passed_over["unknown"] += 1

    def conclude(self) -> None:
        """Report problems of the file. Call this once, after the last line was read."""
        self.done = max(self.done, self.total)
        note = self.journal.note
        if isinstance(self._head.imported, Import):
            for message in _origin(self._head.imported, self._stand_in):
                note(message)
        if is_newer_minor(self._head.v):
            note(
                f"The capture has format {cut(self._head.v, 40)}, newer than mcp-inspect: parts of it may not be shown."
            )
        passed_over = self._passed_over + self._rows.passed_over
        for what, sentence in _PASSED_OVER.items():
            if count := passed_over[what]:
                note(sentence.format("1 record" if count == 1 else f"{count} records"))
        if being_written(self._source.fd):
            note("The capture is still being written: this is what was there so far.")
        elif self._end is None:
            note("The capture has no end: whatever wrote it was stopped, or the file was cut.")
        elif not self._end.clean:
            note("The capture was not closed: its end may be missing.")


def load(path: Path, *, on_progress: Callable[[int, int], None] | None = None, cache: Path | None = None) -> Journal:
    """Load a capture completely and return its journal.

    `on_progress` is called with the bytes read and the total bytes, from time to time. `cache` is the directory of
    the indexes of long captures; None for none.

    Raises: CaptureError if the file is not a capture or must not be read.
    """
    loading = Loading(path)
    if cache is None:
        return finish(loading, on_progress)
    if not loading.load_index(cache):
        finish(loading, on_progress)
        loading.save_index(cache)
    return loading.journal


def finish(loading: Loading, on_progress: Callable[[int, int], None] | None = None) -> Journal:
    """Take all remaining steps of a loading; return its journal."""
    try:
        more = True
        while more:
            more = loading.step()
            if on_progress is not None:
                on_progress(loading.done, loading.total)
    except BaseException:
        loading.journal.close()
        raise
    return loading.journal


def _gap(record: GapRecord) -> str:
    seconds = (record.tm1 - record.tm0) / 1e9
    why = f" ({cut(record.why, 200)})" if record.why else ""
    return f"The capture has a gap: {record.lost_frames} records within {seconds:.1f} s could not be written{why}."


def _origin(imported: Import, stand_in: ConvertedCapture | None) -> Iterator[str]:
    losses = "; ".join(each[:200] for each in imported.losses[:10]) or "all"
    if stand_in is None:
        tool = imported.tool[:60] or "from another program"
        yield f"Imported ({tool}); what it was made of does not tell {losses}."
        return
    many = f"{len(imported.losses)} things" if len(imported.losses) != 1 else "1 thing"
    yield f"Read from {stand_in.file.name}, {stand_in.title}; {many} it does not tell: {losses}."
    if stand_in.passed_over:
        left_out = ", ".join(f"{what} ({count:,})" for what, count in stand_in.passed_over.items())
        yield f"Left out of what is shown of it: {left_out}."
