"""`mcp-inspect import`: convert a recording of another program to a capture."""

from pathlib import Path

import click

from inspector.capture.import_.importing import import_file
from inspector.capture.import_.readers import READERS
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.output import Output
from inspector.cli.process import leaving_nothing_half_made
from inspector.errors import UsageError

_EXAMPLES = (
    "mcp-inspect import mcp-server-search.log",
    "mcp-inspect import session.har -o session.mcpcap",
    "mcp-inspect import messages.txt --from jsonrpc",
)
_FILE = click.Path(path_type=Path)


@documented("import", _EXAMPLES, "`file`, `from`, `entries`, `messages`, `losses`, `skipped`")
@click.argument("file", type=_FILE)
@click.option("-o", "--output", "out", type=_FILE, metavar="OUT", help="Write to this file (default: FILE.mcpcap).")
@click.option("--from", "name", default="", metavar="FORMAT", help="Set the format of FILE (default: detected).")
@click.option("--no-redact", "keep_secrets", is_flag=True, help="Do not mask credentials in headers and URLs.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print only warnings and errors.")
@click.pass_obj
def command(
    env: CliEnv, /, file: Path, out: Path | None, name: str, keep_secrets: bool, force: bool, as_json: bool, quiet: bool
) -> ExitStatus:
    """Convert a recording of another program to a capture, and list what the format does not contain.

    Supported formats: JSON-RPC lines, HAR, mcpsnoop, mcp-cassette, recordings of mcporter, exports of the official
    Inspector, and logs of Claude Desktop, VS Code and supergateway. Logs of Claude Code have no messages.
    """
    if name and name not in READERS:
        raise UsageError(f"unknown format --from {name!r}", hint=f"Formats: {', '.join(READERS)}.")
    target = out or file.with_name(file.name + ".mcpcap")
    output = Output(env, as_json=as_json, quiet=quiet)
    with leaving_nothing_half_made():
        found = import_file(file, target, name=name, overwrite=force, keep_secrets=keep_secrets)
    if as_json:
        members = {"file": str(target), "from": found.reader.name, "entries": found.entries, "messages": found.frames}
        output.data(members | {"losses": found.reader.losses, "skipped": found.passed_over})
        return ExitStatus.OK
    for what, count in found.passed_over.items():
        output.warn(f"Left out ({count:,}): {what}.")
    if not quiet:
        lines = [f"{target}: {found.frames:,} messages in {found.entries:,} entries, from {found.reader.title}"]
        lines.append("Not in the recording:")
        lines += [f"  - {each}" for each in found.reader.losses]
        output.text("\n".join(lines))
    return ExitStatus.OK
