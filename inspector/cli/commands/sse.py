"""`mcp-inspect sse`: the interface on a server of the older HTTP+SSE carriage."""

from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.interface import inspect
from inspector.cli.options import choose, screen_options
from inspector.errors import UsageError

_EXAMPLES = ("mcp-inspect sse http://127.0.0.1:3000/sse",)


@click.command("sse", cls=Documented, examples=_EXAMPLES)
@click.argument("url")
@screen_options
@click.pass_obj
def command(env: CliEnv, /, url: str, **options: Any) -> ExitStatus:
    """Connect to a URL by the older HTTP+SSE and no other way."""
    if options["transport"] not in (None, "sse"):
        raise UsageError(f"--transport {options['transport']} contradicts sse", hint="Leave one of them out.")
    return inspect(env, choose(env, url, options | {"transport": "sse"}))
