"""`mcp-inspect request`: any request or notification, several at once, or any bytes, and what came of it."""

from typing import Any

import click

from inspector.cli.arguments import read_whole
from inspector.cli.durations import duration
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit, visit
from inspector.cli.help import Documented
from inspector.cli.options import headless_options
from inspector.cli.requests import Request, make
from inspector.cli.world import World
from inspector.errors import RequestFailed, UsageError

_EXAMPLES = (
    "mcp-inspect request resources/templates/list --json -- node server.js",
    """mcp-inspect request acme/do --params '{"x": [1]}' https://example.com/mcp""",
    """mcp-inspect request --raw '{"jsonrpc": "1.0", "id": 1' -- node server.js""",
    """mcp-inspect request --batch '[{"method": "ping"}]' -- node server.js""",
)


@click.command("request", cls=Documented, examples=_EXAMPLES)
@click.argument("method", required=False)
@click.option("--params", metavar="JSON|@FILE|-", help="Any JSON, an object or not; - reads stdin.")
@click.option("--notification", "--notify", is_flag=True, help="Send a notification: nothing answers it.")
@click.option("--raw", metavar="TEXT|@FILE|-", help="Send exactly these bytes; over stdio each line is a frame.")
@click.option(
    "--wait", type=duration, default=5.0, metavar="S", help="With --raw: how long to wait for what comes (5)."
)
@click.option("--plain", is_flag=True, help="With --raw: add no HTTP header of the revision.")
@click.option("--batch", metavar="JSON|@FILE|-", help="Send an array of {method, params} as one frame.")
@headless_options
@click.pass_obj
def command(
    world: World,
    /,
    method: str | None,
    params: str | None,
    notification: bool,
    raw: str | None,
    wait: float,
    plain: bool,
    batch: str | None,
    url: str | None,
    **options: Any,
) -> ExitStatus:
    """Send a request of any method with any params, or what is no request at all.

    With --raw the exit status is 0 if something came or nothing had to, 5 if an error is among it, 7 if a request
    was not answered in time, 4 if the connection ended.
    """
    if raw is not None or batch is not None:
        method, url = _only_a_target(world, method, url)
        _refuse_both(params, notification, raw, batch)
    elif method is None:
        raise UsageError("no method named", hint="Write: mcp-inspect request METHOD, or --raw TEXT.")
    given = read_whole(params, world.stdin, "--params")

    if raw is not None:
        from inspector.cli.raw import read_bytes, send_raw

        payload = read_bytes(raw, world.stdin)
        return visit(world, url, options, lambda visit: send_raw(visit, payload, wait, plain=plain))
    if batch is not None:
        from inspector.cli.batches import read_batch, send_batch

        requests = read_batch(read_whole(batch, world.stdin, "--batch"))
        return visit(world, url, options, lambda visit: send_batch(visit, requests))

    async def work(visit: Visit) -> ExitStatus:
        assert method is not None, "it was looked at above"
        if notification:
            return await _notify(visit, method, given)
        return await make(visit, Request(method, given, target="", plain=True))

    return visit(world, url, options, work)


def _only_a_target(world: World, method: str | None, url: str | None) -> tuple[None, str | None]:
    """The one word that may stand beside bytes is the target's URL."""
    if method is not None and (url is not None or world.theirs is not None):
        raise UsageError(f"both a method, {method!r}, and what to send", hint="--raw and --batch hold the method.")
    return None, url or method


def _refuse_both(params: str | None, notification: bool, raw: str | None, batch: str | None) -> None:
    given = {"--params": params is not None, "--notification": notification, "--batch": batch is not None}
    wrong = [name for name, there in given.items() if there and (raw is not None or name != "--batch")]
    if wrong:
        raise UsageError(f"{wrong[0]} means nothing beside {'--raw' if raw is not None else '--batch'}")


async def _notify(visit: Visit, method: str, params: Any) -> ExitStatus:
    problem = await visit.session.notify(method, params)
    if problem:
        raise RequestFailed(f"{method} could not be sent: {problem}")
    if visit.output.as_json:
        visit.output.data({"result": None, "error": None, "duration_ms": None, "rounds": 0})
    else:
        visit.output.narrate(f"{method} was sent")
    return ExitStatus.OK
