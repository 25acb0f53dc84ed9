"""`mcp-inspect subscribe`: hear of updates of resources, in both eras, until Ctrl+C."""

from typing import Any

import click

from inspector.cli.changes import Enough, changes_options, tell_changes
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import Documented
from inspector.cli.options import headless_settings
from inspector.errors import UsageError
from inspector.protocol.tracking.subscriptions import StreamFilter

_EXAMPLES = (
    "mcp-inspect subscribe file:///log.txt -- node server.js",
    "mcp-inspect subscribe file:///a.md file:///b.md --for 60 https://example.com/mcp",
)


@click.command("subscribe", cls=Documented, examples=_EXAMPLES)
@click.argument("words", nargs=-1, required=True, metavar="URI… [URL | -- CMD…]")
@changes_options
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, words: tuple[str, ...], **options: Any) -> ExitStatus:
    """Tell of updates of resources, a line each. Without a command after --, the last word is the server's URL."""
    uris, url = (words, None) if env.server_argv is not None else (words[:-1], words[-1])
    if not uris:
        raise UsageError("no resource named", hint="mcp-inspect subscribe URI… https://example.com/mcp")
    enough = Enough(options.pop("count"), options.pop("seconds"))

    async def work(visit: CommandSession) -> ExitStatus:
        return await tell_changes(visit, StreamFilter(uris=tuple(dict.fromkeys(uris))), enough)

    return visit(env, url, options, work)
