"""Every answer has both members, one of them null, as the server's language likes its objects whole."""
# expects: result-and-error

import json
import sys

from tests.servers.speaking import HELLO, TOOL, say

for line in sys.stdin:
    message = json.loads(line)
    result = {"initialize": HELLO, "tools/list": {"tools": [TOOL]}}.get(message["method"])
    error = None if result else {"code": -32601, "message": "no such method"}
    if "id" in message:
        say({"jsonrpc": "2.0", "id": message["id"], "result": result, "error": error})
