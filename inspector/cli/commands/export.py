"""`mcp-inspect export`: write a capture, or filtered entries of it, in the format of another program."""

from pathlib import Path

import click

from inspector.capture.format.file import demand_place
from inspector.capture.format.notes import Notes, NotesFile
from inspector.capture.journal import Journal
from inspector.cli.captures import loaded_capture, matching_entries
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.output import Output
from inspector.cli.process import leaving_nothing_half_made
from inspector.cli.progress import progress_of
from inspector.errors import UsageError
from inspector.features.export.formats import FORMATS, demand_place_for_notes, pieces
from inspector.features.export.otlp import send
from inspector.features.export.selection import Selection, to_file

_EXAMPLES = (
    "mcp-inspect export session.mcpcap --to har -o session.har",
    "mcp-inspect export session.mcpcap --to markdown --where 'is:error'",
    "mcp-inspect export session.mcpcap --to jsonrpc | jq .method",
    "mcp-inspect export session.mcpcap --to python -o again.py",
    "mcp-inspect export session.mcpcap --to otlp --send http://127.0.0.1:4318",
)
_FILE = click.Path(path_type=Path)


@documented("export", _EXAMPLES)
@click.argument("file", type=_FILE)
@click.option("--to", "name", type=click.Choice(list(FORMATS)), required=True, help="Choose the format.")
@click.option("-o", "--output", "out", type=_FILE, metavar="OUT", help="Write to a new file instead of stdout.")
@click.option("--send", "url", metavar="URL", help="Post to this OpenTelemetry collector instead (otlp).")
@click.option("--where", "text", default="", metavar="FILTER", help="Export only entries that match.")
@click.option("--notes", is_flag=True, help="Include marks and comments (har, markdown, html).")
@click.option("--no-redact", "keep_secrets", is_flag=True, help="Do not mask credentials in headers and URLs.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("-q", "--quiet", is_flag=True, help="Print only warnings and errors.")
@click.pass_obj
def command(
    env: CliEnv,
    /,
    file: Path,
    name: str,
    out: Path | None,
    url: str | None,
    text: str,
    notes: bool,
    keep_secrets: bool,
    force: bool,
    quiet: bool,
) -> ExitStatus:
    """Export a capture as HAR 1.2, Markdown, JSON-RPC lines, curl commands, a Python script, an HTML page or spans.

    Credentials in headers and URLs are masked; messages are exported unchanged. To remove secrets from messages, export
    a copy made by mcp-inspect share. For one operation with a diagram, see mcp-inspect trace.
    """
    output = Output(env, quiet=quiet)
    if url is not None and (name != "otlp" or out is not None):
        raise UsageError("--send needs --to otlp, and no --output", hint="Only spans can be sent to a collector.")
    if notes:
        demand_place_for_notes(name)
    if out is not None:
        demand_place(out, file, overwrite=force)
    with loaded_capture(output, file) as journal:
        chosen = matching_entries(output, journal, text) if text.strip() else range(1, journal.count + 1)
        noted = _noted(journal, output) if notes else None
        with progress_of(output, "exporting", "entries") as progress:
            on_progress = None if out is None and env.stdout.isatty() else progress
            selection = Selection(journal, chosen, keep_secrets=keep_secrets, notes=noted, on_progress=on_progress)
            found = pieces(name, selection)
            if url is not None:
                output.narrate(f"sent to {url} in {send(url, found, env.environ):,} requests")
            elif out is None:
                output.chunks(found)
            else:
                with leaving_nothing_half_made():
                    size = to_file(out, found, overwrite=force)
        if out is not None:
            output.narrate(f"written to {out}: {size:,} bytes; not in it: {FORMATS[name].loses}")
        if selection.left_out:
            output.warn(f"Left out, because the format has no place for them: {selection.left_out:,}.")
    return ExitStatus.OK


def _noted(journal: Journal, output: Output) -> Notes:
    notes = NotesFile(journal.capture_path, journal.head.id).read()
    if notes.trouble:
        output.warn(notes.trouble)
    return notes
