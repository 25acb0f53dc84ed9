"""A part of the schema is referred to by URL; clients must not fetch it, and see nothing."""
# expects: unresolved-reference
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
SCHEMA = {"type": "object", "properties": {"city": {"$ref": "https://schemas.acme.example/city.json"}}}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA}]}})
