"""zod-to-json-schema labels its work draft-07: clients that know 2020-12 alone refuse every call."""
# expects: schema-dialect
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
PROPERTIES = {"city": {"type": "string"}}
SCHEMA = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": PROPERTIES}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA}]}})
