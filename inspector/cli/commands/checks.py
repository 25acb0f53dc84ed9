"""`mcp-inspect checks`: list every check with its severity, protocol versions and page."""

import click

from inspector.checks.everything import all_checks
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.output import Output
from inspector.cli.reports import check_as_json
from inspector.present.findings import check_lines

_EXAMPLES = (
    "mcp-inspect checks",
    "mcp-inspect checks --json",
)


@click.command(
    "checks",
    cls=Documented,
    examples=_EXAMPLES,
    json_shape="a list of `id`, `severity`, `title`, `confidence`, `revisions`, `page`, `fix`",
)
@click.option("--json", "json_", is_flag=True, help="Write one JSON array to stdout.")
@click.pass_obj
def command(env: CliEnv, /, json_: bool) -> ExitStatus:
    """List all checks with their severity and protocol versions."""
    output = Output(env)
    if json_:
        output.data([check_as_json(check) for check in all_checks()])
    else:
        output.lines(check_lines(all_checks()))
    return ExitStatus.OK
