"""The relay of `mcp-inspect tap -- CMD`: one poll loop between a client's pipes and a server's.

Bytes are forwarded before they are analyzed. Recording, the registry and the control socket are separate; if they
fail, traffic continues. Before the server is started, only a small part of the standard library is imported. With an
armed rule the loop assembles messages and passes them to the rules (`judging.py`) before it writes.
"""

import os
import select
import signal
import sys
import time
from _thread import start_new_thread
from collections import deque

from inspector.features.tap.options import Options, UnusableOptions
from inspector.features.tap.processes import end_like, fork_reaper, signal_group, spawned, start_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn, Protocol

    from inspector.features.tap.processes import Record
    from inspector.features.tap.recording import RecordingQueue

    class Judging(Protocol):
        """The loop's interface to the rule queue once a rule was armed."""

        @property
        def armed(self) -> bool:
            """Whether messages have to be judged."""

        def waits(self, direction: str) -> bool:
            """Return whether messages of a direction are waiting."""

        def is_full(self, direction: str) -> bool:
            """Return whether reading must stop."""

        def take(self, direction: str, line: bytes, tm: int, tw: int) -> None:
            """Deliver or keep a message."""

        def append(self, direction: str, data: bytes, tm: int, tw: int) -> None:
            """Deliver bytes after all waiting messages, without judging."""

        def pump(self) -> None:
            """Deliver all messages that are ready."""

        def client_ended(self) -> None:
            """Handle the end of the client's stream."""

        def flush(self) -> bool:
            """Handle the server's exit; return whether messages are still waiting."""


TO_SERVER, FROM_SERVER, STDERR = "c2s", "s2c", "err"
READ = 64 * 1024
"""Maximum number of bytes per read."""
AHEAD = 192 * 1024
"""Bytes waiting to be written at which reading stops. Together with one read, at most 256 KiB are held."""
PIPE_BUF = 4096
"""Number of bytes that a ready pipe accepts without blocking (POSIX).

The client's end is never set to non-blocking mode, because other processes share it.
"""
SPIN_S = 30e-6
"""Seconds for which the loop looks for the next message before it sleeps.

On idle cores the kernel needs longer than that to wake a process, so a conversation without pauses is forwarded
faster. `sched_yield` lets the server run if it waits for the same core.
"""
PARTIAL_S = 0.25
"""Seconds after which an unfinished line is forwarded without judging."""
LONGEST = 8 * 1024 * 1024
"""Maximum length in bytes of a line that is judged."""
_FORWARDED = ("SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT", "SIGTSTP")
_BROKEN = select.POLLERR | select.POLLHUP | select.POLLNVAL


# One direction


class Flow:
    """Bytes from one descriptor to another, in order, with at most AHEAD bytes plus one read in between."""

    def __init__(self, name: str, src: int, dst: int, *, shared: bool) -> None:
        """Create the flow. `shared`: other processes may share `dst`, so it is blocking and written in small pieces."""
        self.name = name
        self.src = src
        self.dst = dst
        self.reads = src >= 0
        self.writes = dst >= 0
        self.reader_left = False
        self._queue: deque[memoryview] = deque()
        self.size = 0
        """Number of bytes that wait to be written."""
        self._shared = shared
        self._ready = select.poll()
        if self.writes and shared:
            self._ready.register(dst, select.POLLOUT)
        self.forget: Callable[[int], None] = lambda fd: None
        """Called before a descriptor is closed."""
        self.is_line_start = True
        """Whether the last forwarded byte ended a line."""

    def put(self, data: bytes) -> bool:
        """Write data now or later. Return whether everything is written."""
        if not self.writes or not data:
            return not data
        self.is_line_start = data.endswith(b"\n")
        self._queue.append(memoryview(data))
        self.size += len(data)
        return len(self._queue) > 1 or self.flush()

    def flush(self) -> bool:
        """Write as much as possible. Return whether nothing is waiting.

        If the reader has disconnected, waiting data is discarded.
        """
        queue = self._queue
        try:
            while queue:
                if self._shared:
                    ready = self._ready.poll(0)
                    if not ready:
                        return False
                    if ready[0][1] & _BROKEN:
                        raise BrokenPipeError
                    count = os.write(self.dst, queue[0][:PIPE_BUF])
                else:
                    count = os.write(self.dst, queue[0])
                self.size -= count
                if count == len(queue[0]):
                    queue.popleft()
                else:
                    queue[0] = queue[0][count:]
        except BlockingIOError:
            return False
        except OSError:
            self.end_writing()
        return True

    def read(self) -> bytes | None:
        """Return the available bytes, b"" at the end; None if nothing is available now."""
        try:
            return os.read(self.src, READ)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def end_reading(self) -> None:
        """Stop reading: the writing process sees a closed pipe."""
        if self.reads:
            self.reads = False
            self.forget(self.src)
            os.close(self.src)

    def end_writing(self) -> None:
        """Stop writing: the reading process sees the end of the stream."""
        self._queue.clear()
        self.size = 0
        if self.writes:
            self.reader_left = self.reads
            self.writes = False
            self.forget(self.dst)
            os.close(self.dst)


