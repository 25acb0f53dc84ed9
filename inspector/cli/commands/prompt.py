"""`mcp-inspect prompt`: get a prompt, filled in by the server."""

from collections.abc import Mapping
from typing import Any

import click

from inspector.cli.arguments import as_texts, read_pairs, refuse_argument
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented
from inspector.cli.lists import fetch_prompt, nearest
from inspector.cli.options import headless_options
from inspector.cli.requests import CliRequest, make
from inspector.protocol import peek
from inspector.protocol.listed_items import Prompt

_EXAMPLES = (
    "mcp-inspect prompt review -a language=Python -- node server.js",
    "mcp-inspect prompt greeting --json https://example.com/mcp",
)


@documented(
    "prompt",
    _EXAMPLES,
    "`result` or `error` as received, `duration_ms`, `rounds`, `outcome`; `failure` and `primary` as for call",
)
@click.argument("name")
@click.option("-a", "pairs", multiple=True, metavar="K=V", help="An argument; prompts take texts.")
@headless_options
@click.pass_obj
def command(env: CliEnv, /, name: str, url: str | None, **options: Any) -> ExitStatus:
    """Get a prompt."""
    refuse_argument(url)
    arguments = as_texts(read_pairs(options.pop("pairs")))

    async def work(visit: CommandSession) -> ExitStatus:
        _caution(visit, await fetch_prompt(visit, name), arguments)
        params = {"name": name} | ({"arguments": arguments} if arguments else {})
        return await make(visit, CliRequest("prompts/get", params, target=name))

    return visit(env, url, options, work)


def _caution(visit: CommandSession, prompt: Prompt | None, arguments: Mapping[str, str]) -> None:
    """Warn of required arguments that are missing, and of arguments that the prompt does not declare."""
    if prompt is None:
        return
    names = [name for each in prompt.arguments if (name := peek.text(each, "name")) is not None]
    for each in prompt.arguments:
        name = peek.text(each, "name")
        if name is not None and name not in arguments and peek.flag(each, "required"):
            visit.output.warn(f"{prompt.name}: the required argument {name!r} is missing: -a {name}=…")
    for name in arguments:
        if name not in names:
            meant = nearest(name, names)
            visit.output.warn(f"{prompt.name}: {name!r} is no argument of it{meant}; it is sent as it is")
