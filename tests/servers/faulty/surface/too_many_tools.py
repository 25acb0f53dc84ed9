"""Every path of an API became a tool: 150 of them, more than most hosts offer to a model."""
# expects: too-many-tools
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
serve({"tools/list": {"tools": [TOOL | {"name": f"path_{n}", "inputSchema": SCHEMA} for n in range(150)]}})
