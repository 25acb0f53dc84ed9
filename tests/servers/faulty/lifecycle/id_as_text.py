"""Ids are made into text on the way: clients that compare them exactly wait for every response in vain."""
# expects: id-type-changed
# exit: 1

import json
import sys

from tests.servers.speaking import HELLO, say

RESULTS: dict[str, object] = {"tools/list": {"tools": []}, "ping": {}}

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        say({"jsonrpc": "2.0", "id": str(message["id"]), "result": RESULTS.get(message["method"], HELLO)})
