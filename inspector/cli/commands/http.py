"""`mcp-inspect http`: the interface on a server that is reached by URL."""

from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.interface import inspect
from inspector.cli.options import choose, screen_options

_EXAMPLES = (
    "mcp-inspect http://127.0.0.1:3000/mcp",
    "mcp-inspect https://example.com/mcp -H 'Authorization: Bearer …'",
)


@click.command("http", cls=Documented, examples=_EXAMPLES)
@click.argument("url")
@screen_options
@click.pass_obj
def command(env: CliEnv, /, url: str, **options: Any) -> ExitStatus:
    """Connect to a URL and look at it. The word http may be left out."""
    return inspect(env, choose(env, url, options))
