"""A definition refers to itself: resolving it without a limit never ends."""
# expects: schema-expansion-limit
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
DEFS = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}
SCHEMA = {"type": "object", "properties": {"city": {"$ref": "#/$defs/a"}}, "$defs": DEFS}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA}]}})
