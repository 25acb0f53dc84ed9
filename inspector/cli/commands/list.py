"""`mcp-inspect list`: everything of a kind that a server offers, all pages, item by item as it came."""

from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import Documented
from inspector.cli.lists import FetchedList, declared, fetch_each, raise_failure
from inspector.cli.options import Extent, extent, extent_options, headless_options
from inspector.protocol.things import LISTS

_EXAMPLES = (
    "mcp-inspect list tools -- npx -y @modelcontextprotocol/server-everything",
    "mcp-inspect list all --json https://example.com/mcp",
)


@click.command("list", cls=Documented, examples=_EXAMPLES)
@click.argument("kind", type=click.Choice([*LISTS, "all"]), metavar="KIND")
@extent_options
@headless_options
@click.pass_obj
def command(
    env: CliEnv,
    /,
    kind: str,
    url: str | None,
    page_by_page: bool,
    cursor: str | None,
    limit: int | None,
    **options: Any,
) -> ExitStatus:
    """List tools, resources, templates, prompts or all: every page."""
    wanted = extent(kind, page_by_page=page_by_page, cursor=cursor, limit=limit)

    async def work(visit: CommandSession) -> ExitStatus:
        return await _list(visit, kind, wanted)

    return visit(env, url, options, work)


async def _list(visit: CommandSession, kind: str, wanted: Extent) -> ExitStatus:
    """One kind is requested whatever the server declares; of all kinds those it declares.

    Raises: RequestFailed, RequestTimeout, after the other lists were written.
    """
    kinds = declared(visit.opening) if kind == "all" else (kind,)
    fetched = await fetch_each(visit, kinds, wanted)
    refused = [each for each in fetched.values() if each.error is not None]
    if kind == "all" or any(each.items for each in fetched.values()) or not any(map(_is_absent, fetched.values())):
        _show(visit, fetched)
    if kind == "all":
        for each in refused:
            visit.output.warn(each.refusal)
    elif refused:
        return _report(visit, refused[0])
    raise_failure(visit.output, fetched.values())
    return ExitStatus.TOOL_ERROR if any(each.missing for each in fetched.values()) else ExitStatus.OK


def _is_absent(fetched: FetchedList) -> bool:
    """Whether no page of it came."""
    return not fetched.items and (fetched.failure is not None or fetched.error is not None)


def _show(visit: CommandSession, fetched: dict[str, FetchedList]) -> None:
    if visit.output.as_json:
        visit.output.data(_as_json(visit, fetched))
        return
    from inspector.cli.readable import list_lines

    for each in fetched.values():
        if _is_absent(each) and each.missing:
            visit.output.lines([((f"{each.kind}: could not be fetched", "error"),)])
        else:
            visit.output.lines(list_lines(each.kind, each.items))
            _say_age(visit, each)


def _say_age(visit: CommandSession, fetched: FetchedList) -> None:
    """For how long the list is said to be fresh, where the server says so."""
    from inspector.present.words import text_of

    freshness = visit.session.journal.conversation.catalogue.listings[fetched.kind].freshness
    if freshness is not None and freshness.ttl_ms is not None:
        scope = f", {freshness.scope}" if freshness.scope else ""
        visit.output.narrate(f"{fetched.kind}: server says fresh for {text_of(freshness.ttl_ms * 1_000_000)}{scope}")


def _as_json(visit: CommandSession, fetched: dict[str, FetchedList]) -> dict[str, Any]:
    opening = visit.opening
    lists = {kind: fetched[kind].exact if kind in fetched else () for kind in LISTS}
    about = {kind: each.about | ({"failed": each.missing} if each.missing else {}) for kind, each in fetched.items()}
    opened = {"revision": opening.revision.date, "era": opening.era, "server": opening.server}
    return {**opened, **lists, "lists": about, "notices": list(visit.session.journal.notices)}


def _report(visit: CommandSession, refused: FetchedList) -> ExitStatus:
    declares = ", ".join(visit.opening.capabilities) or "no capability"
    answer = {"answer": refused.error}
    return visit.output.report(
        "server_error", refused.refusal, f"It declares: {declares}.", ExitStatus.TOOL_ERROR, answer
    )
