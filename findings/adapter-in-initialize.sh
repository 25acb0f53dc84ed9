#!/usr/bin/env bash
# tmcp 1.20.0 hands its options on: the result of `initialize` has a member `adapter`, which is the object that
# converts schemas in the server's own code. The published schema of the result knows no such member.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund tmcp@1.20.0 @tmcp/transport-stdio@0.5.0 @tmcp/adapter-zod@0.1.7 zod@4
cat > server.mjs <<'JS'
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'

const server = new McpServer({ name: 's', version: '1' }, { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } })
new StdioTransport(server).listen()
JS
echo 'tmcp 1.20.0'
echo 'expected: protocolVersion, capabilities, serverInfo'
python3 - <<'PY'
import json
import subprocess
import sys

with subprocess.Popen(["node", "server.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    server.stdin.write(json.dumps(request).encode() + b"\n")
    server.stdin.flush()
    members = sorted(json.loads(server.stdout.readline())["result"])
    server.stdin.close()
print(f"seen: {', '.join(members)}")
sys.exit("adapter" not in members)
PY
