#!/usr/bin/env bash
# mcp-proxy 0.13.0 puts a server on stdio behind HTTP. The server announces changes of its tool list, and no completions. Through
# the proxy it announces completions and no changes, and its `notifications/tools/list_changed` never arrives: a
# client keeps the first list for ever, and asks for completions that get "Method not found".
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check mcp-proxy==0.13.0 mcp==1.30.0 2>/dev/null
cat > server.py <<'PY'
import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] == "initialize":
        version, info = request["params"]["protocolVersion"], {"name": "s", "version": "1"}
        capabilities = {"tools": {"listChanged": True}}
        answer["result"] = {"protocolVersion": version, "capabilities": capabilities, "serverInfo": info}
    elif request["method"] == "tools/list":
        answer["result"] = {"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}
    elif request["method"] == "tools/call":
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}), flush=True)
        answer["result"] = {"content": []}
    else:
        answer["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(answer), flush=True)
PY
cat > ask.py <<'PY'
import asyncio
import socket
import sys

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    PORT = free.getsockname()[1]


async def seen(streams):
    changes = asyncio.Event()

    async def handle(message):
        if isinstance(getattr(message, "root", None), types.ToolListChangedNotification):
            changes.set()

    async with ClientSession(*streams[:2], message_handler=handle) as session:
        found = (await session.initialize()).capabilities
        await session.call_tool("add", {})
        try:
            await asyncio.wait_for(changes.wait(), 5)
        except TimeoutError:
            pass
    return found.tools.listChanged, found.completions is not None, changes.is_set()


async def main():
    command = [sys.executable, "server.py"]
    async with stdio_client(StdioServerParameters(command=command[0], args=command[1:])) as streams:
        direct = await seen(streams)
    argv = ["venv/bin/mcp-proxy", "--port", str(PORT), "--transport", "streamablehttp", "--", *command]
    proxy = await asyncio.create_subprocess_exec(*argv, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", PORT)
            writer.close()
            break
        except OSError:
            await asyncio.sleep(0.1)
    async with streamablehttp_client(f"http://127.0.0.1:{PORT}/mcp") as streams:
        proxied = await seen(streams)
    proxy.kill()
    await proxy.wait()
    for name, (listed, completes, changed) in {"directly": direct, "through mcp-proxy": proxied}.items():
        print(f"seen: {name}: listChanged {listed}, completions {completes}, notified {changed}")
    return (direct, proxied) == ((True, False, True), (False, True, False))


sys.exit(not asyncio.run(main()))
PY
echo 'mcp-proxy 0.13.0, mcp 1.30.0'
echo 'expected: the same directly and through mcp-proxy'
venv/bin/python ask.py 2>/dev/null
