"""`mcp-inspect recover`: the clean beginning of a capture that was cut or damaged, as a file of its own."""

from pathlib import Path

import click
import msgspec

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.output import Output
from inspector.cli.process import leaving_nothing_half_made

_EXAMPLES = ("mcp-inspect recover torn.mcpcap -o clean.mcpcap",)
_FILE = click.Path(path_type=Path)


@click.command("recover", cls=Documented, examples=_EXAMPLES)
@click.argument("file", type=_FILE)
@click.option("-o", "--output", "out", type=_FILE, required=True, metavar="FILE", help="Where it goes.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@click.option("--json", "json_", is_flag=True, help="Write one JSON object to stdout.")
@click.pass_obj
def command(env: CliEnv, /, file: Path, out: Path, force: bool, json_: bool) -> ExitStatus:
    """Copy a capture up to the first line that can't be read, byte by byte, and give it an end.

    The original stays as it is, and so does what stands behind the damage: it is in the original alone.
    """
    from inspector.capture.format.verify import recover
    from inspector.cli.progress import ReadingProgress

    output = Output(env, as_json=json_)
    progress = ReadingProgress(output)
    try:
        with leaving_nothing_half_made():
            done = recover(file, out, overwrite=force, tell=progress)
    finally:
        progress.end()
    if json_:
        output.data({"file": str(out)} | msgspec.structs.asdict(done))
        return ExitStatus.OK
    said = [f"{done.records:,} records, {done.kept:,} bytes, are in {out}."]
    if done.line is not None:
        why = "is torn" if done.torn else "can't be read"
        said.append(f"Line {done.line:,} {why}: {done.left:,} bytes from there on are in the original alone.")
    elif done.whole:
        said.append("Nothing was wrong with it: this is the same.")
    else:
        said.append("All lines could be read; what was missing is the end.")
    if done.grows:
        said.append("It is still being recorded: this is what was there so far.")
    output.text("\n".join(said))
    return ExitStatus.OK
