"""The control socket of a tap: receives decisions and reports held messages. Payloads are read from the capture.

Both directions carry one JSON object per line. A client begins with a greeting, whose version must match; then each
request has an `id` and a `do`, and gets one response. Only one client at a time may control the tap. Its rules and
its holds end when it disconnects or is silent for LEASE_S. Invalid input ends only the connection that it came from.
"""

import json
import os
import select
import socket
import struct
import sys
import time
from _thread import start_new_thread
from typing import TYPE_CHECKING, Any

from inspector.features.tap.registry import VERSION, Registration, program_of
from inspector.text import cut

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from inspector.features.tap.held import HeldList, HeldMessage, HoldOutcome, RuleQueue
    from inspector.features.tap.judging import Judge
    from inspector.features.tap.relay import Relay
    from inspector.features.tap.rules import ArmedRule

    class Inbox(Protocol):
        """The component that judges and holds the messages of a tap."""

        judge: Judge
        held: HeldList
        sent: dict[str, bytes | None]

        def decide(self, held: HeldMessage, outcome: HoldOutcome) -> None:
            """End a hold."""

        def pump(self) -> None:
            """Deliver all messages that are ready."""

        def record_rule(self, rule: ArmedRule, why: str = "") -> None:
            """Record that a rule was set, switched or removed."""

        def lists_changed(self) -> None:
            """Make the client fetch lists again."""

        def send(self, request: bytes, id_: str) -> None:
            """Send a request that originates from no client."""

    class Recording(Protocol):
        """Facts about the capture."""

        path: str
        trouble: str
        lost_bytes: int

    class Timers(Protocol):
        """Timers that are called when they are due."""

        def append(self, timer: Callable[[float], float | None], /) -> None:
            """Add a timer."""

    class Tapped(Protocol):
        """A tap, as the control socket uses it. All methods except `post` are called by its loop's thread."""

        rule_problems: list[str]
        at_end: list[Callable[[], None]]
        host_timeout_s: float

        @property
        def recording(self) -> Recording: ...

        @property
        def timers(self) -> Timers: ...

        @property
        def is_armed(self) -> bool: ...

        def arm(self) -> Inbox: ...

        def watch(self, fd: int, mask: int, handler: Callable[[int], None] | None) -> None: ...

        def post(self, work: Callable[[], None]) -> None: ...


LEASE_S = 2.0
MOST_CLIENTS = 16
LONGEST = 16 * 1024 * 1024
"""Maximum size of a request in bytes."""
GREETING = "mcp-inspect tap"

_SHAPING = {"hide", "override"}
"""Actions that change the lists that the client receives."""
_NEEDING_RULES = ("set_rule", "remove_rule", "enable_rule", "release", "respond", "drop", "release_all", "send")
_MOST_SENT = 1000
"""Maximum number of interface requests per tap."""


class _Client:
    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self.come: list[bytes] = []
        self.size = 0
        self.out = bytearray()
        self.greeted = False
        self.heard = time.monotonic()


class _Refused(Exception):
    """A request can't be performed; the text explains why."""


