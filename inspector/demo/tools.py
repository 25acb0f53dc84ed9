"""The demo's tools: ordinary ones, slow ones, and ones that fail, return invalid data or attack."""

import asyncio
from collections.abc import Awaitable, Callable

from inspector.demo import extensions, tools_content, tools_elicit
from inspector.demo.call import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    LEVELS,
    DemoError,
    DemoFault,
    DemoRequest,
    Json,
    ask,
    declares,
    write_stderr,
)
from inspector.demo.state import LOGBOOK, DemoState, Work
from inspector.demo.tasks import can_ask
from inspector.demo.toolkit import DemoTool, encode, icons, result, text, tool

_Begin = Callable[[DemoRequest, Json], Work]
_Run = Callable[[DemoRequest, Json], Awaitable[Json]]
HOSTILE_LINES = (
    "\x1b[2J\x1b[31mred, after clearing the screen\x1b[0m",
    "\x1b]0;a stolen window title\x07\x1b]52;c;c3RvbGVu\x07 title and clipboard",
    "\x1b]8;;https://lighthouse.invalid/\x1b\\a fake link\x1b]8;;\x1b\\",
    "[/] [bold red]markup[/bold red] [@click=app.quit]press me[/] [link=https://lighthouse.invalid]here[/link]",
    "user\u202etxt.exe\u202c and \u2066isolated\u2069, zero\u200bwidth, \ufeffmark",
    "carriage\rreturn, back\x08\x08space, bell\x07, null\x00, delete\x7f, \x9b31mC1",
    "a line\u2028separator, a tab\tstop, and a combining ho\u0335r\u0338n",
)
WAVES = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="none" stroke="#2a7f9e" '
    'stroke-width="2" d="M1 9q3-4 6 0t6 0 6 0 4-2M1 16q3-4 6 0t6 0 6 0 4-2"/></svg>'
)
REPORT = """## Keeper's report

| watch | lamp | remark |
|-------|------|--------|
| first | lit  | fog off the Teeth |
| dog   | lit  | **one** whale, *distant* |

- [x] oil drawn
- [ ] gull removed from the pantry
"""


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
    """Return a function that does the same work as an ordinary call, for revisions without tasks."""

    async def run(call: DemoRequest, arguments: Json) -> Json:
        work = begin(call, arguments)
        answer = (await ask(call, {"how": work.question}))["how"] if work.question is not None else {}
        step = 0
        while work.endless or step < len(work.steps):
            await call.progress(step + 1, None if work.endless else len(work.steps), work.steps[step % len(work.steps)])
            await asyncio.sleep(work.seconds)
            step += 1
        if work.fails:
            raise DemoFault(work.fails)
        return work.finish(answer)

    return run


SLOW = tuple(
    tool(name, _at_once(begin), work=begin)
    for name, begin in (
        ("task_optional", _task_optional),
        ("task_that_asks", _task_that_asks),
        ("task_that_fails", _task_that_fails),
        ("task_that_never_ends", _task_that_never_ends),
    )
)


# The demo's faulty tools.


async def _tool_error(call: DemoRequest, arguments: Json) -> Json:
    raise DemoFault(f"No answer from {arguments.get('harbour', 'Saltmouth')}: only static.")


async def _jsonrpc_error(call: DemoRequest, arguments: Json) -> Json:
    if arguments.get("how", "internal") == "params":
        raise DemoError(INVALID_PARAMS, "Invalid argument for the lamp", {"argument": "how"})
    raise DemoError(INTERNAL_ERROR, "The lamp exploded", {"shards": 412, "keeper": "unharmed"})


async def _invalid_output(call: DemoRequest, arguments: Json) -> Json:
    made = {"hectopascal": "low, by the look of it", "trend": "sideways"}
    return {"content": [text("The needle points at the maker's name.")], "structuredContent": made}


async def _hostile_text(call: DemoRequest, arguments: Json) -> Json:
    await call.log("warning", HOSTILE_LINES[0], "hostile\x1b[5m")
    await call.progress(1, 2, HOSTILE_LINES[3])
    if arguments.get("as_error"):
        raise DemoError(INTERNAL_ERROR, HOSTILE_LINES[2], {"lines": list(HOSTILE_LINES)})
    blocks = [text(line) for line in HOSTILE_LINES]
    return {**result(*blocks), "structuredContent": {line: line for line in HOSTILE_LINES}}


FAULTY = (
    tool("tool_error", _tool_error),
    tool("jsonrpc_error", _jsonrpc_error),
    tool("invalid_output", _invalid_output),
    tool("hostile_text", _hostile_text),
)


async def _echo(call: DemoRequest, arguments: Json) -> Json:
    words = arguments["text"].upper() if arguments.get("loud") else arguments["text"]
    return result(text(" … ".join([words] * int(arguments.get("times", 1)))))


