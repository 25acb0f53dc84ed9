#!/usr/bin/env bash
# The specification names an unknown tool as an example of a protocol error, -32602. mcp 2.3.0 and fastmcp 4.2.3 answer
# with a result that has `isError`, as for a tool that has failed. So a client cannot tell a tool that is gone from one
# that went wrong, and a check that demands an error accuses every server of the official Python SDK.
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
Server("s").run()
PY
echo 'mcp 2.3.0, fastmcp 4.2.3'
echo 'expected: an error with the code -32602'
python3 - <<'PY'
import json
import subprocess
import sys

PARAMS = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}


def answer(package):
    argv, quiet = ["venv/bin/python", "server.py", package], subprocess.DEVNULL
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet) as server:

        def send(message):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            server.stdin.flush()

        send({"id": 1, "method": "initialize", "params": PARAMS})
        server.stdout.readline()
        send({"method": "notifications/initialized"})
        send({"id": 2, "method": "tools/call", "params": {"name": "gone", "arguments": {}}})
        response = json.loads(server.stdout.readline())
        server.stdin.close()
    return response


seen = {package: answer(package) for package in ("mcp", "fastmcp")}
for package, response in seen.items():
    print(f"seen: {package}: {json.dumps(response.get('result') or response['error'])}")
sys.exit(not all(response.get("result", {}).get("isError") for response in seen.values()))
PY