class Control:
    """The control socket and its requests. It may be created in any thread, but is used only in the loop's thread."""

    def __init__(self, tap: "Tapped", facts: dict[str, Any]) -> None:
        """Create and register the socket. `facts`: the tap's entry in the registry. Raises: OSError."""
        self._tap = tap
        self._clients: dict[int, _Client] = {}
        self._controller: _Client | None = None
        self._registration = Registration()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.setblocking(False)
        self._listener.bind(self._registration.socket)
        os.chmod(self._registration.socket, 0o600)
        self._listener.listen(64)
        self._registration.publish(facts)

    def start(self) -> None:
        """Start accepting connections."""
        self._tap.watch(self._listener.fileno(), select.POLLIN, self._accept)
        self._tap.timers.append(self._lease)
        self._tap.at_end.append(self._registration.remove)

    def close(self) -> None:
        """Stop accepting connections, and close all of them."""
        self._tap.watch(self._listener.fileno(), 0, None)
        self._listener.close()
        for client in list(self._clients.values()):
            self._close(client)

    def _accept(self, events: int) -> None:
        del events
        try:
            end, _ = self._listener.accept()
        except OSError:
            return
        if len(self._clients) >= MOST_CLIENTS or peer_uid(end) not in (os.getuid(), 0):
            end.close()
            return
        end.setblocking(False)
        client = self._clients[end.fileno()] = _Client(end)
        self._tap.watch(end.fileno(), select.POLLIN, lambda events: self._ready(client, events))

    def _ready(self, client: _Client, events: int) -> None:
        if events & select.POLLOUT:
            self._write(client)
        if not events & ~select.POLLOUT or client.end.fileno() < 0:
            return
        try:
            data = client.end.recv(256 * 1024)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        *ended, rest = data.split(b"\n")
        client.size += len(data)
        if not data or client.size > LONGEST:
            self._close(client)
            return
        for line in ended:
            line, client.come, client.size = b"".join((*client.come, line)), [], 0
            if not self._line(client, line):
                self._close(client)
                return
        client.come.append(rest)

    def _line(self, client: _Client, line: bytes) -> bool:
        """Handle a request; return False if the connection must be closed."""
        client.heard = time.monotonic()
        try:
            asked = json.loads(line)
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            self._say(client, {"ok": False, "error": "a request is one JSON object in a line"})
            return False
        if not client.greeted:
            if asked.get("hello") != GREETING or asked.get("version") != VERSION:
                self._say(client, {"ok": False, "error": f"this tap speaks version {VERSION}", "version": VERSION})
                return False
            client.greeted = True
            self._say(client, {"ok": True, "version": VERSION} | self._status())
            return True
        if asked.get("do") in _NEEDING_RULES and "inspector.features.tap.held" not in sys.modules:
            start_new_thread(self._import_rules, (client, line))
            return True
        answer: dict[str, Any] = {"id": asked.get("id"), "ok": True}
        try:
            answer |= self._do(client, str(asked.get("do")), asked)
        except _Refused as refused:
            answer |= {"ok": False, "error": str(refused)}
        self._say(client, answer)
        return True

    def _import_rules(self, client: _Client, line: bytes) -> None:
        """Import the modules for rules, which takes time, in a separate thread; then handle the request."""
        import inspector.features.tap.held  # noqa: F401

        self._tap.post(lambda: None if self._line(client, line) else self._close(client))

    def _do(self, client: _Client, what: str, asked: dict[str, Any]) -> dict[str, Any]:
        if what == "status":
            return self._status() | {"controls": client is self._controller}
        if what == "control":
            if self._controller not in (None, client):
                raise _Refused("another interface controls this tap")
            self._controller = client
            return {}
        if client is not self._controller:
            raise _Refused("control this tap first: another interface may be at it")
        if what == "detach":
            self._controller = None
            self._let_go("the interface has detached")
            return {}
        if what in ("set_rule", "remove_rule", "enable_rule"):
            self._change_rules(what, asked)
            return {}
        if what in ("release", "respond", "drop", "release_all"):
            self._decide(what, asked)
            return {}
        if what == "send":
            return {"request": self._send(asked)}
        if what == "response":
            return {"response": self._response(asked)}
        raise _Refused(f"{cut(what, 40)!r} is not known here")

    def _send(self, asked: dict[str, Any]) -> str:
        """Send a request from the interface. Return its id, which no client uses."""
        from inspector.protocol.jsonrpc import encode

        rule_queue, method, params = self._tap.arm(), asked.get("method"), asked.get("params")
        if not isinstance(method, str) or not method or not isinstance(params, dict | None):
            raise _Refused("a request has a method, and params that are an object")
        if len(rule_queue.sent) >= _MOST_SENT:
            raise _Refused(f"{_MOST_SENT} requests were sent through this tap already")
        id_ = f"mcpi:{os.urandom(6).hex()}"
        if params is not None:
            meta = params.get("_meta")
            if isinstance(meta, dict) and "progressToken" in meta:
                params = params | {"_meta": meta | {"progressToken": id_}}
        request = {"jsonrpc": "2.0", "id": id_, "method": method} | ({"params": params} if params is not None else {})
        rule_queue.send(encode(request), id_)
        return id_

    def _response(self, asked: dict[str, Any]) -> str | None:
        sent = self._tap.arm().sent
        if asked.get("request") not in sent:
            raise _Refused("this request was not sent through this tap")
        found = sent[asked["request"]]
        return None if found is None else found.decode("utf-8", "replace")

    def _change_rules(self, what: str, asked: dict[str, Any]) -> None:
        from inspector.features.tap.rules import BadRule, armed

        rule_queue = self._tap.arm()
        before, rules = list(rule_queue.judge.rules), rule_queue.judge.rules
        name = str(asked.get("name"))
        found = next((each for each in rules if each.rule.name == name), None)
        if what == "set_rule":
            try:
                rule = armed(asked.get("rule"))
            except BadRule as bad:
                raise _Refused(str(bad)) from None
            rule.by = "user"
            rules[:] = [each for each in rules if each.rule.name != rule.rule.name] + [rule]
            rule_queue.record_rule(rule)
        elif found is None:
            raise _Refused(f"there is no rule named {cut(name, 80)!r}")
        elif what == "remove_rule":
            rules.remove(found)
            found.enabled = False
            rule_queue.record_rule(found)
        else:
            found.enabled, found.trouble = bool(asked.get("enabled")), ""
            rule_queue.record_rule(found)
        if {each.rule.action for each in rules + before if each is found or each not in before} & _SHAPING:
            rule_queue.lists_changed()

    def _decide(self, what: str, asked: dict[str, Any]) -> None:
        from inspector.features.tap.held import HoldOutcome
        from inspector.protocol.jsonrpc import Request, encode

        rule_queue = self._tap.arm()
        if what == "release_all":
            rule_queue.held.release_all("user")
            rule_queue.pump()
            return
        held = rule_queue.held.get(asked.get("held"))
        if held is None:
            raise _Refused("this message is not held any more")
        if what == "release":
            payload = asked.get("payload")
            edited = payload.encode("utf-8", "surrogateescape") if isinstance(payload, str) else held.payload
            if b"\n" in edited:
                raise _Refused("a message is one line")
            act = "modify" if edited != held.payload else "release"
            rule_queue.decide(held, HoldOutcome(act, "user", edited))
        elif what == "drop":
            rule_queue.decide(held, HoldOutcome("drop", "user"))
        else:
            message = held.view.message
            if not isinstance(message, Request):
                raise _Refused("only a request can be answered")
            member = "error" if "error" in asked else "result"
            reply = encode({"jsonrpc": "2.0", "id": message.id, member: asked.get(member)})
            rule_queue.decide(held, HoldOutcome("answer", "user", reply=reply))

    def _status(self) -> dict[str, Any]:
        recording = self._tap.recording
        return {
            "tap": self._registration.id,
            "capture": recording.path,
            "trouble": recording.trouble,
            "lost_bytes": recording.lost_bytes,
            "problems": self._tap.rule_problems,
        } | self._desk_status()

    def _desk_status(self) -> dict[str, Any]:
        if not self._tap.is_armed:
            return {"held": [], "rules": [], "timeout_s": self._tap.host_timeout_s or 60.0, "timeout_by": ""}
        from inspector.features.tap.held import held_facts

        rule_queue, now = self._tap.arm(), time.monotonic()
        seconds, by = rule_queue.held.timeout
        return {
            "held": [held_facts(each, now) for each in rule_queue.held.all],
            "rules": [each.facts() for each in rule_queue.judge.rules],
            "timeout_s": seconds,
            "timeout_by": by,
        }

    def _say(self, client: _Client, what: dict[str, Any]) -> None:
        client.out += json.dumps(what).encode() + b"\n"
        self._write(client)

    def _write(self, client: _Client) -> None:
        try:
            while client.out:
                del client.out[: client.end.send(client.out)]
        except BlockingIOError:
            if len(client.out) > 2 * LONGEST:
                self._close(client)
                return
        except OSError:
            self._close(client)
            return
        mask = select.POLLIN | (select.POLLOUT if client.out else 0)
        self._tap.watch(client.end.fileno(), mask, lambda events: self._ready(client, events))

    def _close(self, client: _Client) -> None:
        fd = client.end.fileno()
        if self._clients.pop(fd, None) is None:
            return
        self._tap.watch(fd, 0, None)
        client.end.close()
        if client is self._controller:
            self._let_go("the interface that controlled this tap is gone")

    def _lease(self, now: float) -> float | None:
        if self._controller is None:
            return None
        if now - self._controller.heard < LEASE_S:
            return self._controller.heard + LEASE_S
        self._let_go(f"the interface that controlled this tap was silent for {LEASE_S:g} s")
        return None

    def _let_go(self, why: str) -> None:
        """End the control by an interface: release held messages in order, and remove its rules."""
        self._controller = None
        if not self._tap.is_armed:
            return
        rule_queue = self._tap.arm()
        before, rules = list(rule_queue.judge.rules), rule_queue.judge.rules
        for rule in [each for each in rules if each.by == "user"]:
            rules.remove(rule)
            rule.enabled = False
            rule_queue.record_rule(rule, why)
        rule_queue.held.release_all("lease", why)
        rule_queue.pump()
        if {each.rule.action for each in before if each not in rules} & _SHAPING:
            rule_queue.lists_changed()


