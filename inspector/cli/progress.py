"""Progress of a request or of reading a file, on stderr: a bar on a terminal, else a line at times.

A server that tells of its progress a thousand times a second is heard each time and drawn a few times.
"""

import time
from collections.abc import Callable

from inspector import text
from inspector.cli.output import Output
from inspector.present.spans import plain
from inspector.present.words import left, said
from inspector.protocol.exchanges import Progress

_CELLS = 24
"""Of the bar itself."""
_PAUSE_S = {True: 0.05, False: 1.0}
"""Between two drawings: on a terminal, elsewhere."""


class ProgressBar:
    """The newest word of progress, drawn. `end` leaves the last one standing."""

    def __init__(self, output: Output, now: Callable[[], float] = time.monotonic) -> None:
        """`now`: seconds."""
        self._output = output
        self._now = now
        self._drawn_at = float("-inf")
        self._left: Progress | None = None
        """What was heard and not drawn yet."""

    def show(self, progress: Progress) -> None:
        """Draw it, unless the last drawing was a moment ago."""
        self._left = progress
        if self._now() - self._drawn_at >= _PAUSE_S[self._output.draws_over]:
            self._draw(progress)

    def end(self) -> None:
        """Draw what is left, and leave it."""
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


def text_of(progress: Progress) -> str:
    """How far it is, how fast, and in the server's words."""
    return plain(said(progress))


def bar(progress: Progress) -> str:
    """A bar with a space behind it; "" where no total says how long it should be."""
    if not progress.total or progress.total <= 0:
        return ""
    full = round(_CELLS * min(1.0, max(0.0, progress.progress / progress.total)))
    return f"{'━' * full}{'─' * (_CELLS - full)} "


_SILENT_S = {True: 1.0, False: 10.0}
"""For so long nothing is said: on a terminal, elsewhere."""
_READING_PROGRESS_PAUSE_S = 0.1
_STEPS = 10


class ReadingProgress:
    """Told after each piece how many bytes are behind it, says so now and then. `end` takes the bar away."""

    def __init__(self, output: Output, now: Callable[[], float] = time.monotonic) -> None:
        """`now`: seconds."""
        self._output = output
        self._now = now
        self._began = now()
        self._drawn_at = self._began
        self._step = 0

    def __call__(self, done: int, total: int) -> None:
        """So many bytes of so many are done; of several passes, those of all."""
        now = self._now()
        took = now - self._began
        if total <= 0 or took < _SILENT_S[self._output.draws_over]:
            return
        if not self._output.draws_over:
            if (step := done * _STEPS // total) > self._step:
                self._step = step
                self._output.narrate(_words(done, total, took))
        elif now - self._drawn_at >= _READING_PROGRESS_PAUSE_S:
            self._drawn_at = now
            self._draw(done, total, took)

    def end(self) -> None:
        """Take away what was drawn."""
        if self._drawn_at > self._began:
            self._output.draw_over("")
            self._output.env.stderr.write("\r")

    def _draw(self, done: int, total: int, took: float) -> None:
        from shutil import get_terminal_size  # slow to import, and short files draw nothing

        drawn = bar(Progress(done, total, "", 0, 0)) + _words(done, total, took)
        self._output.draw_over(text.fit(drawn, get_terminal_size().columns - 1))


def _words(done: int, total: int, took_s: float) -> str:
    words = f"{done * 100 // total} %"
    if done <= 0:
        return words
    return f"{words} · {text.human_size(round(done / took_s))}/s · {left(took_s * (total - done) / done)}"
