"""`mcp-inspect list`: everything of a kind that a server offers, all pages, item by item as it came."""

from typing import Any

import click

from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit, visit
from inspector.cli.lists import Fetched, declared, fetch
from inspector.cli.options import headless_options
from inspector.cli.world import World
from inspector.protocol import peek
from inspector.protocol.things import LISTS

METHOD_NOT_FOUND = -32601


@click.command("list")
@click.argument("kind", type=click.Choice([*LISTS, "all"]))
@headless_options
@click.pass_obj
def command(world: World, kind: str, url: str | None, **options: Any) -> ExitStatus:
    """List what a server offers, all pages of it.

    \b
      mcp-inspect list tools -- npx -y @modelcontextprotocol/server-everything
      mcp-inspect list all --json https://example.com/mcp
    """

    async def work(visit: Visit) -> ExitStatus:
        return await _list(visit, kind)

    return visit(world, url, options, work)


async def _list(visit: Visit, kind: str) -> ExitStatus:
    """One kind is asked for whatever the server declares; of all kinds those it declares."""
    kinds = declared(visit.opening) if kind == "all" else (kind,)
    fetched = {each: await fetch(visit, each) for each in kinds}
    refused = [each for each in fetched.values() if _counts(each, among_all=kind == "all")]
    if kind == "all" or not refused or refused[0].items:
        visit.output.data(_as_json(visit, fetched))
    return _report(visit, refused[0]) if refused else ExitStatus.OK


def _counts(fetched: Fetched, *, among_all: bool) -> bool:
    """Whether an error fails the command: among all kinds, one that a server does not know is no fault."""
    if fetched.error is None:
        return False
    return not (among_all and peek.integer(fetched.error, "code") == METHOD_NOT_FOUND)


def _as_json(visit: Visit, fetched: dict[str, Fetched]) -> dict[str, Any]:
    opening = visit.opening
    lists = {kind: fetched[kind].exact if kind in fetched else () for kind in LISTS}
    return {"revision": opening.revision.date, "era": opening.era, "server": opening.server, **lists}


def _report(visit: Visit, refused: Fetched) -> ExitStatus:
    code, message = peek.at(refused.error, "code"), peek.text(refused.error, "message") or ""
    method = LISTS[refused.kind].method
    return visit.output.report(
        "server_error",
        f"the server answered {method} with error {code}: {message}",
        f"It declares: {', '.join(visit.opening.capabilities) or 'no capability'}.",
        ExitStatus.TOOL_ERROR,
        {"error": refused.error},
    )
