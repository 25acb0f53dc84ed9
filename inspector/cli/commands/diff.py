"""`mcp-inspect diff`: what is different between two captures, servers, or saved surfaces."""

from typing import Any

import click

from inspector.cli.comparing import (
    FAILS,
    are_captures,
    compare_captures,
    comparing_options,
    demand_captures,
    diff_surfaces,
    read_compare_options,
    read_sides,
    refuse_rules,
)
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.interface import compare_on_screen
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.errors import UsageError

_EXAMPLES = (
    "mcp-inspect diff before.mcpcap after.mcpcap",
    "mcp-inspect diff --only 'tools/*' --ignore '**.text' before.mcpcap after.mcpcap",
    "mcp-inspect diff --fail-on breaking mcp.lock.json -- node server.js",
)


@click.command("diff", cls=Documented, examples=_EXAMPLES)
@click.option("--surface/--sessions", default=None, help="Compare what servers offer, or sessions.")
@click.option("--fail-on", type=click.Choice(FAILS), metavar="LEVEL", help=f"Of surfaces: {', '.join(FAILS)} (any).")
@click.option("--markdown", is_flag=True, help="Of surfaces: write Markdown.")
@click.option("--screen", is_flag=True, help="Of sessions: show both side by side.")
@comparing_options
@click.argument("words", nargs=-1, metavar="A B | A -- CMD…")
@headless_settings
@click.pass_obj
def command(
    env: CliEnv,
    /,
    words: tuple[str, ...],
    surface: bool | None,
    fail_on: str | None,
    markdown: bool,
    screen: bool,
    **options: Any,
) -> ExitStatus:
    """Say what is different between two sessions, or in what two servers offer.

    Captures are compared by their operations, paired by what was asked; made-up ids, times, cursors, ports and
    temporary paths are no difference. With --surface, and where A or B is a file of mcp-inspect surface, a URL or a
    command (one quoted word, or after --), it is what servers offer. The exit status is 1 if anything differs.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    sides = read_sides(words, env, 2)
    if surface is None:
        surface = not are_captures(sides) or fail_on is not None or markdown
    if surface:
        refuse_rules(options)
        if screen:
            raise UsageError("--screen shows two captures", hint="Leave it out, or name two captures.")
        return diff_surfaces(env, output, sides, options, fail_on=fail_on or "any", markdown=markdown)
    before, after = demand_captures(sides)
    if screen:
        compare_options = read_compare_options(options)
        return compare_on_screen(env, before, after, compare_options.normal, compare_options.only)
    return compare_captures(output, before, after, read_compare_options(options))
