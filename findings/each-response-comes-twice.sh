#!/usr/bin/env bash
# Over HTTP+SSE a server sends its responses as events of the stream, and confirms each POST. MCP Toolbox for Databases
# (@toolbox-sdk/server-linux-x64 1.12.0, Go) does that, and puts the same response into the body of its 200 as well. A
# client, proxy or recorder that takes messages from both gets each response twice, the second one for an id that is
# no longer open.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true}' > package.json
npm install --silent --no-audit --no-fund @toolbox-sdk/server-linux-x64@1.12.0
cat > shop.yaml <<'YAML'
kind: source
name: shop
type: sqlite
database: shop.db
---
kind: tool
name: one
type: sqlite-sql
source: shop
description: Returns 1.
statement: SELECT 1;
YAML
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
node_modules/@toolbox-sdk/server-linux-x64/bin/toolbox --config shop.yaml --port "$port" > log 2>&1 &
echo '@toolbox-sdk/server-linux-x64 1.12.0'
echo 'expected: one response to each of initialize, ping and tools/list'
python3 - "$port" <<'PY'
import collections
import json
import sys
import time
import urllib.request

BASE = f"http://127.0.0.1:{sys.argv[1]}"
PARAMS = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}


def opened():
    for _ in range(100):
        try:
            return urllib.request.urlopen(f"{BASE}/mcp/sse", timeout=10)
        except OSError:
            time.sleep(0.1)
    sys.exit("the server does not listen")


def data(stream):
    while not (line := stream.readline()).startswith(b"data:"):
        pass
    return line[5:].decode().strip()


seen = collections.Counter()
with opened() as stream:
    endpoint = data(stream)
    endpoint = endpoint if "//" in endpoint else BASE + endpoint
    for id, method in enumerate(("initialize", "ping", "tools/list"), 1):
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": PARAMS if id == 1 else {}}
        head = {"Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(endpoint, json.dumps(message).encode(), head)) as reply:
            body = reply.read()
        seen[method] += json.loads(data(stream))["id"] == id
        seen[method] += bool(body.strip()) and json.loads(body).get("id") == id
print(f"seen: {dict(seen)}")
sys.exit(set(seen.values()) != {2})
PY
