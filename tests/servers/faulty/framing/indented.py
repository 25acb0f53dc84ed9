"""json.dumps(…, indent=2) is easier for humans to read, but spreads a message over many lines."""
# expects: multiline-message
# exit: 7
# options: --timeout 2.5

import json
import sys

from tests.servers.speaking import HELLO

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": HELLO}, indent=2), flush=True)
