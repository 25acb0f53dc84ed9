"""The end of a child process: signals in their order, and the watch until its whole group has ended."""

import asyncio
import signal
from collections.abc import Callable
from math import inf

import msgspec

from inspector.protocol.facts import ProcessActivity, ProcessEvent, ProcessFact, end_words
from inspector.transports.children import Child, forget_group, is_group_alive, signal_group, was_ended_here, watch_exit
from inspector.transports.process_state import cpu_seconds, delayed_seconds, is_runnable

_LINGER = 0.25
"""Seconds to wait for the ends of stdout and stderr after the exit.

They arrive at once, unless a grandchild holds the pipes. In the log, the child's last output belongs before its
exit.
"""
_EXTENSIONS, _EXTENSION = 4, 0.5
"""How often, and by how many seconds, a process that is computing may end later than an idle one."""
_DELAYED_S = 0.3  # of waiting for the CPU since the end of stdin, after which a process may be about to end
_REAP = 2.0
"""Seconds that SIGKILL may take. Only a process in an uninterruptible system call needs them."""
_LOOK = 0.05
"""Seconds between two checks of the remaining group: the system only notifies us about its leader."""
_REST_MAY_END_S = 1.0
"""Seconds in which the rest of its group may end after it: a short task, such as one of the start, ends by itself."""


class ShutdownTimeouts(msgspec.Struct, frozen=True):
    """Seconds that each polite step of the shutdown may take."""

    stdin_close: float = 2.0
    """From closing stdin to SIGTERM."""
    term: float = 2.0
    """From SIGTERM to SIGKILL."""


class Exit(msgspec.Struct, frozen=True):
    """How the child ended."""

    code: int | None
    """Exit code; None if a signal ended it."""
    signal: str
    """Name of that signal ("SIGTERM"), or ""."""
    seconds: float
    """How long it ran."""

    def sentence(self) -> str:
        return end_words(self.code, self.signal, self.seconds)


POLITE = ShutdownTimeouts()
"""Default for servers."""


