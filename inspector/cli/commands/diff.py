"""`mcp-inspect diff`: differences between two captures, servers, or saved server definitions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from inspector.capture.compare import operations
from inspector.capture.compare.differences import Comparison, compare
from inspector.capture.compare.operations import Operations, View, write_view
from inspector.capture.format.lines import demand_file
from inspector.cli.comparing import (
    ComparedSide,
    CompareOptions,
    SideKind,
    are_captures,
    comparing_options,
    definitions_of_side,
    demand_captures,
    options_for,
    read_compare_options,
    read_sides,
    refuse_rules,
)
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.interface import compare_on_screen
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.progress import progress_of
from inspector.errors import UsageError
from inspector.features.lock.changes import DefinitionsDiff, compare_definitions
from inspector.features.lock.lines import diff_as_json, diff_lines, diff_markdown
from inspector.features.lock.lock_file import ServerDefinitions, as_json
from inspector.features.lock.schemas import Rating
from inspector.present.changes.captures import Names, comparison_data, comparison_lines
from inspector.protocol.revisions.table import is_known
from inspector.text import visible

FAILS = (*(rating.value for rating in Rating), "any", "never")
"""Values of `--fail-on`."""

_EXAMPLES = (
    "mcp-inspect diff before.mcpcap after.mcpcap",
    "mcp-inspect diff --only 'tools/*' --ignore '**.text' before.mcpcap after.mcpcap",
    "mcp-inspect diff --fail-on breaking mcp.lock.json -- node server.js",
    "mcp-inspect diff --edits tapped.mcpcap",
)


def compare_captures(output: Output, before: Path, after: Path, compare_options: CompareOptions) -> ExitStatus:
    """Print the differences. Return exit status 1 if there are any. Raises: CaptureError."""
    names = names_of(before, after)
    sides = (_read(before, output), _read(after, output))
    found = compare(sides[0].accounts, sides[1].accounts, compare_options.normal, compare_options.only)
    return tell(output, found, names, tuple(visible(side.client, limit=300) for side in sides))


def compare_views(
    env: CliEnv, output: Output, path: Path, compare_options: CompareOptions, *, screen: bool
) -> ExitStatus:
    """Compare both views of a capture of a tap. Raises: CaptureError, UsageError for a missing file."""
    import tempfile

    demand_file(path, "mcp-inspect without arguments lists recent captures.")
    with tempfile.TemporaryDirectory(prefix="mcp-inspect-") as directory:
        views: tuple[View, ...] = ("client", "server")
        paths = [Path(directory) / f"{view} saw.mcpcap" for view in views]
        for view, each in zip(views, paths, strict=True):
            write_view(path, view, each)
        if screen:
            return compare_on_screen(env, paths[0], paths[1], compare_options.normal, compare_options.only)
        before, after = (operations.read_operations(each).accounts for each in paths)
    found = compare(before, after, compare_options.normal, compare_options.only)
    return tell(output, found, Names("client saw", "server saw"))


def tell(output: Output, found: Comparison, names: Names, clients: tuple[str, ...] = ()) -> ExitStatus:
    """Print a comparison. `clients`: the clients of both sides, printed if they differ."""
    differ = len(set(clients)) > 1
    if output.as_json:
        output.data(comparison_data(found, names) | ({"clients": clients} if differ else {}))
    else:
        if differ:
            output.text("Clients:\n" + "\n".join(f"  {sign} {each}" for sign, each in zip("−+", clients, strict=True)))
            output.text("")
        output.lines(comparison_lines(found, names))
    return ExitStatus.OK if found.is_empty else ExitStatus.FINDINGS


def names_of(before: Path, after: Path) -> Names:
    """Return display names of two files: their names, or the given paths if the names are equal."""
    same = before.name == after.name
    return Names(str(before) if same else before.name, str(after) if same else after.name)


def read_operations(path: Path, output: Output) -> Operations:
    """Read the operations of a capture. Raises: CaptureError, UsageError for a missing file."""
    return _read(path, output).accounts


def _read(path: Path, output: Output) -> operations.Read:
    demand_file(path, "mcp-inspect without arguments lists recent captures.")
    with progress_of(output, f"reading {path.name}") as progress:
        read = operations.read_operations(path, progress)
    for notice in read.notices:
        output.warn(f"{path.name}: {notice}")
    return read


def diff_definitions(
    env: CliEnv,
    output: Output,
    sides: tuple[ComparedSide, ...],
    options: dict[str, Any],
    *,
    fail_on: str,
    markdown: bool,
) -> ExitStatus:
    """Compare the definitions of two sides and print the differences.

    If a side can't be fetched, its exit status is returned. Raises: UsageError, CaptureError for a file that can't
    be read.
    """
    known: dict[int, ServerDefinitions] = {}
    for at in sorted(range(len(sides)), key=lambda at: sides[at].kind is SideKind.TARGET):
        side, own = sides[at], options_for(sides[at], sides, options)
        if side.kind is SideKind.TARGET and not own["revision"] and own["era"] == "auto" and not own["as_client"]:
            own["revision"] = _revision_of_capture(output, [(sides[each], found) for each, found in known.items()])
        fetched = definitions_of_side(env, output, side, own)
        if fetched.status is not ExitStatus.OK:
            return fetched.status
        known[at] = fetched.surface
    found = [known[at] for at in range(len(sides))]
    diff = compare_definitions(*found)
    before, after = (side.name for side in sides)
    if output.as_json:
        about = [
            {"target": side.name, "kind": side.kind, "server": surface.server, "hash": as_json(surface)["hash"]}
            for side, surface in zip(sides, found, strict=True)
        ]
        output.data({"before": about[0], "after": about[1]} | diff_as_json(diff))
    elif markdown:
        output.text("\n".join(diff_markdown(diff, before, after)))
    else:
        output.lines(diff_lines(diff, before, after))
    return ExitStatus.FINDINGS if fails(diff, fail_on) else ExitStatus.OK


def _revision_of_capture(output: Output, known: Sequence[tuple[ComparedSide, ServerDefinitions]]) -> str:
    """Return the protocol version of the capture that a server is compared with; "" without one.

    What a server declares depends on the version, so that another one would show as a change of the server.
    """
    for side, surface in known:
        if side.kind is SideKind.CAPTURE and is_known(surface.revision):
            output.narrate(f"opening with {surface.revision}, the version of {side.name} (--revision chooses another)")
            return surface.revision
    return ""


def fails(diff: DefinitionsDiff, on: str) -> bool:
    """Return whether a change is at least as severe as the given rating."""
    if on == "never" or diff.worst is None:
        return False
    return on == "any" or diff.worst.rank <= Rating(on).rank


@documented(
    "diff",
    _EXAMPLES,
    "sessions: `before`, `after`, `counts`, `operations`, `clients` if they differ; definitions: `before`, "
    "`after`, `counts` by rating, `compared`, `notes`, `changes` (`rating`, `rule`, `kind`, `name`, `path`, `act`, "
    "`before`, `after`)",
)
@click.option("--definitions/--sessions", default=None, help="Compare server definitions, or sessions.")
@click.option(
    "--fail-on",
    type=click.Choice(FAILS),
    metavar="LEVEL",
    help=f"Exit 1 if a change is rated at least: {', '.join(FAILS)} (any).",
)
@click.option("--markdown", is_flag=True, help="Write Markdown (definitions only).")
@click.option("--edits", is_flag=True, help="Compare what client and server of a tap saw.")
@click.option("--screen", is_flag=True, help="Show both side by side (sessions only).")
@comparing_options
@click.argument("words", nargs=-1, metavar="A B | A -- COMMAND")
@headless_settings
@click.pass_obj
def command(
    env: CliEnv,
    /,
    words: tuple[str, ...],
    definitions: bool | None,
    fail_on: str | None,
    markdown: bool,
    edits: bool,
    screen: bool,
    **options: Any,
) -> ExitStatus:
    """Compare two sessions, or the definitions of two servers; exit 1 if they differ.

    Two captures are compared by their requests and responses; generated ids, times, cursors, ports and temporary paths
    are ignored. With --definitions, or if A or B is a lock file, a URL or a command (one quoted word, or after --),
    server definitions are compared. With --edits, A is the capture of a tap, whose rules or user changed messages.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    if edits:
        if len(words) != 1 or env.server_argv:
            raise UsageError("--edits takes one capture", hint="mcp-inspect diff --edits session.mcpcap")
        return compare_views(env, output, Path(words[0]), read_compare_options(options), screen=screen)
    sides = read_sides(words, env, 2)
    if definitions is None:
        definitions = not are_captures(sides) or fail_on is not None or markdown
    if definitions:
        refuse_rules(options)
        if screen:
            raise UsageError("--screen shows two captures", hint="Leave it out, or name two captures.")
        return diff_definitions(env, output, sides, options, fail_on=fail_on or "any", markdown=markdown)
    before, after = demand_captures(sides)
    if screen:
        compare_options = read_compare_options(options)
        return compare_on_screen(env, before, after, compare_options.normal, compare_options.only)
    return compare_captures(output, before, after, read_compare_options(options))
