"""`mcp-inspect resend`: the requests of a capture, sent again to a server that is there now."""

from pathlib import Path
from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import Documented
from inspector.cli.options import choose, headless_settings
from inspector.cli.output import Output
from inspector.cli.resending import demand_agreement, read_recorded, tell
from inspector.cli.sides import comparing_options, read_wish
from inspector.errors import UsageError
from inspector.features.resend.performing import NAME, Replies, ResendOptions, resend

_EXAMPLES = (
    "mcp-inspect resend session.mcpcap https://example.com/mcp",
    "mcp-inspect resend --yes --json session.mcpcap -- node server.js",
    "mcp-inspect resend --where 'tool == search' session.mcpcap -- node server.js",
)


@click.command("resend", cls=Documented, examples=_EXAMPLES)
@click.option("--yes", "agreed", is_flag=True, help="Send without asking.")
@click.option("--allow-destructive", is_flag=True, help="Also call tools that may destroy something.")
@click.option("--where", default="", metavar="FILTER", help="Only requests that match.")
@click.option("--to", type=click.IntRange(1), metavar="N", help="Up to entry N; then look at the live server.")
@comparing_options
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("url", required=False, metavar="[URL | -- CMD…]")
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, file: Path, url: str | None, **options: Any) -> ExitStatus:
    """Send the client's requests of a capture to a server, and say what is different.

    What the server returns (ids, cursors) is carried into later requests; its questions get the recorded answers. The
    exit status is 1 if anything differs.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    if env.server_argv is None and url is None:
        raise UsageError("no server to send to", hint="Name a URL, or a server's command after --.")
    choose(env, url, options)  # what is no target is told before anything is asked
    if options["to"] is not None and options["as_json"]:
        raise UsageError("--to opens the interface, so there is no --json", hint="Leave one of them out.")
    normal = read_wish(options)
    recorded = read_recorded(output, file, options["where"], options["to"])
    if not demand_agreement(output, recorded, _named(env, url), agreed=options["agreed"]):
        return ExitStatus.OK
    replies = Replies(recorded.found)
    wish = ResendOptions(normal.normal, replies, options["allow_destructive"])
    options |= {"policies": ((NAME, replies.answer),), "offers_instead": recorded.offers}
    if options["to"] is not None:
        from inspector.cli.resending import take_over

        return take_over(output, choose(env, url, options), recorded.plan, wish, file.name)
    found = [ExitStatus.OK]

    async def work(visit: CommandSession) -> ExitStatus:
        found[0] = tell(output, await resend(visit.session, recorded.plan, wish), file.name)
        return ExitStatus.OK

    return visit(env, url, options, work) or found[0]


def _named(env: CliEnv, url: str | None) -> str:
    return url or (Path(env.server_argv[0]).name if env.server_argv else "")
