#!/usr/bin/env bash
# mcp 1.30.0 over Streamable HTTP creates a session for a request that it refuses: a `server/discover` without a session
# gets 400 and a new `Mcp-Session-Id`. A client that keeps the last session id it has seen goes on with one that was
# never initialized, and each probe leaves a session in the server.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check mcp==1.30.0 2>/dev/null
cat > ask.py <<'PY'
import asyncio
import json
import sys

import httpx
from mcp.server.fastmcp import FastMCP

server = FastMCP("s")
HEADERS = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28"}
BODY = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "server/discover",
    "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}},
}


async def main():
    app = server.streamable_http_app()
    async with server.session_manager.run():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            return [await client.post("/mcp", json=BODY, headers=HEADERS) for _ in range(2)]


first, second = asyncio.run(main())
print("expected: the refusal carries no session id")
ids = {answer.headers.get("mcp-session-id") for answer in (first, second)}
print(f"seen: {first.status_code} {json.loads(first.text)['error']['message']!r}, {len(ids - {None})} new session ids")
sys.exit(not (first.status_code == 400 and len(ids - {None}) == 2))
PY
echo 'mcp 1.30.0'
venv/bin/python ask.py 2>/dev/null
