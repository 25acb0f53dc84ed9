"""`mcp-inspect roots`: show the result of a `roots/list` request, without a server."""

from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.output import Output
from inspector.cli.server_request_options import read_roots, roots_options
from inspector.protocol.server_requests import Result, rooted

_EXAMPLES = ("mcp-inspect roots --root ~/project --root-uri file:///data --json",)


@documented("roots", _EXAMPLES, "`roots`")
@roots_options
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print only warnings and errors.")
@click.pass_obj
def command(env: CliEnv, /, as_json: bool, quiet: bool, **options: Any) -> ExitStatus:
    """Show the roots/list result that a server would get.

    Roots are a hint to the server, not an access control.
    """
    output = Output(env, as_json, quiet)
    named = read_roots(options)
    if as_json:
        result: Result = rooted(named)
        output.data(result.value)
        return ExitStatus.OK
    for root in named:
        output.lines([((root.uri, "target"), (f"  {root.name}", "text"))])
    if not named:
        output.narrate("no roots: the client does not advertise the roots capability; add some with --root")
    return ExitStatus.OK
