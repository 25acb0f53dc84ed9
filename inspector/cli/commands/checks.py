"""`mcp-inspect checks`: list every check with its severity, protocol versions and page."""

import click

from inspector.checks.catalog import all_checks
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.output import Output
from inspector.cli.reports import check_as_json
from inspector.errors import UsageError
from inspector.present.findings import check_lines, checks_markdown

_EXAMPLES = ("mcp-inspect checks", "mcp-inspect checks --json", "mcp-inspect checks --markdown > docs/checks.md")


@documented("checks", _EXAMPLES, "a list of `id`, `severity`, `title`, `confidence`, `revisions`, `page`, `fix`")
@click.option("--json", "json_", is_flag=True, help="Write one JSON array to stdout.")
@click.option("--markdown", is_flag=True, help="Write the reference page docs/checks.md to stdout.")
@click.pass_obj
def command(env: CliEnv, /, json_: bool, markdown: bool) -> ExitStatus:
    """List all checks with their severity and protocol versions."""
    output = Output(env)
    if json_ and markdown:
        raise UsageError("--json and --markdown exclude each other", hint="Choose one of them.")
    if markdown:
        output.text(checks_markdown())
    elif json_:
        output.data([check_as_json(check) for check in all_checks()])
    else:
        output.lines(check_lines(all_checks()))
    return ExitStatus.OK
