"""`call`: call a tool of the server."""

from typing import Annotated, Any

from msgspec import Meta, field

from inspector.errors import UsageError
from inspector.serve.outcome import OutcomeAnswer, outcome_of
from inspector.serve.sessions import AgentSession, Sessions
from inspector.serve.tool import Arguments, SessionId, WaitSeconds, tool
from inspector.text import visible


class CallToolArguments(Arguments):
    name: Annotated[str, Meta(description="Tool of the server.")]
    session: SessionId = ""
    arguments: Annotated[dict[str, Any], Meta(description="Sent unchanged, valid or not.")] = field(
        default_factory=dict
    )
    wait_s: WaitSeconds = 30


@tool(read_only=False, destructive=True, open_world=True)
async def call(sessions: Sessions, wanted: CallToolArguments) -> OutcomeAnswer:
    """Call a tool of the inspected server with arguments.

    Shows what it returns, schema problems, findings; pending if it asks.
    """
    opened = await sessions.server(wanted.session)
    refuse_destructive(sessions, opened, wanted.name)
    request = opened.begin("tools/call", {"name": wanted.name, "arguments": wanted.arguments})
    return await outcome_of(opened, request, wanted.wait_s)


def refuse_destructive(sessions: Sessions, opened: AgentSession, name: str) -> None:
    """Raise UsageError for a tool that declares itself destructive, unless the user allows those."""
    tool = opened.tool(name)
    if tool is not None and tool.destructive and not sessions.options.allows_destructive:
        raise UsageError(
            f"{visible(name, limit=80)} is destructive (destructiveHint), and the user does not allow such calls",
            hint="Ask the user to start mcp-inspect serve with --allow-destructive.",
        )
