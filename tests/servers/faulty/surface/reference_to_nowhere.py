"""The definitions were moved, the references were not."""
# expects: unresolved-reference
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
SCHEMA = {"type": "object", "properties": {"city": {"$ref": "#/$defs/City"}}}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA}]}})
