#!/usr/bin/env bash
# litemcp 0.9.0 refuses an argument of the wrong type as -32600, "invalid request": the code for a message that is no
# JSON-RPC request. The refusal names the tool, not the argument. A caller cannot tell a wrong argument from a broken client.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund litemcp@0.9.0 zod@3
cat > server.mjs <<'JS'
import { LiteMCP } from 'litemcp'
import { z } from 'zod'

const server = new LiteMCP('s', '1.0.0')
server.addTool({ name: 'add', description: 'Add', parameters: z.object({ amount: z.number() }), execute: async () => 1 })
server.start()
JS
echo 'litemcp 0.9.0'
echo 'expected: a result with isError, or -32602, with the name of the argument'
python3 - <<'PY'
import json
import subprocess
import sys

PARAMS = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
CALL = {"name": "add", "arguments": {"amount": "x"}}
devnull = subprocess.DEVNULL
with subprocess.Popen(["node", "server.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=devnull) as server:

    def send(message):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        server.stdin.flush()

    send({"id": 1, "method": "initialize", "params": PARAMS})
    server.stdout.readline()
    send({"method": "notifications/initialized"})
    send({"id": 2, "method": "tools/call", "params": CALL})
    error = json.loads(server.stdout.readline())["error"]
    server.stdin.close()
print(f"seen: {error['code']} {error['message']!r}")
sys.exit(not (error["code"] == -32600 and "amount" not in json.dumps(error)))
PY
