"""`mcp-inspect compat`: client compatibility, what known clients do with the tools of a server."""

from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import click

from inspector.capture.format.lines import demand_file
from inspector.capture.journal import Journal
from inspector.checks.compat.packs import Host, usual_hosts
from inspector.cli.captures import loaded_capture
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented
from inspector.cli.judging import chosen_hosts
from inspector.cli.lists import has_tools_or_none
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.targets import names_a_server
from inspector.present.compatibility import (
    compatibility_matrix,
    definitions_of,
    host_as_json,
    host_lines,
    matrix_as_json,
    matrix_lines,
)

_EXAMPLES = (
    "mcp-inspect compat -- node server.js",
    "mcp-inspect compat --host claude-code,vscode session.mcpcap",
    "mcp-inspect compat --server-name github https://example.com/mcp",
    "mcp-inspect compat --json",
)
_WIDE = 140
"""Default width in columns if there is no terminal."""


@documented(
    "compat",
    _EXAMPLES,
    "`hosts`, `tokens_estimated`, `server`, `tools` with their names and the effects in each client; "
    "without a target the list of facts",
)
@click.option("--host", "hosts", multiple=True, metavar="LIST", help="Show only these clients, comma-separated.")
@click.option(
    "--server-name", "called", default="", metavar="NAME", help="Set the server's name in the clients' configuration."
)
@click.option("--all", "every", is_flag=True, help="Also show tools without known problems.")
@click.argument("word", required=False, metavar="[FILE | URL | -- COMMAND]")
@headless_settings
@click.pass_obj
def command(
    env: CliEnv, /, word: str | None, hosts: tuple[str, ...], called: str, every: bool, **options: Any
) -> ExitStatus:
    """Show which tools of a server or a capture known clients drop, reject, truncate or change.

    Each mark is a known fact, listed below with its source and date; a dot means no known problem. Without a target,
    all facts are listed.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    chosen = chosen_hosts(hosts) or tuple(usual_hosts())
    if env.server_argv is None and not word:
        return _list(output, chosen)
    if env.server_argv is None and word and not names_a_server(env, word):
        return _of_file(output, Path(word), chosen, called, every)

    async def work(visit: CommandSession) -> ExitStatus:
        complete = await has_tools_or_none(visit)
        status = _print_report(output, visit.session.journal, chosen, called, every)
        return status if complete or status is not ExitStatus.OK else ExitStatus.TOOL_ERROR

    return visit(env, word, options, work)


def _list(output: Output, hosts: tuple[Host, ...]) -> ExitStatus:
    if output.as_json:
        output.data([host_as_json(host) for host in hosts])
    else:
        output.lines(host_lines(hosts))
    return ExitStatus.OK


def _of_file(output: Output, path: Path, hosts: tuple[Host, ...], called: str, every: bool) -> ExitStatus:
    demand_file(path, "Name a capture, a URL, or a server's command after --.")
    with loaded_capture(output, path) as journal:
        return _print_report(output, journal, hosts, called, every)


def _print_report(output: Output, journal: Journal, hosts: tuple[Host, ...], called: str, every: bool) -> ExitStatus:
    matrix = compatibility_matrix(definitions_of(journal.conversation, called), hosts)
    if output.as_json:
        output.data(matrix_as_json(matrix))
    else:
        width = get_terminal_size((_WIDE, 24)).columns if output.env.stdout.isatty() else _WIDE
        output.lines(matrix_lines(matrix, width, every=every))
    return ExitStatus.OK
