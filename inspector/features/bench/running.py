"""Runs one load test: start times, results without load, levels of load, growth, blocking."""

import asyncio
import time
from array import array
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal, start_capture
from inspector.capture.store.store import entries
from inspector.features.bench.load import (
    DISCONNECTED,
    TIMEOUT,
    LevelPlan,
    Load,
    LoadClient,
    PreparedCall,
    ProcessTree,
    Sample,
    measure_ceiling,
    prepare,
    process_tree,
    words_of,
)
from inspector.features.bench.model import (
    BenchCall,
    BenchOptions,
    BenchResult,
    BlockingResult,
    Death,
    LevelResult,
    LoadModel,
    MismatchKind,
    Stall,
)
from inspector.features.bench.verdicts import blocking_verdicts, seconds_to_decide
from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.protocol.frames import Channel, Direction, Eol, Frame
from inspector.protocol.listed_items import Tool
from inspector.session.session import Session

Opener = Callable[[bool], Session]
"""Creates a session that is not connected yet; True for the session that carries the load."""
Chooser = Callable[[Sequence[Tool], BenchResult], list[BenchCall]]
"""Chooses the workload from the listed tools. May add notes to the result. Raises: UsageError."""

_CEILING_S = 0.3
_MOST_REFERENCES = 256
"""Maximum number of distinct calls whose results are compared."""
_REFERENCE_S = 10.0
"""Time limit in seconds for the calls without load."""
_LEAST_STALL_S = 5.0
_IDLE_S = 0.3
"""Seconds of idling after the load before the processes are sampled."""
_IDLE_TIMES, _LOOKS, _IDLE_SHARE, _SOME_PROCESSES = 4, 15, 0.1, 10
"""Times that an idle server is measured, and looks each time, if it uses this much or has so many processes more."""
_PROBE_S = 2.0
_SLOW_MS = 1.0
"""Minimum duration of a call that is slow enough for the blocking check."""
_SHORT_MS, _PAUSED_MS = 10.0, 5.0
"""Durations below which more rounds are made, and the other request is sent without a pause."""
_TOO_FAST = f"no call takes {_SLOW_MS:g} ms or more without load"
_ROUNDS, _ROUNDS_OF_SHORT = 5, 30
_TOGETHER, _TIMES = 4, 3
_MOST_LATER = 8
"""Maximum labels that are called after the load as before it."""
_MOST_SLOW, _MOST_FIRST = 3, 5
"""Maximum labels whose blocking is checked, and whose first call after each start is timed."""
_STDERR = 20


class BenchProgress(msgspec.Struct):
    """State of a running load test, for a live display."""

    phase: str = ""
    level: LevelResult | None = None
    """The running level; None between levels."""
    done: list[LevelResult] = []
    """The completed levels."""


Watcher = Callable[[BenchProgress], None]


async def run_bench(
    target: str, opener: Opener, choose: Chooser, options: BenchOptions, watch: Watcher = lambda progress: None
) -> BenchResult:
    """Measure a server. Raises: InspectError if the connection fails, UsageError if nothing can be called."""
    result = BenchResult(target, options)
    run = _Run(opener, choose, result, watch)
    await run.whole()
    return result


