#!/usr/bin/env bash
# `call_tool` of the clients of mcp 1.30.0 and 2.3.0 sends `tools/list` after the response, to find the output schema,
# also where nobody has asked for a list. If the list fails, a call that has succeeded raises the error of the list, and
# its result is lost: whoever calls again does the work twice.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv 1.30.0
1.30.0/bin/pip install -q --disable-pip-version-check mcp==1.30.0 2>/dev/null
python3 -m venv 2.3.0
2.3.0/bin/pip install -q --disable-pip-version-check mcp==2.3.0 2>/dev/null
cat > server.py <<'PY'
import json
import sys

CAPABILITIES, INFO = {"tools": {}}, {"name": "s", "version": "1"}
for line in sys.stdin:
    message = json.loads(line)
    print(message["method"], file=sys.stderr, flush=True)
    if message["method"] == "initialize":
        version = message["params"]["protocolVersion"]
        outcome = {"result": {"protocolVersion": version, "capabilities": CAPABILITIES, "serverInfo": INFO}}
    elif message["method"] == "tools/call":
        outcome = {"result": {"content": [{"type": "text", "text": "paid"}]}}
    else:
        outcome = {"error": {"code": -32603, "message": "no list today"}}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **outcome}), flush=True)
PY
cat > client.py <<'PY'
import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    with open("methods", "w") as methods:
        server = StdioServerParameters(command=sys.executable, args=["server.py"])
        async with stdio_client(server, errlog=methods) as streams, ClientSession(*streams) as session:
            await session.initialize()
            try:
                outcome = (await session.call_tool("pay", {})).content[0].text
            except Exception as error:
                outcome = f"raises {error}"
    sent = open("methods").read().split()
    print(", ".join(sent[sent.index("tools/call") :]), "->", outcome)


asyncio.run(main())
PY
echo 'mcp 1.30.0, mcp 2.3.0'
echo 'expected: tools/call -> paid'
changed=0
for version in 1.30.0 2.3.0; do
    seen=$("$version"/bin/python client.py)
    echo "seen: mcp $version: $seen"
    [ "$seen" = 'tools/call, tools/list -> raises no list today' ] || changed=1
done
exit "$changed"
