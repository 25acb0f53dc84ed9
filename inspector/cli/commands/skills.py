"""`mcp-inspect skills`: the skills a server lists, and reading one with every file held against its entry."""

from typing import Any

import click

from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit, visit
from inspector.cli.help import Documented
from inspector.cli.options import headless_settings
from inspector.cli.world import World

_EXAMPLES = (
    "mcp-inspect skills -- python server.py",
    "mcp-inspect skills lamp-lighting --json https://example.com/mcp",
    "mcp-inspect skills lamp-lighting references/oils.md -- python server.py",
)


@click.command("skills", cls=Documented, examples=_EXAMPLES)
@click.argument("words", nargs=-1, metavar="[NAME|URI [FILE…]] [URL | -- CMD…]")
@click.option("--anyway", is_flag=True, help="Ask a server that does not declare the extension, too.")
@headless_settings
@click.pass_obj
def command(world: World, /, words: tuple[str, ...], anyway: bool, **options: Any) -> ExitStatus:
    """List skills without reading any; with a name, read its files and verify size, digest and front matter.

    Reading stops at the first file that is not what its entry says; the exit status is 1 then.
    """
    url = words[-1] if words and world.theirs is None else None
    named = words if url is None else words[:-1]

    async def work(visit: Visit) -> ExitStatus:
        from inspector.cli.skills import demand_skills, show_list, show_skill

        demand_skills(visit, anyway=anyway)
        return await show_skill(visit, named[0], named[1:]) if named else await show_list(visit)

    return visit(world, url, options, work)
