"""Two modules register a tool of the same name; one of them is never called."""
# expects: duplicate-tool-name
# exit: 1

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
SCHEMA = {"type": "object"}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA}] * 2}})
