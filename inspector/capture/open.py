"""An open capture: read or recalled, followed while it grows, and watched for as long as it is open.

It is work for a thread of its own, which can be stopped at any time.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from inspector.capture.format.file import being_written
from inspector.capture.format.lines import LineBlock, blocks
from inspector.capture.journal import Journal
from inspector.capture.store.load import Loading, Trouble

# A capture that may still be recording: read as far as it goes, then followed until recording ends.


class Following(Loading):
    """A capture that grows.

    Raises (when made): CaptureError if the file is not a capture or must not be read.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._place = 0
        """Behind the last whole line."""
        self._rest: Iterator[LineBlock] | None = None
        """What is being taken in, a bite at a time."""
        self.caught_up = False
        """Whether all was taken in that was there at the last look."""
        self.trouble: Trouble | None = None
        """What has happened to the file, if that is why nothing more will come."""
        self.why = ""
        """Why nothing more will come; "" while something may."""

    def follow(self, most: int | None = None) -> bool:
        """Take in what is there by now, or the next lines, about so many; False once nothing more will come.

        `why` says so then.
        """
        if self.why:
            return False
        trouble = self.standing.trouble(self._place)  # asked before reading: what was written until then is read
        over = trouble is not None or not being_written(self._source.fd)
        if self._rest is None:
            self._rest = self._whole_lines()
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
            self.why = "the recording has ended"
        return not self.why

    def finish(self) -> None:
        """After the last line: read the rest of one without an end, and report problems of the file."""
        for block in blocks(self._source.read, self._place):
            self._take_block(block)
        self.conclude()

    def _whole_lines(self) -> Iterator[LineBlock]:
        return takewhile(lambda block: block.whole, blocks(self._source.read, self._place))


_BITE = 2000
"""Lines between two looks whether to stop: some ten milliseconds."""
_PACE_S, _WATCH_S = 0.1, 1.0
"""How often one looks whether a capture has grown, and whether it is still the same."""
_MANY = 50_000
"""Entries whose reading leaves megabytes behind."""
_LONG = 32 * 1024 * 1024
"""Bytes of a capture whose columns grow to megabytes."""
_MMAP_THRESHOLD, _THRESHOLD = -3, 128 * 1024
"""A parameter of glibc's malloc: from so many bytes on, memory is had from the system and goes back to it at once."""


class CaptureReading:
    """One capture. `journal` fills while `read` runs.

    Raises (when made): CaptureError if the file is not a capture or must not be read.
    """

    def __init__(self, path: Path, cache: Path | None = None) -> None:
        """`cache`: where indexes are kept; None for none."""
        self._loading = Following(path)
        self._cache = cache
        self._stop = threading.Event()
        self.journal = self._loading.journal
        self.is_complete = False
        """Whether everything was read that was there."""
        self.grows = False
        """Whether it was being recorded to at the last look."""

    @property
    def share(self) -> float:
        """How much of it was read, from 0 to 1."""
        return 1.0 if self.is_complete else min(1.0, self._loading.done / max(1, self._loading.total))

    def stop(self) -> None:
        """End `read` and `watch` soon, from any thread."""
        self._stop.set()

    def read(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Read it to its end, and follow it while it is being recorded to, or until stopped."""
        loading = self._loading
        if loading.total >= _LONG:
            _grow_apart()
        if self._cache is not None and loading.recall(self._cache):
            self.is_complete = True
            _give_back(self.journal)
            return
        while not self._is_over(stopped) and loading.follow(_BITE):
            if loading.caught_up:
                self.grows = self.is_complete = True
                self._stop.wait(_PACE_S)
        self.grows = False
        if loading.trouble is not None:
            loading.distrust(loading.trouble)
        elif loading.why:
            loading.finish()
            self.is_complete = True
            if self._cache is not None:
                loading.remember(self._cache)
        self.is_complete = True
        _give_back(self.journal)

    def watch(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """After `read`: say so once the file is not what it was, and show nothing else in its place."""
        loading = self._loading
        while loading.trouble is None and not self._is_over(stopped):
            trouble = loading.standing.trouble(loading.done)
            if self._is_over(stopped):
                return  # The file may have been closed meanwhile: what was seen of it means nothing.
            if trouble is not None:
                loading.distrust(trouble)
                return
            for _ in range(round(_WATCH_S / _PACE_S)):
                if self._is_over(stopped) or self._stop.wait(_PACE_S):
                    return

    def _is_over(self, stopped: Callable[[], bool]) -> bool:
        return self._stop.is_set() or stopped()


def _grow_apart() -> None:
    """Let large columns grow where they leave no holes behind, where the C library can (glibc): a tenth at the most."""
    import ctypes  # few captures are so long

    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _THRESHOLD)


def _give_back(journal: Journal) -> None:
    """Return the memory to the system that only the reading needed, where the C library can (glibc)."""
    if journal.count < _MANY:
        return
    import ctypes  # few captures are so long

    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
