"""`mcp-inspect request`: any request or notification, right or wrong, and what came of it."""

from typing import Any

import click

from inspector.cli.arguments import read_whole
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit, visit
from inspector.cli.help import Documented
from inspector.cli.options import headless_options
from inspector.cli.requests import Request, make
from inspector.cli.world import World
from inspector.errors import RequestFailed

_EXAMPLES = (
    "mcp-inspect request resources/templates/list --json -- node server.js",
    """mcp-inspect request acme/do --params '{"x": [1]}' https://example.com/mcp""",
)


@click.command("request", cls=Documented, examples=_EXAMPLES)
@click.argument("method")
@click.option("--params", metavar="JSON|@FILE|-", help="Any JSON, an object or not; - reads stdin.")
@click.option("--notification", is_flag=True, help="Send a notification: nothing answers it.")
@headless_options
@click.pass_obj
def command(
    world: World, /, method: str, params: str | None, notification: bool, url: str | None, **options: Any
) -> ExitStatus:
    """Send a request of any method with any params."""
    given = read_whole(params, world.stdin, "--params")

    async def work(visit: Visit) -> ExitStatus:
        if notification:
            return await _notify(visit, method, given)
        return await make(visit, Request(method, given, target=""))

    return visit(world, url, options, work)


async def _notify(visit: Visit, method: str, params: Any) -> ExitStatus:
    problem = await visit.session.notify(method, params)
    if problem:
        raise RequestFailed(f"{method} could not be sent: {problem}")
    if visit.output.as_json:
        visit.output.data({"result": None, "error": None, "duration_ms": None, "rounds": 0})
    else:
        visit.output.narrate(f"{method} was sent")
    return ExitStatus.OK
