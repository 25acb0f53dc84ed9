"""`mcp-inspect read`: read a resource."""

from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import Documented
from inspector.cli.options import headless_options
from inspector.cli.requests import CliRequest, make

_EXAMPLES = (
    "mcp-inspect read file:///notes.md -- npx -y @modelcontextprotocol/server-filesystem .",
    "mcp-inspect read demo://a --json https://example.com/mcp",
)


@click.command(
    "read",
    cls=Documented,
    examples=_EXAMPLES,
    json_shape="`result` or `error` as received, `duration_ms`, `rounds`, `outcome`",
)
@click.argument("uri")
@headless_options
@click.pass_obj
def command(env: CliEnv, /, uri: str, url: str | None, **options: Any) -> ExitStatus:
    """Read a resource."""

    async def work(visit: CommandSession) -> ExitStatus:
        return await make(visit, CliRequest("resources/read", {"uri": uri}, target=uri))

    return visit(env, url, options, work)
