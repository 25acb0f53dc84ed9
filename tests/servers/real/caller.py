"""A client built with `mcp` 1 or 2, which uses a server in every way and prints what it got: a JSON array.

    PYTHON caller.py legacy|auto stdio COMMAND… | http URL | sse URL

Nothing of this project is used here: whether a server is the real one is for the package to find out.
"""

# mypy: disable-error-code="import-not-found, misc, no-untyped-call, attr-defined, no-any-return, no-redef"

import json
import os
import sys
from contextlib import AsyncExitStack
from importlib.metadata import version
from typing import Any

import anyio
import mcp

MODERN = version("mcp").startswith("2")
if MODERN:
    import mcp_types as said
else:
    import mcp.types as said
    from mcp.client.sse import sse_client
    from mcp.client.streamable_http import streamablehttp_client

DOCUMENT = "demo://resource/static/document/features.md"
got: list[Any] = []


async def answer_form(context: Any, params: Any) -> Any:
    """Accept, with nothing filled in but a name."""
    got.append(["asked", params.message])
    return said.ElicitResult(action="accept", content={"name": "Ann"})


async def answer_as_model(context: Any, params: Any) -> Any:
    """Say one word."""
    got.append(["sampled", len(params.messages)])
    return said.CreateMessageResult(
        role="assistant", content=said.TextContent(type="text", text="Aye"), model="none", **_stop()
    )


def _stop() -> dict[str, Any]:
    return {"stop_reason": "endTurn"} if MODERN else {"stopReason": "endTurn"}


async def tell_roots(context: Any) -> Any:
    """There is one."""
    return said.ListRootsResult(roots=[said.Root(uri="file:///harbour", name="harbour")])  # type: ignore[arg-type]


class Changes:
    """Hears which resource is told to have changed first."""

    def __init__(self) -> None:
        self.heard = anyio.Event()
        self.first = ""

    async def hear(self, message: Any) -> None:
        """Take note of a change."""
        note = getattr(message, "root", message)
        if getattr(note, "method", "") == "notifications/resources/updated" and not self.first:
            self.first = str(note.params.uri)
            self.heard.set()


async def hear_of_progress(done: float, total: float | None, message: str | None) -> None:
    """Keep it."""
    got.append(["progress", done, total])


def keep(name: str, result: Any) -> None:
    """Keep a result as it would be written."""
    got.append([name, json.loads(result.model_dump_json(by_alias=True, exclude_none=True))])


async def use(client: Any) -> None:
    """All kinds of requests, one after the other."""
    for name in ("list_tools", "list_resources", "list_resource_templates", "list_prompts"):
        keep(name, await getattr(client, name)())
    keep("read", await client.read_resource(DOCUMENT if MODERN else said.AnyUrl(DOCUMENT)))
    keep("prompt", await client.get_prompt("args-prompt", {"city": "Ghent"}))
    keep("echo", await client.call_tool("echo", {"message": "once"}))
    keep("wrong", await client.call_tool("get-sum", {"a": "two", "b": 40}))
    keep("structured", await client.call_tool("get-structured-content", {"location": "Chicago"}))
    work = {"duration": 0.1, "steps": 4}
    keep("work", await client.call_tool("trigger-long-running-operation", work, progress_callback=hear_of_progress))
    keep("elicited", await client.call_tool("trigger-elicitation-request", {}))
    keep("sampled", await client.call_tool("trigger-sampling-request", {"prompt": "hi", "maxTokens": 20}))
    keep("roots", await client.call_tool("get-roots-list", {}))


async def watch(client: Any, changes: Changes, *, stateless: bool) -> None:
    """Have a document watched, in the way of the era, and wait until it is told to have changed."""
    if not stateless:
        await client.subscribe_resource(DOCUMENT if MODERN else said.AnyUrl(DOCUMENT))
        keep("toggled", await client.call_tool("toggle-subscriber-updates", {}))
        await changes.heard.wait()
        got.append(["changed", changes.first])
        return
    async with client.listen(resource_subscriptions=[DOCUMENT]) as changed:
        keep("toggled", await client.call_tool("toggle-subscriber-updates", {}))
        async for event in changed:
            got.append(["changed", event.uri])
            break


async def main(mode: str, transport: str, where: list[str]) -> None:
    """Connect, use, leave."""
    changes = Changes()
    manners: dict[str, Any] = {
        "message_handler": changes.hear,
        "elicitation_callback": answer_form,
        "sampling_callback": answer_as_model,
        "list_roots_callback": tell_roots,
    }
    async with AsyncExitStack() as stack:
        if MODERN:
            server: Any = where[0]
            if transport == "stdio":
                parameters = mcp.StdioServerParameters(command=where[0], args=where[1:], env=dict(os.environ))
                server = mcp.stdio_client(parameters)
            client: Any = await stack.enter_async_context(mcp.Client(server, mode=mode, **manners))
            got.append(["server", client.server_info.name])
        else:
            if transport == "stdio":
                parameters = mcp.StdioServerParameters(command=where[0], args=where[1:], env=dict(os.environ))
                streams: Any = await stack.enter_async_context(mcp.stdio_client(parameters))
            else:
                over = sse_client if transport == "sse" else streamablehttp_client
                streams = await stack.enter_async_context(over(where[0]))
            client = await stack.enter_async_context(mcp.ClientSession(*streams[:2], **manners))
            got.append(["server", (await client.initialize()).serverInfo.name])
        await use(client)
        await watch(client, changes, stateless=mode == "auto")
    print(json.dumps(got))


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], sys.argv[2], sys.argv[3:])
