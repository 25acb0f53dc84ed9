#!/usr/bin/env bash
# One server, two descriptions of itself. mcp 2.3.0 announces list changes in `server/discover` and denies them in
# `initialize`; fastmcp 4.2.3, which is built on it, does the opposite. Whether a client may wait for
# `notifications/tools/list_changed` depends on how it opened the session, not on the server's code.
# Also: without a version of its own, a server of mcp 2.3.0 calls itself version "", one of fastmcp has fastmcp's version.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check mcp==2.3.0 fastmcp==4.2.3 2>/dev/null
cat > server.py <<'PY'
import sys

if sys.argv[1] == "mcp":
    from mcp.server.mcpserver import MCPServer as Server
else:
    from fastmcp import FastMCP as Server
server = Server("s")


@server.tool()
def add(a: int) -> int:
    return a


server.run()
PY
cat > ask.py <<'PY'
import json
import subprocess
import sys

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
OPENING = {
    "server/discover": {"_meta": META},
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
}


def opened(package, method):
    argv = ["venv/bin/python", "server.py", package]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": OPENING[method]}
        server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.flush()
        result = json.loads(server.stdout.readline())["result"]
        server.stdin.close()
    info = result.get("serverInfo") or result["_meta"]["io.modelcontextprotocol/serverInfo"]
    return result["capabilities"]["tools"]["listChanged"], info["version"]


seen = {(package, method): opened(package, method) for package in ("mcp", "fastmcp") for method in OPENING}
print("expected: tools.listChanged is the same in both answers, and a version is not empty")
for (package, method), (changes, version) in seen.items():
    print(f"seen: {package} {method}: tools.listChanged {changes}, version {version!r}")
sys.exit(list(seen.values()) != [(True, ""), (False, ""), (False, "4.2.3"), (True, "4.2.3")])
PY
echo 'mcp 2.3.0, fastmcp 4.2.3'
venv/bin/python ask.py
