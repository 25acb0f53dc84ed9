"""`mcp-inspect doctor`: what `check` does, and trying on purpose what a server should refuse or do twice alike."""

from typing import Any

import click

from inspector.capture.journal import Journal
from inspector.cli.commands.check import ask_for_lists, target_of
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import Documented
from inspector.cli.judging import conclude, judging_options, make_cases, read_cases, say_uncalled, wish_of
from inspector.cli.options import headless_options
from inspector.cli.output import Output
from inspector.session.probing import probe, probe_unopened

_EXAMPLES = (
    "mcp-inspect doctor -- node server.js",
    "mcp-inspect doctor http://localhost:8000/mcp --capture examined.mcpcap",
    "mcp-inspect doctor --json --fail-on never https://example.com/mcp",
)


@click.command("doctor", cls=Documented, examples=_EXAMPLES)
@click.option("--call", "calls", multiple=True, metavar="TOOL=JSON", help="Call this tool, too; @FILE reads the JSON.")
@judging_options
@headless_options
@click.pass_obj
def command(env: CliEnv, /, url: str | None, calls: tuple[str, ...], **options: Any) -> ExitStatus:
    """Examine a server: check it, and try what it should refuse.

    Beside what check does it asks for a method, a tool, a resource and a page that do not exist, for lists twice, and
    over HTTP in the name of sessions, versions, web pages and hosts that there are not. No tool that exists is called
    but by --call. What it sends for this is tagged: the filter `probe` finds it in a --capture. Exit codes are those
    of check.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    cases = read_cases(calls, env.stdin)
    wish = wish_of(options, target_of(env, url), output)
    found, lists = [ExitStatus.OK], [ExitStatus.OK]

    def tell(what: str) -> None:
        output.narrate(f"trying {what}")

    def at_last(journal: Journal, status: ExitStatus | None) -> None:
        found[0] = conclude(output, journal, wish, lists[0] if status is ExitStatus.OK else status)
        if not cases:
            say_uncalled(output, journal)

    async def work(visit: CommandSession) -> ExitStatus:
        lists[0] = await ask_for_lists(visit)
        status = await make_cases(visit, cases)
        await probe(visit.session, tell)
        return status

    status = visit(env, url, options, work, at_last, lambda session: probe_unopened(session, tell), judges=True)
    return status or found[0] or lists[0]
