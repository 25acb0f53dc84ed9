"""A server that exits at any first message but `initialize` and `ping`, as servers on rmcp up to 1.5 do.

`starts=FILE` gets a line for each start. `answer` answers the first message with an error before it exits; `dies`
exits at `initialize`, too. `closes` closes stdout instead and runs until its stdin ends. `code=N` is what it exits
with (1).
"""

import json
import os
import sys
from typing import Any

words = sys.argv[1:]
given = dict(word.split("=", 1) for word in words if "=" in word)
if "starts" in given:
    with open(given["starts"], "a") as kept:
        kept.write(f"{os.getpid()}\n")


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def leave(method: str) -> None:
    if "closes" in words:
        os.close(1)
        sys.stdin.buffer.read()
    sys.stderr.write(f"Error: expect initialized request, but received: {method}\n")
    sys.stderr.flush()
    os._exit(int(given.get("code", 1)))


initialized = False
for line in sys.stdin:
    message = json.loads(line)
    method, id_ = message["method"], message.get("id")
    if method == "initialize" and "dies" in words:
        leave("initialize: the database is gone")
    if not initialized and method not in ("initialize", "ping"):
        if "answer" in words:
            send({"id": id_, "error": {"code": -32601, "message": "Method not found"}})
        leave(method)
    initialized = True
    if id_ is None:
        continue
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        info = {"name": "strict", "version": "1"}
        send({"id": id_, "result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}})
    elif method == "tools/list":
        send({"id": id_, "result": {"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}})
    elif method == "tools/call":
        send({"id": id_, "result": {"content": [{"type": "text", "text": "3"}]}})
    else:
        send({"id": id_, "error": {"code": -32601, "message": "Method not found"}})
