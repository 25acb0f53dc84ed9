"""One tool has a schema without "type": some hosts drop it, some drop all tools of the server."""
# expects: input-schema-not-object
# exit: 1

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
SCHEMA = {"properties": {"city": {"type": "string"}}}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA}]}})
