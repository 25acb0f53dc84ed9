"""Conversations with tasks, for tests of what shows them."""

from typing import Any

from inspector.protocol.tracking.tasks import Task
from tests.present.tape import Tape

CORE = "2025-11-25"


def word(id_: str = "t-1", state: str = "working", message: str = "", **more: Any) -> dict[str, Any]:
    """What a server says of a task."""
    said = {"taskId": id_, "status": state, "createdAt": "2026-11-22T00:00:00Z", "lastUpdatedAt": "x", "ttl": 60_000}
    return said | {"pollInterval": 500} | ({"statusMessage": message} if message else {}) | more


def begun(tape: Tape, id_: str = "t-1", tool: str = "paint", number: int = 10, **more: Any) -> Task:
    """A call that became a task."""
    tape.request(number, "tools/call", {"name": tool, "arguments": {}, "task": {}})
    tape.wait(5).answer(number, {"task": word(id_, message="begun", **more)})
    return tape.journal.conversation.tasks.all[-1]


def polled(tape: Tape, number: int, id_: str = "t-1", state: str = "working", message: str = "", **more: Any) -> None:
    """One look at how it stands."""
    tape.request(number, "tasks/get", {"taskId": id_})
    tape.wait(2).answer(number, word(id_, state, message, **more))


def brought(tape: Tape, number: int, result: Any, id_: str = "t-1") -> None:
    tape.request(number, "tasks/result", {"taskId": id_})
    tape.wait(2).answer(number, result)
