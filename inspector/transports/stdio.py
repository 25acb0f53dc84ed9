"""stdio transport: a server as a child process, with messages over stdin and stdout, and stderr besides.

The spec: one message a line, nothing but messages on stdout, anything on stderr (basic/transports, stdio). This file
assumes nothing and reports what it reads: every line is a frame, blank or not. POSIX only.

Order of facts:

    OPEN, SPAWN                         `open` returns; OPEN, ABORT if it can't be started
    frames, stderr                      as they cross the wire
    STDIN_EOF, SIGNAL …                 steps of `close`; output is still read
    STDOUT_EOF, STDERR_EOF, EXIT        after the last line, if no grandchild holds the pipes
    LEFT                                if children in other groups still run
    CLOSE or ABORT                      why it ended

A server that exits while its exit is on hold (`hold`) may be restarted once: RENEW, SPAWN follow its EXIT. A command
that can't be started is reported, too: OPEN as it was typed, and ABORT with what is wrong with it.
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import inf

from msgspec.structs import replace

from inspector.errors import ConnectError, Disconnected
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    InheritedState,
    ProcessActivity,
    ProcessEvent,
    ProcessFact,
)
from inspector.protocol.frames import ENDINGS, Channel, Direction, Eol
from inspector.protocol.given_values import flaws_of
from inspector.protocol.unreadable import KEPT
from inspector.transports.base import LIMITS, Delivery, Limits, Observer, Outgoing
from inspector.transports.children import Child, Started, abandon, processes_of, start, was_ended_here
from inspector.transports.ending import POLITE, Ending, Exit, ShutdownTimeouts
from inspector.transports.inherited import inherited_state
from inspector.transports.lines import CutLine, CuttingSplitter, Line, LineSplitter
from inspector.transports.own_status import own_status
from inspector.transports.pipes import LineSink, LineSource
from inspector.transports.process_state import children_elsewhere, delayed_seconds, is_runnable, observed, still_running

_FLOOD, _FLOOD_S = 1000, 0.1
"""Lines on stdout since stdin was closed: a server that wrote this many gets SIGTERM. Seconds between two looks."""
_STDERR_PAUSE = 0.05
"""Seconds without data after which an unfinished line of stderr is shown: a prompt, a progress bar."""
_STDERR_PIECE = 64 * 1024
"""Bytes after which a line of stderr is reported in pieces."""
_WHY_WAITS = 0.5
"""Seconds to wait after a broken pipe, usually caused by an exit that is not known yet."""
_MAY_END_S = 0.5
"""Seconds in which a child in another group may end after its server."""
_LATE_S = 10.0
"""Seconds after which the first output is late."""
_STILL_RUNS = 0.5
"""Seconds between the end of stdout and the conclusion that the server still runs without it."""


class StdioTransport:
    """Starts a server, carries lines to and from it, and ends it together with everything it started.

    `argv` is the command as the user types it, `env` the child's whole environment, `given` the variables in it that
    were chosen for this server, which are examined, `cwd` its directory (None: ours). The command is looked up on the
    PATH in `env`. `started` is a child that already runs that command: `open` uses it and then reports its start.
    `inherited`: signals, umask and descriptors of the child (None: ours).
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        given: Mapping[str, str] = {},
        cwd: str | None = None,
        grace: ShutdownTimeouts = POLITE,
        limits: Limits = LIMITS,
        started: Started | None = None,
        inherited: InheritedState | None = None,
    ) -> None:
        self._limit = limits.message
        self._argv = tuple(argv)
        self._env = dict(env)
        self._flaws = flaws_of(given.items(), time.time())
        self._cwd = cwd
        self._grace = grace
        self._started = started
        self._inherited = inherited
        self._live: _Live | None = None
        self._observer: Observer | None = None
        self._asked = False
        self._lost: Callable[[str], None] | None = None
        self._on_hold = ""
        """How the held connection ended, as a sentence; "" while it has not."""
        self._why: str | None = None
        self._over = asyncio.Event()
        """Set when nothing more can be sent, also while an exit is on hold."""
        self._ended = asyncio.Event()
        self._gone = asyncio.Event()

    @property
    def kind(self) -> str:
        """Always "stdio"."""
        return "stdio"

    @property
    def pid(self) -> int | None:
        """Process id of the child, also of its group; kept after its end. None before `open`."""
        return self._live.child.pid if self._live else None

    @property
    def read_ns(self) -> int:
        """Monotonic time at which the newest bytes of stdout were read; 0 before."""
        return self._live.read_ns if self._live else 0

    @property
    def exit(self) -> Exit | None:
        """How the child ended; None before it is started and while it runs."""
        return self._live.ending.exit if self._live else None

    async def open(self, observer: Observer) -> None:
        """Start the child and return at once: only its first response shows whether the server works.

        Raises: ConnectError with what was searched and similar names, or what is wrong with the file that was found.
        """
        if os.name != "posix":
            raise ConnectError(
                "A server over stdio can be started on Linux and macOS only, so far.",
                hint="Start it there (or in WSL), or connect to it over HTTP.",
            )
        if self._live or self._gone.is_set():
            raise ConnectError("This connection was opened or closed before.", hint="Make a new one.")
        self._observer = observer
        try:
            path, child = self._start()
        except ConnectError as error:
            observer.fact(self._opening(self._argv))
            observer.fact(ConnectionFact(ConnectionEvent.ABORT, self.kind, why=str(error), hint=error.hint))
            raise
        observer.fact(self._opening((path, *self._argv[1:])))
        self._live = self._alive(child, observer)

    def hold(self, lost: Callable[[str], None]) -> None:
        """From now on, an end of the child or its stdout ends no connection: `lost` is called with the reason.

        `restart` or `settle` then decides what happens. Call this before `open`.
        """
        self._lost = lost

    async def restart(self, why: str) -> str:
        """Restart the child after an end that was on hold; return how it had ended, as one sentence.

        Return "" if it was not restarted: nothing is on hold, or the child had read nothing of what was sent, so
        that its end has another cause. `why` is recorded as the reason. From then on, an end of the child ends the
        connection. A child that closed its stdout but still runs is shut down first.
        """
        live, observer, ended = self._live, self._observer, self._on_hold
        if live is None or observer is None or not ended:
            return ""
        if not live.was_read:
            return ""
        if live.ending.exit is None:
            live.begin_to_end()
        await live.gone.wait()
        if self._asked:  # closed meanwhile
            return ""
        try:
            path, child = self._start()
        except ConnectError:  # the program has disappeared: only the first exit is reported
            return ""
        self._lost, self._on_hold = None, ""
        self._over.clear()
        opening = self._opening((path, *self._argv[1:]))
        observer.fact(replace(opening, event=ConnectionEvent.RENEW, why=f"{ended}; {why}"))
        self._live = self._alive(child, observer)
        return ended

    async def record_stall(self) -> None:
        """Record what the process and its children do, because a request got no response in time."""
        live, observer = self._live, self._observer
        if live is None or observer is None or live.ending.exit is not None:
            return
        if (state := await observed(live.child.pid, serves_pipes=True)) is not None:
            observer.fact(ProcessFact(ProcessEvent.STALL, live.child.pid, state=state))

    def settle(self) -> None:
        """Stop holding: an end that was on hold ends the connection."""
        self._lost = None
        if self._on_hold and self._live is not None:
            self._on_hold = ""
            if (how := self._live.ending.exit) is None:
                self._went_silent()
            else:
                self._exited(how)
            if self._live.gone.is_set():
                self._is_gone()

    def _alive(self, child: Child, observer: Observer) -> "_Live":
        observer.fact(ProcessFact(ProcessEvent.SPAWN, child.pid))
        return _Live(
            child,
            self._grace,
            observer,
            self._limit,
            on_exit=self._exited,
            on_silence=self._went_silent,
            on_gone=self._is_gone,
        )

    def _opening(self, argv: Sequence[str]) -> ConnectionFact:
        directory = os.path.abspath(self._cwd or ".")
        names = tuple(sorted(self._env))
        state = self._inherited or inherited_state(own_status()[0])
        return ConnectionFact(
            ConnectionEvent.OPEN,
            self.kind,
            argv=tuple(argv),
            cwd=directory,
            env_names=names,
            inherited=state,
            flaws=self._flaws,
        )

    def _start(self) -> Started:
        """Return the child that was started in advance, or start one. Raises: ConnectError."""
        started, self._started = self._started, None
        return started or start(self._argv, self._env, self._cwd, self._inherited)

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Write one line and return when the pipe has accepted it; this waits for a server that does not read.

        The frame is observed when its first byte was written: if the pipe has room, before this call first waits. If
        it is cancelled before that, nothing is sent and there is no frame.

        Raises: Disconnected.
        """
        if self._live is None or self._over.is_set():
            raise self._disconnected()
        try:
            await self._live.write(outgoing)
        except BrokenPipeError:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), _WHY_WAITS)
            raise self._disconnected() from None
        return Delivery(answer_may_follow=True)

    def send_now(self, outgoing: Outgoing) -> bool:
        """Write one line if this needs no waiting, with as little work as possible before and after the write.

        Returns False if nothing was written: `send` then waits, or raises the reason.
        """
        if self._live is None or self._over.is_set():
            return False
        return self._live.write_now(outgoing)

    async def close(self) -> None:
        """Shut down the whole group: close stdin, wait, SIGTERM, wait, SIGKILL.

        A line being written is finished first. If cancelled, the group is killed at once.
        """
        self.settle()
        self._asked = True
        if self._live is None:
            if self._started is not None:
                started, self._started = self._started, None
                abandon(started)
            self._conclude("", ConnectionEvent.CLOSE)
            self._gone.set()
            return
        self._live.begin_to_end()
        try:
            await self._gone.wait()
        except asyncio.CancelledError:
            self._live.ending.kill()
            raise

    async def wait_closed(self) -> str:
        """Wait until the server exits or closes its stdout, or `close` has finished; return why."""
        await self._ended.wait()
        return self._why or ""

    def _disconnected(self) -> Disconnected:
        if self._live is None:
            return Disconnected("The server is not started.", hint="Connect first.")
        why = self._why or self._on_hold or ("" if self._asked else "the server closed its stdin")
        text = f"Nothing can be sent: {why or 'the connection was closed'}."
        return Disconnected(text, hint="Look at its stderr, then connect again.")

    def _exited(self, how: Exit) -> None:
        if was_ended_here(self.pid or 0):
            self._conclude("", ConnectionEvent.CLOSE)
        elif self._is_held(how.sentence()):
            return
        elif not self._asked:
            self._conclude(how.sentence(), ConnectionEvent.CLOSE if (how.code == 0) else ConnectionEvent.ABORT)

    def _went_silent(self) -> None:
        why = "the server closed its stdout but still runs"
        if not self._asked and not was_ended_here(self.pid or 0) and not self._is_held(why):
            self._conclude(why, ConnectionEvent.ABORT)

    def _is_held(self, why: str) -> bool:
        """Hold the end of the connection if that is wanted; return whether it is held."""
        if self._lost is None or self._why is not None or self._asked:
            return False
        if not self._on_hold:
            self._on_hold = why
            self._over.set()
            self._lost(why)
        return True

    def _is_gone(self) -> None:
        if self._on_hold:
            return
        self._conclude("", ConnectionEvent.CLOSE)
        self._gone.set()

    def _conclude(self, why: str, event: ConnectionEvent) -> None:
        if self._why is not None:
            return
        self._why = why
        self._over.set()
        self._ended.set()
        if self._live is not None:
            self._live.observer.fact(ConnectionFact(event, self.kind, why=why))


class _Live:
    """The running part: the child, its three streams, and the watch for its end."""

    def __init__(
        self,
        child: Child,
        grace: ShutdownTimeouts,
        observer: Observer,
        limit: int,
        *,
        on_exit: Callable[[Exit], None],
        on_silence: Callable[[], None],
        on_gone: Callable[[], None],
    ) -> None:
        assert child.stdin
        assert child.stdout
        assert child.stderr
        self.child = child
        self.observer = observer
        self._on_exit = on_exit
        self._on_silence = on_silence
        self._on_gone = on_gone
        self._silence: asyncio.TimerHandle | None = None
        self._early: asyncio.TimerHandle | None = None
        self._late_from = asyncio.get_running_loop().time() + _LATE_S
        """When the first output begins to be late; infinite after it."""
        self._lines_since = -1
        """Number of lines on stdout since stdin was closed; -1 before."""
        self.gone = asyncio.Event()
        """Set when the child and its whole group have ended."""
        self._was_computing = False
        self._elsewhere: dict[int, str] = {}
        """The children in other groups when the shutdown began."""
        self._stdin = LineSink(child.stdin, self._stdin_closed)
        self._stdout = LineSource(child.stdout, CuttingSplitter(limit, KEPT), self._on_lines, self._stdout_ended)
        self._stderr = LineSource(
            child.stderr, LineSplitter(_STDERR_PIECE), observer.stderr_lines, self._stderr_ended, _STDERR_PAUSE
        )
        self.ending = Ending(
            child,
            grace,
            report=observer.fact,
            is_drained=lambda: self._stdout.closed and self._stderr.closed,
            drain=self._drain,
            on_exit=self._exited,
            on_gone=self._let_go,
        )

    @property
    def read_ns(self) -> int:
        """Monotonic time at which the newest bytes of stdout were read; 0 before."""
        return self._stdout.read_ns

    @property
    def was_read(self) -> bool:
        """Whether the child has read any of its stdin."""
        return self._stdin.was_read

    async def write(self, outgoing: Outgoing) -> None:
        """Write one message as a line. Raises: BrokenPipeError."""

        def crossed() -> None:
            frame, direction = self.observer.frame, Direction.TO_SERVER
            frame(direction, Channel.STDIN, outgoing.payload, eol=outgoing.eol, cause=outgoing.cause)

        await self._stdin.write(outgoing.payload + ENDINGS[outgoing.eol], crossed)

    def write_now(self, outgoing: Outgoing) -> bool:
        """Write one message as a line if this needs no waiting."""
        is_written = self._stdin.write_now(outgoing.payload + b"\n")
        if is_written:
            self.observer.frame(Direction.TO_SERVER, Channel.STDIN, outgoing.payload, eol=Eol.LF, cause=outgoing.cause)
        return is_written

    def begin_to_end(self) -> None:
        """Close stdin after the waiting lines, and begin the shutdown."""
        self._elsewhere = self._elsewhere or children_elsewhere(self.child.pid)
        self._was_computing = is_runnable(self.child.pid)  # the end of stdin wakes also one that waits
        self._stdin.close_when_written()
        self.ending.begin()
        if self._lines_since < 0:
            self._lines_since = 0
            self._stdout.is_urgent = True
            self._early = asyncio.get_running_loop().call_later(_FLOOD_S, self._end_a_flood)

    def _end_a_flood(self) -> None:
        """Proceed to SIGTERM: a server that keeps writing thousands of lines does not read its stdin."""
        if self._lines_since >= _FLOOD:
            self.ending.hurry()
        else:  # on a busy machine it takes longer to write, or to read, as many
            self._early = asyncio.get_running_loop().call_later(_FLOOD_S, self._end_a_flood)

    def _on_lines(self, lines: Sequence[Line]) -> None:
        if asyncio.get_running_loop().time() > self._late_from:
            state = ProcessActivity(delayed_s=round(delayed_seconds(self.child.pid), 1))
            self.observer.fact(ProcessFact(ProcessEvent.LATE, self.child.pid, state=state))
        self._late_from = inf
        if self._lines_since >= 0:
            self._lines_since += len(lines)
        if CutLine not in map(type, lines):
            self.observer.burst(Direction.FROM_SERVER, Channel.STDOUT, lines)
            return
        for line in lines:
            lost = line.cut if isinstance(line, CutLine) else 0
            self.observer.frame(Direction.FROM_SERVER, Channel.STDOUT, line.payload, eol=line.eol, cut=lost)

    def _report(self, event: ProcessEvent) -> None:
        self.observer.fact(ProcessFact(event, self.child.pid))

    def _stdin_closed(self) -> None:
        from inspector.transports.sockets import awaited_by, listening_ports  # needed at the end

        unread = 0 if self._stdin.was_read else self._stdin.written
        running = processes_of(self.child.pid) if unread or not self._stdout.read_ns else ()
        ports = listening_ports(running) if unread else ()
        found = ProcessActivity(runnable=self._was_computing, unread=unread, ports=ports, awaits=awaited_by(running))
        state = found if found != ProcessActivity() else None
        self.observer.fact(ProcessFact(ProcessEvent.STDIN_EOF, self.child.pid, state=state))

    def _stdout_ended(self) -> None:
        self._report(ProcessEvent.STDOUT_EOF)
        self._silence = asyncio.get_running_loop().call_later(_STILL_RUNS, self._fell_silent)
        self.ending.look()

    def _stderr_ended(self) -> None:
        self._report(ProcessEvent.STDERR_EOF)
        self.ending.look()

    def _drain(self) -> None:
        self._stdout.drain()
        self._stderr.drain()

    def _fell_silent(self) -> None:
        if self.ending.exit is None:
            self._on_silence()

    def _exited(self, how: Exit) -> None:
        self._stdin.close()
        self._on_exit(how)

    def _let_go(self) -> None:
        if still_running(self._elsewhere):
            self._early = asyncio.get_running_loop().call_later(_MAY_END_S, self._finish)
        else:
            self._finish()

    def _finish(self) -> None:
        if left := still_running(self._elsewhere):
            self.observer.fact(ProcessFact(ProcessEvent.LEFT, self.child.pid, state=ProcessActivity(children=left)))
        for timer in (self._silence, self._early):
            if timer is not None:
                timer.cancel()
        self._stdin.close()
        self._stdout.close()
        self._stderr.close()
        self.gone.set()
        self._on_gone()
