"""How far the reading of a long file is, on stderr: a bar on a terminal, elsewhere a line at each tenth of the way.

What is done in a moment says nothing.
"""

import time
from collections.abc import Callable

from inspector.cli.output import Output
from inspector.cli.progress import bar
from inspector.protocol.exchanges import Progress
from inspector.viewmodels import text
from inspector.viewmodels.progress import left

_SILENT_S = {True: 1.0, False: 10.0}
"""For so long nothing is said: on a terminal, elsewhere."""
_PAUSE_S = 0.1
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
        elif now - self._drawn_at >= _PAUSE_S:
            self._drawn_at = now
            self._draw(done, total, took)

    def end(self) -> None:
        """Take away what was drawn."""
        if self._drawn_at > self._began:
            self._output.draw_over("")
            self._output.world.stderr.write("\r")

    def _draw(self, done: int, total: int, took: float) -> None:
        from shutil import get_terminal_size  # slow to import, and short files draw nothing

        drawn = bar(Progress(done, total, "", 0, 0)) + _words(done, total, took)
        self._output.draw_over(text.fit(drawn, get_terminal_size().columns - 1))


def _words(done: int, total: int, took_s: float) -> str:
    words = f"{done * 100 // total} %"
    if done <= 0:
        return words
    return f"{words} · {text.human_size(round(done / took_s))}/s · {left(took_s * (total - done) / done)}"
