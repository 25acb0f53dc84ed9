"""The demo's tools, in the order of the list.

The unpleasant ones stand in `mischief.py`, the one with the long schema in `passage.py`.
"""

import asyncio

from inspector.demo import extensions, tools_content, tools_elicit, tools_faulty, tools_slow
from inspector.demo.call import LEVELS, DemoOptions, DemoRequest, Json, declares, mutter
from inspector.demo.state import LOGBOOK, Station
from inspector.demo.toolkit import DESTROYS, LOOKS, WRITES, DemoTool, encode, result, takes, text

WAVES = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="none" stroke="#2a7f9e" '
    'stroke-width="2" d="M1 9q3-4 6 0t6 0 6 0 4-2M1 16q3-4 6 0t6 0 6 0 4-2"/></svg>'
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
    return {
        "content": [text(words), picture],
        "structuredContent": {"harbour": harbour, "metres": heights},
    }


async def _audio_result(call: DemoRequest, arguments: Json) -> Json:
    sound = tools_content.horn(arguments.get("seconds", 0.5), arguments.get("pitch", 110))
    return result(
        text(f"Booooh ({len(sound)} bytes)"),
        {"type": "audio", "data": encode(sound), "mimeType": "audio/wav"},
    )


REPORT = """## Keeper's report

| watch | lamp | remark |
|-------|------|--------|
| first | lit  | fog off the Teeth |
| dog   | lit  | **one** whale, *distant* |

- [x] oil drawn
- [ ] gull removed from the pantry
"""


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
        mutter(f"log_messages: stair {n + 1} creaks")
    return result(text("All quiet. The details are in the log."))


async def _toggle_tool(call: DemoRequest, arguments: Json) -> Json:
    wide = arguments.get("open", True)
    await call.station.toggle_tool(wide)
    return result(
        text("The cellar is open: extra_tool is listed." if wide else "The cellar is closed: extra_tool is gone.")
    )


async def _extra_tool(call: DemoRequest, arguments: Json) -> Json:
    return result(text("41 barrels of oil, 3 lamps, 1 accordion, no ghost."))


_NUMBER: Json = {"type": "number", "minimum": -1000, "maximum": 1000}

_LISTED = (
    DemoTool(
        "echo",
        "Echo a text",
        "Returns the text it is given.",
        _echo,
        takes(
            "text",
            text={"type": "string", "description": "Text to return", "minLength": 1, "maxLength": 2000},
            times={
                "type": "integer",
                "description": "Number of repetitions",
                "minimum": 1,
                "maximum": 5,
                "default": 1,
            },
            loud={"type": "boolean", "default": False},
        ),
        annotations={**LOOKS, "idempotentHint": True},
    ),
    DemoTool(
        "add",
        "Add two numbers",
        "Returns the sum as text and as structured content.",
        _add,
        takes(
            "a",
            "b",
            a={**_NUMBER, "description": "First depth, in fathoms"},
            b={**_NUMBER, "description": "Second depth, in fathoms"},
        ),
        takes("sum", sum={"type": "number"}, below_the_keel={"type": "boolean"}),
        LOOKS,
    ),
    tools_content.TOOL,
    DemoTool(
        "long_running",
        "Long-running call: sweep the horizon",
        "Reports progress at each step. Can be cancelled.",
        _long_running,
        takes(
            steps={"type": "integer", "minimum": 1, "maximum": 1000, "default": 5},
            seconds_per_step={"type": "number", "minimum": 0, "maximum": 60, "default": 0.5},
        ),
        annotations=LOOKS,
    ),
    DemoTool(
        "image_result",
        "Image result: tide chart",
        "Returns the tide of the next hours as an image and as structured content.",
        _image_result,
        takes(
            harbour={
                "type": "string",
                "enum": ["Saltmouth", "Teal Bay", "Port Ember"],
                "default": "Saltmouth",
                "x-mcp-header": "Harbour",
            },
            hours={"type": "integer", "minimum": 1, "maximum": 96, "default": 24},
        ),
        takes(
            "harbour",
            "metres",
            harbour={"type": "string"},
            metres={"type": "array", "items": {"type": "number"}, "minItems": 1},
        ),
        LOOKS,
        WAVES,
        meta=extensions.OF_TOOL,
    ),
    DemoTool(
        "audio_result",
        "Audio result: foghorn",
        "Returns a short, low sound.",
        _audio_result,
        takes(
            seconds={"type": "number", "minimum": 0.1, "maximum": 5, "default": 0.5},
            pitch={
                "type": "number",
                "description": "Frequency in hertz",
                "minimum": 40,
                "maximum": 880,
                "default": 110,
            },
        ),
        annotations=LOOKS,
    ),
    DemoTool(
        "all_content",
        "All content types: the keeper's report",
        "Returns Markdown, JSON, an image, a resource link and two embedded resources.",
        _all_content,
        {"type": "object", "additionalProperties": False},
        annotations=LOOKS,
    ),
    DemoTool(
        "update_resource",
        "Update a resource: write to the logbook",
        "Adds an entry and notifies the subscribers of the logbook.",
        _update_resource,
        takes("entry", entry={"type": "string", "minLength": 1, "maxLength": 500}),
        annotations=WRITES,
    ),
    DemoTool(
        "destructive_call",
        "Destructive call: clear the logbook",
        "Deletes every entry of the logbook. This cannot be undone.",
        _destructive_call,
        {"type": "object", "additionalProperties": False},
        annotations=DESTROYS,
    ),
    DemoTool(
        "log_messages",
        "Log messages: night watch",
        "Sends a log message of each level and writes lines to stderr.",
        _log_messages,
        takes(stderr_lines={"type": "integer", "minimum": 0, "maximum": 10000, "default": 3}),
        annotations=LOOKS,
    ),
    DemoTool(
        "toggle_tool",
        "Toggle a tool: open the cellar",
        "Adds or removes `extra_tool` and sends notifications/tools/list_changed.",
        _toggle_tool,
        takes(open={"type": "boolean", "default": True}),
        annotations={**WRITES, "idempotentHint": True},
    ),
    *tools_faulty.LISTED,
)

_EXTRA = DemoTool(
    "extra_tool",
    "Extra tool: count what is in the cellar",
    "Listed only after `toggle_tool` has added it.",
    _extra_tool,
    {"type": "object"},
    annotations=LOOKS,
)


def catalogue(station: Station, options: DemoOptions) -> list[DemoTool]:
    """All tools, in a stable order; `listed_for` selects those that a client can use."""
    more = [_EXTRA] if station.extra_tool_listed else []
    broken = [tools_faulty.BROKEN] if options.with_broken_tool else []
    return [*_LISTED, *tools_elicit.LISTED, *tools_slow.LISTED, *more, *broken]


def listed_for(capabilities: Json, tools: list[DemoTool]) -> list[DemoTool]:
    """The tools, without those that need a capability which the client lacks."""
    return [tool for tool in tools if tool.needs is None or declares(capabilities, tool.needs({}))]
