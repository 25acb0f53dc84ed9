"""The file of a capture being recorded: whole lines, appended by a thread of its own, readable at once.

Nothing is dropped while the disk works: if it is slower than the traffic, the caller waits a little. A failing disk
causes a banner, not an exception. Lines then wait in memory up to a budget and are written once the disk accepts
data again. What exceeded the budget is counted in a `gap` record.
"""

import atexit
import errno
import fcntl
import hashlib
import os
import stat
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path

from inspector.capture.format.lines import FileWindow
from inspector.capture.format.records import EndRecord, GapRecord, to_line
from inspector.errors import UsageError

LOST = 2**64 - 1
"""Offset of a line that was not kept."""
BUDGET = 64 * 1024 * 1024
"""Bytes of lines that may wait for the disk."""
_CHUNK = 1024 * 1024
"""Bytes per write call. More gains nothing and keeps readers waiting."""
_PACE = 1.0
"""Seconds between two syncs while there is unsynced data, and between two retries of a failing disk."""
_PATIENCE = 5.0
"""Seconds that the caller waits for a disk that neither accepts data nor fails."""

_sync = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync
_ANOTHER = "name another file"


class CaptureFile:
    """Writer and reader of one file. It takes over the descriptor, which must be open for appending.

    `put` is called by one thread, `read` by any.
    """

    def __init__(
        self,
        fd: int,
        path: Path | None,
        *,
        budget: int = BUDGET,
        pace: float = _PACE,
        patience: float = _PATIENCE,
        write: Callable[[int, memoryview], int] = os.write,
        sync: Callable[[int], None] = _sync,
    ) -> None:
        self.path = path
        """Path of the file; None for an anonymous file."""
        self._fd = fd
        self._budget = budget
        self._pace = pace
        self._patience = patience
        self._write = write
        self._sync = sync
        self._turn = threading.Condition()
        self._reading = threading.Lock()
        self._window = FileWindow()
        """Guarded by `_reading` instead of `_turn`, so that reading a large payload does not block the traffic."""
        self._fresh: dict[int, bytes] = {}
        """Queued lines, or runs of lines as one piece, by offset. The writer has not taken them yet."""
        self._taken: dict[int, bytes] = {}
        """Lines that the writer is currently writing."""
        self.size = 0
        """Bytes queued or written so far."""
        self._written = 0
        self._waiting = 0
        """Bytes in `_fresh` and `_taken`."""
        self._idle = False
        self.backpressure = False
        """Whether the traffic waits for the disk, or has waited since the queue was last empty."""
        self._trouble = ""
        self._past = ""
        """Last problem, reported once it is over."""
        self._losses = _Losses()
        self._closing: Callable[[str], EndRecord | None] | None = None
        self._closed = False
        self._dirty_since: float | None = None
        self._digest = hashlib.sha256()
        self._thread = threading.Thread(target=self._run, name="capture-writer", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    @property
    def healthy(self) -> bool:
        """Whether new lines reach the file."""
        return not self._trouble and not self._closed

    @property
    def open(self) -> bool:
        """Whether `close` has not been called yet."""
        return not self._closed and self._closing is None

    @property
    def is_incomplete(self) -> bool:
        """Whether records are missing in the file."""
        return bool(self._trouble or self._losses.count)

    @property
    def trouble(self) -> str:
        """Banner about a current or past disk problem; "" if there is none."""
        count = self._losses.count
        lost = f"{count} records are lost" if count else "nothing is lost"
        if self._trouble and self._closed:
            return f"The capture is not complete: {self._trouble}. Its end could not be written."
        if self._trouble:
            return f"The capture can't be written: {self._trouble}. Traffic continues; so far {lost}."
        return f"The capture could not be written for a while: {self._past}; {lost}." if self._past else ""

    def put(self, line: bytes, time_ns: int = 0, *, size: int = 0) -> int:
        """Queue a line including its line end; return its offset in the file, or LOST.

        `time_ns` and `size` (payload bytes) go into the `gap` record if the line has to be dropped.
        """
        with self._turn:
            if self._waiting >= self._budget:
                self._await_room()
            if not self.open or self._waiting >= self._budget:
                self._losses.add(time_ns, size, self._trouble)
                return LOST
            for gap in self._losses.untold():
                self._queue(gap)
            return self._queue(line)

    def put_run(self, lines: list[bytes], time_ns: int, sizes: list[int]) -> list[int]:
        """Queue lines that belong together, like `put`; return their offsets."""
        with self._turn:
            if self.open and self._waiting < self._budget and not self._losses.is_pending:
                first = self._queue(b"".join(lines))
                return list(accumulate(map(len, lines[:-1]), initial=first))
        return [self.put(line, time_ns, size=size) for line, size in zip(lines, sizes, strict=True)]

    def read(self, place: int, length: int) -> bytes:
        """Return the bytes of a line, written or not; fewer or none if they are not available."""
        # No lock here: during a flood a reader would wait for it. A line moves from `_fresh` to `_taken` to the file
        # and is briefly in two of them rather than in none, so reading in this order finds it.
        if place == LOST:
            return b""
        if place + length > self._written:
            waiting = _within(self._fresh, place, length) or _within(self._taken, place, length)
            if waiting is not None:
                return waiting
        with self._reading:
            return b"" if self._closed else self._window.read(self._fd, place, length)

    def flush(self) -> None:
        """Write what is queued in the calling thread, so that it outlives the process."""
        with self._turn:
            self._turn.wait_for(lambda: not self._taken or self._trouble, self._patience)
            if self._taken or self._trouble or not self.open:
                return
            self._taken, self._fresh = self._fresh, {}
            self._write_taken()

    def close(self, end: Callable[[str], EndRecord | None] | None = None) -> None:
        """Write what is queued and the last line, then close the file.

        `end` makes the last line from the digest of all lines before it, or returns None for no such line. A second
        call does nothing. If the disk still fails, the lines that wait in memory are lost.
        """
        with self._turn:
            if not self.open:
                return
            for gap in self._losses.untold():
                self._queue(gap)
            self._closing = end or (lambda sha256: EndRecord(sha256=sha256, clean=False))
            self._turn.notify_all()
        self._thread.join(self._patience)
        atexit.unregister(self.close)
        with self._turn, self._reading:
            self._closed = True
            if not self._thread.is_alive():
                os.close(self._fd)

    def _queue(self, line: bytes) -> int:
        place = self.size
        self.size += len(line)
        self._waiting += len(line)
        self._fresh[place] = line
        if self._idle and not self._trouble:  # after an error the writer sleeps until its next retry
            self._turn.notify_all()
        return place

    def _await_room(self) -> None:
        """Apply back-pressure: wait until the disk has taken enough, has failed, or `_patience` is exceeded."""
        if self._trouble:
            return
        self.backpressure = True
        if not self._turn.wait_for(lambda: self._waiting < self._budget or bool(self._trouble), self._patience):
            self._trouble = self._past = "the disk takes nothing"

    def _run(self) -> None:
        """Run the writer thread: write what is queued, sync now and then."""
        while self._await_work():
            self._write_taken()
            if self._dirty_since is not None and time.monotonic() - self._dirty_since >= self._pace:
                self._sync_now()
        self._finish()

    def _await_work(self) -> bool:
        """Wait for work and take it; return False if the file is to be closed."""
        with self._turn:
            if not self._taken and not self._fresh:
                self.backpressure = False
            self._idle = True
            while not self._closing and (self._trouble or not self._fresh):
                if not self._turn.wait(self._pause()):
                    break
            self._idle = False
            if not self._taken:
                self._taken, self._fresh = self._fresh, {}
            return self._closing is None

    def _pause(self) -> float | None:
        """Return the seconds until there is work even without new entries; None for never."""
        if self._trouble:
            return self._pace
        if self._dirty_since is None:
            return None
        return max(0.0, self._dirty_since + self._pace - time.monotonic())

    def _write_taken(self) -> None:
        try:
            for chunk in self._chunks():
                self._write_all(memoryview(chunk))
        except OSError as error:
            self._fail(error)
            return
        with self._turn:
            self._taken = {}
            self._trouble = ""
            self._turn.notify_all()

    def _chunks(self) -> Iterator[bytes]:
        """Yield what is taken and not yet written, in pieces of about 1 MiB."""
        piece: list[bytes] = []
        size = 0
        for place, line in self._taken.items():
            if place + len(line) <= self._written:
                continue
            cut = max(0, self._written - place)  # a failed write may have written half a line
            piece.append(line[cut:] if cut else line)
            size += len(line) - cut
            if size >= _CHUNK:
                yield b"".join(piece)
                piece, size = [], 0
        if piece:
            yield b"".join(piece)

    def _write_all(self, rest: memoryview) -> None:
        while rest:
            count = self._write(self._fd, rest)
            if count == 0:
                raise OSError(errno.EIO, "the disk takes nothing")
            self._digest.update(rest[:count])
            rest = rest[count:]
            with self._turn:
                self._written += count
                self._waiting -= count
                if self._dirty_since is None:
                    self._dirty_since = time.monotonic()
                if self.backpressure:
                    self._turn.notify_all()

    def _sync_now(self) -> None:
        self._dirty_since = None
        if self.path is not None:  # an anonymous file does not outlive the process
            try:
                self._sync(self._fd)
            except OSError as error:
                self._fail(error)

    def _fail(self, error: OSError) -> None:
        with self._turn:
            self._trouble = self._past = error.strerror or str(error)
            self._turn.notify_all()

    def _finish(self) -> None:
        """Write all remaining lines and the last line, as far as the disk accepts them."""
        with self._turn:
            self._taken |= self._fresh
            self._fresh = {}
        self._write_taken()
        if self._trouble or self._closing is None:
            return
        if (end := self._closing(self._digest.hexdigest())) is not None:
            with self._turn:
                self._queue(to_line(end))
                self._taken, self._fresh = self._fresh, {}
            self._write_taken()
        self._sync_now()


def _within(pieces: dict[int, bytes], place: int, length: int) -> bytes | None:
    """Return a line from pieces ordered by offset; None if no piece contains it."""
    piece = pieces.get(place)
    if piece is None and pieces:
        places = list(pieces)
        begin = places[bisect_right(places, place) - 1]
        piece, place = pieces[begin], place - begin
        return piece[place : place + length] if 0 <= place < len(piece) else None
    return piece[:length] if piece is not None else None


class _Losses:
    """Counts of lost entries: in total, and not yet recorded in a `gap` record."""

    def __init__(self) -> None:
        self.count = 0
        self._gap: GapRecord | None = None

    @property
    def is_pending(self) -> bool:
        return self._gap is not None

    def add(self, time_ns: int, size: int, why: str) -> None:
        self.count += 1
        gap = self._gap or GapRecord(why=why, tm0=time_ns)
        self._gap = GapRecord(
            lost_frames=gap.lost_frames + 1, lost_bytes=gap.lost_bytes + size, why=gap.why, tm0=gap.tm0, tm1=time_ns
        )

    def untold(self) -> Iterator[bytes]:
        """Yield the `gap` line for the losses since the last one, if there are any."""
        gap, self._gap = self._gap, None
        if gap is not None:
            yield to_line(gap)


# Creating the file of a capture: new, readable by its owner only, never through a symbolic link.


def make_private_directory(path: Path) -> None:
    """Make a directory and its missing parents, readable by the owner only.

    Existing directories are not changed.

    Raises: OSError.
    """
    if path.is_dir():
        return
    make_private_directory(path.parent)
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)