async def _add(call: DemoRequest, arguments: Json) -> Json:
    total = arguments["a"] + arguments["b"]
    made = {"sum": total, "below_the_keel": total > 0}
    return {"content": [text(f"{arguments['a']} + {arguments['b']} = {total} fathoms")], "structuredContent": made}


async def _long_running(call: DemoRequest, arguments: Json) -> Json:
    steps = int(arguments.get("steps", 5))
    seconds = arguments.get("seconds_per_step", 0.5)
    for step in range(steps):
        await asyncio.sleep(seconds)
        bearing = 360 * (step + 1) // steps
        await call.progress(step + 1, steps, f"swept to {bearing:03d}°")
    return result(text(f"Nothing on the horizon in {steps} sweeps, except a gull."))


async def _image_result(call: DemoRequest, arguments: Json) -> Json:
    hours = int(arguments.get("hours", 24))
    harbour = arguments.get("harbour", "Saltmouth")
    heights = tools_content.levels(hours)
    picture = {"type": "image", "data": encode(tools_content.tide_picture(hours)), "mimeType": "image/png"}
    words = f"Tide at {harbour}, {hours} hours: {min(heights)} m to {max(heights)} m"
    return {"content": [text(words), picture], "structuredContent": {"harbour": harbour, "metres": heights}}


async def _audio_result(call: DemoRequest, arguments: Json) -> Json:
    sound = tools_content.horn(arguments.get("seconds", 0.5), arguments.get("pitch", 110))
    return result(
        text(f"Booooh ({len(sound)} bytes)"), {"type": "audio", "data": encode(sound), "mimeType": "audio/wav"}
    )


async def _all_content(call: DemoRequest, arguments: Json) -> Json:
    link = {
        "type": "resource_link",
        "uri": "lighthouse://almanac",
        "name": "almanac",
        "title": "The almanac",
        "description": "200 kB of sun and moon",
        "mimeType": "text/plain",
    }
    book = {"uri": LOGBOOK, "mimeType": "text/markdown", "text": call.station.logbook()}
    chart = {"uri": "lighthouse://chart.png", "mimeType": "image/png", "blob": encode(tools_content.tide_picture(12))}
    return result(
        {**text(REPORT), "annotations": {"audience": ["user"], "priority": 0.9}},
        text('{"lamp": {"lit": true, "oil_litres": 41.5}, "gulls": 1, "visitors": null}'),
        {"type": "image", "data": encode(tools_content.tide_picture(48)), "mimeType": "image/png"},
        link,
        {"type": "resource", "resource": book},
        {"type": "resource", "resource": chart},
    )


async def _update_resource(call: DemoRequest, arguments: Json) -> Json:
    return result(text(f"Entry {await call.station.write(arguments['entry'])} written."))


async def _destructive_call(call: DemoRequest, arguments: Json) -> Json:
    return result(text(f"{await call.station.clear()} entries deleted."))


async def _log_messages(call: DemoRequest, arguments: Json) -> Json:
    for hour, level in enumerate(LEVELS, 1):
        await call.log(level, {"hour": hour, "heard": f"something {level}-like in the dark"}, "log_messages")
    for n in range(int(arguments.get("stderr_lines", 3))):
        write_stderr(f"log_messages: stair {n + 1} creaks")
    return result(text("All quiet. The details are in the log."))


async def _toggle_tool(call: DemoRequest, arguments: Json) -> Json:
    wide = arguments.get("open", True)
    await call.station.toggle_tool(wide)
    return result(
        text("The cellar is open: extra_tool is listed." if wide else "The cellar is closed: extra_tool is gone.")
    )


async def _extra_tool(call: DemoRequest, arguments: Json) -> Json:
    return result(text("41 barrels of oil, 3 lamps, 1 accordion, no ghost."))


_LISTED = (
    tool("echo", _echo),
    tool("add", _add),
    tools_content.TOOL,
    tool("long_running", _long_running),
    tool("image_result", _image_result, icons=icons(WAVES), _meta=extensions.OF_TOOL),
    tool("audio_result", _audio_result),
    tool("all_content", _all_content),
    tool("update_resource", _update_resource),
    tool("destructive_call", _destructive_call),
    tool("log_messages", _log_messages),
    tool("toggle_tool", _toggle_tool),
    *FAULTY,
)
_EXTRA = tool("extra_tool", _extra_tool)


def catalogue(station: DemoState) -> list[DemoTool]:
    """Return all tools, in a stable order; `listed_for` selects those that a client can use."""
    more = [_EXTRA] if station.extra_tool_listed else []
    return [*_LISTED, *tools_elicit.LISTED, *SLOW, *more]


def listed_for(capabilities: Json, tools: list[DemoTool]) -> list[DemoTool]:
    """Return the tools, without those that need a capability which the client lacks."""
    return [each for each in tools if each.needs is None or declares(capabilities, each.needs({}))]
