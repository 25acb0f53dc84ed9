"""`mcp-inspect revisions`: the matrix of the protocol's revisions, straight from the table."""

import click

from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.output import Output
from inspector.cli.revision_matrix import as_json, as_markdown, as_text
from inspector.cli.world import World

_EXAMPLES = (
    "mcp-inspect revisions",
    "mcp-inspect revisions --json",
)


@click.command("revisions", cls=Documented, examples=_EXAMPLES)
@click.option("--markdown", is_flag=True, help="Write a table in Markdown.")
@click.option("--json", "json_", is_flag=True, help="Write one JSON object to stdout.")
@click.pass_obj
def command(world: World, /, markdown: bool, json_: bool) -> ExitStatus:
    """Show the revisions of the protocol and how they differ."""
    output = Output(world)
    if json_:
        output.data(as_json())
    else:
        output.text(as_markdown() if markdown else as_text())
    return ExitStatus.OK
