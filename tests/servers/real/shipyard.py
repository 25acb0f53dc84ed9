"""A shipyard built with `mcp` 1, whose tools run as tasks of 2025-11-25, and ask from inside of them.

    PYTHON shipyard.py

Speaks over stdio. Nothing of this project is used here.
"""

# mypy: disable-error-code="import-not-found, untyped-decorator, no-untyped-call"

from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, CreateTaskResult, SamplingMessage, TextContent, Tool, ToolExecution

yard: Any = Server("shipyard")
yard.experimental.enable_tasks()

NAME: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string", "default": "Fulmar"}},
    "required": ["name"],
}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
SUPPORT = {
    "build": "required",
    "paint": "optional",
    "christen": "required",
    "christen_later": "required",
    "advise": "required",
    "advise_later": "required",
    "wreck": "required",
    "wait_for_oak": "required",
    "plain": "forbidden",
}


def said(text: str) -> Any:
    """A result of one text."""
    return CallToolResult(content=[TextContent(type="text", text=text)])


async def build(task: Any) -> Any:
    """Three steps, each told of."""
    for step in ("keel laid", "planks on", "mast up"):
        await task.update_status(step)
        await anyio.sleep(0.15)
    return said("a ship of three steps")


async def paint(task: Any) -> Any:
    """Done at once."""
    return said("painted")


async def christen(task: Any) -> Any:
    """Ask for a name."""
    answer = await task.elicit("What is she called?", NAME)
    return said(f"she is called {(answer.content or {}).get('name', answer.action)}")


async def christen_later(task: Any) -> Any:
    """Ask for a name, which the client is to find as a task of its own."""
    answer = await task.elicit_as_task("What is she called, when you know it?", NAME, ttl=60000)
    return said(f"at last {(answer.content or {}).get('name', answer.action)}")


async def advise(task: Any) -> Any:
    """Ask a model."""
    words = SamplingMessage(role="user", content=TextContent(type="text", text="Oak or elm?"))
    answer = await task.create_message([words], max_tokens=20)
    return said(f"it says {answer.content.text}")


async def advise_later(task: Any) -> Any:
    """Ask a model, whose answer the client is to find as a task of its own."""
    words = SamplingMessage(role="user", content=TextContent(type="text", text="Pitch or tar?"))
    answer = await task.create_message_as_task([words], max_tokens=20, ttl=60000)
    return said(f"it says {answer.content.text} at last")


async def wreck(task: Any) -> Any:
    """Fail."""
    raise RuntimeError("she sank on the slip")


async def wait_for_oak(task: Any) -> Any:
    """Wait until somebody calls it off."""
    await task.update_status("no oak yet")
    await anyio.sleep_forever()


WORK = {
    each.__name__: each for each in (build, paint, christen, christen_later, advise, advise_later, wreck, wait_for_oak)
}


@yard.list_tools()
async def list_tools() -> Any:
    """All of them."""
    return [
        Tool(name=name, inputSchema=NOTHING, execution=ToolExecution(taskSupport=support))  # type: ignore[call-arg]
        for name, support in SUPPORT.items()
    ]


@yard.call_tool()
async def call_tool(name: str, arguments: dict[str, Any]) -> CallToolResult | CreateTaskResult:
    """Run one, as a task where that was asked for."""
    context = yard.request_context
    context.experimental.validate_task_mode(SUPPORT[name])
    if context.experimental.is_task:
        return await context.experimental.run_task(WORK[name])  # type: ignore[no-any-return]
    return said(f"{name}, at once")  # type: ignore[no-any-return]


async def main() -> None:
    """Serve until stdin ends."""
    async with stdio_server() as (incoming, outgoing):
        await yard.run(incoming, outgoing, yard.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
