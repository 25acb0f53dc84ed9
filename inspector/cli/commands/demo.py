"""`mcp-inspect demo`: the interface on the server that comes with this program."""

import sys
from pathlib import Path
from typing import Any

import click

from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.interface import inspect
from inspector.cli.options import choose, screen_options
from inspector.cli.world import World

_ROOT = Path(__file__).parents[3]
"""What holds the package: named to the child, so that it is found from a checkout that is not installed too."""

_EXAMPLES = (
    "mcp-inspect demo",
    "mcp-inspect demo --era legacy",
)


@click.command("demo", cls=Documented, examples=_EXAMPLES)
@screen_options
@click.pass_obj
def command(world: World, /, **options: Any) -> ExitStatus:
    """Look at the server that comes with this program."""
    return inspect(world, choose(demo_world(world), None, demo_options(options)))


def demo_world(world: World) -> World:
    """The world in which the demo's command is the server's."""
    return World((sys.executable, "-m", "inspector.demo"), world.env, world.stdin, world.stdout, world.stderr)


def demo_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options with which this very package is what the child imports."""
    return options | {"set_": (f"PYTHONPATH={_ROOT}", *options["set_"])}
