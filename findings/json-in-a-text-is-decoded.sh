#!/usr/bin/env bash
# A parameter `text: str | None` has a schema that allows every string. mcp 1.30.0 and 2.3.0 decode an argument that is
# a string as JSON before they validate it, unless the parameter is declared as `str` alone: "[1]" is refused as a list,
# and "null" arrives as None. Numbers stay text.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv 1.30.0
1.30.0/bin/pip install -q --disable-pip-version-check mcp==1.30.0 2>/dev/null
python3 -m venv 2.3.0
2.3.0/bin/pip install -q --disable-pip-version-check mcp==2.3.0 2>/dev/null
cat > server.py <<'PY'
try:
    from mcp.server.mcpserver import MCPServer as Server
except ImportError:
    from mcp.server.fastmcp import FastMCP as Server
server = Server("s")


@server.tool()
def optional(text: str | None = None) -> str:
    return repr(text)


@server.tool()
def plain(text: str) -> str:
    return repr(text)


server.run()
PY
echo 'mcp 1.30.0, mcp 2.3.0'
echo 'expected: each string arrives as it was sent'
python3 - <<'PY'
import json
import subprocess
import sys

PARAMS = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}


def seen(version):
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        [f"{version}/bin/python", "server.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet
    ) as server:

        def send(message):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            server.stdin.flush()

        def result(tool, text):
            send({"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": {"text": text}}})
            found = json.loads(server.stdout.readline())["result"]
            return "refused" if found.get("isError") else found["content"][0]["text"]

        send({"id": 1, "method": "initialize", "params": PARAMS})
        server.stdout.readline()
        send({"method": "notifications/initialized"})
        found = {(tool, text): result(tool, text) for tool in ("plain", "optional") for text in ("[1]", "null", "12")}
        server.stdin.close()
    return found


changed = False
for version in ("1.30.0", "2.3.0"):
    found = seen(version)
    for (tool, text), arrived in found.items():
        print(f"seen: mcp {version}: {tool}: {json.dumps(text)} -> {arrived}")
    plain, optional = ([found[tool, text] for text in ("[1]", "null", "12")] for tool in ("plain", "optional"))
    changed |= plain != ["'[1]'", "'null'", "'12'"] or optional != ["refused", "None", "'12'"]
sys.exit(changed)
PY
