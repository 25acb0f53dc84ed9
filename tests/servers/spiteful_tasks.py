"""Tasks that never end, go backwards, are unknown, share an id, or are too large. Each tool is one case.

It speaks for both strategies: the core's tasks (legacy) and the extension's (modern).
"""

import os
import threading
from typing import Any

from tests.servers.hostile import H
from tests.servers.spite import MODERN, notify, opened, serve, tools

TELLS = "notifications/tasks" if MODERN else "notifications/tasks/status"
EXTENSION = "io.modelcontextprotocol/tasks"
ODD: tuple[Any, ...] = (
    *(None, 5, [], {"taskId": 5}, {"taskId": H, "status": H}),
    {"taskId": "x" * 1_000_000, "status": "working"},
)
polls: dict[str, int] = {}
BACKWARD = ("working", "completed", "working", "input_required", "failed", "working", H, "", "completed")


def state(id_: str, status: Any, **more: Any) -> dict[str, Any]:
    """What is said of a task."""
    said = {"taskId": id_, "status": status, "statusMessage": H, "createdAt": H, "lastUpdatedAt": H, "ttl": -5}
    return said | {"pollInterval": 0, "pollIntervalMs": 1, "ttlMs": H} | more


def handle(said: dict[str, Any]) -> dict[str, Any]:
    """The answer to a call that became a task."""
    return {"resultType": "task", **said} if MODERN else {"task": said}


def storm() -> None:
    """Tell of ten thousand tasks that nobody has asked for, and of one ten thousand times."""
    for n in range(10_000):
        notify(TELLS, state(f"t{n}", "working"))
    for n in range(10_000):
        notify(TELLS, state("one", ("working", "completed")[n % 2], statusMessage=f"{n} {H}"))
    for odd in ODD:
        notify(TELLS, odd)


def call(request: dict[str, Any]) -> Any:
    name = request["params"]["name"]
    match name:
        case "collides":
            return handle(state("same", "working"))
        case "storm":
            threading.Thread(target=storm, daemon=True).start()
        case "huge":
            return handle(state("h" * 2_000_000, "working"))
        case "odd_id":
            return handle({"taskId": 5, "status": []})
        case "escapes":
            return handle(state(H, H))
    return handle(state(name, "working"))


def get(request: dict[str, Any]) -> Any:
    id_ = request["params"]["taskId"]
    n = polls[id_] = polls.get(id_, -1) + 1
    match id_:
        case "backward":
            return state(id_, BACKWARD[n % len(BACKWARD)], inputRequests={}, result=5, error=H)
        case "unknown":
            return None if n > 3 else {"content": "no task"}
        case "other":
            return state("another", "completed")
        case "asks":
            asked = {H: {"method": "elicitation/create", "params": 5}, f"q{n}": {"method": H}}
            return state(id_, "input_required", inputRequests=asked)
        case "dies":
            os._exit(3)
        case "bad_result":
            return state(id_, "completed", result=[H])
    return state(id_, "working")


def result(request: dict[str, Any]) -> Any:
    return (
        {"content": [{"type": "text", "text": H}], "_meta": {H: H}} if request["params"]["taskId"] != "asks" else None
    )


def listed(request: dict[str, Any]) -> Any:
    """Pages without an end, always with the same tasks."""
    return {"tasks": [None, 5, state("same", H), state("x" * 500, "working")], "nextCursor": H}


if __name__ == "__main__":
    names = ("endless", "backward", "unknown", "other", "asks", "collides", "huge", "odd_id", "escapes", "bad_result")
    table = {
        **opened(
            {
                "tools": {},
                "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
                "extensions": {EXTENSION: {}},
            }
        ),
        "tools/list": tools(dict.fromkeys((*names, "storm", "dies")), execution={"taskSupport": "required"}),
        "tools/call": call,
        "tasks/get": get,
        "tasks/result": result,
        "tasks/list": listed,
        "tasks/cancel": lambda request: state(request["params"]["taskId"], "working"),
        "subscriptions/listen": lambda request: None,
    }
    serve(table)
