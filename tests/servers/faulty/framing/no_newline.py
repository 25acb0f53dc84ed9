"""The messages are right, and complete, and end without a newline: the client waits for the rest."""
# expects: newline-missing
# exit: 7
# options: --timeout 2.5

import json
import sys

from tests.servers.speaking import HELLO

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": HELLO}))
        sys.stdout.flush()
