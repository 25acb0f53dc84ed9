#!/usr/bin/env bash
# @sylphx/mcp-server-sdk 2.1.1 (Bun) takes what the first read of a request returns for all of it. httpx 0.28.1, which Python's MCP clients
# use, writes head and body one after the other: the body comes as a second packet, and the server says that the JSON ends too early. For
# Node's fetch, which writes both at once, the same server works each time.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund @sylphx/mcp-server-sdk@2.1.1 @sylphx/vex@0.1.11 bun@1.4.5
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check httpx==0.28.1
port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat > server.ts <<'TS'
import { createServer, http, text, tool } from '@sylphx/mcp-server-sdk'
import { object, str } from '@sylphx/vex'

const greet = tool().description('Greets').input(object({ name: str() })).handler(({ input }) => text(input.name))
await createServer({ name: 's', version: '1.0.0', tools: { greet }, transport: http({ port: Number(process.argv[2]) }) }).start()
TS
node_modules/.bin/bun server.ts "$port" > server.log 2>&1 &
for _ in $(seq 100); do python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2>/dev/null && break; sleep 0.1; done
cat > ask.mjs <<'JS'
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
let good = 0
for (let id = 1; id <= 40; id++) {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params })
  const reply = await fetch(process.argv[2], { method: 'POST', headers, body })
  good += (await reply.text()).includes('"serverInfo"')
}
console.log(good)
JS
cat > ask.py <<'PY'
import json, sys, httpx
params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
good = 0
for id_ in range(1, 41):
    body = json.dumps({"jsonrpc": "2.0", "id": id_, "method": "initialize", "params": params})
    try:
        good += '"serverInfo"' in httpx.post(sys.argv[1], headers=headers, content=body).text
    except httpx.RemoteProtocolError:
        pass
print(good)
PY
by_node=$(node ask.mjs "http://127.0.0.1:$port/mcp")
by_httpx=$(venv/bin/python ask.py "http://127.0.0.1:$port/mcp")
echo '@sylphx/mcp-server-sdk 2.1.1, httpx 0.28.1'
echo 'expected: 40 of 40 initialize requests succeed with each client'
echo "seen: $by_node of 40 with Node's fetch, $by_httpx of 40 with httpx"
[ "$by_node" = 40 ] && [ "$by_httpx" -lt 40 ]
