"""The last page names itself as the next one."""
# expects: pagination-incomplete
# exit: 1

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
SCHEMA = {"type": "object"}
serve({"tools/list": {"tools": [TOOL | {"inputSchema": SCHEMA}], "nextCursor": "page-2"}})
