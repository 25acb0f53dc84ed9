"""“array type must have items”: one editor refuses the tool."""
# expects: array-without-items
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
SCHEMA = {"type": "object", "properties": {"cities": {"type": "array"}}}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA}]}})
