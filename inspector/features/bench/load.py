"""Sends the calls of a load test and measures their latency, beside the session.

A session decodes and records each message, which costs more than many servers need for a call. Therefore load calls
are encoded in advance, and their responses are intercepted at the transport, where only the id is read and a
timestamp is taken. All other messages are passed to the session, which answers server requests as usual.
"""

import asyncio
import heapq
import os
import sys
import time
from array import array
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import psutil

from inspector.checks.foreign_text import LIMITED, elided, words_of_body
from inspector.documents import UNDECODABLE
from inspector.errors import InspectError
from inspector.features.bench.model import (
    RATE_LIMIT,
    BenchCall,
    LevelResult,
    LoadModel,
    Mismatch,
    MismatchKind,
    SlowCall,
    UsageSample,
)
from inspector.protocol import peek, url_hosts
from inspector.protocol.facts import Fact, HttpFact
from inspector.protocol.flows.steps import Send
from inspector.protocol.frames import Channel, Direction, Eol
from inspector.protocol.jsonrpc import Envelope, envelope_of
from inspector.session.driver import outgoing
from inspector.session.session import Session
from inspector.transports.base import Expects, Observer, Outgoing, Transport
from inspector.transports.stdio import StdioTransport

_FIRST_ID = 1_000_001
"""First id of load calls. The ids of a session begin at 1 and never get this high."""
_MARK = 1_357_924_680
"""Placeholder for the id in a call that is encoded in advance."""

_EXAMINED = 2_000
"""Maximum number of bytes of an error that are searched."""

TIMEOUT, DISCONNECTED = "timeout", "disconnected"
_SWEEP_S = 0.1
_LOOK_S = 0.05
_TICK_S = 0.5
_TINY = 16 << 20
"""Bytes of memory below which a process has no heap to speak of."""
_SAMPLES = 40
"""Number of usage samples per level; the rate is limited to between one and twenty per second."""
_WARM_UP = 0.1
"""Duration of the warm-up as a fraction of the level's duration. Warm-up calls are not counted."""
_WARM_UP_S = 1.0
"""Maximum duration of the warm-up in seconds."""
_MOST_IN_FLIGHT = 10_000
"""Maximum number of calls in flight in the open model. A call above it is not sent and counts as an error."""
_KEPT_MISMATCHES = 20
_OVERTAKEN, _OVERTAKEN_NS = 10, 100_000_000
"""How many times the calls in flight must be answered during a call, and how long that must take at least."""
_ECHO = Path(__file__).with_name("echo.py.txt").read_text("ascii")
"""A server that only responds."""


class PreparedCall:
    """A call that is encoded except for its id."""

    def __init__(self, call: BenchCall, message: Outgoing) -> None:
        self.call = call
        self.label = call.label
        self.headers = message.headers
        before, mark, after = message.payload.partition(b'"id":%d' % _MARK)
        assert mark, "a request is encoded with its id"
        self._before, self._after = before + b'"id":', after
        self.reference: bytes | None = None
        """The serialized result without load; None if results of this call are not compared."""

    def with_id(self, id_: int) -> bytes:
        return b"%b%d%b" % (self._before, id_, self._after)


class Sample(msgspec.Struct, gc=False):
    call: PreparedCall
    began_ns: int
    ended_ns: int
    error: str = ""
    """Error class; "" for a result."""
    result: bytes = b""
    sent: bytes = b""
    received: bytes = b""


class _Response(msgspec.Struct, gc=False):
    at_ns: int
    payload: bytes
    envelope: Envelope


class _Waiting(msgspec.Struct, eq=False):
    """A call in flight. One timer serves all calls, because a timer per call costs as much as a fast server."""

    future: "asyncio.Future[_Response]"
    task: asyncio.Task[Any]
    deadline: float
    timed_out: bool = False


class LevelPlan(msgspec.Struct, frozen=True):
    model: LoadModel
    load: float
    seconds: float
    calls: int | None
    timeout_s: float
    stall_s: float
    """Seconds without any response after which the level ends."""


def prepare(session: Session, call: BenchCall) -> PreparedCall:
    """Encode a call as the session would encode it."""
    step = Send(call.method, call.params, input_schema=call.input_schema)
    return PreparedCall(call, outgoing(step, _MARK, session.revision, session.offering.client, session.logs))


