"""The tool fails and says so in a text, without isError: host and model take it for a result."""
# expects: tool-failure-unmarked
# exit: 0
# options: --call forecast={}

from typing import Any

from tests.servers.speaking import serve

TOOL: dict[str, Any] = {"name": "forecast", "description": "Tells the weather.", "inputSchema": {"type": "object"}}
TEXT = {"type": "text", "text": "Error: the weather service answered 500"}
serve({"tools/list": {"tools": [TOOL]}, "tools/call": {"content": [TEXT]}})
