"""`mcp-inspect demo`: the interface on the server that comes with this program."""

from typing import Any

import click
from msgspec.structs import replace

from inspector.cli.choices import DEMO, DEMO_VARIABLE
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.interface import inspect
from inspector.cli.options import choose, screen_options

_EXAMPLES = (
    "mcp-inspect demo",
    "mcp-inspect demo --era legacy",
)


@click.command("demo", cls=Documented, examples=_EXAMPLES)
@screen_options
@click.pass_obj
def command(env: CliEnv, /, **options: Any) -> ExitStatus:
    """Look at the server that comes with this program."""
    demo = replace(env, server_argv=DEMO)
    return inspect(env, choose(demo, None, options | {"set_": (DEMO_VARIABLE, *options["set_"])}))
