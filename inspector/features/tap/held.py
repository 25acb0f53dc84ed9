"""Held messages of any transport with their deadlines, and the lanes that preserve the order on stdio.

`HeldList` serves every transport: it tracks deadlines and decisions, and notifies the owner of a message of its
outcome. `RuleQueue` applies it to the relay.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.features.tap.judging import Judge, Ruling
from inspector.features.tap.recording import RecordedMessage, RecordingQueue
from inspector.features.tap.rules import ArmedRule
from inspector.filters.engine.message import MessageView
from inspector.protocol import peek
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, Notification, Request, ResultResponse
from inspector.text import rounded

if TYPE_CHECKING:
    from inspector.features.tap.relay import Relay

HOST_TIMEOUT_S = 60.0
"""Assumed client timeout for a response if nothing else is known."""
SHARE = 0.8
"""Fraction of the timeout after which a held message is released."""
SHORTEST_S = 0.5
"""Lower limit for an observed timeout."""
LIST_CHANGED = tuple(
    b'{"jsonrpc":"2.0","method":"notifications/%b/list_changed"}' % kind
    for kind in (b"tools", b"prompts", b"resources")
)
FULL = 8 * 1024 * 1024
"""Bytes behind a held message at which reading from the direction stops."""

_CHANNELS = {str(Direction.TO_SERVER): "stdin", str(Direction.FROM_SERVER): "stdout"}


class HoldOutcome(msgspec.Struct, frozen=True):
    """The outcome of a held message."""

    act: str
    """`release`, `modify`, `drop` or `answer`."""
    by: str
    payload: bytes | None = None
    """Message to forward, without line end; None for nothing."""
    reply: bytes | None = None
    """Response to the sender."""
    why: str = ""


Resolve = Callable[[HoldOutcome], None]
"""Called once with the outcome of a held message."""


class HeldMessage:
    """A message that waits for a decision."""

    def __init__(
        self, number: int, view: MessageView, payload: bytes, rule: str, seconds: float, resolve: Resolve
    ) -> None:
        self.number = number
        self.view = view
        self.payload = payload
        self.rule = rule
        self.since = time.monotonic()
        self.deadline = self.since + seconds
        """Deadline on the monotonic clock, like `since`."""
        self.fallback = "release"
        self.token: RecordedMessage | None = None
        self.n = 0
        """Number in the capture if no token holds it."""
        self.resolve = resolve
        self.keeps_on_cancel = False

    @property
    def wait(self) -> str:
        """How long it is held at most, as it is recorded."""
        return f"until {rounded(self.deadline - self.since)} s later"


class HeldList:
    """All held messages, oldest first, and the client's timeout."""

    def __init__(self, host_timeout_s: float = 0.0) -> None:
        """Create an empty list. `host_timeout_s`: the configured client timeout; 0 if there is none."""
        self.given_s = host_timeout_s
        self.observed_s = 0.0
        """Shortest time after which this client cancelled a request; 0 if it never did."""
        self._all: dict[int, HeldMessage] = {}
        self._next = 1

    @property
    def timeout(self) -> tuple[float, str]:
        """The client's timeout in seconds, and its origin: given, observed, assumed."""
        if self.given_s:
            return self.given_s, "given"
        return (self.observed_s, "observed") if self.observed_s else (HOST_TIMEOUT_S, "assumed")

    @property
    def all(self) -> list[HeldMessage]:
        """All held messages, oldest first."""
        return list(self._all.values())

    def add(self, view: MessageView, payload: bytes, rule: ArmedRule, resolve: Resolve) -> HeldMessage:
        """Hold a message until a decision or its deadline, which for a response counts from its request."""
        seconds = max(0.0, self.timeout[0] * SHARE - (view.elapsed_ns or 0) / 1e9)
        held = HeldMessage(self._next, view, payload, rule.rule.name, seconds, resolve)
        held.fallback, held.keeps_on_cancel = rule.rule.fallback, rule.rule.keep_on_cancel
        self._all[held.number] = held
        self._next += 1
        return held

    def get(self, number: Any) -> HeldMessage | None:
        """Return the held message with this number; None if it is not held any more."""
        return self._all.get(number) if isinstance(number, int) else None

    def decide(self, held: HeldMessage, outcome: HoldOutcome) -> None:
        """End a hold."""
        if self._all.pop(held.number, None) is not None:
            held.resolve(outcome)

    def release_all(self, by: str, why: str = "") -> None:
        """Release all messages unchanged, in order."""
        for held in self.all:
            self.decide(held, HoldOutcome("release", by, held.payload, why=why))

    def due(self, now: float) -> float | None:
        """Decide messages that have reached their deadline. Return the next deadline; None if nothing is held."""
        for held in self.all:
            if held.deadline <= now:
                why = f"{SHARE:.0%} of the client's timeout of {self.timeout[0]:g} s ({self.timeout[1]}) have passed"
                payload = held.payload if held.fallback == "release" else None
                self.decide(held, HoldOutcome(held.fallback, "deadline", payload, why=why))
        return min((held.deadline for held in self._all.values()), default=None)

    def take_cancellation(self, view: MessageView, judge: Judge) -> bool:
        """Process a client's message if it cancels a request.

        Return True if the held request was dropped, so that the cancellation need not be forwarded.
        """
        message = view.message
        if not isinstance(message, Notification) or message.method != "notifications/cancelled":
            return False
        id_ = peek.request_id(message.params, "requestId")
        if id_ is None:
            return False
        age = judge.age_ns(Direction.TO_SERVER, id_)
        if age is not None and "time" in (peek.text(message.params, "reason") or "").lower():
            self.observe_timeout(age / 1e9)
        return self.cancelled(Direction.TO_SERVER, id_)

    def cancelled(self, direction: Direction, id_: Any) -> bool:
        """End the hold of a request that its sender cancels; return whether it was dropped."""
        for held in self.all:
            message = held.view.message
            if held.view.direction is direction and isinstance(message, Request) and message.id == id_:
                if held.keeps_on_cancel:
                    self.decide(held, HoldOutcome("release", "client", held.payload, why="cancelled by its sender"))
                    return False
                self.decide(held, HoldOutcome("drop", "client", why="cancelled by its sender"))
                return True
        return False

    def give_up(self, direction: Direction) -> None:
        """Handle a disconnected sender: drop its requests, forward its other messages."""
        for held in self.all:
            if held.view.direction is direction:
                if isinstance(held.view.message, Request):
                    self.decide(held, HoldOutcome("drop", "client", why="its sender has gone"))
                else:
                    self.decide(held, HoldOutcome("release", "client", held.payload, why="its sender has gone"))

    def observe_timeout(self, seconds: float) -> None:
        """Record that the client cancelled a request after this time because of its timeout."""
        self.observed_s = max(SHORTEST_S, min(self.observed_s or seconds, seconds))


