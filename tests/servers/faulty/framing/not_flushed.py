"""print() without flush: fine in a terminal, where lines go out at once; through a pipe all waits for 8192 bytes."""
# expects: stdout-buffered
# exit: 7
# options: --timeout 2.5

import json
import sys

from tests.servers.speaking import HELLO

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": HELLO}))
