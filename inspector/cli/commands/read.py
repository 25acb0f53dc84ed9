"""`mcp-inspect read`: read a resource."""

from typing import Any

import click

from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit, visit
from inspector.cli.help import Documented
from inspector.cli.options import headless_options
from inspector.cli.requests import Request, make
from inspector.cli.world import World

_EXAMPLES = (
    "mcp-inspect read file:///notes.md -- npx -y @modelcontextprotocol/server-filesystem .",
    "mcp-inspect read demo://a --json https://example.com/mcp",
)


@click.command("read", cls=Documented, examples=_EXAMPLES)
@click.argument("uri")
@headless_options
@click.pass_obj
def command(world: World, /, uri: str, url: str | None, **options: Any) -> ExitStatus:
    """Read a resource."""

    async def work(visit: Visit) -> ExitStatus:
        return await make(visit, Request("resources/read", {"uri": uri}, target=uri))

    return visit(world, url, options, work)