def listen(relay: "Relay") -> None:
    """Open the control socket of a relay. If that fails, `trouble` says so."""
    try:
        relay.post(control_of(relay).start)
    except OSError as error:
        relay.recording.trouble = relay.recording.trouble or f"no control socket: {error}"


def control_of(relay: "Relay") -> Control:
    """Return the control socket of a relay. Raises: OSError."""
    options, parent = relay.options, os.getppid()
    facts = {
        "label": options.label,
        "argv": options.command,
        "server": options.label or os.path.basename(options.command[0]),
        "cwd": os.getcwd(),
        "transport": "stdio",
        "server_pid": relay.pid,
        "client_pid": parent,
        "client": program_of(parent),
        "capture": relay.recording.path,
        "trouble": relay.recording.trouble,
        "since": time.time_ns(),
    }
    return Control(_RelayTap(relay), facts)


class _RelayTap:
    """Adapts a relay to the control socket."""

    def __init__(self, relay: "Relay") -> None:
        self._relay = relay
        self.recording = relay.recording
        self.rule_problems = relay.rule_problems
        self.timers = relay.timers
        self.at_end = relay.at_end
        self.host_timeout_s = relay.options.host_timeout
        self.watch = relay.watch
        self.post = relay.post

    @property
    def is_armed(self) -> bool:
        return self._relay.rule_queue is not None

    def arm(self) -> "RuleQueue":
        return arm(self._relay)


