#!/usr/bin/env bash
# @modelcontextprotocol/sdk 1.32.2: `listTools` compiles all output schemas. One schema that does not compile, here with
# the type "int", loses the whole list, also the tools without an output schema. Its successor,
# @modelcontextprotocol/client 2.4.0, returns both tools.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0
cat > server.mjs <<'JS'
import { createInterface } from 'node:readline'

const plain = { name: 'plain', inputSchema: { type: 'object' } }
const odd = { ...plain, name: 'odd', outputSchema: { type: 'object', properties: { n: { type: 'int' } } } }
const opening = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const result = { initialize: opening, 'tools/list': { tools: [plain, odd] } }[method]
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
JS
cat > ask.mjs <<'JS'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { Client as Client2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'

async function tools(Client, Stdio) {
  const client = new Client({ name: 'c', version: '1' })
  await client.connect(new Stdio({ command: process.execPath, args: ['server.mjs'] }))
  try {
    return (await client.listTools()).tools.map((tool) => tool.name).join()
  } catch (error) {
    return `fails: ${error.message.slice(0, 90)}`
  } finally {
    await client.close()
  }
}
const one = await tools(Client1, Stdio1)
const two = await tools(Client2, Stdio2)
console.log(`seen: 1.32.2 ${one}`)
console.log(`seen: 2.4.0 ${two}`)
process.exit(one.startsWith('fails') && two === 'plain,odd' ? 0 : 1)
JS
echo '@modelcontextprotocol/sdk 1.32.2, @modelcontextprotocol/client 2.4.0'
echo 'expected: both return plain,odd'
node ask.mjs
