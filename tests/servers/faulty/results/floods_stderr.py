"""It logs every byte that it handles: megabytes a second on stderr."""
# expects: stderr-flood
# exit: 0
# options: --call forecast={}

import sys
from typing import Any

from tests.servers.speaking import serve

TOOL: dict[str, Any] = {"name": "forecast", "description": "Tells the weather.", "inputSchema": {"type": "object"}}


def call(request: dict[str, Any]) -> Any:
    """Work, and tell about it."""
    for _ in range(64):
        sys.stderr.write("debug: " + "x" * 65536 + "\n")
    return {"content": [{"type": "text", "text": "Sun."}]}


serve({"tools/list": {"tools": [TOOL]}, "tools/call": call})
