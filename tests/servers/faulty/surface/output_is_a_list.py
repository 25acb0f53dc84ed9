"""It declares that it returns a list: an output schema of type array makes the TypeScript SDK refuse all tools."""
# expects: output-schema-not-object
# exit: 1

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
OUTPUT = {"type": "array", "items": {"type": "string"}}
SCHEMA = {"type": "object"}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA, "outputSchema": OUTPUT}]}})
