"""Opening a capture: it is loaded, followed while it grows, and watched for changes while it is open.

This runs on a thread of its own and can be stopped at any time.
"""

import threading
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path

from inspector.capture import allocator
from inspector.capture.format.file import being_written
from inspector.capture.format.lines import LineBlock, blocks
from inspector.capture.journal import MANY_ENTRIES, Journal
from inspector.capture.store.load import FileProblem, Loading

_BEGINNING = 128 * 1024
"""Bytes that are read before the first picture, so that it has rows: some milliseconds."""

_BITE = 2000
"""Lines between two checks whether to stop: some ten milliseconds."""

_PACE_S, _WATCH_S = 0.1, 1.0
"""Seconds between two checks whether a capture has grown, and whether it is still the same file."""

_LONG = 32 * 1024 * 1024
"""Size in bytes of a capture whose columns grow to megabytes."""


# A capture that may still be recording is read to its current end, then followed until the recording ends.


class Following(Loading):
    """A growing capture. Raises (when created): CaptureError if the file is not a capture or must not be read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._place = 0
        """Offset after the last complete line."""
        self._rest: Iterator[LineBlock] | None = None
        """Lines being read, block by block."""
        self.caught_up = False
        """Whether everything that the file contained at the last call was read."""
        self.trouble: FileProblem | None = None
        """Problem with the file, if that ended the reading."""
        self.why = ""
        """Why nothing more will be read; "" while something may."""

    def follow(self, most: int | None = None) -> bool:
        """Read all available lines, or about `most` of them; return False once nothing more will follow.

        `why` is then set, and problems of the file are reported.
        """
        if self.why:
            return False
        trouble = self.standing.trouble(self._place)  # before reading, to read all that was written until then
        over = trouble is not None or not being_written(self._source.fd)
        if self._rest is None:
            self._rest = takewhile(lambda block: block.whole, blocks(self._source.read, self._place))
        taken = 0
        self.caught_up = True
        for block in self._rest:
            self._take_block(block)
            self._place = block.end
            taken += len(block.lines)
            if most is not None and taken >= most:
                self.caught_up = False
                break
        if self.caught_up:
            self._rest = None
        if trouble is not None:
            self.trouble, self.why = trouble, trouble.why
        elif over and self.caught_up:
            self._finish()
            self.why = "nothing more is being recorded" if self._end is None else "the recording has ended"
        return not self.why

    def read_beginning(self, size: int) -> None:
        """Read the complete lines of the first `size` bytes. Call this before the first `follow`."""

        def read(place: int, length: int) -> bytes:
            return self._source.read(place, max(0, min(length, size - place)))

        for block in takewhile(lambda block: block.whole, blocks(read)):
            self._take_block(block)
            self._place = block.end

    def _finish(self) -> None:
        """Read the rest after the last complete line, and report problems of the file."""
        for block in blocks(self._source.read, self._place):
            self._take_block(block)
        self.conclude()


class CaptureReading:
    """Reading of one capture. `journal` fills while `read` runs.

    Raises (when created): CaptureError if the file is not a capture or must not be read.
    """

    def __init__(self, path: Path, cache: Path | None = None) -> None:
        """Open a capture. `cache` is the directory of the indexes; None for none."""
        self._loading = Following(path)
        self._cache = cache
        self._stop = threading.Event()
        self.journal = self._loading.journal
        self.is_complete = False
        """Whether everything available was read."""

    @property
    def grows(self) -> bool:
        """Whether the capture was still being recorded at the last check."""
        return self.journal.grows

    @property
    def share(self) -> float:
        """Fraction of the file that was read, from 0 to 1."""
        return 1.0 if self.is_complete else min(1.0, self._loading.done / max(1, self._loading.total))

    def stop(self) -> None:
        """Make `read` and `watch` return soon. Any thread may call it."""
        self._stop.set()

    def begin(self) -> None:
        """Read the beginning, unless there is an index, from which `read` restores all at once."""
        if self._cache is None or not self._loading.has_index(self._cache):
            self._loading.read_beginning(_BEGINNING)

    def read(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Read the capture to its end; while it is being recorded, follow it until stopped."""
        loading = self._loading
        if loading.total >= _LONG:
            allocator.return_large_blocks()
        if self._cache is not None and loading.load_index(self._cache):
            self.is_complete = True
            _give_back(self.journal)
            return
        while not self._is_over(stopped) and loading.follow(_BITE):
            if loading.caught_up:
                self.journal.grows = self.is_complete = True
                self._stop.wait(_PACE_S)
        self.journal.grows = False
        if loading.trouble is not None:
            loading.mark_changed(loading.trouble)
        elif loading.why:
            self.is_complete = True
            if self._cache is not None:
                loading.save_index(self._cache)
        self.is_complete = True
        _give_back(self.journal)

    def watch(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """After `read`: add a notice once the file has changed, and stop showing its new content."""
        loading = self._loading
        while loading.trouble is None and not self._is_over(stopped):
            trouble = loading.standing.trouble(loading.done)
            if self._is_over(stopped):
                return  # The file may have been closed meanwhile: the check is then meaningless.
            if trouble is not None:
                loading.mark_changed(trouble)
                return
            for _ in range(round(_WATCH_S / _PACE_S)):
                if self._is_over(stopped) or self._stop.wait(_PACE_S):
                    return

    def _is_over(self, stopped: Callable[[], bool]) -> bool:
        return self._stop.is_set() or stopped()


def _give_back(journal: Journal) -> None:
    """Return memory that only the loading needed to the system."""
    if journal.count >= MANY_ENTRIES:
        allocator.trim()
