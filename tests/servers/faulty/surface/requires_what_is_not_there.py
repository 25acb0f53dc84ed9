"""A property was renamed, the list of required ones was not: strict validators refuse every call."""
# expects: contradictory-schema
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["town"]}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA}]}})
