"""The demo's tools that run as tasks, in revisions that have tasks."""

import asyncio
from collections.abc import Awaitable, Callable

from inspector.demo.call import DemoRequest, Json, Mishap, ask
from inspector.demo.state import Work
from inspector.demo.tasks import can_ask
from inspector.demo.toolkit import LOOKS, WRITES, DemoTool, result, takes, text

_Begin = Callable[[DemoRequest, Json], Work]
_Run = Callable[[DemoRequest, Json], Awaitable[Json]]
_SECONDS: Json = {"type": "number", "minimum": 0.01, "maximum": 60, "default": 1}


def _task_optional(call: DemoRequest, arguments: Json) -> Work:
    coats = int(arguments.get("coats", 3))
    steps = tuple("scraping" if coat == 0 else f"coat {coat}" for coat in range(coats + 1))
    return Work(steps, _seconds(arguments), lambda _: result(text(f"The tower is white again, by {coats} coats.")))


def _task_that_asks(call: DemoRequest, arguments: Json) -> Work:
    question = {
        "method": "elicitation/create",
        "params": {
            "message": "What should the supply boat bring?",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "goods": {"type": "string", "enum": ["oil", "biscuits", "accordion strings"], "default": "oil"},
                    "barrels": {"type": "integer", "minimum": 1, "maximum": 20, "default": 2},
                },
                "required": ["goods"],
            },
        },
    }
    asked = question if can_ask(call) else None
    return Work(("hailing the boat", "loading"), _seconds(arguments), _delivered, question=asked)


def _delivered(answer: Json) -> Json:
    content = answer.get("content")
    if answer.get("action", "accept") != "accept" or not isinstance(content, dict):
        return result(text("The boat brings what it always brings: oil, and the newspaper of last week."))
    return result(text(f"The boat brings {content.get('barrels', 2)} barrels of {content.get('goods', 'oil')}."))


def _task_that_fails(call: DemoRequest, arguments: Json) -> Work:
    why = "The chain has parted; the wreck is where it was."
    return Work(("diving", "hooking the chain", "pulling"), _seconds(arguments), lambda _: {}, fails=why)


def _task_that_never_ends(call: DemoRequest, arguments: Json) -> Work:
    return Work(("no sail", "a gull", "fog"), _seconds(arguments), lambda _: {}, endless=True)


def _seconds(arguments: Json) -> float:
    return float(arguments.get("seconds_per_step", 1))


def _at_once(begin: _Begin) -> _Run:
    """The same work as an ordinary call, for revisions without tasks."""

    async def run(call: DemoRequest, arguments: Json) -> Json:
        work = begin(call, arguments)
        answer = (await ask(call, {"how": work.question}))["how"] if work.question is not None else {}
        step = 0
        while work.endless or step < len(work.steps):
            await call.progress(step + 1, None if work.endless else len(work.steps), work.steps[step % len(work.steps)])
            await asyncio.sleep(work.seconds)
            step += 1
        if work.fails:
            raise Mishap(work.fails)
        return work.finish(answer)

    return run


def _tool(name: str, title: str, description: str, begin: _Begin, support: str, schema: Json, hints: Json) -> DemoTool:
    return DemoTool(name, title, description, _at_once(begin), schema, annotations=hints, task=support, work=begin)


LISTED = (
    _tool(
        "task_optional",
        "Optional task: paint the tower",
        "Reports progress. Can be called as a task.",
        _task_optional,
        "optional",
        takes(coats={"type": "integer", "minimum": 1, "maximum": 50, "default": 3}, seconds_per_step=_SECONDS),
        WRITES,
    ),
    _tool(
        "task_that_asks",
        "Task that asks: order supplies",
        "Sends an elicitation while it runs. Must be called as a task.",
        _task_that_asks,
        "required",
        takes(seconds_per_step=_SECONDS),
        WRITES,
    ),
    _tool(
        "task_that_fails",
        "Task that fails: raise the wreck",
        "Fails after three steps. Must be called as a task.",
        _task_that_fails,
        "required",
        takes(seconds_per_step=_SECONDS),
        WRITES,
    ),
    _tool(
        "task_that_never_ends",
        "Task that never ends: wait for a ship",
        "Runs until it is cancelled. Must be called as a task.",
        _task_that_never_ends,
        "required",
        takes(seconds_per_step=_SECONDS),
        LOOKS,
    ),
)
