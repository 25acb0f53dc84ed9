#!/usr/bin/env bash
# fastapi-mcp 0.4.0 makes one flat list of arguments of an endpoint. Where path and body have a member of the same name, here
# `id`, one argument is left that is required twice: `required` is ["id", "id", "price"], which no JSON Schema allows, and the server
# itself refuses every call for it. fastmcp 4.2.3 names the other one `id__path`, and the call works.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for package in fastapi-mcp==0.4.0 fastmcp==4.2.3; do
    python3 -m venv "${package%%=*}"
done
fastapi-mcp/bin/pip install -q --disable-pip-version-check fastapi-mcp==0.4.0 mcp==1.30.0 2>/dev/null
fastmcp/bin/pip install -q --disable-pip-version-check fastmcp==4.2.3 fastapi 2>/dev/null
cat > shop.py <<'PY'
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Item(BaseModel):
    id: str
    price: float


@app.put("/shelves/{id}", operation_id="put_item")
def put_item(id: int, item: Item) -> str:
    return f"{item.id} is in {id}"
PY
cat > flat.py <<'PY'
import asyncio

from fastapi_mcp import FastApiMCP
from mcp.shared.memory import create_connected_server_and_client_session as connected
from shop import app


async def main():
    async with connected(FastApiMCP(app).server) as client:
        (tool,) = (await client.list_tools()).tools
        print(sorted(tool.inputSchema["properties"]))
        result = await client.call_tool("put_item", {"id": "3", "price": 1.0})
        print(" ".join(result.content[0].text.split())[:150])


asyncio.run(main())
PY
cat > named.py <<'PY'
import asyncio

from fastmcp import Client, FastMCP
from shop import app


async def main():
    async with Client(FastMCP.from_fastapi(app)) as client:
        (tool,) = await client.list_tools()
        print(sorted(tool.input_schema["properties"]))
        print((await client.call_tool("put_item", {"id": "a", "id__path": 3, "price": 1.0})).content[0].text)


asyncio.run(main())
PY
echo 'fastapi-mcp 0.4.0, fastmcp 4.2.3'
echo 'expected: three arguments, and a call that works, with both'
flat=$(fastapi-mcp/bin/python flat.py 2>/dev/null | tr '\n' ' ')
named=$(fastmcp/bin/python named.py 2>/dev/null | tr '\n' ' ')
echo "seen: fastapi-mcp: $flat"
echo "seen: fastmcp: $named"
[[ $flat == "['id', 'price']"*"has non-unique elements"* && $named == "['id', 'id__path', 'price']"*"a is in 3"* ]]
