"""The fixed part of an exported script: plain text here, a program there. It needs Python 3.10 and `mcp` alone."""

PROGRAM = r'''
import asyncio
import json
import os
import sys
from contextlib import AsyncExitStack

from mcp import ClientSession, StdioServerParameters, stdio_client, types
from mcp.client import streamable_http


async def connect(stack):
    """The two streams of the server that the command line names, or of the one that was recorded."""
    words = sys.argv[1:]
    command, url = COMMAND, URL
    if words and words[0] == "--":
        command, url = words[1:], ""
    elif words:
        command, url = [], words[0]
    if command:
        env = {name: os.environ[name] for name in VARIABLES if name in os.environ}
        here = DIRECTORY if os.path.isdir(DIRECTORY) else None
        server = StdioServerParameters(command=command[0], args=command[1:], env=env, cwd=here)
        streams = await stack.enter_async_context(stdio_client(server))
    elif url:
        client = await stack.enter_async_context(streamable_http.create_mcp_http_client(headers=headers()))
        opened = streamable_http.streamable_http_client(url, http_client=client)
        streams = await stack.enter_async_context(opened)
    else:
        sys.exit("The recording does not say which server it was: name one, as a URL or a command after --.")
    return streams[0], streams[1]


def headers():
    """The headers that were sent; secrets come from the environment, MCP_SECRET_AUTHORIZATION for Authorization."""
    found = {}
    for name, value in HEADERS.items():
        variable = "MCP_SECRET_" + "".join(char if char.isascii() and char.isalnum() else "_" for char in name.upper())
        value = os.environ.get(variable) if value is None else value
        if value is None:
            print(f"note: {name} is not sent; set {variable} to send it", file=sys.stderr)
        else:
            found[name] = value
    return found


def answering(method, kind):
    """Answers a question of the server's as it was answered then, in turn; None where it never asked."""
    recorded = list(ANSWERS.get(method, []))
    if not recorded:
        return None

    async def answer(*_):
        said = recorded.pop(0) if len(recorded) > 1 else recorded[0]
        return kind.model_validate(said)

    return answer


async def make(session, method, params):
    """One call."""
    if method == "tools/call":
        return await session.call_tool(params["name"], params.get("arguments"))
    if method == "tools/list":
        return await session.list_tools()
    if method == "resources/list":
        return await session.list_resources()
    if method == "resources/templates/list":
        return await session.list_resource_templates()
    if method == "prompts/list":
        return await session.list_prompts()
    if method == "resources/read":
        return await session.read_resource(params["uri"])
    if method == "resources/subscribe":
        return await session.subscribe_resource(params["uri"])
    if method == "resources/unsubscribe":
        return await session.unsubscribe_resource(params["uri"])
    if method == "prompts/get":
        return await session.get_prompt(params["name"], params.get("arguments"))
    if method == "completion/complete":
        is_prompt = params["ref"].get("type") == "ref/prompt"
        kind = types.PromptReference if is_prompt else types.ResourceTemplateReference
        context = (params.get("context") or {}).get("arguments")
        return await session.complete(kind.model_validate(params["ref"]), params["argument"], context)
    if method == "logging/setLevel":
        return await session.set_logging_level(params["level"])
    return await session.send_ping()


async def run():
    failed = 0
    for entry, what in NOT_MADE:
        print(f"note: entry {entry}, {what}: not made again", file=sys.stderr)
    async with AsyncExitStack() as stack:
        read, write = await connect(stack)
        session = await stack.enter_async_context(
            ClientSession(
                read,
                write,
                sampling_callback=answering("sampling/createMessage", types.CreateMessageResult),
                elicitation_callback=answering("elicitation/create", types.ElicitResult),
                list_roots_callback=answering("roots/list", types.ListRootsResult),
            )
        )
        if STATELESS and hasattr(session, "discover"):
            await session.discover()
        else:
            await session.initialize()
        for entry, method, params, had_failed in CALLS:
            told = {"entry": entry, "method": method, "params": params}
            try:
                result = await make(session, method, params)
                told["result"] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
            except Exception as error:
                failed += not had_failed
                told["error"] = f"{type(error).__name__}: {error}"
            print(json.dumps(told), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(run()))
'''
