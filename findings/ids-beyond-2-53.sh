#!/usr/bin/env bash
# An integer id is an id of any size in JSON-RPC. With 9007199254740993 (2^53 + 1), a Go server (mcp-time 0.4.0, built with
# mcp-go) answers a ping with another id, one of the TypeScript SDK (litemcp 0.9.0) does not answer at all, and the Python SDK
# answers with the id it got. A client that counts from a time in nanoseconds waits for ever at the first two.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund mcp-time-linux-x64@0.4.0 litemcp@0.9.0 zod@3
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check mcp==2.3.0 2>/dev/null
cat > server.mjs <<'JS'
import { LiteMCP } from 'litemcp'

new LiteMCP('s', '1.0.0').start()
JS
cat > server.py <<'PY'
from mcp.server.mcpserver import MCPServer

MCPServer("s").run()
PY
echo 'mcp-time 0.4.0, litemcp 0.9.0, mcp 2.3.0'
echo 'expected: 9007199254740993 from each'
python3 - <<'PY'
import json
import subprocess
import sys

GO = "node_modules/mcp-time-linux-x64/bin/mcp-time"
SERVERS = {"mcp-time": [GO], "litemcp": ["node", "server.mjs"], "mcp": ["venv/bin/python", "server.py"]}
PARAMS = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}


def answered(argv):
    """Return the ids of the answers to a ping with the large id and to a second, small one after it."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet) as server:

        def send(message):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            server.stdin.flush()

        send({"id": 1, "method": "initialize", "params": PARAMS})
        server.stdout.readline()
        send({"method": "notifications/initialized"})
        send({"id": 9007199254740993, "method": "ping"})
        send({"id": 2, "method": "ping"})
        ids = []
        while 2 not in ids:
            ids.append(json.loads(server.stdout.readline())["id"])
        server.stdin.close()
        return ids[:-1]


seen = {name: answered(argv) for name, argv in SERVERS.items()}
for name, ids in seen.items():
    print(f"seen: {name}: {ids[0] if ids else 'no answer'}")
sys.exit(seen != {"mcp-time": [9007199254740992], "litemcp": [], "mcp": [9007199254740993]})
PY
