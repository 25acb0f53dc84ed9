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


async def _sweep(call: DemoRequest, arguments: Json) -> Json:
    steps = int(arguments.get("steps", 5))
    seconds = arguments.get("seconds_per_step", 0.5)
    for step in range(steps):
        await asyncio.sleep(seconds)
        bearing = 360 * (step + 1) // steps
        await call.progress(step + 1, steps, f"swept to {bearing:03d}°")
    return result(text(f"Nothing on the horizon in {steps} sweeps, but for a gull."))


async def _tide_chart(call: DemoRequest, arguments: Json) -> Json:
    hours = int(arguments.get("hours", 24))
    harbour = arguments.get("harbour", "Saltmouth")
    heights = tools_content.levels(hours)
    picture = {"type": "image", "data": encode(tools_content.tide_picture(hours)), "mimeType": "image/png"}
    words = f"Tide at {harbour}, {hours} hours: {min(heights)} m to {max(heights)} m"
    return {
        "content": [text(words), picture],
        "structuredContent": {"harbour": harbour, "metres": heights},
    }


async def _foghorn(call: DemoRequest, arguments: Json) -> Json:
    sound = tools_content.horn(arguments.get("seconds", 0.5), arguments.get("pitch", 110))
    return result(
        text(f"Booooh ({len(sound)} bytes of it)"),
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


async def _keeper_report(call: DemoRequest, arguments: Json) -> Json:
    link = {
        "type": "resource_link",
        "uri": "lighthouse://almanac",
        "name": "almanac",
        "title": "The almanac",
        "description": "Two hundred kilobytes of sun and moon",
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


async def _write_log(call: DemoRequest, arguments: Json) -> Json:
    return result(text(f"Entry {await call.station.write(arguments['entry'])} written."))


async def _clear_logbook(call: DemoRequest, arguments: Json) -> Json:
    return result(text(f"{await call.station.clear()} entries are gone, and nobody will know."))


async def _night_watch(call: DemoRequest, arguments: Json) -> Json:
    for hour, level in enumerate(LEVELS, 1):
        await call.log(level, {"hour": hour, "heard": f"something {level}-like in the dark"}, "night_watch")
    for n in range(int(arguments.get("stderr_lines", 3))):
        mutter(f"night_watch: stair {n + 1} creaks")
    return result(text("All quiet, says the watch. The log says more."))


async def _open_cellar(call: DemoRequest, arguments: Json) -> Json:
    wide = arguments.get("open", True)
    await call.station.open_cellar(wide)
    return result(text("The cellar is open: there is one tool more." if wide else "The cellar is shut."))


async def _cellar_inventory(call: DemoRequest, arguments: Json) -> Json:
    return result(text("41 barrels of oil, 3 lamps, 1 accordion, no ghost."))


_NUMBER: Json = {"type": "number", "minimum": -1000, "maximum": 1000}

_LISTED = (
    DemoTool(
        "echo",
        "Echo across the bay",
        "Calls a text across the bay and returns what comes back.",
        _echo,
        takes(
            "text",
            text={"type": "string", "description": "What to call", "minLength": 1, "maxLength": 2000},
            times={
                "type": "integer",
                "description": "How often it comes back",
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
        "Add two soundings",
        "Adds two depths in fathoms.",
        _add,
        takes(
            "a",
            "b",
            a={**_NUMBER, "description": "The first depth"},
            b={**_NUMBER, "description": "The second depth"},
        ),
        takes("sum", sum={"type": "number"}, below_the_keel={"type": "boolean"}),
        LOOKS,
    ),
    tools_content.TOOL,
    DemoTool(
        "sweep_horizon",
        "Sweep the horizon",
        "Turns the lamp around slowly and reports each step as progress. It can be cancelled.",
        _sweep,
        takes(
            steps={"type": "integer", "minimum": 1, "maximum": 1000, "default": 5},
            seconds_per_step={"type": "number", "minimum": 0, "maximum": 60, "default": 0.5},
        ),
        annotations=LOOKS,
    ),
    DemoTool(
        "tide_chart",
        "Draw the tide",
        "Draws the tide of the coming hours as a picture and gives the heights as data.",
        _tide_chart,
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
        "foghorn",
        "Sound the foghorn",
        "Returns a short and very low sound.",
        _foghorn,
        takes(
            seconds={"type": "number", "minimum": 0.1, "maximum": 5, "default": 0.5},
            pitch={"type": "number", "description": "In hertz", "minimum": 40, "maximum": 880, "default": 110},
        ),
        annotations=LOOKS,
    ),
    DemoTool(
        "keeper_report",
        "Read the keeper's report",
        "Returns a block of every kind: Markdown, JSON, a picture, a link and two embedded resources.",
        _keeper_report,
        {"type": "object", "additionalProperties": False},
        annotations=LOOKS,
    ),
    DemoTool(
        "write_log",
        "Write into the logbook",
        "Adds an entry. Whoever subscribed to the logbook hears of it.",
        _write_log,
        takes("entry", entry={"type": "string", "minLength": 1, "maxLength": 500}),
        annotations=WRITES,
    ),
    DemoTool(
        "clear_logbook",
        "Throw the logbook into the sea",
        "Removes every entry of the logbook. There is no copy.",
        _clear_logbook,
        {"type": "object", "additionalProperties": False},
        annotations=DESTROYS,
    ),
    DemoTool(
        "night_watch",
        "Keep the night watch",
        "Sends a log message of each level and writes a few lines to stderr.",
        _night_watch,
        takes(stderr_lines={"type": "integer", "minimum": 0, "maximum": 10000, "default": 3}),
        annotations=LOOKS,
    ),
    DemoTool(
        "open_cellar",
        "Open the cellar",
        "Opens or shuts the cellar. While it is open one more tool is listed, and the change is announced.",
        _open_cellar,
        takes(open={"type": "boolean", "default": True}),
        annotations={**WRITES, "idempotentHint": True},
    ),
    *tools_faulty.LISTED,
)

_CELLAR = DemoTool(
    "cellar_inventory",
    "Count what is in the cellar",
    "Counts barrels. Only there while the cellar is open.",
    _cellar_inventory,
    {"type": "object"},
    annotations=LOOKS,
)


def catalogue(station: Station, options: DemoOptions) -> list[DemoTool]:
    """The tools that there are now, in a stable order; `listed_for` says which of them a client is told of."""
    more = [_CELLAR] if station.cellar_open else []
    broken = [tools_faulty.BROKEN] if options.with_broken_tool else []
    return [*_LISTED, *tools_elicit.LISTED, *tools_slow.LISTED, *more, *broken]


def listed_for(capabilities: Json, tools: list[DemoTool]) -> list[DemoTool]:
    """The tools without those that would ask a client what it can't answer."""
    return [tool for tool in tools if tool.needs is None or declares(capabilities, tool.needs({}))]
