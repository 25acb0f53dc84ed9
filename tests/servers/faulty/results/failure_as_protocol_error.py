"""An exception in the tool becomes a protocol error: the model never sees what went wrong."""
# expects: tool-failure-as-protocol-error
# exit: 5
# options: --call forecast={}

from typing import Any

from tests.servers.speaking import say, serve

TOOL: dict[str, Any] = {"name": "forecast", "description": "Tells the weather.", "inputSchema": {"type": "object"}}

SAID = "Traceback (most recent call last):\n  File \"weather.py\", line 7\nKeyError: 'city'"


def call(request: dict[str, Any]) -> None:
    """Fail."""
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": SAID}})


serve({"tools/list": {"tools": [TOOL]}, "tools/call": call})
