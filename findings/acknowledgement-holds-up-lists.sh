#!/usr/bin/env bash
# Claude Code 2.1.332 asks a 2026-07-28 server whose lists may change for no list until `subscriptions/listen` is acknowledged. The
# revision sets no time for that, so a server that acknowledges once it is subscribed to what it watches holds up all its tools. Without
# any acknowledgement the client gives up after 27 s, three seconds before its time for a start ends.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund @anthropic-ai/claude-code@2.1.332
cat > server.mjs <<'JS'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [log, seconds] = process.argv.slice(2)
const began = Date.now()
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
const fresh = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
const opening = { supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } }, serverInfo: { name: 's', version: '1' } }
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'subscriptions/listen') {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
    const acknowledged = { notifications: params.notifications, _meta }
    return setTimeout(() => send({ method: 'notifications/subscriptions/acknowledged', params: acknowledged }), seconds * 1000)
  }
  if (method === 'tools/list') appendFileSync(log, `${Math.floor((Date.now() - began) / 1000)}\n`)
  const result = { 'server/discover': opening, 'tools/list': { tools: [{ name: 't', inputSchema: { type: 'object' } }] } }[method]
  const answer = result ? { result: { ...fresh, ...result } } : { error: { code: -32601, message: 'Method not found' } }
  if (id !== undefined) send({ id, ...answer })
})
JS
export HOME="$dir" DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
claude=node_modules/.bin/claude
ask() { # ask SECONDS: seconds from the server's start to its first tools/list, where it acknowledges after SECONDS
    $claude mcp add "after$1" -- node "$dir/server.mjs" "$dir/log$1" "$1" > out 2>&1
    $claude mcp list >> out 2>&1
    $claude mcp remove "after$1" >> out 2>&1
    head -1 "log$1"
}
at_once=$(ask 0)
late=$(ask 12)
echo "$($claude --version)"
echo 'expected: tools/list within the first seconds in both cases'
echo "seen: tools/list after $at_once s where the acknowledgement comes at once, after $late s where it comes after 12 s"
[ "$at_once" -lt 10 ] && [ "$late" -ge 12 ]
