"""A server that asks which tools to show before it lists them."""

import json
import sys
from typing import Any


def send(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)


ASKED = {"message": "Which tools?", "requestedSchema": {"type": "object", "properties": {"which": {"type": "string"}}}}
HELLO = {"serverInfo": {"name": "asks_first", "version": "1"}, "capabilities": {"tools": {}}}
listing: list[Any] = []
for line in sys.stdin:
    message = json.loads(line)
    method, id_ = message.get("method"), message.get("id")
    if method == "initialize":
        send({"id": id_, "result": HELLO | {"protocolVersion": message["params"]["protocolVersion"]}})
    elif method == "tools/list":
        listing.append(id_)
        send({"id": f"which-{len(listing)}", "method": "elicitation/create", "params": ASKED})
    elif method is None and listing:
        name = message["result"]["content"]["which"]
        send({"id": listing.pop(0), "result": {"tools": [{"name": name, "inputSchema": {"type": "object"}}]}})
    elif id_ is not None:
        send({"id": id_, "error": {"code": -32601, "message": "no such method"}})
