"""`mcp-inspect listen`: hear of changes of lists and resources, in both eras, until Ctrl+C."""

from typing import Any

import click

from inspector.cli.changes import Enough, changes_options, tell_changes
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import Documented
from inspector.cli.options import headless_options
from inspector.errors import UsageError
from inspector.protocol.tracking.subscriptions import StreamFilter

_EXAMPLES = (
    "mcp-inspect listen https://example.com/mcp",
    "mcp-inspect listen --tools --uri file:///notes.md --count 1 --json -- node server.js",
)


@click.command("listen", cls=Documented, examples=_EXAMPLES)
@click.option("--tools", is_flag=True, help="Changes of the list of tools.")
@click.option("--prompts", is_flag=True, help="Changes of the list of prompts.")
@click.option("--resources", is_flag=True, help="Changes of the lists of resources and templates.")
@click.option("--uri", "uris", multiple=True, metavar="URI", help="Updates of a resource; may be given again.")
@changes_options
@headless_options
@click.pass_obj
def command(env: CliEnv, /, url: str | None, **options: Any) -> ExitStatus:
    """Tell of changes, a line each; without a word on which, of every list that the server says may change."""
    tools, prompts, resources = (options.pop(name) for name in ("tools", "prompts", "resources"))
    wanted = StreamFilter(tools, prompts, resources, tuple(dict.fromkeys(options.pop("uris"))))
    enough = Enough(options.pop("count"), options.pop("seconds"))

    async def work(visit: CommandSession) -> ExitStatus:
        every = wanted or visit.session.watching.offered()
        if not every:
            raise UsageError(
                "the server does not say that any of its lists may change", hint="Name a resource with --uri."
            )
        return await tell_changes(visit, every, enough)

    return visit(env, url, options, work)
