"""The tool is called as a person would: hosts and models take letters, digits, and a few signs."""
# expects: tool-name-not-portable
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
SCHEMA = {"type": "object"}
serve({"tools/list": {"tools": [TOOL | {"name": "get the forecast!", "inputSchema": SCHEMA}]}})
