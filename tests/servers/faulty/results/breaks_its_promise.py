"""It promises a number, and returns a text: hosts that validate refuse the result."""
# expects: structured-content-invalid
# exit: 1
# options: --call forecast={}

from typing import Any

from tests.servers.speaking import serve

TOOL: dict[str, Any] = {"name": "forecast", "description": "Tells the weather.", "inputSchema": {"type": "object"}}
OUTPUT = {"type": "object", "properties": {"degrees": {"type": "number"}}, "required": ["degrees"]}
TEXT = {"type": "text", "text": '{"degrees": "warm"}'}
RESULT = {"content": [TEXT], "structuredContent": {"degrees": "warm"}}
serve({"tools/list": {"tools": [TOOL | {"outputSchema": OUTPUT}]}, "tools/call": RESULT})
