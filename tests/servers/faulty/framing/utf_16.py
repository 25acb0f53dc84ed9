"""A PowerShell script passes the server's output on, and makes UTF-16 of it."""
# expects: byte-order-mark
# exit: 7
# options: --timeout 2.5

import json
import sys

from tests.servers.speaking import HELLO

sys.stdout.buffer.write(b"\xff\xfe")
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": HELLO}) + "\n"
        sys.stdout.buffer.write(text.encode("utf-16-le"))
        sys.stdout.buffer.flush()
