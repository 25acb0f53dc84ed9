#!/usr/bin/env bash
# A tool whose inputSchema is a zod union, intersection or pipe, or a refined object of zod 3, validates its arguments with
# @modelcontextprotocol/sdk 1.32.2, and is listed with the schema of a tool without arguments. No client, form or model
# can know what to pass, and nothing is logged. @modelcontextprotocol/server 2.4.0 lists unions and intersections whole.
# With zod 3 a date is listed as a text with the format date-time, and every text is refused: nobody can call that tool.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/server@2.4.0 zod@4.6.7
cat > server.mjs <<'JS'
import { z } from 'zod';
import { z as z3 } from 'zod/v3';

const old = process.argv[2] === '1';
const { McpServer } = await import(old ? '@modelcontextprotocol/sdk/server/mcp.js' : '@modelcontextprotocol/server');
const { StdioServerTransport } = await import(
  old ? '@modelcontextprotocol/sdk/server/stdio.js' : '@modelcontextprotocol/server/stdio'
);
const server = new McpServer({ name: 's', version: '1' });
const schemas = {
  union: z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
  intersection: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
};
if (old) {
  schemas.refined = z3.object({ a: z3.string(), b: z3.string() }).refine((both) => both.a !== both.b);
  schemas.date = z3.object({ day: z3.date() });
}
for (const [name, inputSchema] of Object.entries(schemas))
  server.registerTool(name, { inputSchema }, async () => ({ content: [{ type: 'text', text: 'fine' }] }));
await server.connect(new StdioServerTransport());
JS
echo '@modelcontextprotocol/sdk 1.32.2, @modelcontextprotocol/server 2.4.0, zod 4.6.7'
echo 'expected: each schema names its arguments, and what it allows is accepted'
python3 - <<'PY'
import json
import subprocess
import sys

INFO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
ARGUMENTS = {"date": {"day": "2026-01-02T00:00:00Z"}}


def seen(version):
    with subprocess.Popen(["node", "server.mjs", version], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:

        def ask(number, method, params):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            while (response := json.loads(server.stdout.readline())).get("id") != number:
                pass
            return response["result"]

        ask(1, "initialize", INFO)
        server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        found = {}
        for number, tool in enumerate(ask(2, "tools/list", {})["tools"], 3):
            schema, name = tool["inputSchema"], tool["name"]
            result = ask(number, "tools/call", {"name": name, "arguments": ARGUMENTS.get(name, {})})
            found[name] = {each: schema[each] for each in ("oneOf", "allOf", "properties") if schema.get(each)}
            print(f"seen: {version}: {name}: {json.dumps(found[name])}; {result['content'][0]['text']}")
            found[name]["refused"] = result.get("isError", False)
        server.stdin.close()
    return found


old, new = seen("1"), seen("2")
empty = all(old[name] == {"refused": True} for name in ("union", "intersection", "refined"))
date = old["date"] == {"properties": {"day": {"type": "string", "format": "date-time"}}, "refused": True}
sys.exit(not (empty and date and all(len(each) > 1 for each in new.values())))
PY
