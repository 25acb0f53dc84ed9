"""`mcp-inspect trace`: the trace of one operation of a capture, as Markdown with a sequence diagram."""

from pathlib import Path

import click
import msgspec

from inspector.capture.format.file import demand_place
from inspector.capture.journal import Journal
from inspector.cli.captures import loaded_capture
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.output import Output
from inspector.errors import UsageError
from inspector.features.export.selection import to_file
from inspector.present.trace import Trace, markdown_of, trace_of

_EXAMPLES = (
    "mcp-inspect trace session.mcpcap 28",
    "mcp-inspect trace session.mcpcap 28 -o slow-search.md",
    "mcp-inspect trace session.mcpcap 28 --json",
)


@documented("trace", _EXAMPLES, "`title`, `facts`, `steps`, `left_out`, `first`, `open`, `server`")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("n", type=click.IntRange(1))
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write to a new file instead of stdout.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout.")
@click.pass_obj
def command(env: CliEnv, /, file: Path, n: int, out: Path | None, force: bool, as_json: bool) -> ExitStatus:
    """Write a trace of the operation that entry N belongs to, as Markdown with a sequence diagram.

    It contains requests and responses, progress, server requests, HTTP exchanges, logs and stderr.
    """
    output = Output(env)
    if out is not None:
        demand_place(out, file, overwrite=force)
    with loaded_capture(output, file) as journal:
        trace = _trace_of(journal, n)
        if as_json:
            output.data(msgspec.to_builtins(trace))
            return ExitStatus.OK
        page = markdown_of(trace, journal)
    if out is None:
        output.text(page)
    else:
        to_file(out, [page.encode()], overwrite=force)
        output.narrate(f"written to {out}")
    return ExitStatus.OK


def _trace_of(journal: Journal, n: int) -> Trace:
    if n > journal.count:
        raise UsageError(
            f"no entry {n}: the capture has {journal.count:,}", hint="mcp-inspect tail FILE shows entry numbers."
        )
    trace = trace_of(journal, n)
    if trace is None:
        raise UsageError(
            f"entry {n} does not belong to a request",
            hint="mcp-inspect tail FILE 'kind == request' shows the requests.",
        )
    return trace
