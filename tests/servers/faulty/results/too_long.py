"""It returns the weather of a hundred years: the host cuts it off, or refuses it."""
# expects: result-too-long
# exit: 0
# options: --call forecast={}

from typing import Any

from tests.servers.speaking import serve

TOOL: dict[str, Any] = {"name": "forecast", "description": "Tells the weather.", "inputSchema": {"type": "object"}}
TEXT = {"type": "text", "text": "It was 17.4 degrees, with wind from the west. " * 10_000}
serve({"tools/list": {"tools": [TOOL]}, "tools/call": {"content": [TEXT]}})
