"""The annotations say that it only reads, and that it destroys."""
# expects: annotations-invalid
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
SCHEMA = {"type": "object"}
HINTS = {"readOnlyHint": True, "destructiveHint": True}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA, "annotations": HINTS}]}})