class _Run:
    def __init__(self, opener: Opener, choose: Chooser, result: BenchResult, watch: Watcher) -> None:
        self._opener = opener
        self._choose = choose
        self._result = result
        self._options = result.options
        self._watch = watch
        self._progress = BenchProgress()
        self._calls: list[BenchCall] | None = None

    async def whole(self) -> None:
        """Run all steps in order. A server that dies or stalls ends them early."""
        options, result = self._options, self._result
        self._tell("measuring mcp-inspect itself")
        result.ceiling = await measure_ceiling(options.concurrency if not options.rates else (1,), _CEILING_S)
        for number in range(1, options.starts + 1):
            self._tell(f"start {number} of {options.starts}")
            async with self._connected(loaded=number == options.starts) as (session, client):
                prepared = [prepare(session, call) for call in await self._workload(session)]
                await self._first_calls(client, prepared)
                if number == options.starts:
                    await _Loaded(session, client, prepared, result, self._progress, self._watch).whole()

    async def _first_calls(self, client: LoadClient, prepared: Sequence[PreparedCall]) -> None:
        """Time the first call of each label after a start."""
        result = self._result
        by_label = {each.label: each for each in reversed(prepared)}
        for label in list(dict.fromkeys(each.label for each in prepared))[:_MOST_FIRST]:
            sample = await client.call(by_label[label], self._options.timeout_s)
            if sample.error:
                continue
            result.first_calls.setdefault(label, []).append(_ms(sample))
            if label == prepared[0].label:
                result.first_call_ms.append(_ms(sample))

    async def _workload(self, session: Session) -> list[BenchCall]:
        if self._calls is None:
            pages = await session.list_all("tools")
            tools = () if pages.failed is not None else tuple(map(Tool, pages.items))
            self._calls = self._choose(tools, self._result)
        return self._calls

    @asynccontextmanager
    async def _connected(self, *, loaded: bool) -> AsyncIterator[tuple[Session, LoadClient]]:
        session = self._opener(loaded)
        client = LoadClient(session.journal)
        client.transport, session.observer = session.transport, client
        async with session:
            began = time.perf_counter()
            opening = await session.connect()
            self._result.starts_ms.append((time.perf_counter() - began) * 1000)
            self._result.server, self._result.revision = opening.server, opening.revision.date
            yield session, client

    def _tell(self, phase: str) -> None:
        self._progress.phase = phase
        self._watch(self._progress)


