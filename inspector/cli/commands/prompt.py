"""`mcp-inspect prompt`: get a prompt, filled in by the server."""

from typing import Any

import click

from inspector.cli.arguments import as_texts, read_pairs
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented
from inspector.cli.options import headless_options
from inspector.cli.requests import CliRequest, make

_EXAMPLES = (
    "mcp-inspect prompt review -a language=Python -- node server.js",
    "mcp-inspect prompt greeting --json https://example.com/mcp",
)


@documented("prompt", _EXAMPLES, "`result` or `error` as received, `duration_ms`, `rounds`, `outcome`")
@click.argument("name")
@click.option("-a", "pairs", multiple=True, metavar="K=V", help="An argument; prompts take texts.")
@headless_options
@click.pass_obj
def command(env: CliEnv, /, name: str, url: str | None, **options: Any) -> ExitStatus:
    """Get a prompt."""
    arguments = as_texts(read_pairs(options.pop("pairs")))

    async def work(visit: CommandSession) -> ExitStatus:
        params = {"name": name} | ({"arguments": arguments} if arguments else {})
        return await make(visit, CliRequest("prompts/get", params, target=name))

    return visit(env, url, options, work)
