"""A morning in a shipyard: calls that became tasks, written frame by frame, so that ids and times are always the same.

One task is done, one has failed, one waits for an answer, one works on, and one went back after it had ended.
"""

import json
from collections.abc import Callable
from typing import Any

from inspector.capture.journal import Journal
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessEvent, ProcessFact, Stderr
from inspector.protocol.frames import Channel, Direction, Eol

_OFFERS: dict[str, Any] = {
    "tools": {},
    "logging": {},
    "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
}
_TOOLS = ("caulk_hull", "step_mast", "order_timber", "paint_name")


class Yard:
    """Writes both sides of a conversation into a journal; `wait` lets time pass."""

    def __init__(self, journal: Journal, wait: Callable[[float], None]) -> None:
        """`wait` takes milliseconds."""
        self._journal = journal
        self.wait = wait
        self._id = 0

    def fact(self, fact: Any) -> None:
        """Something beside the frames."""
        self._journal.fact(fact)

    def tells(self, method: str, params: Any) -> None:
        """The server notifies."""
        self._frame(Direction.FROM_SERVER, {"jsonrpc": "2.0", "method": method, "params": params})

    def asked(self, method: str, params: Any, result: Any, took: float = 4) -> None:
        """A request of the client's, and its result."""
        self._id += 1
        message = {"jsonrpc": "2.0", "id": self._id, "method": method} | ({} if params is None else {"params": params})
        self._frame(Direction.TO_SERVER, message)
        self.wait(took)
        self._frame(Direction.FROM_SERVER, {"jsonrpc": "2.0", "id": self._id, "result": result})

    def _frame(self, direction: Direction, message: Any) -> None:
        channel = Channel.STDIN if direction is Direction.TO_SERVER else Channel.STDOUT
        payload = json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode()
        self._journal.frame(direction, channel, payload, eol=Eol.LF)


def morning(journal: Journal, wait: Callable[[float], None]) -> None:
    """The whole of it. `wait` lets milliseconds pass on the journal's clocks."""
    yard = Yard(journal, wait)
    yard.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", ("shipyard", "--slips", "2"), "/srv/shipyard"))
    yard.fact(ProcessFact(ProcessEvent.SPAWN, 1912))
    yard.fact(Stderr(b"yard open, two slips free"))
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "mcp-inspect"}}
    server = {
        "protocolVersion": "2025-11-25",
        "capabilities": _OFFERS,
        "serverInfo": {"name": "shipyard", "version": "3"},
    }
    yard.asked("initialize", client, server, 21)
    listed = [{"name": n, "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}} for n in _TOOLS]
    yard.asked("tools/list", None, {"tools": listed})
    yard.asked("logging/setLevel", {"level": "info"}, {})
    for number, tool in enumerate(_TOOLS, 1):
        wait(700)
        _begin(yard, f"task-{number}0c4", tool)
    _work(yard)


def _work(yard: Yard) -> None:
    yard.tells("notifications/message", {"level": "info", "logger": "slip.1", "data": "oakum is in, pitch is hot"})
    yard.wait(2100)
    _poll(yard, "task-10c4", "working", "port side done")
    _poll(yard, "task-20c4", "failed", "the mast has split")
    yard.tells(
        "notifications/message", {"level": "error", "logger": "slip.2", "data": {"mast": "split", "metres": 4.2}}
    )
    yard.asked("tasks/result", {"taskId": "task-20c4"}, {"content": [_text("The mast has split.")], "isError": True})
    yard.wait(1300)
    _poll(yard, "task-30c4", "input_required", "oak or larch?")
    _poll(yard, "task-10c4", "completed", "tight")
    tight = {"content": [_text("The hull is caulked and tight.")], "structuredContent": {"seams": 212}}
    yard.asked("tasks/result", {"taskId": "task-10c4"}, tight)
    _poll(yard, "task-40c4", "completed", "painted")
    yard.wait(900)
    _poll(yard, "task-40c4", "working", "one letter is missing")
    yard.tells("notifications/message", {"level": "warning", "logger": "paint", "data": "one letter is missing"})


def _begin(yard: Yard, id_: str, tool: str) -> None:
    yard.asked("tools/call", {"name": tool, "arguments": {}, "task": {}}, {"task": _word(id_, "working", "begun")})


def _poll(yard: Yard, id_: str, state: str, message: str) -> None:
    yard.asked("tasks/get", {"taskId": id_}, _word(id_, state, message))


def _word(id_: str, state: str, message: str) -> dict[str, Any]:
    times = {"createdAt": "2026-11-21T09:41:00Z", "lastUpdatedAt": "2026-11-21T09:41:03Z"}
    return {"taskId": id_, "status": state, "statusMessage": message, "ttl": 600_000, "pollInterval": 2000} | times


def _text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}
