"""`mcp-inspect stdio`: the interface on a server that we start."""

from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.interface import inspect
from inspector.cli.options import choose, screen_options

_EXAMPLES = (
    "mcp-inspect -- npx -y @modelcontextprotocol/server-everything",
    "mcp-inspect -e API_KEY --cwd ~/project -- python -m my_server --verbose",
)


@click.command("stdio", cls=Documented, examples=_EXAMPLES, options_metavar="[OPTIONS] -- CMD…")
@screen_options
@click.pass_obj
def command(env: CliEnv, /, **options: Any) -> ExitStatus:
    """Start a server and look at it. The word stdio may be left out."""
    return inspect(env, choose(env, None, options))
