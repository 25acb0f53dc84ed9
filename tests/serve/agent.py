"""An agent: a client of the official SDK, connected to the server of `mcp-inspect serve` in this process."""

import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.client.client import Client

from inspector.cli.commands.serve import AllowedTargets, command
from inspector.cli.env import CliEnv
from inspector.cli.targets import choose
from inspector.config.settings import captures_directory
from inspector.serve.server import server_of
from inspector.serve.sessions import ServeOptions, Sessions
from tests.cli.running import SERVERS

Words = Sequence[str]


def script(name: str, *argv: str) -> tuple[str, ...]:
    """The command of a server of the tests."""
    return (sys.executable, str(SERVERS / f"{name}.py"), *argv)


class Agent:
    """Calls tools, and reads the result as a model does."""

    def __init__(self, client: Client, sessions: Sessions) -> None:
        self.client = client
        self.sessions = sessions
        self.calls = 0

    async def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its structured content."""
        self.calls += 1
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    async def refused(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that fails, and return its text."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        return str(result.content[0].text)  # type: ignore[union-attr]


def sessions_for(target: Words | None = None, *options: str, any_command: bool = False, **allowed: bool) -> Sessions:
    """The sessions that `mcp-inspect serve OPTIONS -- TARGET` has."""
    env = CliEnv(None if target is None else tuple(target), dict(os.environ))
    parsed = command.make_context("serve", [*options], obj=env, resilient_parsing=False).params
    targets = AllowedTargets(env, parsed, any_command=any_command)
    if target is not None:
        targets.add("", choose(env, None, parsed))
    captures = captures_directory(env.environ)
    return Sessions(ServeOptions(targets.resolve, targets.names, captures, any_command=any_command, **allowed))


@asynccontextmanager
async def agent(target: Words | None = None, *options: str, **allowed: bool) -> AsyncIterator[Agent]:
    """Connect an agent to the sessions of `mcp-inspect serve OPTIONS -- TARGET`."""
    sessions = sessions_for(target, *options, **allowed)
    try:
        async with Client(server_of(sessions)) as client:
            yield Agent(client, sessions)
    finally:
        await sessions.close_all()
