"""Shows on stderr what a command waits for, once a wait is long: the request, the server, and what to try.

On a terminal one line is drawn over and over; elsewhere there are few lines, ever further apart.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size

from inspector import text
from inspector.capture.journal import Journal
from inspector.cli.output import Output
from inspector.present.spans import PENDING, plain, span
from inspector.present.waiting import PATIENCE_NS, Programs, WaitLine, WaitView, child_pid, wait_of

_LOOK_S = 0.5
_LATER = 3
"""Where lines are not drawn over, the next one comes after so many times the wait so far."""


class WaitNotice:
    """What a command waits for. `look` shows it; `clear` removes the drawn line before other output."""

    def __init__(self, journal: Journal, output: Output, now_ns: Callable[[], int]) -> None:
        self._journal = journal
        self._output = output
        self._now_ns = now_ns
        self._programs = Programs()
        self._began_ns = 0
        """When the current wait was first shown; 0 without one."""
        self._next_ns = 0
        self._is_advised = self._is_drawn = False
        self._stops_ns: int | None = None
        """Since when the server is being stopped; None before."""

    def look(self) -> None:
        """Show the current wait, if it is long."""
        now_ns = self._now_ns()
        wait = self._wait(now_ns)
        if wait is None:
            self.clear()
            self._programs.forget()
            self._began_ns = 0
            return
        if not self._began_ns:
            self._began_ns, self._next_ns = now_ns - PATIENCE_NS, now_ns
        words = " · ".join(filter(None, (plain(wait.chain), plain(wait.known))))
        if wait.advice and not self._is_advised:
            self._is_advised = True
            self._output.narrate(words)
            self._output.narrate(f"  {wait.advice}")
            self._plan(now_ns)
        elif self._output.draws_over:
            self._output.draw_over(text.fit(words, get_terminal_size().columns - 1))
            self._is_drawn = not self._output.quiet
        elif now_ns >= self._next_ns:
            self._output.narrate(words)
            self._plan(now_ns)

    def stopping(self) -> None:
        """From now on the command waits for the server to stop."""
        self._stops_ns = self._now_ns()

    def clear(self) -> None:
        """Remove the drawn line."""
        if self._is_drawn:
            self._is_drawn = False
            self._output.draw_over("")
            self._output.env.stderr.write("\r")
            self._output.env.stderr.flush()

    def _plan(self, now_ns: int) -> None:
        self._next_ns = self._began_ns + _LATER * (now_ns - self._began_ns)

    def _wait(self, now_ns: int) -> WaitLine | None:
        if self._stops_ns is not None:
            waited_ns = now_ns - self._stops_ns
            words = f"{PENDING} waiting {waited_ns // 10**9} s for the server to stop"
            return WaitLine((span(words, "pending"),)) if waited_ns >= PATIENCE_NS else None
        seen = WaitView(now_ns, connecting=self._journal.conversation.opening is None)
        if wait_of(self._journal, seen) is None:
            return None
        return wait_of(
            self._journal, WaitView(now_ns, seen.connecting, (), *self._programs.of(child_pid(self._journal)))
        )


@contextmanager
def waits_shown(
    journal: Journal, output: Output, now_ns: Callable[[], int] = time.monotonic_ns
) -> Iterator[WaitNotice]:
    """Show on stderr what the session of a journal waits for, for the duration of the block. Needs a running loop."""
    notice, loop = WaitNotice(journal, output, now_ns), asyncio.get_running_loop()
    is_over = False

    def look() -> None:
        if not is_over:
            notice.look()
            loop.call_later(_LOOK_S, look)

    loop.call_later(_LOOK_S, look)
    stop = journal.listen(lambda entry, found: notice.clear(), in_runs=False)
    try:
        yield notice
    finally:
        is_over = True
        stop()
        notice.clear()
