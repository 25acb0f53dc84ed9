"""The schema is a choice of two at its root: the model’s API answers 400 to every request with this tool."""
# expects: schema-root-combinator
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
BRANCHES = [{"required": ["city"]}, {"required": ["zip"]}]
PROPERTIES = {"city": {"type": "string"}, "zip": {"type": "string"}}
SCHEMA = {"type": "object", "properties": PROPERTIES, "anyOf": BRANCHES}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA}]}})
