"""Tools, prompts and resources as they are listed: schemas of another library, another API, another language."""

from itertools import count
from typing import Any

from tests.servers.speaking import HELLO, serve
from tests.servers.trackers import Run

_GOOD: dict[str, Any] = {
    "name": "forecast",
    "description": "Tells the weather of a city.",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string", "description": "Its name."}}},
}
_ZOD_3 = {
    "_def": {"unknownKeys": "strip", "catchall": {"_def": {"typeName": "ZodNever"}}, "typeName": "ZodObject"},
    "~standard": {"version": 1, "vendor": "zod"},
    "_cached": None,
}
_ZOD_4 = {
    "def": {"type": "object", "shape": {"city": {"def": {"type": "string"}, "type": "string", "format": None}}},
    "type": "object",
}


def _lists(*tools: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": list(tools)}})


def _pages_for_ever() -> None:
    """Another tool on each page, and always the same cursor."""
    numbers = count(1)
    serve({"tools/list": lambda request: {"tools": [_GOOD | {"name": f"t{next(numbers)}"}], "nextCursor": "p2"}})


def _with(schema: Any) -> Run:
    return _lists(_GOOD | {"inputSchema": schema})


def _one(**properties: Any) -> Run:
    return _with({"type": "object", "properties": properties})


def _returns(**properties: Any) -> Run:
    """Its outputSchema has these properties."""
    return _lists(_GOOD | {"outputSchema": {"type": "object", "properties": properties}})


SERVERS: dict[str, Run] = {
    "python-named-group": _returns(run={"type": "string", "pattern": "^(?P<workflow_id>[0-9a-f]+)$"}),
    "lookaround": _one(fileKey={"type": "string", "description": "d", "pattern": "^(?!undefined$|null$)"}),
    "email-of-zod": _one(email={"type": "string", "description": "d", "pattern": "^(?!\\.)(?!.*\\.\\.)[a-z]+@[a-z]+$"}),
    "type-unknown": _one(city={"type": "unknown", "description": "d"}),
    "empty-enum": _returns(run={"type": "string", "enum": []}),
    "true-as-schema": _one(city=True),
    "zod-3-object": _with(_ZOD_3),
    "zod-4-object": _with(_ZOD_4),
    "zod-shape": _with(
        {"city": {"_def": {"checks": [], "typeName": "ZodString", "coerce": False}, "~standard": {"vendor": "zod"}}}
    ),
    "dialect-only": _with({"$schema": "http://json-schema.org/draft-07/schema#"}),
    "empty-schema": _with({}),
    "required-null": _with(_GOOD["inputSchema"] | {"required": None}),
    "properties-are-a-list": _with({"type": "object", "properties": []}),
    "null-among-the-tools": _lists(_GOOD, None),
    "schema-in-a-string": _with('{"type": "object", "properties": {}}'),
    "openai-parameters": _lists(
        {"name": "forecast", "description": "Tells the weather.", "parameters": _GOOD["inputSchema"]}
    ),
    "openai-function": _lists(
        {"type": "function", "function": {"name": "forecast", "parameters": _GOOD["inputSchema"]}}
    ),
    "anthropic-input-schema": _lists(
        {"name": "forecast", "description": "Tells the weather.", "input_schema": _GOOD["inputSchema"]}
    ),
    "tools-by-name": lambda: serve({"tools/list": {"tools": {"forecast": _GOOD}}}),
    "result-is-the-list": lambda: serve({"tools/list": [_GOOD]}),
    "object-that-admits-no-keys": _one(
        url={"type": "string"},
        schema={"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": False},
    ),
    "type-with-a-typo": _one(city={"type": "strng"}),
    "type-of-python": _one(days={"type": "int"}, options={"type": "dict"}),
    "required-in-the-property": _one(city={"type": "string", "required": True}),
    "reference-into-openapi": _one(city={"$ref": "#/components/schemas/City"}),
    "output-schema-is-an-array": _lists(_GOOD | {"outputSchema": {"type": "array", "items": {"type": "string"}}}),
    "arguments-by-name": lambda: serve(
        {
            "initialize": HELLO | {"capabilities": {"prompts": {}}},
            "prompts/list": {"prompts": [{"name": "greet", "arguments": {"who": {"type": "string"}}}]},
        }
    ),
    "resource-without-scheme": lambda: serve(
        {
            "initialize": HELLO | {"capabilities": {"resources": {}}},
            "resources/list": {"resources": [{"uri": "config/app.json", "name": "app"}]},
        }
    ),
    "cursor-that-never-changes": _pages_for_ever,
    "cursor-that-never-changes-nor-the-page": lambda: serve({"tools/list": {"tools": [_GOOD], "nextCursor": "p2"}}),
    "exclusive-minimum-of-draft-4": _with(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"ttl": {"type": "integer", "exclusiveMinimum": True, "description": "In seconds."}},
        }
    ),
}
