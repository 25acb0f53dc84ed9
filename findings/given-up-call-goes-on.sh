#!/usr/bin/env bash
# A client that gives up a request should tell the server with `notifications/cancelled`. The client of mcp 1.30.0 does
# not, neither after its timeout nor when its task is cancelled: the server works on, and answers nobody. mcp 2.3.0 tells
# it both times. So a server behind mcp-proxy 0.13.0, which is built on 1.x, never hears of a cancellation that its client
# did send: the proxy answers it alone, with the error code 0.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv 2.3.0
2.3.0/bin/pip install -q --disable-pip-version-check mcp==2.3.0 2>/dev/null
python3 -m venv 1.30.0
1.30.0/bin/pip install -q --disable-pip-version-check mcp==1.30.0 mcp-proxy==0.13.0 2>/dev/null
cat > server.py <<'PY'
import json
import sys

CAPABILITIES, INFO = {"tools": {}}, {"name": "s", "version": "1"}
for line in sys.stdin:
    message = json.loads(line)
    with open(sys.argv[1], "a") as log:
        log.write(message["method"] + "\n")
    if message["method"] == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": CAPABILITIES, "serverInfo": INFO}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
    elif message["method"] == "ping":
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}), flush=True)
PY
cat > client.py <<'PY'
import asyncio
import sys
from datetime import timedelta

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

VERSION = sys.argv[1]


async def main():
    server = StdioServerParameters(command=sys.executable, args=["server.py", f"sent-{VERSION}"])
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        try:
            await session.call_tool("slow", {}, read_timeout_seconds=timedelta(seconds=1) if VERSION[0] == "1" else 1)
        except Exception as error:
            print(f"seen: mcp {VERSION}: {error}")
        call = asyncio.create_task(session.call_tool("slow", {}))
        while open(f"sent-{VERSION}").read().count("tools/call") < 2:
            await asyncio.sleep(0.05)
        call.cancel()
        await asyncio.wait([call])
        await session.send_ping()


asyncio.run(main())
PY
cat > behind.py <<'PY'
import json
import socket
import subprocess
import sys
import threading
import time
import urllib.request

HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]


def post(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/mcp", body, HEADERS)) as response:
        HEADERS.update({k: v for k, v in response.headers.items() if k.lower() == "mcp-session-id"})
        return response.read().decode()


def call():
    print("seen: mcp-proxy:", post({"id": 2, "method": "tools/call", "params": {"name": "slow", "arguments": {}}}))


argv = ["1.30.0/bin/mcp-proxy", "--port", str(port), "python3", "server.py", "sent-proxy"]
with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as proxy:
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        post({"id": 1, "method": "initialize", "params": info})
        post({"method": "notifications/initialized"})
        waiting = threading.Thread(target=call)
        waiting.start()
        while "tools/call" not in open("sent-proxy").read():
            time.sleep(0.05)
        post({"method": "notifications/cancelled", "params": {"requestId": 2, "reason": "enough"}})
        waiting.join(20)
        post({"id": 3, "method": "ping"})
    finally:
        proxy.terminate()
PY
echo 'mcp 1.30.0, mcp 2.3.0, mcp-proxy 0.13.0'
echo 'expected: one notifications/cancelled after each call that was given up'
1.30.0/bin/python client.py 1.30.0
2.3.0/bin/python client.py 2.3.0
python3 behind.py
changed=0
for each in 1.30.0:2:0 2.3.0:2:2 proxy:1:0; do
    IFS=: read -r by calls told <<<"$each"
    seen="$(grep -c tools/call "sent-$by") calls, $(grep -c notifications/cancelled "sent-$by" || true) cancelled"
    echo "seen: $by: $seen"
    [ "$seen" = "$calls calls, $told cancelled" ] || changed=1
done
exit "$changed"
