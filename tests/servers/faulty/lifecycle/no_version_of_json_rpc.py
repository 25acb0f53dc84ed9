"""Written by hand after an article that left out "jsonrpc": tolerant clients work, the strict ones see nothing."""
# expects: jsonrpc-member-invalid

import json
import sys

from tests.servers.speaking import HELLO, TOOL, say

for line in sys.stdin:
    message = json.loads(line)
    result = {"initialize": HELLO, "tools/list": {"tools": [TOOL]}}.get(message["method"])
    if "id" in message and result:
        say({"id": message["id"], "result": result})
    elif "id" in message:
        say({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})
