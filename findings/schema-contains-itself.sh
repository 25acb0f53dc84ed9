#!/usr/bin/env bash
# autogen-ext 0.7.5 builds a Pydantic model of each input schema, and from that the schema for the model. Of a tool with a
# recursive schema (a tree), the result is an object that contains itself: no JSON can be written of it, so no request to a
# model can have the tool. With a client of the SDK alone, the schema is the server's.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check 'autogen-ext[mcp]==0.7.5' mcp==1.30.0 2>/dev/null
cat > server.py <<'PY'
import json
import sys

TREE = {"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/tree"}}}
SCHEMA = {"type": "object", "properties": {"tree": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": TREE}}
for line in sys.stdin:
    request = json.loads(line)
    if request.get("method") == "initialize":
        version = request["params"]["protocolVersion"]
        info = {"name": "s", "version": "1"}
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    elif request.get("method") == "tools/list":
        result = {"tools": [{"name": "plant", "description": "Plants a tree.", "inputSchema": SCHEMA}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
PY
cat > ask.py <<'PY'
import asyncio
import json
import sys

from autogen_ext.tools.mcp import StdioServerParams, mcp_server_tools
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def written(schema):
    try:
        return json.dumps(schema)
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


async def main():
    parameters = StdioServerParameters(command=sys.executable, args=["server.py"])
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        plain = written((await session.list_tools()).tools[0].inputSchema)
    (tool,) = await mcp_server_tools(StdioServerParams(command=sys.executable, args=["server.py"]))
    adapted = written(tool.schema["parameters"])
    print(f"seen: mcp: {plain[:60]}…")
    print(f"seen: autogen-ext: {adapted}")
    return plain.startswith("{") and adapted == "ValueError: Circular reference detected"


sys.exit(not asyncio.run(main()))
PY
echo 'autogen-ext 0.7.5, mcp 1.30.0'
echo 'expected: a schema with $ref from both'
venv/bin/python ask.py 2>/dev/null
