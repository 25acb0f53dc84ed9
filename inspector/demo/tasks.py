"""The demo's tasks: a handle immediately, the result on request.

Nothing runs in the background: the state of a task is computed from the time since its start, for any client and any
connection. 2025-11-25: the client requests a task; `tasks/result` waits for its end and sends server requests on its
stream. Extension io.modelcontextprotocol/tasks: the server makes a task of a call if the client has declared that it
can follow one; server requests and the result are in the responses to `tasks/get`.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from inspector.demo.call import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    DemoError,
    DemoFault,
    DemoRequest,
    Json,
    ask,
    declares,
)
from inspector.demo.state import ENDED, DemoTask, Work

EXTENSION = "io.modelcontextprotocol/tasks"
RELATED = "io.modelcontextprotocol/related-task"
POLL_MS, KEPT_MS, MOST_MS = 500, 600_000, 3_600_000
_LOOK_S = 0.05
CAPABILITY: Json = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}


def begun(call: DemoRequest, support: str, work: Callable[[], Work]) -> Json | None:
    """Return the handle for a call; None if the call should get its result directly.

    `support` is the tool's own: "required", "optional", or "" for a tool without tasks. Raises: DemoError.
    """
    if call.era.stateless:
        return _begun_by_us(call, support, work) if support else None
    wish = call.params.get("task")
    if not call.era.has("tasks") or (wish is None and support != "required"):
        return None
    if wish is None:
        raise DemoError(METHOD_NOT_FOUND, "This tool must be called as a task: add params.task")
    if not support:
        raise DemoError(METHOD_NOT_FOUND, "This tool cannot be called as a task")
    if not isinstance(wish, dict):
        raise DemoError(INVALID_PARAMS, "params.task must be an object")
    task = call.station.tasks.begin(work(), _kept_for(wish.get("ttl")))
    return {"task": task_json(task, stateless=False)}


def _begun_by_us(call: DemoRequest, support: str, work: Callable[[], Work]) -> Json | None:
    if not declares_extension(call):
        if support == "required":
            demand_extension(call)
        return None
    task = call.station.tasks.begin(work(), KEPT_MS)
    return {"resultType": "task", **task_json(task, stateless=True)}


def declares_extension(call: DemoRequest) -> bool:
    """Return whether the client has declared, with this request, that it can follow a task."""
    extensions = call.capabilities.get("extensions")
    return isinstance(extensions, dict) and isinstance(extensions.get(EXTENSION), dict)


def demand_extension(call: DemoRequest) -> None:
    """Check that the client has declared the extension. Raises: DemoError."""
    if not declares_extension(call):
        data: Json = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        raise DemoError(MISSING_CAPABILITY, f"The client has not declared the extension {EXTENSION}", data)


def _kept_for(ttl: Any) -> int:
    if ttl is None:
        return KEPT_MS
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or ttl < 0:
        raise DemoError(INVALID_PARAMS, "params.task.ttl must be a number of milliseconds, 0 or more")
    return min(int(ttl), MOST_MS)


def task_json(task: DemoTask, *, stateless: bool) -> Json:
    """Return a task in the format of its era."""
    names = ("ttlMs", "pollIntervalMs") if stateless else ("ttl", "pollInterval")
    return {
        "taskId": task.id,
        "status": task.state,
        "statusMessage": task.message,
        "createdAt": task.created.isoformat(),
        "lastUpdatedAt": (task.updated or task.created).isoformat(),
        **dict(zip(names, (task.ttl_ms, POLL_MS), strict=True)),
    }


def _find(call: DemoRequest) -> DemoTask:
    """Return the task that a request names. Raises: DemoError."""
    task = call.station.tasks.find(call.text("taskId"))
    if task is None:
        raise DemoError(INVALID_PARAMS, "Unknown or expired task", {"taskId": call.params["taskId"]})
    return task


async def get(call: DemoRequest) -> Json:
    """Return the state of a task; in the extension with its server request, its result or its error."""
    if not call.era.stateless:
        return task_json(_find(call), stateless=False)
    demand_extension(call)
    task = _find(call)
    made = task_json(task, stateless=True)
    if task.state == "input_required":
        made["inputRequests"] = {"how": task.work.question}
    elif task.state == "completed":
        made["result"] = {"resultType": "complete", **(task.result or {})}
    elif task.state == "failed":
        made["error"] = task.error
    return made


async def update(call: DemoRequest) -> Json:
    """Accept the answer to a task's server request (extension)."""
    demand_extension(call)
    task = _find(call)
    given = call.params.get("inputResponses")
    if not isinstance(given, dict):
        raise DemoError(INVALID_PARAMS, "params.inputResponses must be an object")
    if task.state == "input_required" and isinstance(given.get("how"), dict):
        task.answer = given["how"]
    return {}


async def cancel(call: DemoRequest) -> Json:
    """Cancel a task. For one that has ended, 2025-11-25 requires an error; the extension accepts it."""
    if call.era.stateless:
        demand_extension(call)
    task = _find(call)
    if task.state in ENDED and not call.era.stateless:
        raise DemoError(INVALID_PARAMS, f"The task is already {task.state}")
    if task.state not in ENDED:
        task.cancel()
    return {} if call.era.stateless else task_json(task, stateless=False)


async def result(call: DemoRequest) -> Json:
    """Return the result of a task after its end (2025-11-25). Meanwhile its server request is sent on this stream."""
    task = _find(call)
    while task.state not in ENDED:
        if task.state == "input_required" and not task.asking:
            await _ask_for(call, task)
        await asyncio.sleep(_LOOK_S)
        task = _find(call)
    if task.result is None:
        raise DemoError(INVALID_PARAMS, f"The task has no result; its state is {task.state}")
    return {**task.result, "_meta": {RELATED: {"taskId": task.id}}}


async def _ask_for(call: DemoRequest, task: DemoTask) -> None:
    question = task.work.question or {}
    meta = {RELATED: {"taskId": task.id}}
    task.asking = True
    try:
        answers = await ask(call, {"how": {**question, "params": {**question["params"], "_meta": meta}}})
        task.answer = answers["how"]
    except DemoFault as mishap:
        task.answer = {"action": "cancel", "why": str(mishap)}
    finally:
        task.asking = False


def can_ask(call: DemoRequest) -> bool:
    """Return whether the client supports form elicitation."""
    return declares(call.capabilities, {"elicitation": {"form": {}}})
