"""It never takes note of notifications/initialized, and refuses every request as too early."""
# expects: rejected-as-uninitialized

import json
import sys

from tests.servers.speaking import HELLO, say

REFUSAL = {"code": -32602, "message": "Received request before initialization was complete"}
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        say({"jsonrpc": "2.0", "id": message["id"], "result": HELLO})
    elif "id" in message:
        say({"jsonrpc": "2.0", "id": message["id"], "error": REFUSAL})
