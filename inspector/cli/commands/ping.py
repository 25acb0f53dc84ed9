"""`mcp-inspect ping`: measure round-trip times."""

from statistics import median
from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, answered, report_error, visit
from inspector.cli.help import documented
from inspector.cli.options import headless_options
from inspector.errors import UsageError
from inspector.protocol.exchanges import Exchange
from inspector.protocol.jsonrpc import ErrorResponse

_EXAMPLES = ("mcp-inspect ping -- node server.js", "mcp-inspect ping --count 100 --json https://example.com/mcp")


@documented("ping", _EXAMPLES, "`times_ms`, `min_ms`, `median_ms`, `max_ms`")
@click.option("--count", type=click.IntRange(1, 1_000_000), default=4, metavar="N", help="Send N pings (4).")
@headless_options
@click.pass_obj
def command(env: CliEnv, /, count: int, url: str | None, **options: Any) -> ExitStatus:
    """Measure the round-trip time of pings."""

    async def work(visit: CommandSession) -> ExitStatus:
        return await _ping(visit, count)

    return visit(env, url, options, work)


async def _ping(visit: CommandSession, count: int) -> ExitStatus:
    revision = visit.opening.revision
    if "ping" not in revision.client_requests:
        raise UsageError(
            f"{revision.named} has no ping", hint="Try --era legacy, or send it anyway: mcp-inspect request ping."
        )
    times: list[float] = []
    for number in range(1, count + 1):
        exchanges: list[Exchange] = []
        called = await visit.session.call("ping", opened=exchanges.append)
        message = answered(called.reply, "ping").message
        if isinstance(message, ErrorResponse):
            return report_error(visit.output, "ping", message)
        times.append(round((exchanges[-1].duration_ns or 0) / 1e6, 3))
        if not visit.output.as_json:
            visit.output.text(f"{number}  {times[-1]:g} ms")
    _sum_up(visit, times)
    return ExitStatus.OK


def _sum_up(visit: CommandSession, times: list[float]) -> None:
    middle = round(median(times), 3)
    if visit.output.as_json:
        visit.output.data({"times_ms": times, "min_ms": min(times), "median_ms": middle, "max_ms": max(times)})
    else:
        visit.output.text(f"least {min(times):g} ms, median {middle:g} ms, most {max(times):g} ms")
