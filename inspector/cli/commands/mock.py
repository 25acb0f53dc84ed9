"""`mcp-inspect mock`: replay the server side of a capture, to test clients."""

import asyncio
import gc
import math
from collections.abc import Awaitable
from pathlib import Path

import click

from inspector.capture.format.lines import demand_file
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.output import Output
from inspector.cli.process import leaving_politely
from inspector.config.paths import places
from inspector.errors import UsageError
from inspector.features.mock.running import MockRequest, run
from inspector.features.mock.shared import MockSettings, Serves, read_fault

_EXAMPLES = (
    "mcp-inspect mock session.mcpcap",
    "mcp-inspect mock session.mcpcap --http 8080 --no-delay",
    "mcp-inspect mock session.mcpcap --fault 'delay 2s on tools/call search 1 time'",
    "mcp-inspect mock session.mcpcap --fault 'args.q ~ ^x => malformed'",
)


@documented("mock", _EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Serve over HTTP on this port; 0: any free port.",
)
@click.option("--no-delay", is_flag=True, help="Reply immediately, ignoring recorded delays.")
@click.option("--speed", type=float, default=1.0, metavar="X", help="Play X times as fast as recorded (1).")
@click.option(
    "--era",
    type=click.Choice(["recorded", "both", "legacy", "modern"]),
    default="recorded",
    help="Serve clients of this era (recorded: as the recorded server did).",
)
@click.option("--conn", default="", metavar="NAME", help="Play this connection of the capture.")
@click.option(
    "--fault", "faults", multiple=True, metavar="FAULT", help="Inject a fault: delay, error, cut, malformed, drop."
)
@click.option("--strict", is_flag=True, help="Report each difference from the recording; exit 1 if any.")
@click.option("--capture", type=click.Path(path_type=Path), metavar="FILE", help="Record the session to a new file.")
@click.option("-q", "--quiet", is_flag=True, help="Print only warnings and errors.")
@click.pass_obj
def command(
    env: CliEnv,
    /,
    file: Path | None,
    port: int | None,
    no_delay: bool,
    speed: float,
    era: str,
    conn: str,
    faults: tuple[str, ...],
    strict: bool,
    capture: Path | None,
    quiet: bool,
) -> ExitStatus:
    """Serve a capture as a mock server, over stdio or over HTTP on this machine.

    A request gets the recorded response of the same request, in order; else that of the most similar one, with a
    warning; else an error. Progress, logs and server requests are replayed. FAULT: delay TIME, error [CODE], cut,
    malformed or drop, then optionally on METHOD [NAME], after N, N times; or FILTER => FAULT.
    """
    if not 0 < speed < math.inf:
        raise UsageError(f"invalid --speed {speed:g}", hint="2 is twice as fast; --no-delay replies immediately.")
    if file is None:
        hint = "mcp-inspect without arguments lists recent captures. --capture FILE records one in any command."
        raise UsageError("missing the capture to serve", hint=hint)
    demand_file(file, "mcp-inspect without arguments lists recent captures.")
    output = Output(env, quiet=quiet)
    settings = MockSettings(
        math.inf if no_delay else speed, Serves(era), strict, tuple(read_fault(text) for text in faults)
    )
    request = MockRequest(file, conn, port, capture, places(env.environ).cache / "captures")
    gc.enable()  # `__main__` disabled it during imports
    differences = asyncio.run(_until_signal(run(request, settings, narrate=output.narrate, warn=output.warn)))
    return ExitStatus.FINDINGS if strict and differences else ExitStatus.OK


async def _until_signal(playing: Awaitable[int]) -> int:
    """Serve until the end, or until a signal ends this process; then close the recording."""
    loop, task, reported = asyncio.get_running_loop(), asyncio.current_task(), asyncio.Event()
    assert task is not None, "a coroutine runs in one"

    def leave() -> None:
        reported.set()
        task.cancel()

    with leaving_politely(lambda: loop.call_soon_threadsafe(leave)):
        try:
            return await playing
        except asyncio.CancelledError:
            if not reported.is_set():  # Ctrl+C has its own exit status
                raise
    return 0