class _Lines:
    """Assembles the lines of a direction while a rule is armed."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.since = 0.0
        """Time at which the unfinished line began."""

    def feed(self, data: bytes, now: float) -> list[bytes]:
        """Return the lines that are now complete, including line ends."""
        *ended, rest = data.split(b"\n")
        lines = [line + b"\n" for line in ended]
        if lines and self.parts:
            lines[0] = b"".join(self.parts) + lines[0]
            self.parts, self.size = [], 0
        if rest:
            if not self.parts:
                self.since = now
            self.parts.append(rest)
            self.size += len(rest)
        return lines

    def take(self) -> bytes:
        """Return the unfinished line and clear it."""
        rest, self.parts, self.size = b"".join(self.parts), [], 0
        return rest


class Relay:
    """The loop between a client and one server."""

    def __init__(self, options: Options, pid: int, flows: "dict[str, Flow]", recording: "RecordingQueue") -> None:
        self.options = options
        self.pid = pid
        self.flows = flows
        self.recording = recording
        self.rule_queue: Judging | None = None
        """Judges messages from the next line on; None if there never was a rule."""
        self.saw_initialized = False
        self.rule_problems: list[str] = []
        """Problems of the rules file, one sentence each."""
        self._lines = {TO_SERVER: _Lines(), FROM_SERVER: _Lines()}
        self._poll = select.poll()
        self._masks: dict[int, int] = {}
        self._handlers: dict[int, Callable[[int], None]] = {}
        self._posted: deque[Callable[[], None]] = deque()
        self._wake_r, self._wake_w = os.pipe()
        os.set_blocking(self._wake_r, False)
        os.set_blocking(self._wake_w, False)
        self._by_source = {flow.src: flow for flow in flows.values()}
        self._by_target = {flow.dst: flow for flow in flows.values()}
        self._set(self._wake_r, select.POLLIN)
        self._exit: int | None = None
        self._client_left = False
        """Whether the client's stream ended before the server's."""
        self._is_unsettled = True
        """Whether anything other than complete forwarding has happened since the last arrangement."""
        self._is_talking = False
        """Whether bytes were read in the last step."""
        self.at_end: list[Callable[[], None]] = []
        """Called when the server has exited and everything is delivered."""
        for flow in flows.values():
            flow.forget = self._forget
        self.timers: list[Callable[[float], float | None]] = []
        """Called with the time; each returns the time of its next call, or None."""

    # Interface for other components

    def post(self, work: "Callable[[], None]") -> None:
        """Run work in the loop's thread. May be called from any thread."""
        self._posted.append(work)
        try:
            os.write(self._wake_w, b"\0")
        except OSError:
            pass  # full: the loop wakes up anyway

    def watch(self, fd: int, mask: int, handler: "Callable[[int], None] | None") -> None:
        """Call the handler on events of a descriptor; mask 0 and None to stop."""
        if handler is None:
            self._handlers.pop(fd, None)
            self._set(fd, None)
        else:
            self._handlers[fd] = handler
            self._set(fd, mask)

    def signal_server(self, number: int) -> None:
        """Send a signal to the server's process group."""
        signal_group(self.pid, number)
        self.recording.signalled(number)

    def deliver(self, direction: str, data: bytes) -> bool:
        """Write a whole message to a direction, after data that is waiting there. Return whether it is written."""
        return self.flows[direction].put(data)

    def lane_moved(self, direction: str) -> None:
        """Handle that waiting messages were written: the stream may end now."""
        self._pass_on_end(self.flows[direction])

    # the loop

    def run(self) -> int:
        """Forward bytes until the server has exited and its output is delivered. Return its wait status."""
        signal.set_wakeup_fd(self._wake_w, warn_on_full_buffer=False)
        self._reap()
        while (status := self.step()) is None:
            pass
        return status

    def step(self, timeout_ms: float | None = None) -> int | None:
        """Wait for events, at most for the timeout, and handle them.

        Return the wait status of the server once everything is done; None before.
        """
        own = None
        if self._is_unsettled:
            own = self._timeout()  # first, because it may deliver messages and so change what can be handled
            self._arrange()
            if self._exit is not None:
                if self._is_drained():
                    return self._exit
                self._arrange()
            self._is_unsettled = own is not None
        for fd, events in self._events(own if timeout_ms is None else timeout_ms):
            flow_of = self._by_source.get(fd)
            if flow_of is not None and flow_of.reads and fd not in self._handlers:
                self._source_ready(flow_of)
                self._is_talking = True
                still_reads: bool = flow_of.reads
                if flow_of.size or self.rule_queue is not None or not (still_reads and flow_of.writes):
                    self._is_unsettled = True
                continue
            self._is_unsettled = True
            if fd == self._wake_r:
                self._woken()
            elif fd in self._handlers:
                self._handlers[fd](events)
            elif (flow_of := self._by_target.get(fd)) is not None and flow_of.writes:
                self._target_ready(flow_of, events)
        while self._posted:
            self._is_unsettled = True
            self._posted.popleft()()
        return None

    def _events(self, timeout_ms: float | None) -> list[tuple[int, int]]:
        poll = self._poll.poll
        if self._is_talking:
            self._is_talking = False
            end = time.perf_counter() + SPIN_S
            while time.perf_counter() < end:
                if events := poll(0):
                    return events
                os.sched_yield()
        return poll(timeout_ms)

    def _arrange(self) -> None:
        """Register for the next poll the events that can be handled now."""
        for flow in self.flows.values():
            if flow.reads and not flow.writes:
                flow.end_reading()
                self.recording.ended(flow.name)
            if flow.reads:
                wants = flow.size < AHEAD and not self._is_held_up(flow.name)
                self._set(flow.src, select.POLLIN if wants else None)
            if flow.writes:
                self._set(flow.dst, select.POLLOUT if flow.size else 0)

    def close(self) -> None:
        """Close the loop's own descriptors."""
        os.close(self._wake_r)
        os.close(self._wake_w)

    def _set(self, fd: int, mask: int | None) -> None:
        if self._masks.get(fd) == mask:
            return
        if mask is None:
            self._forget(fd)
        else:
            self._masks[fd] = mask
            self._poll.register(fd, mask)

    def _forget(self, fd: int) -> None:
        if self._masks.pop(fd, None) is not None:
            self._poll.unregister(fd)

    def _timeout(self) -> float | None:
        now = time.monotonic()
        later = [at for timer in self.timers if (at := timer(now)) is not None]
        self._let_partial_through(now)
        due = [lines.since + PARTIAL_S for name, lines in self._lines.items() if lines.parts and not self._waits(name)]
        due += later
        return max(0.0, (min(due) - now) * 1000 + 1) if due else None

    def _woken(self) -> None:
        try:
            numbers = os.read(self._wake_r, 4096)
        except BlockingIOError:
            return
        for number in numbers:
            if number == signal.SIGCHLD:
                self._reap()
            elif number == signal.SIGTSTP:
                self.signal_server(signal.SIGTSTP)
                os.kill(os.getpid(), signal.SIGSTOP)
            elif number:
                self.signal_server(number)

    def _reap(self) -> None:
        if self._exit is not None:
            return
        try:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            pid, status = self.pid, 0
        if pid:
            self._exit = status
            self.recording.exited(status, client_left=self._client_left or self.flows[FROM_SERVER].reader_left)
            self.flows[TO_SERVER].end_reading()
            self.flows[TO_SERVER].end_writing()

    def _is_drained(self) -> bool:
        """Return whether the remaining output is read and written. Grandchildren that hold the pipe are not awaited."""
        for name, flow in self.flows.items():
            if name == TO_SERVER:
                continue
            while flow.reads and flow.size < AHEAD:
                data = flow.read()
                if data:
                    self._take(flow, data)
                else:
                    self._source_ended(flow)
            if flow.size:
                return False
        return self.rule_queue is None or not self.rule_queue.flush()

    def _waits(self, name: str) -> bool:
        return self.rule_queue is not None and self.rule_queue.waits(name)

    def _is_held_up(self, name: str) -> bool:
        if self.rule_queue is None or name == STDERR or not self.flows[name].is_line_start:
            return False  # waiting messages can only follow the rest of a line that has begun
        return self.rule_queue.is_full(name) or (self._lines[name].size > LONGEST and self.rule_queue.waits(name))

    def _target_ready(self, flow: Flow, events: int) -> None:
        if events & select.POLLOUT and not events & _BROKEN:
            flow.flush()
        elif events & _BROKEN:
            flow.end_writing()
        self._pass_on_end(flow)

    def _source_ready(self, flow: Flow) -> None:
        data = flow.read()
        if data is None:
            return
        if data:
            self._take(flow, data)
        else:
            self._source_ended(flow)

    def _source_ended(self, flow: Flow) -> None:
        flow.end_reading()
        self._client_left = self._client_left or (flow.name == TO_SERVER and self.flows[FROM_SERVER].reads)
        if flow.name in self._lines and (rest := self._lines[flow.name].take()):
            if self.rule_queue is not None and self.rule_queue.waits(flow.name):
                self.rule_queue.append(flow.name, rest, time.monotonic_ns(), time.time_ns())
            else:
                self._pass(flow, rest)
        if self.rule_queue is not None and flow.name == TO_SERVER:
            self.rule_queue.client_ended()
        self.recording.ended(flow.name)
        self._pass_on_end(flow)

    def _pass_on_end(self, flow: Flow) -> None:
        """Close the target once its source has ended and everything is written."""
        if not flow.reads and not flow.size and flow.writes and not self._waits(flow.name):
            flow.end_writing()

    def _take(self, flow: Flow, data: bytes) -> None:
        if flow.name == STDERR or not self._is_judged(flow.name):
            self._pass(flow, data)
            if not self.saw_initialized and flow.name == TO_SERVER and b"notifications/initialized" in data:
                self.saw_initialized = True
            return
        assert self.rule_queue is not None
        if not flow.is_line_start:
            head, newline, data = data.partition(b"\n")
            self._pass(flow, head + newline)
            if not newline:
                return
            self.rule_queue.pump()
        self._judge(flow, data)

    def _is_judged(self, name: str) -> bool:
        rule_queue = self.rule_queue
        return rule_queue is not None and (rule_queue.armed or rule_queue.waits(name) or bool(self._lines[name].parts))

    def _pass(self, flow: Flow, data: bytes) -> None:
        """Put a copy into the queue of the recorder, then write data."""
        self.recording.chunk(flow.name, data, time.monotonic_ns(), time.time_ns())
        written = flow.put(data)
        self.recording.forwarded(time.monotonic_ns() if written else 0)

    def _judge(self, flow: Flow, data: bytes) -> None:
        lines = self._lines[flow.name]
        for line in lines.feed(data, time.monotonic()):
            self._ask(flow, line)
        if lines.size > LONGEST and not self._waits(flow.name):
            self._pass(flow, lines.take())

    def _ask(self, flow: Flow, line: bytes) -> None:
        assert self.rule_queue is not None
        tm, tw = time.monotonic_ns(), time.time_ns()
        self.rule_queue.take(flow.name, line, tm, tw)

    def _let_partial_through(self, now: float) -> None:
        for name, lines in self._lines.items():
            if lines.parts and now - lines.since >= PARTIAL_S and not self._waits(name):
                self._pass(self.flows[name], lines.take())


