"""Answers every request with its params, until the end of stdin."""

import json
import sys

for line in sys.stdin.buffer:
    message = json.loads(line)
    if "id" in message and "method" in message:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": message.get("params", {})}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()
