"""The demo's tools that fail, lie or attack.

Each does one wrong thing on purpose and is otherwise conformant, so that what a tool window, a check or a
terminal makes of it can be told apart.
"""

from inspector.demo.call import INTERNAL_ERROR, INVALID_PARAMS, DemoError, DemoRequest, Json, Mishap
from inspector.demo.toolkit import LOOKS, DemoTool, result, takes, text

HOSTILE_LINES = (
    "\x1b[2J\x1b[31mred, after clearing the screen\x1b[0m",
    "\x1b]0;a stolen window title\x07\x1b]52;c;c3RvbGVu\x07 title and clipboard",
    "\x1b]8;;https://lighthouse.invalid/\x1b\\a link that is none\x1b]8;;\x1b\\",
    "[/] [bold red]markup[/bold red] [@click=app.quit]press me[/] [link=https://lighthouse.invalid]here[/link]",
    "user\u202etxt.exe\u202c and \u2066isolated\u2069, zero\u200bwidth, \ufeffmark",
    "carriage\rreturn, back\x08\x08space, bell\x07, null\x00, delete\x7f, \x9b31mC1",
    "a line\u2028separator, a tab\tstop, and a combining ho\u0335r\u0338n",
)


async def _radio_harbour(call: DemoRequest, arguments: Json) -> Json:
    raise Mishap(f"No answer from {arguments.get('harbour', 'Saltmouth')}: static, and then a polka.")


async def _break_lamp(call: DemoRequest, arguments: Json) -> Json:
    if arguments.get("how", "internal") == "params":
        raise DemoError(INVALID_PARAMS, "The lamp takes no such argument", {"argument": "how"})
    raise DemoError(INTERNAL_ERROR, "The lamp exploded", {"shards": 412, "keeper": "unharmed"})


async def _broken_barometer(call: DemoRequest, arguments: Json) -> Json:
    made = {"hectopascal": "low, by the look of it", "trend": "sideways"}
    return {"content": [text("The needle points at the maker's name.")], "structuredContent": made}


async def _hostile_text(call: DemoRequest, arguments: Json) -> Json:
    await call.log("warning", HOSTILE_LINES[0], "hostile\x1b[5m")
    await call.progress(1, 2, HOSTILE_LINES[3])
    if arguments.get("as_error"):
        raise DemoError(INTERNAL_ERROR, HOSTILE_LINES[2], {"lines": list(HOSTILE_LINES)})
    blocks = [text(line) for line in HOSTILE_LINES]
    return {**result(*blocks), "structuredContent": {line: line for line in HOSTILE_LINES}}


async def _bent_schema(call: DemoRequest, arguments: Json) -> Json:
    return result(text("It was called all the same."))


LISTED = (
    DemoTool(
        "radio_harbour",
        "Radio the harbour",
        "Fails each time: its result carries isError.",
        _radio_harbour,
        takes(harbour={"type": "string", "default": "Saltmouth"}),
        annotations={"readOnlyHint": True, "openWorldHint": True},
    ),
    DemoTool(
        "break_lamp",
        "Break the lamp",
        "Answers with a JSON-RPC error instead of a result.",
        _break_lamp,
        takes(
            how={
                "type": "string",
                "default": "internal",
                "oneOf": [
                    {"const": "internal", "title": "Internal error (-32603)"},
                    {"const": "params", "title": "Invalid params (-32602)"},
                ],
            }
        ),
        annotations=LOOKS,
    ),
    DemoTool(
        "broken_barometer",
        "Read the broken barometer",
        "Returns structured content that does not fit its own output schema.",
        _broken_barometer,
        {"type": "object", "additionalProperties": False},
        takes(
            "hectopascal",
            "trend",
            hectopascal={"type": "number", "minimum": 850, "maximum": 1090},
            trend={"type": "string", "enum": ["rising", "steady", "falling"]},
        ),
        LOOKS,
    ),
    DemoTool(
        "hostile_text",
        "Hostile \x1b[7mtext\x1b[0m [@click=app.quit]x[/]",
        "Everything a text can try on a terminal.\n" + "\n".join(HOSTILE_LINES),
        _hostile_text,
        takes(
            as_error={
                "type": "boolean",
                "title": "As an [reverse]error[/]",
                "description": "\x1b[5mblinks\x1b[0m if you let it",
                "default": False,
            }
        ),
        annotations=LOOKS,
    ),
)

BROKEN = DemoTool(
    "bent_schema",
    "A tool with a bent schema",
    "Its input schema is no JSON Schema: a type that does not exist, and a $ref to nowhere.",
    _bent_schema,
    {
        "type": "object",
        "properties": {"depth": {"type": "fathoms"}, "anchor": {"$ref": "#/$defs/nowhere"}, "rope": 7},
        "required": "depth",
    },
    checked=False,
)
