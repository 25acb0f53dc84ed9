"""How a child ends: by itself, or down a ladder from a closed stdin to SIGKILL. And whatever it started with it.

The spec leaves the waits to the client (basic/transports, stdio, shutdown: close the stream, wait, SIGTERM,
wait, SIGKILL). Every rung is taken by a timer and never by a task, so it is taken even if nobody awaits
the end any more. The clock is the event loop's.
"""

import asyncio
import signal
from collections.abc import Callable

import msgspec

from inspector.protocol.facts import ProcessEvent, ProcessFact, exit_words
from inspector.transports.children import (
    Child,
    forget_group,
    is_group_alive,
    signal_group,
    was_ended_here,
    watch_exit,
)

_LINGER = 0.25
"""Seconds after the exit in which the ends of stdout and stderr are waited for. They come at once, unless a
grandchild holds the pipes; what the child wrote last belongs before its exit in the log."""
_REAP = 2.0
"""Seconds that SIGKILL may take. Only a process in an uninterruptible system call needs them."""
_LOOK = 0.05
"""Seconds between two looks at what is left of a group: the system tells us about its leader only."""


class Ladder(msgspec.Struct, frozen=True):
    """How long each polite step of the shutdown may take, in seconds."""

    stdin_close: float = 2.0
    """From closing stdin to SIGTERM."""
    term: float = 2.0
    """From SIGTERM to SIGKILL."""


class Exit(msgspec.Struct, frozen=True):
    """How the child ended."""

    code: int | None
    """None if a signal ended it."""
    signal: str
    """The name of that signal ("SIGTERM"), or ""."""
    seconds: float
    """How long it had run."""

    def sentence(self) -> str:
        """Say it in words."""
        how = f"was ended by {self.signal}" if self.signal else exit_words(self.code or 0)
        return f"the server {how} after {self.seconds:.1f} s"


def signal_name(number: int) -> str:
    """Return "SIGTERM" for 15, and something readable for a number without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Ending:
    """Watches a child, sends the signals, and knows when nothing of its group is left.

    `report` gets EXIT and SIGNAL facts. `is_drained` tells whether the child's streams have ended; `look` must
    be called when that changes. `drain` is asked to read at once what they still hold. `on_exit` is called
    once, when the leader has exited and its last words are read; `on_gone` once, when the whole group has
    ended, or nothing more can be done about it.
    """

    def __init__(
        self,
        child: Child,
        grace: Ladder,
        *,
        report: Callable[[ProcessFact], None],
        is_drained: Callable[[], bool],
        drain: Callable[[], None],
        on_exit: Callable[[Exit], None],
        on_gone: Callable[[], None],
    ) -> None:
        self._child = child
        self._grace = grace
        self._report = report
        self._is_drained = is_drained
        self._drain = drain
        self._on_exit = on_exit
        self._on_gone = on_gone
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._patience = 0.0
        self._exit: Exit | None = None
        self._told = False
        self._signalled = False
        self._gone = False
        self._rung: asyncio.TimerHandle | None = None
        self._again: asyncio.TimerHandle | None = None
        self._watcher = watch_exit(child, self._exited)

    @property
    def exit(self) -> Exit | None:
        """How the child ended; None while it runs."""
        return self._exit

    def begin(self) -> None:
        """Start down the ladder; the caller has closed stdin just now."""
        if not self._gone and self._rung is None:
            self._climb(self._grace.stdin_close)

    def hurry(self) -> None:
        """Send SIGTERM now, if no signal was sent yet: closing stdin has visibly changed nothing."""
        if not self._gone and not self._signalled:
            self._climb(0)

    def kill(self) -> None:
        """End the whole group now, without grace, and be done when this returns. Blocks for milliseconds."""
        if self._gone:
            return
        self._signal(signal.SIGKILL)
        self._watcher.join(_LINGER)
        self._drain()
        if not self._watcher.is_alive():
            self._exited(self._loop.time())
        self._tell()
        self._finish()

    def look(self) -> None:
        """Once the leader has exited: tell it, end the rest of its group, and finish when nothing is left."""
        if self._exit is None or self._gone:
            return
        now = self._loop.time()
        if now > self._patience:
            self._drain()  # a grandchild holds them, or our loop is late: nothing that was said may be lost
        elif not self._is_drained():
            self._look_again()
            return
        self._tell()
        if is_group_alive(self._child.pid):
            self._patience = now + _LINGER
            self.hurry()
            self._look_again()
        else:
            self._finish()

    def _exited(self, at: float) -> None:
        if self._exit is not None:
            return
        code = self._child.returncode
        name = signal_name(-code) if code < 0 else ""
        self._exit = Exit(None if name else code, name, at - self._began)
        self._patience = at + _LINGER
        self.look()

    def _tell(self) -> None:
        if self._told or self._exit is None:
            return
        self._told = True
        if was_ended_here(self._child.pid) and not self._signalled:  # by a signal that this program got
            self._report(ProcessFact(ProcessEvent.SIGNAL, self._child.pid, signal=signal.SIGTERM.name))
        fact = ProcessFact(ProcessEvent.EXIT, self._child.pid, code=self._exit.code, signal=self._exit.signal)
        self._report(fact)
        self._on_exit(self._exit)

    def _look_again(self) -> None:
        if self._again is not None:
            self._again.cancel()
        self._again = self._loop.call_later(_LOOK, self.look)

    def _climb(self, wait: float) -> None:
        """Send SIGTERM after `wait` seconds, then SIGKILL, then give up."""
        if self._rung is not None:
            self._rung.cancel()
        if wait == 0:
            self._terminate()
        else:
            self._rung = self._loop.call_later(wait, self._terminate)

    def _terminate(self) -> None:
        self._signal(signal.SIGTERM)
        self._rung = self._loop.call_later(self._grace.term, self._kill)

    def _kill(self) -> None:
        self._signal(signal.SIGKILL)
        self._rung = self._loop.call_later(_REAP, self._finish)

    def _signal(self, number: signal.Signals) -> None:
        self._signalled = True
        self._report(ProcessFact(ProcessEvent.SIGNAL, self._child.pid, signal=number.name))
        signal_group(self._child.pid, number)

    def _finish(self) -> None:
        if self._gone:
            return
        self._gone = True
        for timer in (self._rung, self._again):
            if timer is not None:
                timer.cancel()
        self._tell()
        forget_group(self._child.pid)
        if self._exit is not None:
            self._watcher.join()
        self._on_gone()
