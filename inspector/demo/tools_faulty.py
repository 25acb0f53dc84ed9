"""The demo's faulty tools.

Each has one defect on purpose and is otherwise conformant.
"""

from inspector.demo.call import INTERNAL_ERROR, INVALID_PARAMS, DemoError, DemoRequest, Json, Mishap
from inspector.demo.toolkit import LOOKS, DemoTool, result, takes, text

HOSTILE_LINES = (
    "\x1b[2J\x1b[31mred, after clearing the screen\x1b[0m",
    "\x1b]0;a stolen window title\x07\x1b]52;c;c3RvbGVu\x07 title and clipboard",
    "\x1b]8;;https://lighthouse.invalid/\x1b\\a fake link\x1b]8;;\x1b\\",
    "[/] [bold red]markup[/bold red] [@click=app.quit]press me[/] [link=https://lighthouse.invalid]here[/link]",
    "user\u202etxt.exe\u202c and \u2066isolated\u2069, zero\u200bwidth, \ufeffmark",
    "carriage\rreturn, back\x08\x08space, bell\x07, null\x00, delete\x7f, \x9b31mC1",
    "a line\u2028separator, a tab\tstop, and a combining ho\u0335r\u0338n",
)


async def _tool_error(call: DemoRequest, arguments: Json) -> Json:
    raise Mishap(f"No answer from {arguments.get('harbour', 'Saltmouth')}: only static.")


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


async def _invalid_schema(call: DemoRequest, arguments: Json) -> Json:
    return result(text("Called despite its invalid schema."))


LISTED = (
    DemoTool(
        "tool_error",
        "Tool error: radio the harbour",
        "Always returns a result with isError: true.",
        _tool_error,
        takes(harbour={"type": "string", "default": "Saltmouth"}),
        annotations={"readOnlyHint": True, "openWorldHint": True},
    ),
    DemoTool(
        "jsonrpc_error",
        "JSON-RPC error: break the lamp",
        "Returns a JSON-RPC error instead of a result.",
        _jsonrpc_error,
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
        "invalid_output",
        "Invalid output: broken barometer",
        "Returns structured content that does not match its outputSchema.",
        _invalid_output,
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
        "Control characters and markup that must not reach the terminal.\n" + "\n".join(HOSTILE_LINES),
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
    "invalid_schema",
    "Invalid schema: unknown type and broken $ref",
    "Its inputSchema is not a valid JSON Schema.",
    _invalid_schema,
    {
        "type": "object",
        "properties": {"depth": {"type": "fathoms"}, "anchor": {"$ref": "#/$defs/nowhere"}, "rope": 7},
        "required": "depth",
    },
    checked=False,
)
