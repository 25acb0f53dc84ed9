"""Ids are made into text on the way: the server answers everything, and every request times out."""
# expects: id-type-changed
# exit: 7
# options: --timeout 2.5

import json
import sys

from tests.servers.speaking import HELLO, say

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        say({"jsonrpc": "2.0", "id": str(message["id"]), "result": HELLO})