class _Loaded:
    """The part of a load test that runs on the connection with the load."""

    def __init__(
        self,
        session: Session,
        client: LoadClient,
        workload: list[PreparedCall],
        result: BenchResult,
        progress: BenchProgress,
        watch: Watcher,
    ) -> None:
        self._session = session
        self._client = client
        self._workload = workload
        self._result = result
        self._options = result.options
        self._progress = progress
        self._watch = watch
        self._slowest_alone_s = 0.0
        self._tree: ProcessTree | None = process_tree(session, result.options.pid)
        revision = session.revision
        method = "ping" if revision is not None and "ping" in revision.client_requests else "tools/list"
        self._probe = prepare(session, BenchCall(method, {}))

    async def whole(self) -> None:
        """Run reference, levels, soak and blocking check. Ends early if the server dies or stalls."""
        result = self._result
        self._tell("calling one after the other")
        distinct = await self._reference()
        if self._is_over():
            return
        load = Load(
            self._client,
            self._workload,
            keep=self._options.keep,
            tree=self._tree,
            is_over=self._session.ended.is_set,
            tick=self._on_tick,
        )
        result.before = load.usage()
        result.programs = self._tree.programs() if self._tree else []
        for plan in self._plans():
            await self._level(load, plan)
            if self._is_over():
                break
        if not self._is_over():
            await self._decide_memory(load)
        result.slowest, result.checked = load.slowest, load.checked
        if not self._is_over():
            await asyncio.sleep(_IDLE_S)
            result.after = load.usage()
            await self._idle(load)
        await self._judge_mismatches(load)
        if not self._is_over():
            self._tell("checking whether a slow call blocks others")
            await self._blocking(distinct)
        result.unknown_responses = self._client.unknown

    async def _decide_memory(self, load: Load) -> None:
        """Go on with the highest load until it is clear whether memory grows, unless the user limits the calls."""
        result, options = self._result, self._options
        result.after = load.usage()
        seconds = None if options.calls is not None or options.rates else seconds_to_decide(result)
        if seconds is not None:
            last = self._plans()[-1]
            await self._level(load, LevelPlan(LoadModel.SOAK, last.load, seconds, None, last.timeout_s, last.stall_s))

    async def _idle(self, load: Load) -> None:
        """Measure the least processor time of the idle server, longer the more it uses; and wait for its children."""
        result, last = self._result, self._result.after
        for _ in range(_IDLE_TIMES):
            if last is None or result.before is None:
                return
            began, ran = time.monotonic(), 0
            for _ in range(_LOOKS):
                await asyncio.sleep(_IDLE_S / _LOOKS)
                ran += self._tree is not None and self._tree.is_runnable()
            now = load.usage()
            if now is None:
                return
            runnable = ran / _LOOKS
            share = (now.cpu_s - last.cpu_s) / (time.monotonic() - began)
            result.idle_runnable = runnable if result.idle_cpu is None else min(runnable, result.idle_runnable)
            result.idle_cpu = share if result.idle_cpu is None else min(share, result.idle_cpu)
            leaves = now.processes - result.before.processes >= _SOME_PROCESSES
            last = result.after = now
            if result.idle_cpu < _IDLE_SHARE and not leaves:
                return

    def _tell(self, phase: str) -> None:
        self._progress.phase = phase
        self._progress.level = None
        self._watch(self._progress)

    def _on_tick(self, level: LevelResult) -> None:
        self._progress.level = level
        self._watch(self._progress)

    def _is_over(self) -> bool:
        return self._result.stall is not None or self._result.death is not None or self._session.ended.is_set()

    # Calls without load

    async def _reference(self) -> list[PreparedCall]:
        """Make each distinct call twice in sequence and return the calls. Results that are equal become references."""
        by_content: dict[bytes, list[PreparedCall]] = {}
        for each in self._workload:
            by_content.setdefault(each.with_id(0), []).append(each)
        result, limit = self._result, self._options.timeout_s
        until, seen = time.monotonic() + _REFERENCE_S, set[str]()
        done = 0
        for number, same in enumerate(by_content.values()):
            call = same[0]
            if call.label in seen and (number >= _MOST_REFERENCES or time.monotonic() > until):
                continue
            seen.add(call.label)
            samples = []
            for _ in range(2):
                sample = await self._client.call(call, limit)
                if self._session.ended.is_set():
                    self._died("", done)
                    return []
                if sample.error == TIMEOUT:
                    await self._stalled("", 1, limit, done)
                    return []
                done += 1
                samples.append(sample)
                self._note_alone(sample)
            if any(sample.error for sample in samples):
                continue
            if samples[0].result != samples[1].result:
                result.varying.add(call.label)
                continue
            for each in same:
                each.reference = samples[0].result
        if len(by_content) > _MOST_REFERENCES:
            result.notes.append(f"results of some of the {len(by_content):,} different calls are not compared")
        return [same[0] for same in by_content.values()]

    def _note_alone(self, sample: Sample) -> None:
        label = sample.call.label
        self._slowest_alone_s = max(self._slowest_alone_s, (sample.ended_ns - sample.began_ns) / 1e9)
        if sample.error:
            self._result.alone_errors.setdefault(label, Counter())[sample.error] += 1
            self._result.alone_reasons[label, sample.error] = words_of(sample.received)
        else:
            self._result.alone.setdefault(label, array("q")).append(sample.ended_ns - sample.began_ns)

    # Levels

    def _plans(self) -> list[LevelPlan]:
        options = self._options
        stall = min(0.8 * options.timeout_s, max(_LEAST_STALL_S, 20 * self._slowest_alone_s))
        common = (options.seconds, options.calls, options.timeout_s, stall)
        if options.rates:
            plans = [LevelPlan(LoadModel.OPEN, rate, *common) for rate in options.rates]
        else:
            plans = [LevelPlan(LoadModel.CLOSED, number, *common) for number in options.concurrency]
        if options.soak_s:
            most = max(options.concurrency)
            plans.append(LevelPlan(LoadModel.SOAK, most, options.soak_s, None, options.timeout_s, stall))
        return plans

    async def _level(self, load: Load, plan: LevelPlan) -> None:
        self._tell(LevelResult(plan.model, plan.load).name)
        level = await load.run(plan)
        self._result.levels.append(level)
        self._progress.done.append(level)
        if self._session.ended.is_set():
            self._died(level.name, level.answered)
        elif load.stalled_s:
            await self._stalled(level.name, load.lost, load.stalled_s, level.answered)
        elif any(DISCONNECTED in kinds for kinds in level.errors.values()):
            if (await self._client.call(self._probe, _PROBE_S)).error == DISCONNECTED:
                self._died(level.name, level.answered)

    def _died(self, level: str, calls: int) -> None:
        journal = self._session.journal
        why = self._session.why or "the server cannot be reached any more"
        exits = [
            entry.what
            for entry in journal.processes
            if isinstance(entry.what, ProcessFact) and entry.what.event is ProcessEvent.EXIT
        ]
        tail = [line.decode("utf-8", "replace") for line in list(journal.stderr_tail)[-_STDERR:]]
        code, signal = (exits[-1].code, exits[-1].signal) if exits else (None, "")
        self._result.death = Death(level, calls, why, code, signal, tuple(tail))

    async def _stalled(self, level: str, in_flight: int, seconds: float, calls: int) -> None:
        alive = (await self._client.call(self._probe, _PROBE_S)).error not in (TIMEOUT, DISCONNECTED)
        self._result.stall = Stall(level, in_flight, seconds, calls, alive, self._probe.label)

    # Correctness

    async def _judge_mismatches(self, load: Load) -> None:
        """Keep mismatches only of calls that still return the reference without load: other results vary anyway."""
        changed: set[PreparedCall] = set()
        for call in dict.fromkeys(call for call, _ in load.mismatch_counts):
            if self._is_over():
                break
            sample = await self._client.call(call, self._options.timeout_s)
            if sample.error or sample.result != call.reference:
                changed.add(call)
                self._result.varying.add(call.label)
        for (call, kind), number in load.mismatch_counts.items():
            if call not in changed:
                self._result.mismatch_counts[kind] += number
        kept = [found for call, found in load.mismatches if call not in changed]
        self._result.mismatches = sorted(kept, key=lambda each: each.kind is not MismatchKind.SWAPPED)

    # Blocking

    async def _blocking(self, distinct: Sequence[PreparedCall]) -> None:
        """Check whether a slow call delays a fast one or any other request, by sending each during a slow call.

        The minimum of several rounds counts: a busy machine delays some rounds, a server that blocks delays all of
        them.
        """
        alone = {label: min(times) / 1e6 for label, times in self._result.alone.items()}
        called = {call.label: call for call in distinct if call.label in alone}
        by_time = sorted(called, key=lambda label: alone[label], reverse=True)
        self._result.not_blocking = _TOO_FAST
        try:
            self._result.later_ms = {
                each: await self._least_ms(called[each], _ROUNDS) for each in by_time[:_MOST_LATER]
            }
        except _NoResponseError as error:
            await self._stalled("the blocking check", error.in_flight, self._options.timeout_s, 0)
            return
        for slow in [label for label in by_time if alone[label] >= _SLOW_MS][:_MOST_SLOW]:
            fast = by_time[-1] if alone[by_time[-1]] <= alone[slow] / 4 else ""
            try:
                found = await self._measure_blocking(called, slow, fast, alone[slow])
            except _NoResponseError as error:
                await self._stalled("the blocking check", error.in_flight, self._options.timeout_s, 0)
                return
            if found is None:
                continue
            is_bad = any(blocking_verdicts(found))
            if self._result.blocking is None or is_bad:
                self._result.blocking, self._result.not_blocking = found, ""
            if is_bad:
                return

    async def _measure_blocking(
        self, called: Mapping[str, PreparedCall], slow: str, fast: str, alone_ms: float
    ) -> BlockingResult | None:
        """Return what a slow call delays; None if it is not slow after all. Raises: _NoResponseError."""
        slow_ms = await self._least_ms(called[slow], _ROUNDS)
        if slow_ms < _SLOW_MS:
            return None
        is_short = slow_ms < _SHORT_MS
        rounds = _ROUNDS_OF_SHORT if is_short else _ROUNDS
        slow_ms = await self._least_ms(called[slow], rounds)
        probe_ms = await self._least_ms(self._probe, rounds)
        probe_beside, probe_last = await self._beside(called[slow], self._probe, slow_ms, rounds)
        fast_ms = await self._least_ms(called[fast], rounds) if fast else 0.0
        fast_beside, fast_last = await self._beside(called[slow], called[fast], slow_ms, rounds) if fast else (0.0, 0.0)
        times = _ROUNDS_OF_SHORT if is_short else _TIMES
        before, queued = self._cpu_s(), self._tree.queued_s() if self._tree else 0.0
        rounds_of_all = [await self._together_ms(called[slow]) for _ in range(times)]
        ends = [min(each) for each in zip(*rounds_of_all, strict=True)]
        after, queued = self._cpu_s(), (self._tree.queued_s() if self._tree else 0.0) - queued
        return BlockingResult(
            slow,
            slow_ms,
            self._probe.label,
            probe_ms,
            probe_beside,
            fast,
            fast_ms,
            fast_beside,
            _TOGETHER,
            ends[-1],
            ends[0],
            ends,
            None if before is None or after is None else (after - before) * 1000 / (times * _TOGETHER),
            probe_last,
            fast_last,
            alone_ms,
            queued * 1000 / (times * _TOGETHER),
        )

    async def _together_ms(self, call: PreparedCall) -> list[float]:
        """Return when each of several simultaneous calls is answered, in ascending order."""
        samples = await self._at_once([call] * _TOGETHER, 0.0)
        began = min(sample.began_ns for sample in samples)
        return sorted((sample.ended_ns - began) / 1e6 for sample in samples)

    def _cpu_s(self) -> float | None:
        usage = self._tree.sample(0.0, 0) if self._tree else None
        return usage.cpu_s if usage else None

    async def _least_ms(self, call: PreparedCall, rounds: int) -> float:
        return min([_ms((await self._at_once([call], 0.0))[0]) for _ in range(rounds)])

    async def _beside(
        self, slow: PreparedCall, other: PreparedCall, slow_ms: float, rounds: int
    ) -> tuple[float, float]:
        """Return the minimum duration of the other call while the slow call runs, and how often it ended last."""
        pause = min(0.05, slow_ms / 1000 * 0.2) if slow_ms >= _PAUSED_MS else 0.0
        pairs = [await self._at_once([slow, other], pause) for _ in range(rounds)]
        last = sum(beside.ended_ns >= first.ended_ns for first, beside in pairs) / rounds
        return min(_ms(beside) for _, beside in pairs), last

    async def _at_once(self, calls: Sequence[PreparedCall], pause: float) -> list[Sample]:
        """Send calls without waiting for responses, with a pause between them. Raises: _NoResponseError."""
        limit = self._options.timeout_s
        async with asyncio.TaskGroup() as group:
            tasks = []
            for number, call in enumerate(calls):
                if number and pause:
                    await asyncio.sleep(pause)
                tasks.append(group.create_task(self._client.call(call, limit)))
        samples = [task.result() for task in tasks]
        if any(sample.error in (TIMEOUT, DISCONNECTED) for sample in samples):
            raise _NoResponseError(len(calls))
        return samples


