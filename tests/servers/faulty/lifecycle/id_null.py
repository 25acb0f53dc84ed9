"""Responses have "id": null, so they can't be matched to requests."""
# expects: response-id-mismatch
# exit: 7
# options: --timeout 2.5

import json
import sys

from tests.servers.speaking import HELLO, say

for line in sys.stdin:
    if "id" in json.loads(line):
        say({"jsonrpc": "2.0", "id": None, "result": HELLO})
