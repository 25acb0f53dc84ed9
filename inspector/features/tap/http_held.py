"""Rules, held messages and recording of `tap http`, with the same interface to the control socket as on stdio.

What a client is about to get is in the capture before it is forwarded, so a tap that is killed loses nothing that a
client has seen; requests are forwarded first. With `--keep` the capture consists of two parts.
Each POST and each stream waits independently: a held message blocks only what follows in its own stream.
"""

import asyncio
import logging
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from inspector.capture.format.records import EditRecord, Entry, RuleRecord, numbered, size_of
from inspector.capture.format.writer import Recorder
from inspector.capture.journal import Journal, start_capture
from inspector.errors import InspectError
from inspector.features.tap.held import LIST_CHANGED, HeldList, HeldMessage, HoldOutcome
from inspector.features.tap.judging import Judge, Ruling
from inspector.features.tap.options import SMALLEST_PART
from inspector.features.tap.rules import ArmedRule
from inspector.features.tap.writing import SessionOpening, earlier_part
from inspector.protocol.facts import Fact, Headers
from inspector.protocol.frames import Cause, Channel, Direction, Eol, Frame, SseFacts
from inspector.protocol.jsonrpc import Request
from inspector.transports.http.listener import HangUp

REST_S = 0.005
"""Seconds that reports wait, so that recording a message does not delay its response."""
_TURN_S = 0.002
"""Seconds of recording in one go, after which the event loop forwards what has arrived meanwhile."""
_MOST_WAITING = 5000
"""Number of waiting reports above which all are recorded in one go."""
_LATE_EDITS = 64
"""Number of newest messages that can still be edited when the part that holds them is complete."""
logger = logging.getLogger(__name__)


class LoopTimers:
    """Calls each timer with the current time, and again at the time that it returns."""

    def __init__(self) -> None:
        self.all: list[Callable[[float], float | None]] = []
        self._next: asyncio.TimerHandle | None = None

    def append(self, timer: Callable[[float], float | None]) -> None:
        self.all.append(timer)

    def arrange(self) -> None:
        """Call all timers now, and again when the next one is due."""
        self.stop()
        now = time.monotonic()
        due = [at for timer in self.all if (at := timer(now)) is not None]
        if due:
            self._next = asyncio.get_running_loop().call_later(max(0.0, min(due) - now) + 0.001, self.arrange)

    def stop(self) -> None:
        """Stop calling timers."""
        if self._next is not None:
            self._next.cancel()
            self._next = None


