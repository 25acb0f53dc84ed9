"""The result carries the key that the server itself got."""
# expects: secret-in-result
# exit: 0
# options: --call forecast={}

from typing import Any

from tests.servers.speaking import serve

TOOL: dict[str, Any] = {"name": "forecast", "description": "Tells the weather.", "inputSchema": {"type": "object"}}
KEY = "ghp_" + "a1B2c3D4e5F6" * 3
TEXT = {"type": "text", "text": f"Sun. (asked with {KEY})"}
serve({"tools/list": {"tools": [TOOL]}, "tools/call": {"content": [TEXT]}})
