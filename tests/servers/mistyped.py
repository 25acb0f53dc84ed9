"""Gives every member a wrong type, and lists tools whose schemas are broken beside two that are good."""

from typing import Any

from tests.servers.speaking import TOOL, serve

_SCHEMAS: tuple[Any, ...] = (
    {"type": "objekt"},
    {"type": ["object", 7]},
    {"type": "object", "properties": 5},
    {"type": "object", "properties": {"a": 5, "b": None, "c": [], "": {}}},
    {"type": "object", "required": "a"},
    {"$ref": "#/$defs/nowhere"},
    {"$ref": "#"},
    {"type": "object", "properties": {"a": {"$ref": "https://127.0.0.1:1/schema.json"}}},
    {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
    {"type": "object", "properties": {"a": {"type": "string", "pattern": "(((", "minLength": "three"}}},
    {"type": "object", "properties": {"a": {"enum": "yes"}, "b": {"oneOf": 5}, "c": {"items": "x"}}},
    {"type": "object", "properties": {"a": {"default": {"deep": [1]}, "type": "integer", "minimum": "low"}}},
    {"allOf": [{"type": "object"}, {"type": "array"}], "not": 5},
    {"$schema": 7, "$id": [], "type": "object"},
    True,
    False,
    "object",
    [],
    None,
)
TOOLS: list[Any] = [
    TOOL,
    *({"name": f"bent_{number}", "inputSchema": schema} for number, schema in enumerate(_SCHEMAS)),
    {"name": "no_schema"},
    {"name": 5, "inputSchema": {}},
    {"name": "", "inputSchema": {}},
    {"name": ["a"], "description": {"b": 1}, "inputSchema": {"type": "object"}},
    {"name": "odd", "title": 7, "description": [], "annotations": "none", "icons": 3, "_meta": "x", "inputSchema": {}},
    {"name": "odder", "annotations": {"readOnlyHint": "yes"}, "execution": 5, "outputSchema": 5, "inputSchema": {}},
    {"name": "good", "inputSchema": {"type": "object"}, "description": "the name a second time"},
    {},
    [],
    None,
    "a text",
    5,
    {**TOOL, "name": "last", "outputSchema": {"type": "object", "required": ["n"]}},
]
RESULTS = {
    "good": {"content": "a text", "structuredContent": [], "isError": "yes"},
    "odd": {"content": [None, 5, "x", [], {}, {"type": 7}, {"type": "unheard-of"}, {"type": "text"}]},
    "odder": {
        "content": [
            {"type": "text", "text": 5},
            {"type": "image", "data": "?!", "mimeType": []},
            {"type": "image"},
            {"type": "audio", "data": 5},
            {"type": "resource", "resource": "x"},
            {"type": "resource_link", "uri": None},
        ],
        "structuredContent": {"n": 1},
    },
    "last": {"content": {}, "structuredContent": {"n": 1}, "_meta": []},
}
HELLO = {
    "protocolVersion": "2025-06-18",
    "serverInfo": {"name": 5, "version": None, "title": []},
    "capabilities": {"tools": 5, "resources": "yes", "prompts": [], "logging": None, "experimental": 1},
    "instructions": {"not": "a text"},
}

if __name__ == "__main__":
    serve(
        {
            "initialize": HELLO,
            "tools/list": {"tools": TOOLS, "nextCursor": 5},
            "tools/call": lambda request: RESULTS.get(request["params"]["name"], 5),
            "resources/list": {"resources": {"a": "mapping"}},
            "resources/templates/list": [],
            "prompts/list": {"prompts": [5, {"name": "p", "arguments": "x"}, {"name": "q", "arguments": [5, {}]}]},
            "prompts/get": {"messages": [5, {"role": 5, "content": "x"}, {"content": [5]}]},
            "resources/read": {"contents": [5, {"uri": 5, "text": 5}, {"blob": "?!"}]},
        }
    )