class LoadClient:
    """An observer between a transport and a session's journal that intercepts the responses to load calls."""

    def __init__(self, behind: Observer | None) -> None:
        """Pass everything except the load to `behind`."""
        self._behind = behind
        self._ids = count(_FIRST_ID)
        self._waiting: dict[int, _Waiting] = {}
        self._sweeper: asyncio.TimerHandle | None = None
        self._given_up: set[int] = set()
        self._ours: set[bytes] = set()
        self._stray = b""
        """The newest message or body, unless it was a response to a call."""
        self.transport: Transport | None = None
        self.loading = False
        """Whether HTTP facts are dropped. There would be two for each call."""
        self.unknown = 0
        """Number of responses whose id belongs to no call in flight and to no abandoned call."""
        self.answered_ns = 0
        """Monotonic time at which the last response arrived."""

    async def call(self, prepared: PreparedCall, limit_s: float, due_ns: int | None = None) -> Sample:
        """Make one call and never raise anything except CancelledError.

        `due_ns`: the time from which latency is measured; None for now.
        """
        assert self.transport is not None, "it is set once the transport is known"
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None, "calls are made by tasks"
        id_ = next(self._ids)
        payload = prepared.with_id(id_)
        future: asyncio.Future[_Response] = loop.create_future()
        waiting = self._waiting[id_] = _Waiting(future, task, loop.time() + limit_s)
        if self._sweeper is None:
            self._sweeper = loop.call_later(_SWEEP_S, self._sweep)
        self._ours.add(payload)
        message = Outgoing(payload, Expects.ANSWER, prepared.headers)
        send_now = getattr(self.transport, "send_now", lambda message: False)
        error = ""
        began = time.monotonic_ns() if due_ns is None else due_ns
        try:
            if not send_now(message):
                delivery = await self.transport.send(message)
                if not future.done() and not delivery.answer_may_follow:
                    error = f"HTTP {delivery.status}" if delivery.status else "no response"
            if not error:
                await future
        except asyncio.CancelledError:
            if not waiting.timed_out:
                raise
            task.uncancel()
            error = TIMEOUT
        except InspectError:
            error = DISCONNECTED
        finally:
            self._ours.discard(payload)
            del self._waiting[id_]
            if not future.done() or future.cancelled():
                self._given_up.add(id_)
        if error:
            return Sample(prepared, began, time.monotonic_ns(), error, sent=payload, received=self._stray)
        response = future.result()
        failure, result = _outcome(response.envelope)
        return Sample(prepared, began, response.at_ns, failure, result, payload, response.payload)

    def frame(self, direction: Direction, channel: Channel, payload: bytes, **rest: Any) -> None:
        """Intercept a load call or its response, and pass on anything else."""
        if direction is Direction.TO_SERVER:
            taken = payload in self._ours
        else:
            taken = self._is_taken(payload, time.monotonic_ns())
            self._stray = b"" if taken else payload
        if self._behind is not None and not taken:
            self._behind.frame(direction, channel, payload, **rest)

    def burst(self, direction: Direction, channel: Channel, lines: Sequence[tuple[bytes, Eol]]) -> None:
        """Handle several lines that were read in one chunk like `frame`: they arrived at the same time."""
        now = getattr(self.transport, "read_ns", 0) or time.monotonic_ns()
        left = [line for line in lines if not self._is_taken(line[0], now)]
        if left and self._behind is not None:
            self._behind.burst(direction, channel, left)

    def stderr_lines(self, lines: Sequence[tuple[bytes, Eol]]) -> None:
        """Pass the lines on."""
        if self._behind is not None:
            self._behind.stderr_lines(lines)

    def fact(self, fact: Fact) -> None:
        """Pass a fact on. HTTP facts of load are dropped unless it is recorded."""
        if self._behind is not None and not (self.loading and isinstance(fact, HttpFact)):
            self._behind.fact(fact)

    def _sweep(self) -> None:
        """Cancel the calls that have timed out."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for each in self._waiting.values():
            if now > each.deadline and not each.future.done():
                each.timed_out = True
                each.task.cancel()
        self._sweeper = loop.call_later(_SWEEP_S, self._sweep) if self._waiting else None

    def _is_taken(self, payload: bytes, now: int) -> bool:
        envelope = envelope_of(payload)
        if envelope is None or not isinstance(envelope.id, int) or isinstance(envelope.method, str):
            return False
        if envelope.id < _FIRST_ID:
            return False
        waiting = self._waiting.get(envelope.id)
        if waiting is None or waiting.future.done():
            self.unknown += envelope.id not in self._given_up
            return True
        self.answered_ns = now
        waiting.future.set_result(_Response(now, payload, envelope))
        return True


def _outcome(envelope: Envelope) -> tuple[str, bytes]:
    """Return the error class, "" for none, and the serialized result."""
    if not isinstance(envelope.result, msgspec.Raw):
        code = None
        if isinstance(envelope.error, msgspec.Raw):
            with suppress(msgspec.DecodeError):
                code = peek.integer(msgspec.json.decode(envelope.error), "code")
            if LIMITED.search(bytes(envelope.error)[:_EXAMINED].decode("utf-8", "replace")):
                return RATE_LIMIT, b""
        return (f"JSON-RPC error {code}" if code is not None else "invalid response"), b""
    raw = bytes(envelope.result)
    if b'"isError"' in raw or b'"input_required"' in raw:
        with suppress(msgspec.DecodeError):
            result = msgspec.json.decode(raw)
            if peek.flag(result, "isError"):
                is_limited = LIMITED.search(raw[:_EXAMINED].decode("utf-8", "replace"))
                return RATE_LIMIT if is_limited else "tool error", raw
            if peek.text(result, "resultType") == "input_required":
                return "input required", raw
    return "", raw


def words_of(payload: bytes) -> str:
    """Return what a response says of a failure; "" for nothing."""
    text = ""
    with suppress(*UNDECODABLE):
        blocks = peek.items(msgspec.json.decode(payload), "result", "content")
        text = " ".join(" ".join(peek.text(each, "text") or "" for each in blocks).split())
    return elided(text or words_of_body(payload), 160)


# Resource usage of the server's processes


class ProcessTree:
    """A process and all of its descendants."""

    _REFRESH = 5
    """Number of samples between two scans for new processes."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._known = [self._root]
        self._turn = 0

    def sample(self, at_s: float, calls: int) -> UsageSample | None:
        """Return the current usage; None if the process has ended or can't be inspected."""
        if self._turn % self._REFRESH == 0:
            with suppress(psutil.Error):
                self._known = [self._root, *self._root.children(recursive=True)]
        self._turn += 1
        rss = fds = threads = 0
        cpu_s = 0.0
        for each in self._known:
            with suppress(psutil.Error), each.oneshot():
                times = each.cpu_times()
                cpu_s += times.user + times.system + times.children_user + times.children_system
                rss += each.memory_info().rss
                threads += each.num_threads()
                fds += each.num_fds()
        return None if not rss else UsageSample(at_s, calls, rss, fds, threads, cpu_s, len(self._known))

    def queued_s(self) -> float:
        """Return how long their threads have waited for a CPU; 0 where the system does not tell."""
        queued = 0.0
        for each in self._known:
            with suppress(OSError):
                for task in Path(f"/proc/{each.pid}/task").iterdir():
                    queued += int((task / "schedstat").read_text().split()[1]) / 1e9
        return queued

    def programs(self) -> list[str]:
        """Return the names of the programs that the processes run, without those of tiny ones such as shells."""
        found = []
        for each in self._known:
            with suppress(psutil.Error):
                if each.memory_info().rss >= _TINY:
                    found.append(Path(each.exe()).name or each.name())
        return found

    def is_runnable(self) -> bool:
        """Return whether the main thread of a process runs or waits for a processor, which no load of others hides."""
        for each in self._known:
            with suppress(psutil.Error):
                if each.status() == psutil.STATUS_RUNNING:
                    return True
        return False


