#!/usr/bin/env bash
# @openai/agents 0.20.0 replaces the dot in a tool's name, which the specification allows, by "_". Where that makes the name of another
# tool, here `users_list` and `users.list`, the agent gets no tool at all: the list ends with an error. @ai-sdk/mcp 2.0.99 hands
# both on as they are.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund @openai/agents@0.20.0 @ai-sdk/mcp@2.0.99 zod@4
cat > server.mjs <<'JS'
import { createInterface } from 'node:readline'

const tools = ['count', ...process.argv.slice(2)].map((name) => ({ name, description: name, inputSchema: { type: 'object' } }))
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const opening = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
  const result = { initialize: opening, 'tools/list': { tools } }[method]
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
JS
cat > ask.mjs <<'JS'
import { createMCPClient } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as Stdio } from '@ai-sdk/mcp/mcp-stdio'
import { Agent, getAllMcpTools, MCPServerStdio, RunContext } from '@openai/agents'

async function agents(...names) {
  const server = new MCPServerStdio({ name: 's', command: process.execPath, args: ['server.mjs', ...names] })
  await server.connect()
  try {
    const agent = new Agent({ name: 'a', mcpServers: [server] })
    const tools = await getAllMcpTools({ mcpServers: [server], runContext: new RunContext({}), agent })
    return tools.map((tool) => tool.name).join()
  } catch (error) {
    return `fails: ${error.message.slice(0, 100)}`
  } finally {
    await server.close()
  }
}
async function ai(...names) {
  const client = await createMCPClient({ transport: new Stdio({ command: process.execPath, args: ['server.mjs', ...names] }) })
  const tools = Object.keys(await client.tools()).join()
  await client.close()
  return tools
}
const seen = [await agents('users.list'), await agents('users.list', 'users_list'), await ai('users.list', 'users_list')]
console.log(`seen: @openai/agents, users.list: ${seen[0]}`)
console.log(`seen: @openai/agents, users.list and users_list: ${seen[1]}`)
console.log(`seen: @ai-sdk/mcp, users.list and users_list: ${seen[2]}`)
process.exit(seen[0] === 'count,users_list' && seen[1].startsWith('fails') && seen[2] === 'count,users.list,users_list' ? 0 : 1)
JS
echo '@openai/agents 0.20.0, @ai-sdk/mcp 2.0.99'
echo 'expected: three tools from both'
node ask.mjs
