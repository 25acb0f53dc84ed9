"""`mcp-inspect import`: make a capture of a recording of another program."""

from pathlib import Path

import click

from inspector.capture.import_.importing import import_file
from inspector.capture.import_.readers import READERS
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.output import Output
from inspector.cli.process import leaving_nothing_half_made
from inspector.errors import UsageError

_EXAMPLES = (
    "mcp-inspect import mcp-server-search.log",
    "mcp-inspect import session.har -o session.mcpcap",
    "mcp-inspect import messages.txt --from jsonrpc",
)
_FILE = click.Path(path_type=Path)


@click.command("import", cls=Documented, examples=_EXAMPLES)
@click.argument("file", type=_FILE)
@click.option("-o", "--output", "out", type=_FILE, metavar="OUT", help="The capture; FILE.mcpcap if not said.")
@click.option("--from", "name", default="", metavar="FORMAT", help="What FILE is, if it is not recognised.")
@click.option("--no-redact", "keep_secrets", is_flag=True, help="Write credentials in headers and URLs too.")
@click.option("--force", is_flag=True, help="Overwrite a capture that is there.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Say only what is wrong.")
@click.pass_obj
def command(
    env: CliEnv,
    /,
    file: Path,
    out: Path | None,
    name: str,
    keep_secrets: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> ExitStatus:
    """Make a capture of what another program recorded, and say what its format has lost.

    Recognised are plain JSON-RPC lines, HAR, mcpsnoop, mcp-cassette, exports of the official Inspector, and the logs of
    Claude Desktop and VS Code.
    """
    if name and name not in READERS:
        raise UsageError(f"--from {name!r} is no format", hint=f"Formats are {', '.join(READERS)}.")
    target = out or file.with_name(file.name + ".mcpcap")
    output = Output(env, as_json=as_json, quiet=quiet)
    with leaving_nothing_half_made():
        found = import_file(file, target, name=name, overwrite=force, keep_secrets=keep_secrets)
    if as_json:
        told = {"file": str(target), "from": found.reader.name, "entries": found.entries, "messages": found.frames}
        output.data(told | {"losses": found.reader.losses, "passed_over": found.passed_over})
        return ExitStatus.OK
    for what, count in found.passed_over.items():
        output.warn(f"Left out ({count:,}): {what}.")
    if not quiet:
        lines = [f"{target}: {found.frames:,} messages in {found.entries:,} entries, from {found.reader.title}"]
        lines.append("It does not tell")
        lines += [f"  - {each}" for each in found.reader.losses]
        output.text("\n".join(lines))
    return ExitStatus.OK
