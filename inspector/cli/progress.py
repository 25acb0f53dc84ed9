"""How far a request is, on stderr: a bar that is drawn over itself on a terminal, and elsewhere a line now and then.

A server that tells of its progress a thousand times a second is heard each time and drawn a few times.
"""

import time
from collections.abc import Callable

from inspector.cli.output import Output
from inspector.protocol.exchanges import Progress
from inspector.viewmodels import text
from inspector.viewmodels.lines import plain
from inspector.viewmodels.progress import said

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
