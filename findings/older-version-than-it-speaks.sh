#!/usr/bin/env bash
# mcp-lite 0.10.0 speaks 2025-06-18. A client that asks for a version it does not know, newer or older, is not offered
# that one, the latest (as the specification recommends), but 2025-03-26.
# And a batch, which 2025-03-26 allows, is refused "in protocol version 2025-06-18" although the header says 2025-03-26.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund mcp-lite@0.10.0
cat > ask.mjs <<'JS'
import { McpServer, StreamableHttpTransport } from 'mcp-lite'

const handler = new StreamableHttpTransport().bind(new McpServer({ name: 's', version: '1' }))
async function post(body, version) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': version }
  const response = await handler(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: JSON.stringify(body) }))
  return JSON.parse(await response.text())
}
const seen = []
for (const version of ['2024-11-05', '2025-06-18', '2025-11-25']) {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const answer = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params }, version)
  seen.push(answer.result.protocolVersion)
  console.log(`seen: asked for ${version}, offered ${answer.result.protocolVersion}`)
}
const refused = await post([{ jsonrpc: '2.0', id: 2, method: 'ping' }], '2025-03-26')
console.log(`seen: a batch with the header 2025-03-26: ${refused.error.message}`)
const same = seen.join() === '2025-03-26,2025-06-18,2025-03-26' && /2025-06-18/.test(refused.error.message)
process.exit(same ? 0 : 1)
JS
echo 'mcp-lite 0.10.0'
echo 'expected: 2025-06-18 for a version that it does not speak; a batch of one ping is answered'
node ask.mjs