def _open_missing_streams() -> None:
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _listen_to_signals() -> None:
    for name in (*_FORWARDED, "SIGCHLD"):
        number = getattr(signal, name)
        if name == "SIGCHLD" or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def run(
    argv: list[str],
    record: "Record",
    arm: "Callable[[Relay], None]",
    set_up: "Callable[[Relay], None]",
    judge_end: "Callable[[Relay], str]",
) -> "NoReturn":
    """Run the tap: start the server, forward everything, and end as the server ended.

    `record` runs in the reaper. `arm` is called before the first byte is forwarded, if there are rules. `set_up` runs
    in a thread. `judge_end` is called once everything is recorded, for `--keep-on` and `--fail-on`; it returns why
    the tap fails, or "".

    Raises: any exception before the server was started.
    """
    try:
        options = Options(argv)
    except UnusableOptions as error:
        os.write(2, f"mcp-tap: {error}\n".encode())
        os._exit(2)
    _open_missing_streams()
    from inspector.features.tap.recording import RecordingQueue

    recording = RecordingQueue()
    lifeline = fork_reaper(options, recording, record)
    _listen_to_signals()
    records_stderr = options.stderr == "record" and not os.isatty(2)
    in_r, in_w = os.pipe()
    out_r, out_w = os.pipe()
    err_r, err_w = os.pipe() if records_stderr else (-1, 2)
    pid = spawned(options.command, in_r, out_w, err_w)
    os.write(lifeline, f"{pid} {start_time(pid)} {time.monotonic_ns()} {time.time_ns()}\n".encode())
    for fd in (in_r, out_w, *((err_w,) if records_stderr else ())):
        os.close(fd)
    status = 70 << 8
    count = os.dup(2) if options.fail_on or options.capture else -1
    try:
        relay = _relay(options, pid, recording, in_w, out_r, err_r)
        if options.rules:
            arm(relay)
        start_new_thread(set_up, (relay,))
        status = relay.run()
        for each in relay.at_end:
            each()
        relay.recording.close()
        status = _judged(relay, status, judge_end, count)
    finally:
        end_like(status)  # the server is running, so the client must see an end whatever failed


