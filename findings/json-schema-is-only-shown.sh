#!/usr/bin/env bash
# mcp-lite 0.10.0 checks arguments against a Zod schema, but not against a plain JSON Schema: that one is only shown in
# `tools/list`. The same tool with `{"type": "number"}` is called with a string, and with the required member missing.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund mcp-lite@0.10.0 zod@4
cat > ask.mjs <<'JS'
import { McpServer, StreamableHttpTransport } from 'mcp-lite'
import { z } from 'zod'

const server = new McpServer({ name: 's', version: '1', schemaAdapter: (schema) => z.toJSONSchema(schema) })
const handler = (args) => ({ content: [{ type: 'text', text: `called with ${JSON.stringify(args)}` }] })
server.tool('plain', { inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }, handler })
server.tool('zod', { inputSchema: z.object({ a: z.number() }), handler })
const site = new StreamableHttpTransport().bind(server)
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
async function call(name, args) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
  const text = await (await site(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body }))).text()
  return JSON.parse(text.replace(/^data: /, ''))
}
let runs = 0
for (const name of ['plain', 'zod']) {
  for (const args of [{ a: 'x' }, {}]) {
    const answer = await call(name, args)
    const text = answer.result?.content?.[0]?.text ?? answer.error.message
    if (/^called with/.test(text)) runs += 1
    console.log(`seen: ${name}: ${text.split('\n')[0].slice(0, 80)}`)
  }
}
process.exit(runs === 2 ? 0 : 1)
JS
echo 'mcp-lite 0.10.0'
echo 'expected: four refusals'
node ask.mjs
