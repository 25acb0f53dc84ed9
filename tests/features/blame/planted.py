"""Servers that fail for one reason that lies in what the client sends: `python planted.py REASON`."""

import json
import os
import sys
import time

REASON = sys.argv[1]
TOOLS = [{"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}} for name in "ab"]
INFO = {"capabilities": {"tools": {}}, "serverInfo": {"name": "planted", "version": "1"}}
seen: list[dict[str, object]] = []
opening: dict[str, object] = {}


def member(*path: str) -> object:
    """A member of the params of `initialize`."""
    value: object = opening.get("params")
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def runs(path: str) -> int:
    """Count the runs of this server in a file."""
    with open(path, "a+b") as file:
        file.write(b".")
        return file.tell()


def opening_fails() -> bool:
    """Whether this server fails for what `initialize` holds, or its surroundings."""
    match REASON:
        case "roots":
            return member("capabilities", "roots") is None
        case "list-changed":
            return member("capabilities", "roots", "listChanged") is not True
        case "sampling":
            return member("capabilities", "sampling") is not None
        case "version":
            return member("protocolVersion") != "2025-06-18"
        case "client-name":
            return member("clientInfo", "name") == "fails"
        case "client-title":
            return member("clientInfo", "title") is not None
        case _:
            return False


def fails(message: dict[str, object], raw: bytes, pause: float) -> bool:
    """Whether this server fails at a request for its tools."""
    match REASON:
        case "params":
            return "params" not in message
        case "meta":
            return "_meta" in json.dumps(message)
        case "text-ids":
            return isinstance(message["id"], str)
        case "id-zero":
            return opening.get("id") == 0
        case "initialized":
            return not any(each.get("method") == "notifications/initialized" for each in seen)
        case "ping-first":
            return any(each.get("method") == "ping" for each in seen)
        case "crlf":
            return raw.endswith(b"\r\n")
        case "spaces":
            return b'": ' in raw
        case "escapes":
            return b"\\u" in raw
        case "order":
            return next(iter(message)) != "jsonrpc"
        case "variable":
            return "PLANTED_TOKEN" not in os.environ
        case "directory":
            return os.path.basename(os.getcwd()) == "fails"
        case "two":
            return member("capabilities", "roots") is None or isinstance(message["id"], str)
        case "two-members":
            return member("clientInfo", "title") is not None or "params" not in message
        case "pause":
            return pause < 0.3
        case "never":
            return True
        case str() if REASON.startswith("third:"):
            return runs(REASON.removeprefix("third:")) % 3 == 0
        case _:
            return opening_fails()


last = time.monotonic()
for raw in sys.stdin.buffer:
    pause, last = time.monotonic() - last, time.monotonic()
    message = json.loads(raw)
    seen.append(message)
    method = message.get("method")
    if method == "initialize":
        opening = message
    if "id" not in message or method is None:
        continue
    answer: dict[str, object] = {"jsonrpc": "2.0", "id": message["id"]}
    if method == "initialize":
        answer["result"] = INFO | {"protocolVersion": message["params"]["protocolVersion"]}
    elif method == "tools/list" and not fails(message, raw, pause):
        answer["result"] = {"tools": TOOLS}
    elif method == "ping":
        answer["result"] = {}
    else:
        answer["error"] = {"code": -32000, "message": "Internal error"}
    print(json.dumps(answer), flush=True)