def _judged(relay: Relay, status: int, judge_end: "Callable[[Relay], str]", stderr: int) -> int:
    """Write to stderr why the tap fails where the server did not; return the wait status."""
    options = relay.options
    if (options.keep_on or options.fail_on) and (why := judge_end(relay)):
        os.write(stderr, f"mcp-tap: {why}\n".encode("utf-8", "replace"))
        status = status or 1 << 8
    if options.capture and relay.recording.is_incomplete:
        os.write(stderr, f"mcp-tap: {relay.recording.trouble}\n".encode("utf-8", "replace"))
        status = status or 8 << 8
    return status


def _relay(options: Options, pid: int, recording: "RecordingQueue", in_w: int, out_r: int, err_r: int) -> Relay:
    import fcntl

    host_in, host_out, host_err = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (0, 1, 2))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)
    os.close(nowhere)
    for fd in (in_w, out_r, *((err_r,) if err_r >= 0 else ())):
        os.set_blocking(fd, False)
    flows = {
        TO_SERVER: Flow(TO_SERVER, host_in, in_w, shared=False),
        FROM_SERVER: Flow(FROM_SERVER, out_r, host_out, shared=True),
    }
    if err_r >= 0:
        flows[STDERR] = Flow(STDERR, err_r, host_err, shared=True)
    else:
        os.close(host_err)
    sys.setswitchinterval(0.0001)
    return Relay(options, pid, flows, recording)
