"""Rules and held messages of `tap http`, with the same interface to the control socket as a relay on stdio.

Each POST and each stream waits independently: a held message blocks only what follows in its own stream.
"""

import asyncio
import select
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from inspector.capture.format.records import EditRecord, RuleRecord
from inspector.capture.journal import Journal
from inspector.features.tap.desk import HeldList, HeldMessage, HoldOutcome
from inspector.features.tap.judging import Judge, Ruling
from inspector.features.tap.rules import ArmedRule, MessageView
from inspector.protocol import peek
from inspector.protocol.facts import Headers
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import Notification, Request, encode
from inspector.transports.http.listener import HangUp

LIST_CHANGED = tuple(
    b'{"jsonrpc":"2.0","method":"notifications/%b/list_changed"}' % kind
    for kind in (b"tools", b"prompts", b"resources")
)


class LoopTimers:
    """Calls each timer with the current time, and again at the time that it returns."""

    def __init__(self) -> None:
        self.all: list[Callable[[float], float | None]] = []
        self._next: asyncio.TimerHandle | None = None

    def append(self, timer: Callable[[float], float | None]) -> None:
        """Add a timer."""
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


class RecordingFacts(msgspec.Struct):
    """Facts about the capture for the control socket."""

    path: str = ""
    trouble: str = ""
    lost_bytes: int = 0


class HttpDesk:
    """The desk of `tap http`, which also implements the control socket's view of a tap.

    Used in the event loop's thread.
    """

    def __init__(
        self,
        journal: Journal,
        rules: Sequence[ArmedRule],
        host_timeout_s: float,
        send: Callable[[bytes], None],
        insert: Callable[[bytes], None],
    ) -> None:
        """Create the desk.

        `host_timeout_s`: 0 if it is not given. `send` starts a request that originates from the tap. `insert` adds a
        message to the streams that clients keep open for notifications.
        """
        self.judge = Judge()
        self.judge.rules += rules
        self.judge.switched_off = self._switched_off
        self.held = HeldList(host_timeout_s)
        self.host_timeout_s = host_timeout_s
        self.recording = RecordingFacts(str(journal.capture_path.absolute()) if journal.capture_path else "")
        self.rule_problems: list[str] = []
        self.timers = LoopTimers()
        self.timers.append(self.held.due)
        self.at_end: list[Callable[[], None]] = []
        self.sent: dict[str, bytes | None] = {}
        """Requests that originate from the tap by id, with their responses."""
        self._journal = journal
        self._send = send
        self._insert = insert
        for rule in rules:
            self.told_of(rule)

    # Interface for the control socket

    has_desk = True

    def open_desk(self) -> "HttpDesk":
        """Return the desk itself."""
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

    def told_of(self, rule: ArmedRule, why: str = "") -> None:
        """Record that a rule was set, switched or removed."""
        text = encode(msgspec.to_builtins(rule.rule)).decode("utf-8", "replace")
        self._journal.ruled(RuleRecord(name=rule.rule.name, on=rule.enabled, by=rule.by, text=text, why=why))

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
        frame = self._journal.count
        ruling = self.judge.judge(direction, payload, channel=channel, headers=headers, http_status=status)
        if direction is Direction.TO_SERVER and self._cancels_held(ruling.view):
            self._note(frame, "drop", "client", "what it cancels was not forwarded")
            ruling.payload = None
            return ruling
        for note in ruling.notes:
            is_last = note is ruling.notes[-1] and ruling.is_changed and ruling.payload is not None
            self._note(frame, note.act, note.by, note.why, ruling.payload if is_last else None)
        if ruling.delay_s:
            await asyncio.sleep(ruling.delay_s)
        if ruling.hold is not None and ruling.payload is not None:
            await self._hold(frame, ruling, ruling.hold, ruling.payload)
        if ruling.kill:
            raise HangUp
        return ruling

    async def _hold(self, frame: int, ruling: Ruling, rule: ArmedRule, payload: bytes) -> None:
        decided: asyncio.Future[HoldOutcome] = asyncio.get_running_loop().create_future()
        waited = (ruling.view.elapsed_ns or 0) / 1e9
        held = self.held.add(
            ruling.view, payload, rule, lambda outcome: None if decided.done() else decided.set_result(outcome), waited
        )
        held.n = frame
        self._note(frame, "hold", f"rule:{held.rule}", f"until {held.deadline - held.since:.3g} s later")
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

    def _cancels_held(self, view: MessageView) -> bool:
        message = view.message
        if not isinstance(message, Notification) or message.method != "notifications/cancelled":
            return False
        id_ = peek.request_id(message.params, "requestId")
        return id_ is not None and self.held.cancelled(Direction.TO_SERVER, id_)

    def _note(self, frame: int, act: str, by: str, why: str, payload: bytes | None = None) -> None:
        text = None if payload is None else payload.decode("utf-8", "replace")
        with suppress(OSError, ValueError):  # must not stop the traffic
            self._journal.edited(EditRecord(of=frame, act=act, by=by, why=why, raw=text))

    def _switched_off(self, rule: ArmedRule) -> None:
        self._journal.note(f"The rule {rule.rule.name} was switched off: {rule.trouble}")
        self.told_of(rule, rule.trouble)


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
