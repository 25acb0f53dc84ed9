"""nullable is a word of OpenAPI, not of JSON Schema: in today’s dialect it means nothing, and null is refused."""
# expects: keyword-not-in-dialect
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
DAYS = {"type": "integer", "nullable": True}
SCHEMA = {"type": "object", "properties": {"days": DAYS}}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA}]}})
