"""A server whose tools each send a server request first, and then return its response."""

import json
import sys
from pathlib import Path
from typing import Any

ASKS: dict[str, tuple[str, dict[str, Any]]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


def send(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)


def main() -> None:
    calls: dict[str, Any] = {}
    for line in sys.stdin:
        message = json.loads(line)
        method, id_ = message.get("method"), message.get("id")
        if method == "initialize":
            version = message["params"]["protocolVersion"]
            about = {"serverInfo": {"name": "asker", "version": "1"}, "capabilities": {"tools": {}}}
            send({"id": id_, "result": {"protocolVersion": version} | about})
        elif method == "tools/list":
            send({"id": id_, "result": {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in ASKS]}})
        elif method == "tools/call":
            asked, params = ASKS[message["params"]["name"]]
            calls[f"q{id_}"] = id_
            send({"id": f"q{id_}", "method": asked, "params": params})
        elif method == "notifications/cancelled":
            asking = f"q{message['params']['requestId']}"
            send({"method": "notifications/cancelled", "params": {"requestId": asking, "reason": "no more"}})
        elif method is None and id_ in calls:
            told = json.dumps(message.get("result", message.get("error")))
            send({"id": calls.pop(id_), "result": {"content": [{"type": "text", "text": told}]}})
        elif method is not None and id_ is not None:
            send({"id": id_, "error": {"code": -32601, "message": "no such method"}})


main()
