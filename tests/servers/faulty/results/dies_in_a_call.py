"""A call raises an exception that is not caught, which ends the server."""
# expects: exit-during-session
# exit: 4
# options: --call forecast={}

from typing import Any

from tests.servers.speaking import serve

TOOL: dict[str, Any] = {"name": "forecast", "description": "Tells the weather.", "inputSchema": {"type": "object"}}


def call(request: dict[str, Any]) -> Any:
    """Divide by the number of stations."""
    return {"content": [], "mean": 1 / len([])}


serve({"tools/list": {"tools": [TOOL]}, "tools/call": call})