def create(path: Path, *, overwrite: bool = False) -> int:
    """Create a file for a capture, readable by its owner only; open it for appending and reading.

    With `overwrite`, an existing capture is emptied first. A symbolic link is never followed.

    Raises: UsageError.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        make_private_directory(path.parent)
        fd = os.open(path, flags | (os.O_NONBLOCK if overwrite else os.O_EXCL), 0o600)
    except FileExistsError:
        raise UsageError(
            f"the capture {path} already exists", hint="Name another file, or delete this one first."
        ) from None
    except OSError as error:
        why = "it is a link, and links are not followed" if error.errno == errno.ELOOP else error.strerror
        raise UsageError(f"the capture {path} can't be written: {why}", hint=_ANOTHER) from None
    try:
        _claim(fd, path)
    except UsageError:
        os.close(fd)
        raise
    return fd


def _claim(fd: int, path: Path) -> None:
    """Take over the open file: it must be a regular file without another writer; it is emptied and made private."""
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        raise UsageError(f"{path} is not a regular file", hint=_ANOTHER)
    # In a shared directory another user may have created the file: they could read it, and through a hard link we would
    # empty another file.
    if found.st_uid != os.geteuid() or found.st_nlink > 1:
        why = "belongs to another user" if found.st_uid != os.geteuid() else "has more than one name (hard link)"
        raise UsageError(f"{path} {why}", hint=_ANOTHER)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"{path} is being recorded into right now", hint=_ANOTHER) from None
    except OSError:
        pass  # a file system without locks: unknown, so continue
    with suppress(OSError):
        os.fchmod(fd, 0o600)
    os.ftruncate(fd, 0)


def demand_place(out: Path, original: Path, *, overwrite: bool) -> None:
    """Check that a file derived from a capture may be written to `out`.

    Raises: UsageError if it is the original, exists already, or is being recorded to.
    """
    if out.exists() and out.samefile(original):
        raise UsageError(f"{out} is the original, which stays as it is", hint="Name another file.")
    if not overwrite and os.path.lexists(out):
        raise UsageError(f"{out} already exists", hint="Choose another file, or add --force.")
    if out.is_file() and not out.is_symlink():
        with suppress(OSError), open(out, "rb") as file:
            if being_written(file.fileno()):
                raise UsageError(f"{out} is being recorded into right now", hint="Name another file.")


def create_anonymous() -> int:
    """Open a file without a name for appending and reading. It disappears when its descriptor is closed.

    Raises: OSError.
    """
    with suppress(AttributeError, OSError):  # Linux, if the file system supports it; avoids a slow import
        return os.open(os.environ.get("TMPDIR", "/tmp"), os.O_TMPFILE | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC, 0o600)
    import tempfile

    with tempfile.TemporaryFile(prefix="mcp-inspect-") as made:
        fd = os.dup(made.fileno())
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_APPEND)
    return fd


def being_written(fd: int) -> bool:
    """Return whether a process is recording to this file."""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    fcntl.flock(fd, fcntl.LOCK_UN)
    return False