def arm(relay: "Relay") -> "RuleQueue":
    """Return the rule queue of a relay. It is created on demand, so that nothing of it is imported without rules."""
    from inspector.features.tap.held import HeldList, RuleQueue

    if relay.rule_queue is None:
        from inspector.features.tap.judging import Judge

        relay.rule_queue = RuleQueue(relay, Judge(), HeldList(relay.options.host_timeout))
    assert isinstance(relay.rule_queue, RuleQueue)
    return relay.rule_queue


def arm_file(relay: "Relay") -> None:
    """Arm the rules of a file. Never raises. Problems are recorded, and reported to interfaces that attach."""
    from inspector.errors import why_unreadable
    from inspector.features.tap.rules import RuleProblem, read_rules

    path = relay.options.rules
    try:
        with open(path, encoding="utf-8") as file:
            rules, problems = read_rules(file.read(10_000_000))
    except (OSError, UnicodeDecodeError) as error:
        rules, problems = [], [RuleProblem(0, "", f"the rules file can't be read: {why_unreadable(error)}")]
    rule_queue = arm(relay)
    rule_queue.judge.rules += rules
    for rule in rules:
        rule_queue.record_rule(rule)
    for problem in problems:
        message = f"{path}{f':{problem.line}' if problem.line else ''}: {problem.why}"
        relay.rule_problems.append(message)
        relay.recording.rule(problem.name, False, "file", why=message)


def peer_uid(end: socket.socket) -> int:
    """Return the user id of the peer; -1 if the system does not provide it."""
    try:
        if hasattr(socket, "SO_PEERCRED"):
            return int(struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1])
        found = end.getsockopt(0, 1, 76)  # LOCAL_PEERCRED of BSD and macOS: struct xucred
        return int(struct.unpack_from("i", found, 4)[0])
    except (OSError, struct.error):
        return -1