class HttpRecording:
    """Records in a journal what is reported. It implements what the control socket shows of a recording.

    Used in the event loop's thread.
    """

    def __init__(self, journal: Journal, keep: int = 0) -> None:
        """Create the recording. `keep`: bytes of the newest traffic that the capture keeps; 0 for all."""
        self._journal = self._given = journal
        self._keep = keep if journal.capture_path is not None else 0
        self._waiting: deque[tuple[Entry | EditRecord | RuleRecord, str]] = deque()
        self._timer: asyncio.Handle | None = None
        self._is_followed = journal.is_followed
        self._in_part = journal.count
        """Number of entries in this part."""
        self._last_ns = 0
        """Time of the last one."""
        self._before = 0
        """Number of reported entries that precede the first one of this part."""
        self._opening = SessionOpening()
        self._newest: deque[tuple[Entry, str]] = deque(maxlen=_LATE_EDITS)
        self._closing: list[threading.Thread] = []
        self.count = journal.count
        """Number of the last reported entry. Numbers continue in the next part."""
        self.path = str(journal.capture_path.absolute()) if journal.capture_path is not None else ""
        self.trouble = ""
        """Why something is not recorded; "" if there is no problem."""
        self.lost_bytes = 0

    def frame(
        self,
        direction: Direction,
        channel: Channel,
        payload: bytes,
        *,
        eol: Eol = Eol.NONE,
        http: int | None = None,
        sse: SseFacts | None = None,
        cause: Cause = Cause.UNKNOWN,
        cut: int = 0,
        origin: str = "",
    ) -> None:
        """Record a message that has just crossed the wire; see `Journal.frame`."""
        self.count += 1
        n, now, wall = self.count, time.monotonic_ns(), time.time_ns()
        frame = Frame(n, now, wall, direction, channel, payload, eol, http, sse, cause, cut)
        self._put(Entry(n, now, wall, frame), origin)

    def fact(self, fact: Fact) -> None:
        """Record a fact that has just happened."""
        self.count += 1
        self._put(Entry(self.count, time.monotonic_ns(), time.time_ns(), fact))

    def edited(self, record: EditRecord) -> None:
        """Record an action on a message. `record.of` is the number that `count` had after it."""
        self._put(msgspec.structs.replace(record, tm=time.monotonic_ns()))

    def ruled(self, record: RuleRecord) -> None:
        """Record that a rule was added, changed or removed."""
        self._put(msgspec.structs.replace(record, tm=time.monotonic_ns()))

    def note(self, notice: str) -> None:
        self._journal.note(notice)

    def flush(self) -> None:
        """Write all that was reported to the file."""
        while self._waiting:
            self._record(*self._waiting.popleft())
        if self._journal.recorder is not None:
            self._journal.recorder.file.flush()

    def close(self) -> None:
        """Record what is waiting. The journal that was given stays open; later parts are complete."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiting:
            self._record(*self._waiting.popleft())
        if self._journal is not self._given:
            self._journal.close()
        for each in self._closing:
            each.join()

    def _put(self, what: Entry | EditRecord | RuleRecord, origin: str = "") -> None:
        self._waiting.append((what, origin))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(REST_S, self._turn)

    def _turn(self) -> None:
        waiting, self._timer = self._waiting, None
        end = time.monotonic() + _TURN_S
        while waiting and (time.monotonic() < end or len(waiting) > _MOST_WAITING):
            self._record(*waiting.popleft())
        if (recorder := self._journal.recorder) is not None:
            self.trouble = recorder.file.trouble or self.trouble
        if waiting:
            self._timer = asyncio.get_running_loop().call_later(0, self._turn)

    def _record(self, what: Entry | EditRecord | RuleRecord, origin: str) -> None:
        try:
            if isinstance(what, RuleRecord):
                self._journal.ruled(what)
            elif isinstance(what, EditRecord):
                self._edit(what)
            else:
                self._append(what, origin)
                if self._keep:
                    self._take(what, origin)
        except (InspectError, OSError, ValueError) as error:  # must not stop the traffic
            self.trouble = self.trouble or f"not recorded completely: {error}"
            logger.exception("the tap could not record")

    def _append(self, entry: Entry, origin: str) -> None:
        self._in_part += 1
        self._last_ns = entry.time_ns
        if self._is_followed:
            self._journal.append(entry, origin=origin)
        else:
            self._journal.write(numbered(entry, self._in_part), origin=origin)

    def _edit(self, record: EditRecord) -> None:
        number = record.of - self._before
        if number <= len(self._opening.entries) and self._before:  # its part is complete, and an edit needs its message
            found = next((each for each in self._newest if each[0].n == record.of), None)
            if found is None:
                return
            self._append(*found)
            self._before -= 1
            number = self._in_part
        self._journal.edited(msgspec.structs.replace(record, of=number))

    def _take(self, entry: Entry, origin: str) -> None:
        self._opening.take(entry, {"origin": origin})
        if isinstance(entry.what, Frame) and size_of(entry.what) < SMALLEST_PART:
            self._newest.append((entry, origin))
        recorder = self._journal.recorder
        if recorder is not None and recorder.file.size >= self._keep // 2:
            self._next_part(recorder)

    def _next_part(self, recorder: Recorder) -> None:
        """Begin the next part with the opening of the session. The part before it is completed in a thread."""
        complete = self._journal
        path = complete.capture_path
        assert path is not None, "only a capture with a name has parts"
        os.replace(path, earlier_part(path))
        following = start_capture(path, mode=complete.head.mode, keep_secrets=complete.keeps_secrets)
        next_recorder = following.recorder
        assert next_recorder is not None, "it was just started"
        frames, size, last_ns = recorder.frames, recorder.file.size, self._last_ns
        before, self._journal, self._in_part = self._in_part, following, 0
        for entry, facts in self._opening.entries:
            self._append(entry, **facts)
        next_recorder.add(self._opening.gap(frames, size, next_recorder, last_ns))
        self._before += before - len(self._opening.entries)
        closing = threading.Thread(target=complete.close, name="complete part", daemon=True)
        closing.start()
        self._closing = [each for each in self._closing if each.is_alive()] + [closing]


class HttpRules:
    """The rule queue of `tap http`, which also implements the control socket's view of a tap.

    Used in the event loop's thread.
    """

    def __init__(
        self,
        recording: HttpRecording,
        rules: Sequence[ArmedRule],
        host_timeout_s: float,
        send: Callable[[bytes], None],
        insert: Callable[[bytes], None],
    ) -> None:
        """Create the rule queue.

        `host_timeout_s`: 0 if it is not given. `send` starts a request that originates from the tap. `insert` adds a
        message to the streams that clients keep open for notifications.
        """
        self.judge = Judge()
        self.judge.rules += rules
        self.judge.switched_off = self._switched_off
        self.held = HeldList(host_timeout_s)
        self.host_timeout_s = host_timeout_s
        self.recording = recording
        self.rule_problems: list[str] = []
        self.timers = LoopTimers()
        self.timers.append(self.held.due)
        self.at_end: list[Callable[[], None]] = []
        self.sent: dict[str, bytes | None] = {}
        """Requests that originate from the tap by id, with their responses."""
        self._send = send
        self._insert = insert
        for rule in rules:
            self.record_rule(rule)

    # Interface for the control socket

    is_armed = True

    def arm(self) -> "HttpRules":
        """Return the rule queue itself."""
        return self

    def watch(self, fd: int, mask: int, handler: Callable[[int], None] | None) -> None:
        """Call the handler on events of a descriptor; None to stop."""
        loop = asyncio.get_running_loop()

        def ready(event: int) -> None:
            if handler is not None:
                handler(event)
            self.timers.arrange()

        if handler is None:
            loop.remove_reader(fd)
            loop.remove_writer(fd)
            return
        loop.add_reader(fd, ready, select.POLLIN)
        if mask & select.POLLOUT:
            loop.add_writer(fd, ready, select.POLLOUT)
        else:
            loop.remove_writer(fd)

    def post(self, work: Callable[[], None]) -> None:
        """Run the work immediately, because there is only one thread."""
        work()

    def decide(self, held: HeldMessage, outcome: HoldOutcome) -> None:
        """Apply a decision of the user."""
        self.held.decide(held, outcome)

    def pump(self) -> None:
        """Do nothing: there are no lanes."""

    def record_rule(self, rule: ArmedRule, why: str = "") -> None:
        """Record that a rule was set, switched or removed."""
        self.recording.ruled(RuleRecord(name=rule.rule.name, on=rule.enabled, by=rule.by, text=rule.text, why=why))

    def lists_changed(self) -> None:
        """Make clients fetch lists again after a change of rules that affect them."""
        for payload in LIST_CHANGED:
            self._insert(payload)

    def send(self, request: bytes, id_: str) -> None:
        """Send a request that originates from no client. Its response reaches no client."""
        self.sent[id_] = None
        self._send(request)

    # Interface for the proxy

    async def rule(
        self, direction: Direction, payload: bytes, channel: str, headers: Headers, status: int | None = None
    ) -> Ruling:
        """Judge the most recently recorded message, and wait as long as its rules or the user require.

        Raises: HangUp if the connection is to be dropped.
        """
        frame = self.recording.count
        ruling = self.judge.judge(direction, payload, channel=channel, headers=headers, http_status=status)
        if direction is Direction.TO_SERVER and self.held.take_cancellation(ruling.view, self.judge):
            self._note(frame, "drop", "client", "what it cancels was not forwarded")
            ruling.payload = None
            return ruling
        for note, replacement in ruling.edits():
            self._note(frame, note.act, note.by, note.why, replacement)
        if ruling.delay_s:
            await asyncio.sleep(ruling.delay_s)
        if ruling.hold is not None and ruling.payload is not None:
            await self._hold(frame, ruling, ruling.hold, ruling.payload)
        if ruling.kill:
            raise HangUp
        return ruling

    async def _hold(self, frame: int, ruling: Ruling, rule: ArmedRule, payload: bytes) -> None:
        decided: asyncio.Future[HoldOutcome] = asyncio.get_running_loop().create_future()
        held = self.held.add(
            ruling.view, payload, rule, lambda outcome: None if decided.done() else decided.set_result(outcome)
        )
        held.n = frame
        self._note(frame, "hold", f"rule:{held.rule}", held.wait)
        self.recording.flush()
        self.timers.arrange()
        try:
            outcome = await decided
        except asyncio.CancelledError:  # the client has closed the connection
            self.held.decide(held, HoldOutcome("drop", "client", why="its sender has gone"))
            self._note(frame, "drop", "client", "its sender has gone")
            raise
        changed = outcome.payload if outcome.act == "modify" else None
        self._note(frame, outcome.act, outcome.by, outcome.why, changed)
        ruling.payload, ruling.reply = outcome.payload, outcome.reply or ruling.reply
        if outcome.payload is None and isinstance(ruling.view.message, Request):
            self.judge.forget(ruling.view.direction, ruling.view.message.id)

    def _note(self, frame: int, act: str, by: str, why: str, payload: bytes | None = None) -> None:
        text = None if payload is None else payload.decode("utf-8", "replace")
        self.recording.edited(EditRecord(of=frame, act=act, by=by, why=why, raw=text))

    def _switched_off(self, rule: ArmedRule) -> None:
        self.recording.note(f"The rule {rule.rule.name} was switched off: {rule.trouble}")
        self.record_rule(rule, rule.trouble)


def registration_facts(url: str, label: str, host: str, own: str, cwd: str, capture: str) -> dict[str, Any]:
    """Return the registry entry of an HTTP server's tap."""
    return {
        "label": label,
        "argv": [url],
        "server": label or host,
        "cwd": cwd,
        "transport": "http",
        "server_pid": 0,
        "client_pid": 0,
        "client": "",
        "url": own,
        "capture": capture,
        "trouble": "",
        "since": time.time_ns(),
    }
