"""The template declared tools, resources and prompts; only tools were written."""
# expects: capability-not-implemented
# exit: 5

from tests.servers.speaking import HELLO, TOOL, serve

TOOLS = {"tools": [TOOL | {"description": "Says what it is given."}]}
serve({"initialize": HELLO | {"capabilities": {"tools": {}, "resources": {}}}, "tools/list": TOOLS})