class _Ticket:
    """A place in a lane."""

    def __init__(self, token: RecordedMessage | None = None) -> None:
        self.token = token
        self.done = False
        self.lines: list[bytes] = []
        """Lines to write when the ticket's turn comes, including line ends."""
        self.due: float | None = None
        self.size = 0


class RuleQueue:
    """The lanes of a relay on stdio: a held message blocks later messages unless they may overtake it."""

    def __init__(self, relay: "Relay", judge: Judge, held: HeldList) -> None:
        self.judge = judge
        self.held = held
        self._relay = relay
        self._recording: RecordingQueue = relay.recording
        self._lanes: dict[str, deque[_Ticket]] = {
            str(Direction.TO_SERVER): deque(),
            str(Direction.FROM_SERVER): deque(),
        }
        self._listens_to_lists = False
        self.sent: dict[str, bytes | None] = {}
        """Interface requests by id, with their responses."""
        self._awaited = 0
        """Number of them without a response yet."""
        judge.switched_off = self._switched_off
        relay.timers.append(self._due)

    @property
    def armed(self) -> bool:
        """Whether messages have to be judged."""
        return self.judge.armed or bool(self.held.all) or self._awaited > 0

    def waits(self, direction: str) -> bool:
        """Return whether messages of a direction are waiting here."""
        return bool(self._lanes[direction]) if direction in self._lanes else False

    def is_full(self, direction: str) -> bool:
        """Return whether so many messages are waiting that reading must stop."""
        return direction in self._lanes and sum(ticket.size for ticket in self._lanes[direction]) >= FULL

    def take(self, direction: str, line: bytes, tm: int, tw: int) -> None:
        """Process a complete message including its line end."""
        end = b"\r\n" if line.endswith(b"\r\n") else b"\n"
        if self._awaited and b"mcpi:" in line and self._is_for_interface(direction, line.removesuffix(end)):
            token = RecordedMessage(direction, line, tm, tw, "dropped")
            self._recording.message(token)
            self._recording.edit(token, "drop", "user", why="it belongs to a request that the client did not send")
            return
        ruling = self.judge.judge(Direction(direction), line.removesuffix(end), channel=_CHANNELS[direction])
        view = ruling.view
        if direction == Direction.TO_SERVER:
            if isinstance(view.message, Notification) and view.message.method == "notifications/initialized":
                self._listens_to_lists = True
            elif self.held.take_cancellation(view, self.judge):
                token = RecordedMessage(direction, line, tm, tw, "dropped")
                self._recording.message(token)
                self._recording.edit(token, "drop", "client", why="what it cancels was not forwarded")
                return
        token = RecordedMessage(direction, line, tm, tw)
        if ruling.is_plain and (not self._lanes[direction] or self._may_pass(direction, view)):
            self._recording.message(token, is_forwarded=True)
            written = self._relay.deliver(direction, line)
            self._recording.forwarded(time.monotonic_ns() if written else 0)
            return
        self._rule(direction, ruling, token, end)
        self.pump()

    def append(self, direction: str, data: bytes, tm: int, tw: int) -> None:
        """Append the unfinished last line of a stream to the lane of a direction."""
        token = RecordedMessage(direction, data, tm, tw)
        self._recording.message(token)
        ticket = _Ticket(token)
        ticket.lines, ticket.done, ticket.size = [data], True, len(data)
        self._lanes[direction].append(ticket)

    def put(self, direction: str, payload: bytes, by: str) -> None:
        """Append a message that neither party sent to the lane of a direction."""
        token = RecordedMessage(direction, payload + b"\n", time.monotonic_ns(), time.time_ns(), origin=by)
        self._recording.message(token)
        ticket = _Ticket()
        ticket.lines, ticket.done = [token.payload], True
        self._lanes[direction].append(ticket)
        self.pump()

    def send(self, request: bytes, id_: str) -> None:
        """Send a request of an interface. Its response and progress do not reach the client."""
        self.sent[id_] = None
        self._awaited += 1
        self.put(str(Direction.TO_SERVER), request, "user")

    def _is_for_interface(self, direction: str, payload: bytes) -> bool:
        if direction != Direction.FROM_SERVER:
            return False
        view = MessageView(Direction.FROM_SERVER, payload)
        message = view.message
        if (
            isinstance(message, ResultResponse | ErrorResponse)
            and isinstance(message.id, str)
            and message.id in self.sent
        ):
            self._awaited -= self.sent[message.id] is None
            self.sent[message.id] = payload
            return True
        token = peek.text(message.params, "progressToken") if isinstance(message, Notification) else None
        return view.method == "notifications/progress" and token in self.sent

    def decide(self, held: HeldMessage, outcome: HoldOutcome) -> None:
        """Apply a decision of the user."""
        self.held.decide(held, outcome)
        self.pump()

    def record_rule(self, rule: ArmedRule, why: str = "") -> None:
        """Record that a rule was set, switched or removed."""
        self._recording.rule(rule.rule.name, rule.enabled, rule.by, rule.text, why)

    def lists_changed(self) -> None:
        """Make the client fetch lists again after a change of rules that affect them, if its session has begun."""
        if self._listens_to_lists or self._relay.saw_initialized:
            for payload in LIST_CHANGED:
                self.put(str(Direction.FROM_SERVER), payload, "rule")

    def client_ended(self) -> None:
        """Handle the end of the client's stream."""
        self.held.give_up(Direction.TO_SERVER)
        self.pump()

    def flush(self) -> bool:
        """Forward all server messages now, because the server has exited; return whether any are still waiting."""
        for held in self.held.all:
            if held.view.direction is Direction.FROM_SERVER:
                self.held.decide(held, HoldOutcome("release", "server", held.payload, why="the server has exited"))
            else:
                self.held.decide(held, HoldOutcome("drop", "server", why="the server has exited"))
        for ticket in self._lanes[str(Direction.FROM_SERVER)]:
            ticket.due = None
        self.pump()
        return bool(self._lanes[str(Direction.FROM_SERVER)])

    def pump(self) -> None:
        """Write all messages that are ready, in order."""
        for direction, lane in self._lanes.items():
            flow = self._relay.flows[direction]
            is_open = flow.reads and flow.writes
            while lane and lane[0].done and lane[0].due is None and (flow.is_line_start or not is_open):
                ticket = lane.popleft()
                for line in ticket.lines:
                    self._relay.deliver(direction, line)
            self._relay.lane_moved(direction)

    def _rule(self, direction: str, ruling: Ruling, token: RecordedMessage, end: bytes) -> None:
        ticket = _Ticket(token)
        ticket.size = len(token.payload)
        if ruling.hold is not None and ruling.payload is not None:
            token.fwd = "held"
        elif ruling.payload is None:
            token.fwd = "dropped"
        elif ruling.is_changed or ruling.before or ruling.twice:
            token.fwd = "replaced"
        self._recording.message(token)
        for note, payload in ruling.edits():
            self._recording.edit(token, note.act, note.by, why=note.why, payload=payload)
        if ruling.kill:
            self._relay.signal_server(9)
        if ruling.delay_s:
            ticket.due = time.monotonic() + ruling.delay_s
        if ruling.hold is not None and ruling.payload is not None:
            self._hold(direction, ruling, ticket, end)
        else:
            if ruling.payload is not None:
                ticket.lines = [line + end for line in (ruling.before, ruling.payload) if line is not None]
                ticket.lines *= 2 if ruling.twice else 1
            ticket.done = True
        if ruling.reply is not None:
            self.put(_other(direction), ruling.reply, "rule")
        if not ruling.only_this:
            self._lanes[direction].append(ticket)

    def _hold(self, direction: str, ruling: Ruling, ticket: _Ticket, end: bytes) -> None:
        assert ruling.hold is not None
        assert ruling.payload is not None
        token = ticket.token
        assert token is not None

        def resolve(outcome: HoldOutcome) -> None:
            changed = outcome.payload if outcome.act == "modify" else None
            self._recording.edit(token, outcome.act, outcome.by, why=outcome.why, payload=changed)
            if outcome.payload is not None:
                ticket.lines = [outcome.payload + end]
            elif isinstance(ruling.view.message, Request):
                self.judge.forget(ruling.view.direction, ruling.view.message.id)
            ticket.done = True
            if ruling.only_this:
                self._lanes[direction].append(ticket)
            if outcome.reply is not None:
                self.put(_other(direction), outcome.reply, "user")

        held = self.held.add(ruling.view, ruling.payload, ruling.hold, resolve)
        held.token = token
        self._recording.edit(token, "hold", f"rule:{held.rule}", why=held.wait)

    def _may_pass(self, direction: str, view: MessageView) -> bool:
        """Return whether a message may overtake a held one.

        A held call must not block messages that keep a session alive.
        """
        waiting = [ticket for ticket in self._lanes[direction] if not ticket.done]
        calls = {held.token for held in self.held.all if isinstance(held.view.message, Request)}
        if not waiting or any(ticket.token not in calls for ticket in waiting):
            return False
        if isinstance(view.message, ResultResponse | ErrorResponse):
            return True
        return view.method in ("ping", "notifications/cancelled")

    def _switched_off(self, rule: ArmedRule) -> None:
        self._recording.rule(rule.rule.name, False, rule.by, why=rule.trouble)

    def _due(self, now: float) -> float | None:
        due = [self.held.due(now)]
        for lane in self._lanes.values():
            for ticket in lane:
                if ticket.due is not None:
                    if ticket.due <= now:
                        ticket.due = None
                    else:
                        due.append(ticket.due)
        self.pump()
        return min((each for each in due if each is not None), default=None)


def _other(direction: str) -> str:
    return str(Direction.FROM_SERVER if direction == Direction.TO_SERVER else Direction.TO_SERVER)


def held_facts(held: HeldMessage, now: float) -> dict[str, Any]:
    """Return the data of a held message for display. Times are seconds."""
    view = held.view
    return {
        "held": held.number,
        "n": held.token.n if held.token is not None else held.n,
        "dir": str(view.direction),
        "side": view.side,
        "method": view.method,
        "target": view.target,
        "id": view.id,
        "rule": held.rule,
        "since_s": now - held.since,
        "releases_in_s": max(0.0, held.deadline - now),
        "fallback": held.fallback,
        "payload": held.payload.decode("utf-8", "surrogateescape"),
    }
