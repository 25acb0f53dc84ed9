#!/usr/bin/env bash
# A client that checks results against `outputSchema` should do so for every tool that it has listed. Client 1.32.2 of
# @modelcontextprotocol/sdk keeps the schemas of the last page only: after `tools/list` with a cursor a wrong result of a
# tool of page 1 is accepted, and the same wrong result of a tool of page 2 is refused. So which tools are checked
# depends on where the server cuts its pages. The same goes for `execution.taskSupport`: a tool of page 1 that requires
# a task is called without one. @modelcontextprotocol/client 2.4.0 lists all pages itself, and refuses both results.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 >/dev/null
cat > server.py <<'PY'
import json
import sys

SCHEMA = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
PAGES = {None: ("first", "2"), "2": ("second", None)}
for line in sys.stdin:
    message = json.loads(line)
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        info = {"name": "s", "version": "1"}
        result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        name, cursor = PAGES[params.get("cursor")]
        tool = {"name": name, "inputSchema": {"type": "object"}, "outputSchema": SCHEMA}
        tool["execution"] = {"taskSupport": "required"} if "--tasks" in sys.argv else {}
        result = {"tools": [tool], **({"nextCursor": cursor} if cursor else {})}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": "x"}], "structuredContent": {"n": "no number"}}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
PY
cat > client.mjs <<'JS'
const [name, ...args] = process.argv.slice(2)
const path = name === 'client' ? '' : '/index.js'
const { Client } = await import(`@modelcontextprotocol/${name}` + (path && '/client/index.js'))
const { StdioClientTransport } = await import(`@modelcontextprotocol/${name}/` + (path ? 'client/stdio.js' : 'stdio'))
const client = new Client({ name: 'c', version: '1' })
await client.connect(new StdioClientTransport({ command: 'python3', args: ['server.py', ...args] }))
let cursor
const pages = []
do {
  const page = await client.listTools(cursor ? { cursor } : undefined)
  pages.push(page.tools.map(each => each.name).join('+'))
  cursor = page.nextCursor
} while (cursor)
const seen = [pages.join(' then ')]
for (const tool of ['first', 'second']) {
  try {
    await client.callTool({ name: tool, arguments: {} })
    seen.push(`${tool} accepted`)
  } catch (error) {
    seen.push(`${tool} refused`)
    console.error(String(error).slice(0, 200))
  }
}
console.log(seen.join(', '))
await client.close()
JS
echo '@modelcontextprotocol/sdk 1.32.2, @modelcontextprotocol/client 2.4.0, a server with one tool on each of two pages'
echo 'expected: first refused, second refused'
changed=0
check() {
    seen=$(node client.mjs $1 2>/dev/null)
    echo "seen: $1: $seen"
    [ "$seen" = "$2" ] || changed=1
}
check sdk 'first then second, first accepted, second refused'
check 'sdk --tasks' 'first then second, first accepted, second refused'
check client 'first+second, first refused, second refused'
exit "$changed"
