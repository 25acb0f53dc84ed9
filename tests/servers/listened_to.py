"""Speaks the stateless era and treats a subscription as its argument says.

"nothing" is granted, or it "refuses", "ends" it, "leaves", "cuts" the first one, or "grants" all.
"""

import json
import sys
from typing import Any

HOW = sys.argv[1]
ID = "io.modelcontextprotocol/subscriptionId"
META = "io.modelcontextprotocol/protocolVersion"

cut: list[int] = []


def say(message: dict[str, Any]) -> None:
    """Write a line."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def discovered(request: dict[str, Any]) -> dict[str, Any]:
    """The revision that was asked for is the one that is spoken."""
    able = {"tools": {"listChanged": True}, "resources": {"subscribe": True}}
    return {
        "resultType": "complete",
        "supportedVersions": [request["params"]["_meta"][META]],
        "capabilities": able,
        "ttlMs": 0,
        "cacheScope": "private",
    }


def listen(request: dict[str, Any]) -> None:
    """What the argument says."""
    mark = {ID: request["id"]}
    if HOW == "refuses":
        say({"id": request["id"], "error": {"code": -32603, "message": "full"}})
        return
    granted = {} if HOW == "nothing" else request["params"]["notifications"]
    acknowledged = {"notifications": granted, "_meta": mark}
    say({"method": "notifications/subscriptions/acknowledged", "params": acknowledged})
    if HOW in ("ends", "leaves"):
        say({"method": "notifications/tools/list_changed", "params": {"_meta": mark}})
    if HOW == "cuts" and not cut:
        cut.append(request["id"])
        say({"method": "notifications/cancelled", "params": {"requestId": request["id"]}})
    if HOW == "leaves":
        sys.exit(0)
    if HOW == "ends":
        say({"id": request["id"], "result": {"resultType": "complete", "_meta": mark}})


for line in sys.stdin:
    asked = json.loads(line)
    match asked["method"]:
        case "server/discover":
            say({"id": asked["id"], "result": discovered(asked)})
        case "tools/list":
            say({"id": asked["id"], "result": {"resultType": "complete", "tools": [], "ttlMs": 0}})
        case "subscriptions/listen":
            listen(asked)
        case _ if "id" in asked:
            say({"id": asked["id"], "error": {"code": -32601, "message": "no such method"}})
