"""`mcp-inspect list`: everything of a kind that a server offers, all pages, item by item as it came."""

from typing import Any

import click

from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit, visit
from inspector.cli.help import Documented
from inspector.cli.lists import Fetched, declared, fetch
from inspector.cli.options import headless_options
from inspector.cli.output import Output
from inspector.cli.world import World
from inspector.protocol import peek
from inspector.protocol.things import LISTS

METHOD_NOT_FOUND = -32601

_EXAMPLES = (
    "mcp-inspect list tools -- npx -y @modelcontextprotocol/server-everything",
    "mcp-inspect list all --json https://example.com/mcp",
)


@click.command("list", cls=Documented, examples=_EXAMPLES)
@click.argument("kind", type=click.Choice([*LISTS, "all"]), metavar="KIND")
@headless_options
@click.pass_obj
def command(world: World, /, kind: str, url: str | None, **options: Any) -> ExitStatus:
    """List tools, resources, templates, prompts or all: every page."""

    async def work(visit: Visit) -> ExitStatus:
        return await _list(visit, kind)

    return visit(world, url, options, work)


async def _list(visit: Visit, kind: str) -> ExitStatus:
    """One kind is asked for whatever the server declares; of all kinds those it declares."""
    kinds = declared(visit.opening) if kind == "all" else (kind,)
    fetched = {each: await fetch(visit, each) for each in kinds}
    failed = next((each for each in fetched.values() if each.error is not None), None)
    if kind == "all" or failed is None or failed.items:
        _show(visit, fetched)
    if kind == "all":
        return _judge_all(visit.output, tuple(fetched.values()))
    return ExitStatus.OK if failed is None else _report(visit, failed)


def _judge_all(output: Output, fetched: tuple[Fetched, ...]) -> ExitStatus:
    """Say which lists were refused. One that a server does not know is no fault where all were asked for."""
    refused = [each for each in fetched if each.error is not None]
    for each in refused:
        output.warn(each.refusal)
    unknown = all(peek.integer(each.error, "code") == METHOD_NOT_FOUND for each in refused)
    return ExitStatus.OK if unknown else ExitStatus.TOOL_ERROR


def _show(visit: Visit, fetched: dict[str, Fetched]) -> None:
    if visit.output.as_json:
        visit.output.data(_as_json(visit, fetched))
        return
    from inspector.viewmodels.readable import list_lines

    for each in fetched.values():
        visit.output.lines(list_lines(each.kind, each.items))


def _as_json(visit: Visit, fetched: dict[str, Fetched]) -> dict[str, Any]:
    opening = visit.opening
    lists = {kind: fetched[kind].exact if kind in fetched else () for kind in LISTS}
    return {"revision": opening.revision.date, "era": opening.era, "server": opening.server, **lists}


def _report(visit: Visit, refused: Fetched) -> ExitStatus:
    declares = ", ".join(visit.opening.capabilities) or "no capability"
    answer = {"answer": refused.error}
    return visit.output.report(
        "server_error", refused.refusal, f"It declares: {declares}.", ExitStatus.TOOL_ERROR, answer
    )
