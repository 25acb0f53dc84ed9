#!/usr/bin/env bash
# @modelcontextprotocol/server 2.4.0: an exception in the factory that `serveStdio` is given is neither logged nor sent. Each
# request, `initialize` as well, gets -32603 "Internal server error", and stderr is empty; only an `onerror` in the options,
# which is optional, gets the reason. Here one tool is registered twice.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund @modelcontextprotocol/server@2.4.0
cat > server.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

serveStdio(() => {
  const server = new McpServer({ name: 's', version: '1' })
  for (let at = 0; at < 2; at++) server.registerTool('save', { description: 'Saves.' }, () => ({ content: [] }))
  return server
})
JS
echo '@modelcontextprotocol/server 2.4.0'
echo 'expected: the reason in the error, or on stderr'
python3 - <<'PY'
import json
import subprocess
import sys

PARAMS = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
ASKED = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": PARAMS}
with subprocess.Popen(["node", "server.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
    server.stdin.write(json.dumps(ASKED).encode() + b"\n")
    server.stdin.flush()
    error = json.loads(server.stdout.readline()).get("error") or {}
    server.stdin.close()
    logged = server.stderr.read().decode()
print(f"seen: {error.get('code')} {error.get('message')!r}, stderr {logged!r}")
sys.exit("registered" in error.get("message", "") + logged or error.get("code") != -32603)
PY
