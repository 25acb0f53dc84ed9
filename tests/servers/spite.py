"""What the spiteful servers share: two eras, and texts that act. Each of them has its own table of answers.

Run them with `python -m tests.servers.NAME ERA [HOW…]`, where ERA is "legacy" or "modern".
"""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tests.servers.hostile import H
from tests.servers.speaking import say

ERA = sys.argv[1] if len(sys.argv) > 1 else "legacy"
HOW = sys.argv[2] if len(sys.argv) > 2 else ""
MODERN = ERA == "modern"
META = "io.modelcontextprotocol/protocolVersion"
Handler = Callable[[dict[str, Any]], Any]


def notify(method: str, params: Any) -> None:
    """Send a notification."""
    say({"jsonrpc": "2.0", "method": method, "params": params})


def opened(capabilities: dict[str, Any]) -> dict[str, Handler]:
    """The table's entry for how the era opens."""

    def initialize(request: dict[str, Any]) -> Any:
        about = {"name": H, "title": H, "version": H}
        version = request["params"]["protocolVersion"]
        return {"protocolVersion": version, "serverInfo": about, "capabilities": capabilities, "instructions": H}

    def discover(request: dict[str, Any]) -> Any:
        versions = [request["params"]["_meta"][META]]
        about = {"io.modelcontextprotocol/serverInfo": {"name": H, "version": H}}
        return {"supportedVersions": versions, "capabilities": capabilities, "ttlMs": 0, "_meta": about}

    return {"server/discover": discover} if MODERN else {"initialize": initialize}


def serve(table: Mapping[str, Handler], other: Handler = lambda message: None) -> None:
    """Answer until stdin ends; `other` is told of everything that is no request of the client's."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        method = message.get("method")
        if "id" not in message or method is None:
            other(message)
        elif method not in table:
            say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": f"no {method}"}})
        elif (result := table[method](message)) is not None:
            kind = {"resultType": "complete"} if MODERN and isinstance(result, dict) else {}
            say({"jsonrpc": "2.0", "id": message["id"], "result": kind | result if kind else result})


def tools(names: Mapping[str, Any], **more: Any) -> Handler:
    """A list of tools without arguments."""
    listed = [{"name": name, "inputSchema": {"type": "object"}, **more} for name in names]
    return lambda request: {"tools": listed}
