"""The whole manual is in the description: hosts cut it after 4,096 characters, and the model reads the rest never."""
# expects: text-too-long
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
SCHEMA = {"type": "object"}
serve({"tools/list": {"tools": [TOOL | {"description": "Tells the weather. " * 300, "inputSchema": SCHEMA}]}})
