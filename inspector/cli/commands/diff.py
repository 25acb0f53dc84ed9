"""`mcp-inspect diff`: what is different between two captures."""

from pathlib import Path
from typing import Any

import click

from inspector.cli.comparing import compare_captures, comparing_options, read_wish
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.output import Output
from inspector.cli.world import World

_EXAMPLES = (
    "mcp-inspect diff before.mcpcap after.mcpcap",
    "mcp-inspect diff --only 'tools/*' --ignore 'result.content[*].text' before.mcpcap after.mcpcap",
)


@click.command("diff", cls=Documented, examples=_EXAMPLES)
@comparing_options
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Say only what went wrong.")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@click.pass_obj
def command(world: World, /, before: str, after: str, **options: Any) -> ExitStatus:
    """Say what is different between two captures.

    Operations are paired by what was asked, not by position; made-up ids, times, cursors, ports and temporary paths
    are no difference. The exit status is 1 if anything is.
    """
    wish = read_wish(options)
    return compare_captures(
        Output(world, as_json=options["as_json"], quiet=options["quiet"]), Path(before), Path(after), wish
    )
