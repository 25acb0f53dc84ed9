#!/usr/bin/env bash
# @modelcontextprotocol/sdk 1.32.2 checks what the handler of a tool returns, and answers a call whose handler has returned
# nothing with -32602, "invalid params": the code that blames the arguments of the caller, which are right. A model that
# reads it tries other arguments.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 zod@4
cat > server.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

const server = new McpServer({ name: 's', version: '1' })
server.registerTool('save', { description: 'Saves.' }, async () => {})
await server.connect(new StdioServerTransport())
JS
echo '@modelcontextprotocol/sdk 1.32.2'
echo 'expected: a result with isError, or -32603 (internal error)'
python3 - <<'PY'
import json
import subprocess
import sys

PARAMS = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
with subprocess.Popen(["node", "server.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:

    def send(message):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        server.stdin.flush()

    send({"id": 1, "method": "initialize", "params": PARAMS})
    server.stdout.readline()
    send({"method": "notifications/initialized"})
    send({"id": 2, "method": "tools/call", "params": {"name": "save", "arguments": {}}})
    answer = json.loads(server.stdout.readline())
    server.stdin.close()
error = answer.get("error") or {}
print(f"seen: {error.get('code')} {' '.join(error.get('message', '').split())[:60]!r}")
sys.exit(error.get("code") != -32602)
PY