def process_tree(session: Session, pid: int | None) -> ProcessTree | None:
    """Return the process tree of a server; None if it is not known.

    Known is the process of a server that was started here, whose process id is given, or that listens on this machine.
    """
    number = pid or getattr(session.transport, "pid", None) or listener_pid(getattr(session.transport, "url", ""))
    try:
        return ProcessTree(number) if number else None
    except psutil.Error:
        return None


def listener_pid(url: str) -> int | None:
    """Return the process that listens at a local URL; None if it is another machine's, this process or not known."""
    try:
        host, port = urlsplit(url).hostname or "", urlsplit(url).port
    except ValueError:
        return None
    if port is None or not url_hosts.is_loopback(host):
        return None
    try:
        sockets = psutil.net_connections("tcp")
    except (psutil.Error, OSError):
        return None
    found = set()
    for each in sockets:
        _, there = (*each.laddr, 0, 0)[:2]
        if each.status == psutil.CONN_LISTEN and there == port and each.pid:
            found.add(each.pid)
    return min(found - {os.getpid()}, default=None)  # workers are children of the one that was started first


# Levels of load


class Load:
    """Runs levels of load over one connection and collects the data that all levels share."""

    def __init__(
        self,
        client: LoadClient,
        workload: Sequence[PreparedCall],
        *,
        keep: int = 0,
        tree: ProcessTree | None = None,
        is_over: Callable[[], bool] = lambda: False,
        tick: Callable[[LevelResult], None] = lambda level: None,
    ) -> None:
        """Create the runner.

        `is_over`: returns whether the connection has ended. `tick`: called about twice a second while a level runs.
        """
        self.client = client
        self._workload = workload
        self._keep = keep
        self._tree = tree
        self._is_over = is_over
        self._tick = tick
        self._next = _cycle(workload)
        self._slow: list[tuple[int, int, SlowCall]] = []
        self.checked = 0
        self.mismatches: list[tuple[PreparedCall, Mismatch]] = []
        self.mismatch_counts: Counter[tuple[PreparedCall, MismatchKind]] = Counter()
        self.in_flight = 0
        self.stalled_s = 0.0
        """Seconds without a response after which the last level was aborted; 0 if it was not aborted."""
        self.lost = 0
        """Number of calls in flight when the last level was aborted."""
        self._level = LevelResult(LoadModel.CLOSED, 0)
        self._counting_from: int | None = None
        self._ends_at = 0
        self._issued = 0
        self._most: int | None = None
        self._warm = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._ended_ns = 0
        self._owners: dict[bytes, PreparedCall] = {
            each.reference: each for each in workload if each.reference is not None
        }

    @property
    def slowest(self) -> list[SlowCall]:
        """Return the slowest calls, slowest first."""
        return [each for _, _, each in sorted(self._slow, key=lambda each: -each[0])]

    async def run(self, plan: LevelPlan) -> LevelResult:
        """Run one level. It may end early: see `stalled_s` and `lost`."""
        level = self._level = LevelResult(plan.model, plan.load)
        began = time.monotonic_ns()
        warm_s = min(_WARM_UP_S, _WARM_UP * plan.seconds)
        self._warm = 0 if plan.calls is None else max(int(plan.load), plan.calls // 20)
        self._counting_from = began + int(warm_s * 1e9) if plan.calls is None else None
        self._ends_at = began + int((warm_s + plan.seconds) * 1e9)
        self._most = None if plan.calls is None else plan.calls + self._warm
        self._issued, self._ended_ns, self.stalled_s, self.lost = 0, began, 0.0, 0
        self.client.loading, self.client.answered_ns = True, began
        try:
            async with asyncio.TaskGroup() as group:
                if plan.model is LoadModel.OPEN:
                    self._begin(group, self._on_schedule(group, plan))
                for _ in range(0 if plan.model is LoadModel.OPEN else int(plan.load)):
                    self._begin(group, self._one_by_one(plan))
                await self._watch(plan)
        finally:
            self.client.loading = False
        level.seconds = max(0.0, (self._ended_ns - (self._counting_from or began)) / 1e9)
        return level

    async def alone(self, prepared: PreparedCall, limit_s: float) -> Sample:
        """Make one call outside the levels."""
        return await self.client.call(prepared, limit_s)

    def usage(self) -> UsageSample | None:
        """Return the current usage of the server; None if it is not known."""
        return self._tree.sample(0.0, 0) if self._tree else None

    def _begin(self, group: asyncio.TaskGroup, work: Coroutine[Any, Any, None]) -> None:
        task = group.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _wants_more(self) -> bool:
        if self._is_over() or self.stalled_s:
            return False
        return time.monotonic_ns() < self._ends_at if self._most is None else self._issued < self._most

    async def _one_by_one(self, plan: LevelPlan) -> None:
        while self._wants_more():
            await self._one(next(self._next), plan.timeout_s, None)

    async def _on_schedule(self, group: asyncio.TaskGroup, plan: LevelPlan) -> None:
        began, gap = time.monotonic_ns(), 1e9 / plan.load
        for number in count():
            due = began + int(number * gap)
            if (wait := due - time.monotonic_ns()) > 0:
                await asyncio.sleep(wait / 1e9)
            elif number % 64 == 0:
                await asyncio.sleep(0)
            if not self._wants_more():
                return
            prepared = next(self._next)
            if self.in_flight >= _MOST_IN_FLIGHT:
                self._failed(prepared.label, "not sent: too many in flight")
                continue
            self._level.lag.append(time.monotonic_ns() - due)
            self._begin(group, self._one(prepared, plan.timeout_s, due))

    async def _one(self, prepared: PreparedCall, limit_s: float, due_ns: int | None) -> None:
        self._issued += 1
        if self._counting_from is None and self._issued > self._warm:
            self._counting_from = due_ns or time.monotonic_ns()
        self.in_flight += 1
        before = len(self._level.times.get(prepared.label, ()))
        try:
            sample = await self.client.call(prepared, limit_s, due_ns)
        finally:
            self.in_flight -= 1
        self._take(sample, counts=self._counting_from is not None and sample.began_ns >= self._counting_from)
        self._note_overtaken(sample, before)
        if sample.error == DISCONNECTED:
            await asyncio.sleep(0.02)  # avoid a busy loop against an unreachable server

    def _take(self, sample: Sample, *, counts: bool) -> None:
        call, level = sample.call, self._level
        self._ended_ns = max(self._ended_ns, sample.ended_ns)
        if call.reference is not None and not sample.error:
            self.checked += 1
            if sample.result != call.reference:
                self._differs(sample)
        if not counts:
            return
        if sample.error:
            self._failed(call.label, sample.error)
            level.reasons[sample.error] = level.reasons.get(sample.error) or words_of(sample.received)
            return
        took = sample.ended_ns - sample.began_ns
        if (times := level.times.get(call.label)) is None:
            times = level.times[call.label] = array("q")
        times.append(took)
        if len(self._slow) < self._keep or (self._slow and took > self._slow[0][0]):
            self._keep_slow(sample, took)

    def _note_overtaken(self, sample: Sample, before: int) -> None:
        """Keep the duration of a call during which many others of its label were answered. `before`: those before it.

        No fair server lets so many pass.
        """
        took, label = sample.ended_ns - sample.began_ns, sample.call.label
        passed = len(self._level.times.get(label, ())) - before
        if took >= _OVERTAKEN_NS and passed > _OVERTAKEN * max(1.0, self._level.load) and not sample.error:
            self._level.overtaken.setdefault(label, array("q")).append(took)

    def _failed(self, label: str, kind: str) -> None:
        self._level.errors.setdefault(label, Counter())[kind] += 1

    def _keep_slow(self, sample: Sample, took: int) -> None:
        slow = SlowCall(
            took, self._level.name, sample.call.label, sample.began_ns, sample.ended_ns, sample.sent, sample.received
        )
        heapq.heappush(self._slow, (took, sample.ended_ns, slow))
        if len(self._slow) > self._keep:
            heapq.heappop(self._slow)

    def _differs(self, sample: Sample) -> None:
        call = sample.call
        assert call.reference is not None, "only such results are compared"
        other = self._owners.get(sample.result)
        kind = MismatchKind.DIFFERENT if other is None else MismatchKind.SWAPPED
        self.mismatch_counts[call, kind] += 1
        if len(self.mismatches) < _KEPT_MISMATCHES:
            found = Mismatch(
                kind,
                call.label,
                self._level.name,
                call.call.params,
                call.reference,
                sample.result,
                "" if other is None else msgspec.json.encode(other.call.params).decode(errors="replace"),
            )
            self.mismatches.append((call, found))

    async def _watch(self, plan: LevelPlan) -> None:
        """Sample the server's usage until the level is over, and abort the level if the server stops responding."""
        began = sampled = ticked = time.monotonic()
        while self._tasks:
            await asyncio.wait(self._tasks, timeout=_LOOK_S)
            now = time.monotonic()
            if now - sampled >= min(1.0, max(_LOOK_S, plan.seconds / _SAMPLES)):
                sampled = now
                done = self._level.answered
                if self._tree and done and (usage := self._tree.sample(now - began, done)):
                    self._level.usage.append(usage)
            if now - ticked >= _TICK_S:
                ticked = now
                self._tick(self._level)
            silent = now - self.client.answered_ns / 1e9
            if self._is_over() or (self.in_flight and silent > plan.stall_s):
                self.stalled_s = 0.0 if self._is_over() else silent
                self.lost = self.in_flight
                for task in self._tasks:
                    task.cancel()
                return


def _cycle(workload: Sequence[PreparedCall]) -> Iterator[PreparedCall]:
    while True:
        yield from workload


# Speed of mcp-inspect itself


async def measure_ceiling(levels: Sequence[int], seconds: float) -> list[LevelResult]:
    """Measure mcp-inspect against a trivial stdio server; a faster server can't be measured."""
    client = LoadClient(None)
    transport = StdioTransport([sys.executable, "-I", "-S", "-c", _ECHO], env=dict(os.environ))
    client.transport = transport
    await transport.open(client)
    try:
        message = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{}}}' % _MARK
        call = PreparedCall(BenchCall("tools/call", {"name": "echo"}), Outgoing(message, Expects.ANSWER))
        load = Load(client, [call])
        return [await load.run(LevelPlan(LoadModel.CLOSED, n, seconds, None, 10.0, 10.0)) for n in levels]
    finally:
        await transport.close()
