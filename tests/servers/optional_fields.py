"""A server with one tool, whose three optional arguments have the schemas that pydantic writes for them."""

import json
import sys
from typing import Any

_TYPES = {"n": "integer", "s": "string", "flag": "boolean"}
PICK = {
    "name": "pick",
    "description": "Return the arguments.",
    "inputSchema": {
        "type": "object",
        "properties": {
            name: {"anyOf": [{"type": kind}, {"type": "null"}], "default": None} for name, kind in _TYPES.items()
        },
    },
}


def respond(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a request."""
    match method:
        case "initialize":
            info = {"name": "optional-fields", "version": "1.0.0"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": [PICK]}
        case "tools/call":
            return {"content": [{"type": "text", "text": json.dumps(params.get("arguments"))}]}
        case _:
            return {}


def main() -> None:
    """Respond to each request on standard input."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = respond(message.get("method", ""), message.get("params", {}))
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
