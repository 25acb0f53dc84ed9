#!/usr/bin/env bash
# @leanspec/mcp 0.3.0 (Rust, no SDK) answers the notification `notifications/initialized` with `{"jsonrpc":"2.0","result":null}`:
# a response without an id. A client that reads one line for each line it has sent is one response behind from then on.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true}' > package.json
npm install --silent --no-audit --no-fund @leanspec/mcp-linux-x64@0.3.0
echo '@leanspec/mcp-linux-x64 0.3.0'
echo 'expected: the line after the answer to initialize is the answer to tools/list'
python3 - <<'PY'
import json
import os
import subprocess
import sys

PARAMS = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
program = "node_modules/@leanspec/mcp-linux-x64/leanspec-mcp"
os.chmod(program, 0o755)
with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:

    def send(message):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        server.stdin.flush()

    send({"id": 1, "method": "initialize", "params": PARAMS})
    server.stdout.readline()
    send({"method": "notifications/initialized"})
    send({"id": 2, "method": "tools/list"})
    answer = json.loads(server.stdout.readline())
    server.stdin.close()
print(f"seen: {json.dumps(answer)[:80]}")
sys.exit(answer != {"jsonrpc": "2.0", "result": None})
PY