class _NoResponseError(Exception):
    def __init__(self, in_flight: int) -> None:
        super().__init__()
        self.in_flight = in_flight


def _ms(sample: Sample) -> float:
    return (sample.ended_ns - sample.began_ns) / 1e6


def save_slowest(
    path: Path, journal: Journal, result: BenchResult, masked: Callable[[bytes], bytes] | None = None
) -> None:
    """Write a capture with the opening of the session and the slowest calls.

    `masked`: masks secrets in messages.

    Raises: UsageError if the file can't be written.
    """
    saved = start_capture(path)
    try:
        for entry in entries(journal.store, 1, journal.count):
            saved.append(entry)
        over_http = journal.connection is not None and journal.connection.transport != "stdio"
        out, back = (Channel.POST, Channel.REPLY) if over_http else (Channel.STDIN, Channel.STDOUT)
        shift = journal.started_wall_ns - journal.started_ns
        crossed = [(each.sent_ns, Direction.TO_SERVER, out, each.sent) for each in result.slowest]
        crossed += [(each.received_ns, Direction.FROM_SERVER, back, each.received) for each in result.slowest]
        for at, direction, channel, payload in sorted(crossed, key=lambda each: each[0]):
            n = saved.count + 1
            written = payload if masked is None else masked(payload)
            frame = Frame(n, at, at + shift, direction, channel, written, Eol.NONE if over_http else Eol.LF)
            saved.append(Entry(n, at, at + shift, frame))
    finally:
        saved.close()
