"""`mcp-inspect debug`: what this program itself costs, for whoever wants to know or reports a fault."""

import time
from pathlib import Path

import click
import msgspec

from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.output import Output
from inspector.cli.world import World

_EXAMPLES = (
    "mcp-inspect debug stats session.mcpcap",
    "mcp-inspect debug stats session.mcpcap --json",
)


@click.command("debug", cls=Documented, examples=_EXAMPLES)
@click.argument("what", type=click.Choice(["stats"]))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "json_", is_flag=True, help="Write one JSON object to stdout.")
@click.pass_obj
def command(world: World, /, what: str, file: Path, json_: bool) -> ExitStatus:
    """Read a capture to its end and say what it costs: memory, bytes an entry, seconds."""
    from inspector.capture.load import load
    from inspector.viewmodels.memory import memory_of, resident_bytes

    output = Output(world)
    before, began = resident_bytes(), time.perf_counter()
    journal = load(file)
    try:
        seconds, memory = time.perf_counter() - began, memory_of(journal)
    finally:
        journal.close()
    if json_:
        known = msgspec.structs.asdict(memory)
        output.data(known | {"resident_before_bytes": before, "bytes_an_entry": memory.each, "seconds": seconds})
        return ExitStatus.OK
    rows = {
        "entries": f"{memory.entries:,}, {memory.exchanges:,} exchanges",
        "read in": f"{seconds:.2f} s",
        "resident": f"{memory.resident_bytes / 1e6:.0f} MB, before it {before / 1e6:.0f} MB",
        "index": f"{memory.index_bytes / 1e6:.1f} MB, {memory.each:.1f} bytes an entry",
        "entries at hand": f"{memory.at_hand:,}, {memory.at_hand_bytes:,} bytes of at most {memory.at_hand_most:,}",
        "threads": str(memory.threads),
    }
    output.text("\n".join(f"{name:<16} {value}" for name, value in rows.items()))
    return ExitStatus.OK
