"""`mcp-inspect lock`: write the server definitions as a file to commit and compare."""

from pathlib import Path
from typing import Any

import click

from inspector.cli.comparing import definitions_of_side, read_sides
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.errors import UsageError
from inspector.features.lock.lock_file import as_json, is_lock_file, save
from inspector.protocol.listed_items import LISTS

_EXAMPLES = (
    "mcp-inspect lock -o mcp.lock.json -- node server.js",
    "mcp-inspect lock https://example.com/mcp",
    "mcp-inspect lock -o before.json session.mcpcap",
)


@documented(
    "lock",
    _EXAMPLES,
    "the lock file itself: `format`, `version`, `hash`, `server`, `revision`, `capabilities`, "
    "`instructions`, `tools`, `resources`, `templates`, `prompts`",
)
@click.option(
    "-o",
    "--output",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to this file instead of stdout.",
)
@click.argument("words", nargs=-1, metavar="[FILE | URL | -- COMMAND]")
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, words: tuple[str, ...], path: Path | None, **options: Any) -> ExitStatus:
    """Write the definitions of a server to a lock file, to commit and compare.

    It holds tools, resources, templates, prompts, capabilities and instructions as stable JSON with a hash of
    each item. mcp-inspect diff compares it with a server, a capture or another lock file; mcp-inspect check --lock
    reports changes.
    """
    output = Output(env, quiet=options["quiet"])
    (side,) = read_sides(words, env, 1)
    if path is not None:
        _demand_place(path)
    fetched = definitions_of_side(env, output, side, options)
    if not fetched.surface.is_known:
        return fetched.status
    if path is None:
        output.data(as_json(fetched.surface))
        return fetched.status
    save(path, fetched.surface)
    known = fetched.surface.lists
    counts = ", ".join(f"{len(known[kind]):,} {kind}" if kind in known else f"{kind} not known" for kind in LISTS)
    output.narrate(f"wrote {path}: {counts}")
    return fetched.status


def _demand_place(path: Path) -> None:
    """Check that only a file written by this command is replaced. Raises: UsageError, CaptureError."""
    if path.exists() and path.stat().st_size and not is_lock_file(path):
        raise UsageError(f"{path} exists and is not a lock file", hint="Choose another file.")
