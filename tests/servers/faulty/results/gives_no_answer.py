"""The call hangs: the service behind it does not answer, and the server has no time limit of its own."""
# expects: call-timed-out
# exit: 7
# options: --call forecast={} --timeout 2.5

from typing import Any

from tests.servers.speaking import serve

TOOL: dict[str, Any] = {"name": "forecast", "description": "Tells the weather.", "inputSchema": {"type": "object"}}
serve({"tools/list": {"tools": [TOOL]}, "tools/call": lambda request: None})
