#!/usr/bin/env bash
# Zod 4 writes a regular expression into a JSON Schema without its flags: JSON Schema has none. So a server of
# @modelcontextprotocol/sdk 1.32.2 whose tool declares /^[a-z]+$/i and returns "ABC" finds its own result right, and the client of the
# same package, as that of mcp 2.3.0, throws it away as wrong.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 zod@4.6.7
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check mcp==2.3.0 2>/dev/null
cat > server.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 's', version: '1' })
const outputSchema = { code: z.string().regex(/^[a-z]+$/i) }
server.registerTool('code', { outputSchema }, async () => ({ content: [], structuredContent: { code: 'ABC' } }))
await server.connect(new StdioServerTransport())
JS
cat > ask.mjs <<'JS'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const client = new Client({ name: 'c', version: '1' })
await client.connect(new StdioClientTransport({ command: process.execPath, args: ['server.mjs'] }))
await client.listTools()
try {
  console.log(JSON.stringify((await client.callTool({ name: 'code', arguments: {} })).structuredContent))
} catch (error) {
  console.log(error.message)
}
await client.close()
JS
cat > ask.py <<'PY'
import asyncio

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    async with Client(stdio_client(StdioServerParameters(command="node", args=["server.mjs"]))) as client:
        try:
            print((await client.call_tool("code", {})).structured_content)
        except RuntimeError as error:
            print(str(error).splitlines()[0])


asyncio.run(main())
PY
echo '@modelcontextprotocol/sdk 1.32.2, zod 4.6.7, mcp 2.3.0'
echo 'expected: {"code": "ABC"} in both clients'
one=$(node ask.mjs)
two=$(venv/bin/python ask.py 2>/dev/null)
echo "seen: @modelcontextprotocol/sdk: $one"
echo "seen: mcp: $two"
[[ $one == *"must match pattern"* && $two == *"does not match"* ]]
