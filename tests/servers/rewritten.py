"""Offers what a JSON file says at its start, so that a test edits a file as a person edits a server.

The file: `tools` (as listed), `results` (the name of a tool, its result). `MARKS` beside it has a line for each start
and end. While it runs it holds `LOCK`: a second one beside it can't start. A file that is not JSON ends it at once.
"""

import json
import os
import sys
from pathlib import Path

place = Path(sys.argv[1])
offer = json.loads(place.read_text())
lock, marks = place.with_name("LOCK"), place.with_name("MARKS")
os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
with marks.open("a") as file:
    print("start", os.getpid(), file=file)
try:
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params", {})
        if "id" not in message:
            continue
        reply: dict[str, object] = {}
        match method:
            case "initialize":
                told = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
                reply["result"] = told | {"serverInfo": {"name": "rewritten", "version": "1"}}
            case "tools/list":
                reply["result"] = {"tools": offer["tools"]}
            case "tools/call":
                with marks.open("a") as file:
                    print("call", params["name"], file=file)
                said = offer["results"].get(params["name"], "nothing")
                if said == "exit":
                    sys.exit(3)
                reply["result"] = {"content": [{"type": "text", "text": said}]}
            case _:
                reply["error"] = {"code": -32601, "message": "Method not found"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
finally:
    lock.unlink()
    with marks.open("a") as file:
        print("end", os.getpid(), file=file)
