"""`mcp-inspect share`: copy a capture without secrets."""

from pathlib import Path
from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.output import Output
from inspector.cli.process import leaving_nothing_half_made
from inspector.cli.progress import progress_of
from inspector.cli.sharing import as_json, chosen, copy, share_summary, warnings
from inspector.errors import UsageError

_EXAMPLES = (
    "mcp-inspect share session.mcpcap --dry-run",
    "mcp-inspect share session.mcpcap -o out.mcpcap --redact params.arguments.path",
)
_FILE = click.Path(path_type=Path)


@documented(
    "share",
    _EXAMPLES,
    "`file`, `entries`, `replaced`, `rules`, `looked_for`, `not_looked_for`, `left_out`, `recording`",
)
@click.argument("file", type=_FILE)
@click.option("-o", "--output", "out", type=_FILE, metavar="FILE", help="Write the copy to this file.")
@click.option("--dry-run", is_flag=True, help="List what would be replaced; write nothing.")
@click.option(
    "--redact", "paths", multiple=True, metavar="PATH", help="Also replace the value at this path in every message."
)
@click.option(
    "--secret-env", multiple=True, metavar="NAME", help="Also replace the value of this environment variable."
)
@click.option(
    "--secret",
    "secret_files",
    type=_FILE,
    multiple=True,
    metavar="FILE",
    help="Also replace the values in this file, one per line.",
)
@click.option("--key-file", type=_FILE, metavar="FILE", help="Derive pseudonyms with this key (default: a new key).")
@click.option("--notes", is_flag=True, help="Also copy marks and comments.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--json", "json_", is_flag=True, help="Write one JSON object to stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print only warnings and errors.")
@click.pass_obj
def command(env: CliEnv, /, file: Path, out: Path | None, *, dry_run: bool, **options: Any) -> ExitStatus:
    """Copy a capture without secrets: credentials, personal data and the values you name.

    The copy is read again and deleted if it still contains a known secret. Review it before you share it: secrets in
    free text may remain.
    """
    if out is None and not dry_run:
        raise UsageError("missing -o FILE", hint="--dry-run shows what would be replaced.")
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
            file, target, choice, notes=options["notes"], overwrite=options["force"], warn=output.warn, tell=progress
        )
    for warning in warnings(shared, choice):
        output.warn(warning)
    if output.as_json:
        output.data(as_json(shared, choice, target))
    elif not output.quiet:
        output.text(share_summary(shared, target))
    return ExitStatus.OK
