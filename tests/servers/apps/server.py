"""A server with MCP Apps, over stdio: `server.py [APP.html …]`; the official SDK is inserted from `.test-servers`.

The tool `count` has the app `sdk_app.html`. Each file given becomes another tool of the file's name, with that app.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.servers.apps.document import SDK_APP, document

TYPE = "text/html;profile=mcp-app"

APPS = {path.stem: path for path in [SDK_APP, *map(Path, sys.argv[1:])]}
count = 0


def tool(name: str, uri: str | None = None, **more: Any) -> dict[str, Any]:
    meta = {"_meta": {"ui": {"resourceUri": uri, **more.pop("ui", {})}}} if uri else {}
    return {"name": name, "description": name, "inputSchema": {"type": "object"}, **meta, **more}


TOOLS = [
    tool("count", "ui://apps/sdk_app"),
    tool("for_model", ui=None) | {"_meta": {"ui": {"visibility": ["model"]}}},
    tool("for_app") | {"_meta": {"ui": {"visibility": ["app"]}}},
    tool("erase", annotations={"destructiveHint": True}),
    *(tool(name, f"ui://apps/{name}") for name in APPS if name != "sdk_app"),
]


def answer(method: str, params: Any) -> dict[str, Any]:
    global count
    match method:
        case "initialize":
            capabilities: dict[str, Any] = {
                "tools": {},
                "resources": {},
                "extensions": {"io.modelcontextprotocol/ui": {}},
            }
            info = {"name": "apps", "version": "1"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": capabilities, "serverInfo": info}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            if params["name"] == "count":
                count += params.get("arguments", {}).get("by", 1)
            text = f"{params['name']} {count}"
            return {"content": [{"type": "text", "text": text}], "structuredContent": {"count": count}}
        case "resources/list":
            return {"resources": []}
        case "resources/read":
            uri = params["uri"]
            if uri == "note://one":
                return {"contents": [{"uri": uri, "text": "a note"}]}
            path = APPS[uri.rpartition("/")[2]]
            content: dict[str, Any] = {"uri": uri, "mimeType": TYPE, "text": document(path)}
            meta = path.with_suffix(".json")
            if meta.exists():
                content["_meta"] = {"ui": json.loads(meta.read_text())}
            return {"contents": [content]}
    raise KeyError(method)


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    try:
        said = {"result": answer(message["method"], message.get("params", {}))}
    except KeyError as error:
        said = {"error": {"code": -32601, "message": f"no {error}"}}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}) + "\n")
    sys.stdout.flush()
