"""A client of the Python SDK, 1.x or 2.x: opens a session with the given command and prints what it got, as JSON."""

import asyncio
import json
import os
import sys
from typing import Any

CALLS: dict[str, dict[str, Any]] = {
    "echo": {"message": "hello ☃"},
    "get-sum": {"a": 2, "b": 3},
    "list_allowed_directories": {},
    "read_graph": {},
    "calculate": {"expression": "2*21"},
    "list_tables": {},
    "git_status": {"repo_path": os.environ.get("REPOSITORY", "")},
    "sequentialthinking": {"thought": "a", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1},
}


async def main() -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=None)
    found: dict[str, Any] = {}
    limit: dict[str, Any] = {}
    if seconds := os.environ.get("CALL_TIMEOUT_S"):
        limit = {"read_timeout_seconds": float(seconds)}
    async with stdio_client(server) as (reads, writes), ClientSession(reads, writes) as session:
        found["initialize"] = (await session.initialize()).model_dump(mode="json")
        tools = await session.list_tools()
        found["tools"] = tools.model_dump(mode="json")
        for tool in tools.tools:
            if tool.name in CALLS:
                found[tool.name] = (await session.call_tool(tool.name, CALLS[tool.name], **limit)).model_dump(
                    mode="json"
                )
    print(json.dumps(found, sort_keys=True))


asyncio.run(main())
