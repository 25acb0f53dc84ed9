"""`mcp-inspect replay`: the interface on a capture. Nothing is connected to, nothing is started."""

from pathlib import Path

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.interface import replay

_EXAMPLES = (
    "mcp-inspect replay session.mcpcap",
    "mcp-inspect replay before.mcpcap after.mcpcap",
    "mcp-inspect replay session.har",
)


@click.command("replay", cls=Documented, examples=_EXAMPLES)
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILE…")
@click.pass_obj
def command(env: CliEnv, /, files: tuple[Path, ...]) -> ExitStatus:
    """Open a capture, read-only; several in a tab each.

    What another program recorded opens as well, as what mcp-inspect import makes of it, and so it does wherever a
    command takes a capture. Nothing is kept of that but notes, beside the file.
    """
    from inspector.capture.format.lines import demand_file

    for file in files:
        demand_file(file, "mcp-inspect without any words lists recent captures.")
    return replay(env, *files)
