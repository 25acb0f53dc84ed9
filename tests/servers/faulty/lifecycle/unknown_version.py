"""It answers initialize with a version that never was, whatever it is offered."""
# expects: unknown-protocol-version
# exit: 1

from tests.servers.speaking import HELLO, TOOL, serve

TOOLS = {"tools": [TOOL | {"description": "Says what it is given."}]}
serve({"initialize": HELLO | {"protocolVersion": "1.0"}, "tools/list": TOOLS})
