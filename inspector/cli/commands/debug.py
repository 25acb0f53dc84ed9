"""`mcp-inspect debug`: memory and time that mcp-inspect itself needs for traffic."""

import asyncio
import time
from pathlib import Path
from typing import Any

import click
import msgspec

from inspector.capture.journal import Journal
from inspector.capture.store.load import load
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.targets import names_a_server
from inspector.errors import UsageError
from inspector.present.server import MemoryUse, memory_of, resident_bytes
from inspector.session.options import SessionState

_EXAMPLES = (
    "mcp-inspect debug stats session.mcpcap",
    "mcp-inspect debug stats session.mcpcap --json",
    "mcp-inspect debug stats --for 10 -- node server.js",
)
_PACE_S = 0.05
"""Seconds between two checks whether a connection has ended."""


@documented("debug", _EXAMPLES, "`entries`, `exchanges`, `index_bytes`, `resident_bytes`, `seconds`, …")
@click.argument("what", type=click.Choice(["stats"]))
@click.argument("source", required=False, metavar="[FILE | URL | -- COMMAND]")
@click.option(
    "--for",
    "seconds",
    type=click.FloatRange(0),
    default=1.0,
    metavar="S",
    help="Record a server for this many seconds (1).",
)
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, what: str, source: str | None, seconds: float, **options: Any) -> ExitStatus:
    """Measure memory use and speed: reading a capture, or recording a session with a server."""
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    if env.server_argv is None and source is None:
        raise UsageError("nothing to look at", hint="Name a capture, a URL, or a server's command after --.")
    if env.server_argv is None and source is not None and not names_a_server(env, source):
        return _of_file(output, Path(source))
    before = resident_bytes()

    async def work(visit: CommandSession) -> ExitStatus:
        began, most = time.perf_counter(), 0
        while visit.session.state is not SessionState.CLOSED and time.perf_counter() < began + seconds:
            most = max(most, resident_bytes())
            await asyncio.sleep(min(_PACE_S, seconds))
        _print_figures(visit.output, visit.session.journal, (before, most), time.perf_counter() - began, "looked for")
        return ExitStatus.OK

    return visit(env, source, options, work)


def _of_file(output: Output, file: Path) -> ExitStatus:
    before, began = resident_bytes(), time.perf_counter()
    journal = load(file)
    try:
        _print_figures(output, journal, (before, 0), time.perf_counter() - began, "read in")
    finally:
        journal.close()
    return ExitStatus.OK


def _print_figures(output: Output, journal: Journal, resident: tuple[int, int], seconds: float, took: str) -> None:
    """Print the figures. `resident`: memory in bytes at the start and its maximum since."""
    memory, before = memory_of(journal), resident[0]
    most = max(resident[1], memory.resident_bytes)
    if output.as_json:
        known = msgspec.structs.asdict(memory) | {"resident_before_bytes": before, "resident_most_bytes": most}
        output.data(known | {"bytes_an_entry": memory.each, "seconds": seconds})
        return
    rows = {
        "entries": f"{memory.entries:,}, {memory.exchanges:,} exchanges",
        took: f"{seconds:.2f} s{_rate(memory, seconds)}",
        "resident": f"{memory.resident_bytes / 1e6:.0f} MB (at most {most / 1e6:.0f}, before it {before / 1e6:.0f})",
        "index": f"{memory.index_bytes / 1e6:.1f} MB, {memory.each:.1f} bytes an entry",
        "entries at hand": f"{memory.at_hand:,}, {memory.at_hand_bytes:,} bytes of at most {memory.at_hand_most:,}",
        "threads": str(memory.threads),
    }
    output.text("\n".join(f"{name:<16} {value}" for name, value in rows.items()))


def _rate(memory: MemoryUse, seconds: float) -> str:
    return f", {memory.entries / seconds:,.0f} entries a second" if seconds > 0 else ""
