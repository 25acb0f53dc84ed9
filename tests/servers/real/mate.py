"""A mate who asks in every way there is, built with whichever Python package runs it.

    PYTHON mate.py stdio | sse PORT | http PORT

Nothing of this project is used here. Most tools ask by requests of the server's own, which only the handshake era
has; `survey` asks three things in one result, which only the stateless era has.
"""

# mypy: disable-error-code="import-not-found, valid-type, attr-defined, no-redef, misc"

import sys
from asyncio import Event, gather
from pathlib import Path
from typing import Any

import anyio
from harbour import Package
from pydantic import BaseModel, Field

PACKAGE = Package()
if PACKAGE.name == "mcp1":
    import mcp.types as said
else:
    import mcp_types as said
Context = PACKAGE.Context
CALLED_OFF = Path.home() / "called-off"
"""Once this file exists, `wait` takes its question back."""


class Berth(BaseModel):
    """Where to."""

    ship: str
    nights: int = 2
    quay: str = Field("south", json_schema_extra={"enum": ["north", "south"]})


class Rope(BaseModel):
    """What with."""

    metres: int


def _told(answer: Any) -> str:
    return str(answer.data.model_dump()) if answer.action == "accept" else str(answer.action)


async def ask(ctx: Context) -> str:
    """Ask for a berth."""
    return _told(await ctx.elicit("Which berth?", Berth))


async def ask_twice(ctx: Context) -> str:
    """Ask for a berth and for a rope, without waiting in between."""
    both = await gather(ctx.elicit("Which berth?", Berth), ctx.elicit("How much rope?", Rope))
    return " and ".join(map(_told, both))


async def wait(ctx: Context) -> str:
    """Ask for a berth, and take the question back when the file appears."""
    answered: list[str] = []
    async with anyio.create_task_group() as tasks:

        async def listen() -> None:
            answered.append(_told(await ctx.elicit("Which berth?", Berth)))
            tasks.cancel_scope.cancel()

        tasks.start_soon(listen)
        while not CALLED_OFF.exists():  # noqa: ASYNC110 - the test says when
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    return answered[0] if answered else "the berth is gone"


async def wait_for_ever(ctx: Context) -> str:
    """Ask for a berth, and do nothing with the answer."""
    try:
        told = _told(await ctx.elicit("Which berth?", Berth))
        await Event().wait()
    finally:
        sys.stderr.write("wait_for_ever: called off\n")
        sys.stderr.flush()
    return told


async def link(ctx: Context) -> str:
    """Ask somebody to go and pay."""
    answer = await ctx.session.elicit_url("Please pay the toll.", "https://toll.example/pay?ship=Gull", "toll-1")
    return str(answer.action)


async def advise(ctx: Context) -> str:
    """Ask a model."""
    message = said.SamplingMessage(role="user", content=said.TextContent(type="text", text="Is it safe to sail?"))
    answer = await ctx.session.create_message([message], max_tokens=50, system_prompt="You are a mate.")
    return f"{answer.model} says: {answer.content.text}"


async def look_around(ctx: Context) -> str:
    """List the roots."""
    found = await ctx.session.list_roots()
    return ", ".join(str(root.uri) for root in found.roots) or "nothing"


async def survey(ctx: Context) -> said.CallToolResult:
    """Ask for a berth, a model's word and the roots, all at once, and tell what was answered."""
    answers = ctx.input_responses
    if not answers:
        return said.InputRequiredResult(input_requests=_questions(), request_state="mate's own words: ü/{}")  # type: ignore[return-value]
    action = answers["berth"].action
    told = [str(answers["berth"].content) if action == "accept" else action]
    told += [answers["word"].content.text, *(str(root.uri) for root in answers["roots"].roots), ctx.request_state]
    return said.CallToolResult(content=[said.TextContent(type="text", text="; ".join(told))])


def _questions() -> dict[str, Any]:
    text = said.TextContent(type="text", text="Is it safe to sail?")
    sampled = said.CreateMessageRequestParams(messages=[said.SamplingMessage(role="user", content=text)], max_tokens=50)
    form = said.ElicitRequestFormParams(message="Which berth?", requested_schema=Rope.model_json_schema())
    return {
        "berth": said.ElicitRequest(params=form),
        "word": said.CreateMessageRequest(params=sampled),
        "roots": said.ListRootsRequest(),
    }


def main(transport: str, port: int = 0) -> None:
    """Serve until stdin ends, or for ever."""
    where = {} if transport == "stdio" else {"port": port}
    kind = "streamable-http" if transport == "http" else transport
    mate = PACKAGE.server_class("mate", **(where if PACKAGE.name == "mcp1" else {}))
    tools = [ask, ask_twice, wait, wait_for_ever, link, advise, look_around]
    for tool in tools if PACKAGE.name == "mcp1" else [*tools, survey]:
        mate.tool()(tool)
    if PACKAGE.name == "mcp1":
        mate.run(kind)
    elif PACKAGE.name == "mcp2":
        mate.run(kind, **where)
    else:
        mate.run(kind, show_banner=False, **where)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
