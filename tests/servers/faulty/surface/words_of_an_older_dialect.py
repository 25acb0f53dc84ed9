"""exclusiveMinimum: true is of draft 4: in today’s dialect the schema means nothing of the kind."""
# expects: S-05
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
DAYS = {"type": "integer", "minimum": 0, "exclusiveMinimum": True}
SCHEMA = {"type": "object", "properties": {"days": DAYS}}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA}]}})
