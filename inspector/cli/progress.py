"""Progress of a request or of long work on stderr: a bar on a terminal, otherwise occasional lines."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from inspector import text
from inspector.cli.output import Output
from inspector.present.spans import plain
from inspector.present.words import left, progress_spans
from inspector.protocol.exchanges import Progress

_CELLS = 24
"""Width of the bar in cells."""
_PAUSE_S = {True: 0.05, False: 1.0}
"""Seconds between two updates: on a terminal, elsewhere."""

_SILENT_S = {True: 1.0, False: 10.0}
"""Seconds before the first update: on a terminal, elsewhere."""

_PAUSE_BETWEEN_DRAWINGS_S = 0.1
_STEPS = 10

_EVERY = 256
"""Number of items between two reports of `counted`."""


class ProgressBar:
    """Draws the latest progress message of a request. `end` keeps it on screen."""

    def __init__(self, output: Output, now: Callable[[], float] = time.monotonic) -> None:
        """Create the bar. `now`: returns seconds."""
        self._output = output
        self._now = now
        self._drawn_at = float("-inf")
        self._left: Progress | None = None
        """Received but not drawn yet."""

    def show(self, progress: Progress) -> None:
        """Draw progress, at most once per pause."""
        self._left = progress
        if self._now() - self._drawn_at >= _PAUSE_S[self._output.draws_over]:
            self._draw(progress)

    def end(self) -> None:
        """Draw the last progress."""
        if self._left is not None:
            self._draw(self._left)
        self._output.leave_drawn()

    def _draw(self, progress: Progress) -> None:
        self._left, self._drawn_at = None, self._now()
        words = text_of(progress)
        if not self._output.draws_over:
            self._output.narrate(words)
            return
        from shutil import get_terminal_size  # slow to import, and most calls draw nothing

        self._output.draw_over(text.fit(f"{bar(progress)}{words}", get_terminal_size().columns - 1))


Item = TypeVar("Item")


def text_of(progress: Progress) -> str:
    """Return percentage, rate and the server's message."""
    return plain(progress_spans(progress))


def bar(progress: Progress) -> str:
    """Return a bar and a space; "" without a total."""
    if not progress.total or progress.total <= 0:
        return ""
    full = round(_CELLS * min(1.0, max(0.0, progress.progress / progress.total)))
    return f"{'━' * full}{'─' * (_CELLS - full)} "


class WorkProgress:
    """Progress callback for work in pieces. `end` removes the bar."""

    def __init__(
        self, output: Output, now: Callable[[], float] = time.monotonic, *, what: str = "", unit: str = "bytes"
    ) -> None:
        """Create the bar.

        `now`: returns seconds. `what`: the work ("reading"), shown before the figures. `unit`: "bytes" or a plural
        noun.
        """
        self._output = output
        self._what = what
        self._unit = unit
        self._now = now
        self._began = now()
        self._drawn_at = self._began
        self._step = 0

    def __call__(self, done: int, total: int) -> None:
        """Report that `done` of `total` units are finished, over all passes."""
        now = self._now()
        took = now - self._began
        if total <= 0 or took < _SILENT_S[self._output.draws_over]:
            return
        if not self._output.draws_over:
            if (step := done * _STEPS // total) > self._step:
                self._step = step
                self._output.narrate(self._words(done, total, took))
        elif now - self._drawn_at >= _PAUSE_BETWEEN_DRAWINGS_S:
            self._drawn_at = now
            self._draw(done, total, took)

    def end(self) -> None:
        if self._drawn_at > self._began:
            self._output.draw_over("")
            self._output.env.stderr.write("\r")

    def _draw(self, done: int, total: int, took: float) -> None:
        from shutil import get_terminal_size  # slow to import, and short files draw nothing

        drawn = bar(Progress(done, total, "", 0, 0)) + self._words(done, total, took)
        self._output.draw_over(text.fit(drawn, get_terminal_size().columns - 1))

    def _words(self, done: int, total: int, took_s: float) -> str:
        words = f"{self._what} {done * 100 // total} %".lstrip()
        if done <= 0:
            return words
        rate = round(done / took_s)
        shown = text.human_size(rate) if self._unit == "bytes" else f"{rate:,} {self._unit}"
        return f"{words} · {shown}/s · {left(took_s * (total - done) / done)}"


@contextmanager
def progress_of(output: Output, what: str, unit: str = "bytes") -> Iterator[WorkProgress]:
    """Show progress for the duration of the block; see WorkProgress."""
    progress = WorkProgress(output, what=what, unit=unit)
    try:
        yield progress
    finally:
        progress.end()


def counted(items: Sequence[Item], report: Callable[[int, int], None]) -> Iterator[Item]:
    """Yield the items, and report at intervals how many are finished."""
    for done, item in enumerate(items):
        if done % _EVERY == 0:
            report(done, len(items))
        yield item
