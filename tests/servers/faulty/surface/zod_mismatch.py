"""Two versions of zod: the SDK reads none of the schemas, and every tool seems to take no arguments."""
# expects: schema-library-mismatch
# exit: 0

from tests.servers.speaking import serve

TOOL = {"name": "forecast", "description": "Tells tomorrow's weather."}
EMPTY = {"type": "object", "properties": {}}
NAMES = ("forecast", "history", "alerts")
ABOUT = "Takes a city parameter and a number of days."
serve({"tools/list": {"tools": [{"name": name, "description": ABOUT, "inputSchema": EMPTY} for name in NAMES]}})
