#!/usr/bin/env bash
# A server that changes a tool says so with `notifications/tools/list_changed`. From then on, the `outputSchema` that a
# client has read says nothing about new results. The clients of mcp 1.30.0, of mcp 2.3.0 (also its `Client`) and of
# @modelcontextprotocol/sdk 1.32.2 still check results against it, and raise an error for a right one that the server
# has answered, at each call, until the program itself lists the tools again. @modelcontextprotocol/client 2.4.0 drops
# the schema. So a server that reloads its tools seems to break its own promise, in some clients only.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for version in 1.30.0 2.3.0; do
    python3 -m venv "$version"
    "$version/bin/pip" install -q --disable-pip-version-check "mcp==$version" 2>/dev/null
done
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 >/dev/null
cat > server.py <<'PY'
import json
import sys

kind = "number"
for line in sys.stdin:
    message = json.loads(line)
    method, params, after = message["method"], message.get("params", {}), ""
    if method == "initialize":
        info, capabilities = {"name": "s", "version": "1"}, {"tools": {"listChanged": True}}
        result = {"protocolVersion": params["protocolVersion"], "capabilities": capabilities, "serverInfo": info}
    elif method == "tools/list":
        schema = {"type": "object", "properties": {"n": {"type": kind}}, "required": ["n"]}
        result = {"tools": [{"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema}]}
    elif method == "tools/call":
        value = {"n": 1 if kind == "number" else "one"}
        result = {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}
        if kind == "number":
            kind, after = "string", json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}) + "\n"
    elif method == "ping":
        result = {}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n" + after, end="", flush=True)
PY
cat > client.py <<'PY'
import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def call(client):
    try:
        result = await client.call_tool("t", {})
        return list((getattr(result, "structuredContent", None) or result.structured_content).values())[0]
    except RuntimeError as error:
        print(str(error).splitlines()[0], file=sys.stderr)
        return "refused"


async def calls(client, ping):
    await client.list_tools()
    seen = [await call(client)]
    await ping()  # the notification is before its response
    seen.append(await call(client))
    await client.list_tools()
    print(*seen, await call(client))


async def main():
    server = StdioServerParameters(command=sys.executable, args=["server.py"])
    if sys.argv[1:] == ["Client"]:
        from mcp import Client

        async with Client(stdio_client(server)) as client:
            await calls(client, client.send_ping)
        return
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        await calls(session, session.send_ping)


asyncio.run(main())
PY
cat > client.mjs <<'JS'
const name = process.argv[2]
const [path, stdio] = name === 'sdk' ? ['/client/index.js', '/client/stdio.js'] : ['', '/stdio']
const { Client } = await import(`@modelcontextprotocol/${name}${path}`)
const { StdioClientTransport } = await import(`@modelcontextprotocol/${name}${stdio}`)
const client = new Client({ name: 'c', version: '1' })
await client.connect(new StdioClientTransport({ command: 'python3', args: ['server.py'] }))
const seen = []
async function call() {
  try {
    seen.push((await client.callTool({ name: 't', arguments: {} })).structuredContent.n)
  } catch (error) {
    console.error(String(error))
    seen.push('refused')
  }
}
await client.listTools()
await call()
await client.ping() // the notification is before its response
await call()
await client.listTools()
await call()
console.log(seen.join(' '))
await client.close()
JS
echo 'mcp 1.30.0, mcp 2.3.0, @modelcontextprotocol/sdk 1.32.2, @modelcontextprotocol/client 2.4.0'
echo 'expected: 1 one one (before the change, after it, after a second tools/list)'
changed=0
check() {
    seen=$("${@:2}" 2>/dev/null)
    echo "seen: ${*:2}: $seen"
    [ "$seen" = "$1" ] || changed=1
}
check '1 refused one' 1.30.0/bin/python client.py
check '1 refused one' 2.3.0/bin/python client.py
check '1 refused one' 2.3.0/bin/python client.py Client
check '1 refused one' node client.mjs sdk
check '1 one one' node client.mjs client
exit "$changed"
