"""`mcp-inspect share`: copy a capture without secrets."""

from pathlib import Path
from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.output import Output
from inspector.cli.process import leaving_nothing_half_made
from inspector.cli.progress import progress_of
from inspector.cli.sharing import as_json, chosen, copy, told, warnings
from inspector.errors import UsageError

_EXAMPLES = (
    "mcp-inspect share session.mcpcap --dry-run",
    "mcp-inspect share session.mcpcap -o out.mcpcap --redact params.arguments.path",
)
_FILE = click.Path(path_type=Path)


@click.command("share", cls=Documented, examples=_EXAMPLES)
@click.argument("file", type=_FILE)
@click.option("-o", "--output", "out", type=_FILE, metavar="FILE", help="Where the copy goes.")
@click.option("--dry-run", is_flag=True, help="Write nothing; list what would be replaced.")
@click.option("--redact", "paths", multiple=True, metavar="PATH", help="Also replace this place of every message.")
@click.option("--secret-env", multiple=True, metavar="NAME", help="Also replace the value of this variable.")
@click.option(
    "--secret", "secret_files", type=_FILE, multiple=True, metavar="FILE", help="Also these values, one a line."
)
@click.option(
    "--key-file", type=_FILE, metavar="FILE", help="The key of the pseudonyms; a new one for each copy if not."
)
@click.option("--notes", is_flag=True, help="Copy the marks and comments beside the capture too.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@click.option("--json", "json_", is_flag=True, help="Write one JSON object to stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Say only what is wrong.")
@click.pass_obj
def command(env: CliEnv, /, file: Path, out: Path | None, *, dry_run: bool, **options: Any) -> ExitStatus:
    """Copy a capture without secrets: what gives access, what names you, and what you name.

    The copy is read again, and not kept if a known secret is left. What only people understand stays: look into it.
    """
    if out is None and not dry_run:
        raise UsageError("the copy needs a name", hint="Say -o FILE, or --dry-run to see what would be replaced.")
    output = Output(env, as_json=options["json_"], quiet=options["quiet"])
    choice = chosen(
        file,
        env.environ,
        secret_env=options["secret_env"],
        secret_files=options["secret_files"],
        paths=options["paths"],
        key_file=options["key_file"],
    )
    target = None if dry_run else out
    with progress_of(output, "copying") as progress, leaving_nothing_half_made():
        shared = copy(
            file,
            target,
            choice,
            notes=options["notes"],
            overwrite=options["force"],
            warn=output.warn,
            tell=progress,
        )
    for warning in warnings(shared, choice):
        output.warn(warning)
    if output.as_json:
        output.data(as_json(shared, choice, target))
    elif not output.quiet:
        output.text(told(shared, target))
    return ExitStatus.OK
