"""The demo's tools that take long, as tasks where the revision has them.

One is long and says how far it is, one asks in the middle, one fails, one never ends.
"""

import asyncio
from collections.abc import Awaitable, Callable

from inspector.demo.call import DemoRequest, Json, Mishap, ask
from inspector.demo.state import Work
from inspector.demo.tasks import can_ask
from inspector.demo.toolkit import LOOKS, WRITES, DemoTool, result, takes, text

_Begin = Callable[[DemoRequest, Json], Work]
_Run = Callable[[DemoRequest, Json], Awaitable[Json]]
_SECONDS: Json = {"type": "number", "minimum": 0.01, "maximum": 60, "default": 1}


def _paint(call: DemoRequest, arguments: Json) -> Work:
    coats = int(arguments.get("coats", 3))
    steps = tuple("scraping" if coat == 0 else f"coat {coat}" for coat in range(coats + 1))
    return Work(steps, _seconds(arguments), lambda _: result(text(f"The tower is white again, by {coats} coats.")))


def _order(call: DemoRequest, arguments: Json) -> Work:
    question = {
        "method": "elicitation/create",
        "params": {
            "message": "The supply boat asks what to bring.",
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


def _raise(call: DemoRequest, arguments: Json) -> Work:
    why = "The chain has parted; the wreck is where it was."
    return Work(("diving", "hooking the chain", "pulling"), _seconds(arguments), lambda _: {}, fails=why)


def _wait(call: DemoRequest, arguments: Json) -> Work:
    return Work(("no sail", "a gull", "fog"), _seconds(arguments), lambda _: {}, endless=True)


def _seconds(arguments: Json) -> float:
    return float(arguments.get("seconds_per_step", 1))


def _at_once(begin: _Begin) -> _Run:
    """The same work where there are no tasks: the call takes as long as the work does."""

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
        "paint_tower",
        "Paint the tower",
        "Takes a while and says how far it is. May be called as a task.",
        _paint,
        "optional",
        takes(coats={"type": "integer", "minimum": 1, "maximum": 50, "default": 3}, seconds_per_step=_SECONDS),
        WRITES,
    ),
    _tool(
        "order_supplies",
        "Order supplies",
        "Hails the supply boat, and asks in the middle what it is to bring. Must be called as a task.",
        _order,
        "required",
        takes(seconds_per_step=_SECONDS),
        WRITES,
    ),
    _tool(
        "raise_wreck",
        "Raise the wreck",
        "Tries, and fails in the end. Must be called as a task.",
        _raise,
        "required",
        takes(seconds_per_step=_SECONDS),
        WRITES,
    ),
    _tool(
        "wait_for_ship",
        "Wait for a ship",
        "Waits for a ship that never comes, until somebody calls it off. Must be called as a task.",
        _wait,
        "required",
        takes(seconds_per_step=_SECONDS),
        LOOKS,
    ),
)
