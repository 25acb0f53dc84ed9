"""`read` and `get_prompt`: the other things that a server has, besides tools."""

from typing import Annotated, Any

from msgspec import Meta, field

from inspector.serve.outcome import OutcomeAnswer, outcome_of
from inspector.serve.sessions import Sessions
from inspector.serve.tool import Arguments, SessionId, WaitSeconds, tool


class ReadArguments(Arguments):
    uri: Annotated[str, Meta(description="Resource of the server.")]
    session: SessionId = ""
    wait_s: WaitSeconds = 30


class PromptArguments(Arguments):
    name: Annotated[str, Meta(description="Prompt of the server.")]
    session: SessionId = ""
    arguments: Annotated[dict[str, Any], Meta(description="Texts by name.")] = field(default_factory=dict)
    wait_s: WaitSeconds = 30


@tool(open_world=True)
async def read(sessions: Sessions, wanted: ReadArguments) -> OutcomeAnswer:
    """Read a resource of the inspected server by its URI."""
    opened = await sessions.server(wanted.session)
    return await outcome_of(opened, opened.begin("resources/read", {"uri": wanted.uri}), wanted.wait_s)


@tool(open_world=True)
async def get_prompt(sessions: Sessions, wanted: PromptArguments) -> OutcomeAnswer:
    """Get a prompt of the inspected server: the text of its messages for these arguments."""
    opened = await sessions.server(wanted.session)
    params: dict[str, Any] = {"name": wanted.name}
    params |= {"arguments": wanted.arguments} if wanted.arguments else {}
    return await outcome_of(opened, opened.begin("prompts/get", params), wanted.wait_s)