def signal_name(number: int) -> str:
    """Return "SIGTERM" for 15, and a readable text for a number without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Ending:
    """Watches a child, sends the signals, and detects when its whole group has ended.

    `report` receives EXIT and SIGNAL facts. `is_drained` returns whether the child's streams have ended; call `look`
    when that changes. `drain` reads at once what the streams still hold. `on_exit` is called once, when the leader
    has exited and its last output is read. `on_gone` is called once, when the whole group has ended, or when nothing
    more can be done about it.
    """

    def __init__(
        self,
        child: Child,
        grace: ShutdownTimeouts,
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
        self.exit: Exit | None = None
        """How the child ended; None while it runs."""
        self._is_reported = False
        self._signalled = False
        self._gone = False
        self._shutdown_timer: asyncio.TimerHandle | None = None
        self._extended = 0
        self._asked_to_end: tuple[float, float] | None = None
        """Time, and CPU seconds of the child, when it was asked to end."""
        self._delayed_before = inf
        self._again: asyncio.TimerHandle | None = None
        self._watcher = watch_exit(child, self._exited)

    def begin(self) -> None:
        """Begin the shutdown. The caller has just closed stdin."""
        if not self._gone and self._shutdown_timer is None:
            if (used := cpu_seconds(self._child.pid)) is not None:
                self._asked_to_end = self._loop.time(), used
            self._delayed_before = delayed_seconds(self._child.pid)
            self._climb(self._grace.stdin_close)

    def hurry(self) -> None:
        """Send SIGTERM now if no signal was sent yet, because closing stdin had no effect."""
        if not self._gone and not self._signalled:
            self._climb(0)

    def kill(self) -> None:
        """Kill the whole group now, without grace, and wait for its end. Blocks for milliseconds."""
        if self._gone:
            return
        self._signal(signal.SIGKILL)
        self._watcher.join(_LINGER)
        self._drain()
        if not self._watcher.is_alive():
            self._exited(self._loop.time())
        self._report_exit()
        self._finish()

    def look(self) -> None:
        """Once the leader has exited: report it, end the rest of its group, and finish when nothing is left."""
        if self.exit is None or self._gone:
            return
        now = self._loop.time()
        if now > self._patience:
            self._drain()  # a grandchild holds the streams, or our loop is late: lose no output
        elif not self._is_drained():
            self._look_again()
            return
        self._report_exit()
        if is_group_alive(self._child.pid):
            self._patience = now + _LINGER
            if now > self._began + self.exit.seconds + _REST_MAY_END_S:
                self.hurry()
            self._look_again()
        else:
            self._finish()

    def _exited(self, at: float) -> None:
        if self.exit is not None:
            return
        code = self._child.returncode
        name = signal_name(-code) if code < 0 else ""
        self.exit = Exit(None if name else code, name, at - self._began)
        self._patience = at + _LINGER
        self.look()

    def _report_exit(self) -> None:
        if self._is_reported or self.exit is None:
            return
        self._is_reported = True
        if was_ended_here(self._child.pid) and not self._signalled:  # because of a signal to mcp-inspect
            self._report(ProcessFact(ProcessEvent.SIGNAL, self._child.pid, signal=signal.SIGTERM.name))
        self._report(ProcessFact(ProcessEvent.EXIT, self._child.pid, code=self.exit.code, signal=self.exit.signal))
        self._on_exit(self.exit)

    def _look_again(self) -> None:
        if self._again is not None:
            self._again.cancel()
        self._again = self._loop.call_later(_LOOK, self.look)

    def _climb(self, wait: float) -> None:
        """Send SIGTERM after `wait` seconds, then SIGKILL, then give up."""
        if self._shutdown_timer is not None:
            self._shutdown_timer.cancel()
        if wait == 0:
            self._terminate()
        else:
            self._shutdown_timer = self._loop.call_later(wait, self._terminate_idle)

    def _terminate_idle(self) -> None:
        """Send SIGTERM, unless the process is computing, as one that ends on a busy machine: wait a little longer."""
        if self._extended < _EXTENSIONS and is_runnable(self._child.pid):
            self._extended += 1
            self._shutdown_timer = self._loop.call_later(_EXTENSION, self._terminate_idle)
        else:
            self._terminate()

    def _terminate(self) -> None:
        self._signal(signal.SIGTERM)
        self._shutdown_timer = self._loop.call_later(self._grace.term, self._kill)

    def _kill(self) -> None:
        self._signal(signal.SIGKILL)
        self._shutdown_timer = self._loop.call_later(_REAP, self._finish)

    def _signal(self, number: signal.Signals) -> None:
        self._signalled = True
        delayed_s = round(max(delayed_seconds(self._child.pid) - self._delayed_before, 0), 1)
        wants_cpu = is_runnable(self._child.pid) or delayed_s > _DELAYED_S
        state = ProcessActivity(self._cpu_percent(), runnable=True, delayed_s=delayed_s) if wants_cpu else None
        self._report(ProcessFact(ProcessEvent.SIGNAL, self._child.pid, signal=number.name, state=state))
        signal_group(self._child.pid, number)

    def _cpu_percent(self) -> float | None:
        """Return the share of a core that the child has used since it was asked to end; None if that is unknown."""
        used = cpu_seconds(self._child.pid)
        if self._asked_to_end is None or used is None:
            return None
        began, before = self._asked_to_end
        return round(100 * (used - before) / max(self._loop.time() - began, 0.01), 1)

    def _finish(self) -> None:
        if self._gone:
            return
        self._gone = True
        for timer in (self._shutdown_timer, self._again):
            if timer is not None:
                timer.cancel()
        self._report_exit()
        forget_group(self._child.pid)
        if self.exit is not None:
            self._watcher.join()
        self._on_gone()
