"""`mcp-inspect info`: what a server says about itself, and how much it has."""

from typing import Any

import click

from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit, visit
from inspector.cli.help import Documented
from inspector.cli.lists import declared, fetch
from inspector.cli.options import headless_options
from inspector.cli.world import World
from inspector.protocol.things import LISTS

_EXAMPLES = (
    "mcp-inspect info -- npx -y @modelcontextprotocol/server-everything",
    "mcp-inspect info --json https://example.com/mcp",
)


@click.command("info", cls=Documented, examples=_EXAMPLES)
@headless_options
@click.pass_obj
def command(world: World, /, url: str | None, **options: Any) -> ExitStatus:
    """Show what a server says about itself."""
    return visit(world, url, options, _info)


async def _info(visit: Visit) -> ExitStatus:
    opening = visit.opening
    counts: dict[str, int | None] = dict.fromkeys(LISTS)
    for kind in declared(opening):
        fetched = await fetch(visit, kind)
        counts[kind] = None if fetched.error else len(fetched.items)
        if fetched.error:
            visit.output.warn(fetched.refusal)
    transport = visit.session.transport.kind
    if not visit.output.as_json:
        from inspector.viewmodels.readable import info_lines

        visit.output.lines(info_lines(opening, transport, counts))
        return ExitStatus.OK
    about = {
        "revision": opening.revision.date,
        "era": opening.era,
        "transport": transport,
        "server": opening.server,
        "capabilities": opening.capabilities,
        "instructions": opening.instructions or None,
        "counts": counts,
    }
    visit.output.data(about)
    return ExitStatus.OK
