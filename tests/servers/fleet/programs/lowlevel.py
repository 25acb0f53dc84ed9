"""The low-level server of `mcp` 2 with lists that may change: `PYTHON lowlevel.py [PORT]`."""

# mypy: ignore-errors

import asyncio
import sys

import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server

ADD = types.Tool(
    name="add",
    description="Adds two numbers.",
    input_schema={
        "type": "object",
        "properties": {
            "a": {"type": "number", "description": "One."},
            "b": {"type": "number", "description": "The other."},
        },
        "required": ["a", "b"],
    },
    annotations=types.ToolAnnotations(read_only_hint=True),
)


async def list_tools(context, params):
    """One tool."""
    return types.ListToolsResult(tools=[ADD])


async def call_tool(context, params):
    """Add."""
    given = params.arguments or {}
    if not all(type(given.get(name)) in (int, float) for name in "ab"):
        text = types.TextContent(type="text", text="a and b must be numbers")
        return types.CallToolResult(content=[text], is_error=True)
    return types.CallToolResult(content=[types.TextContent(type="text", text=str(given["a"] + given["b"]))])


async def list_prompts(context, params):
    """One prompt."""
    return types.ListPromptsResult(prompts=[types.Prompt(name="review", description="Reviews.")])


async def get_prompt(context, params):
    """A prompt."""
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text="Review"))
    return types.GetPromptResult(messages=[message])


server = Server(
    "lowlevel",
    version="1.0.0",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_prompts=list_prompts,
    on_get_prompt=get_prompt,
)


async def over_stdio():
    """Serve over stdio; both lists may change."""
    changes = NotificationOptions(tools_changed=True, prompts_changed=True)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options(changes))


if len(sys.argv) > 1:
    import uvicorn

    uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
else:
    asyncio.run(over_stdio())
