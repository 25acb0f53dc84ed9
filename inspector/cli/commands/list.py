"""`mcp-inspect list`: tools, resources, templates, prompts or all, from all pages, exactly as received."""

import re
from collections.abc import Sequence
from typing import Any

import click

from inspector import text
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented, option_group
from inspector.cli.lists import Extent, FetchedList, declared, fetch_each, raise_failure
from inspector.cli.options import headless_options
from inspector.errors import UsageError
from inspector.present import spans
from inspector.present.items import ItemRow, tool_rows, total_cost
from inspector.present.spans import Line, span
from inspector.present.words import text_of
from inspector.protocol import peek
from inspector.protocol.capabilities import ALL, offered_in
from inspector.protocol.listed_items import LISTS, ListedItem, Prompt, Resource, Template, Tool

extent_options = option_group(
    click.option("--page-by-page", is_flag=True, help="Fetch one page, and print the cursor of the next."),
    click.option("--cursor", metavar="CURSOR", help="Start at this cursor."),
    click.option("--limit", type=int, metavar="N", help="Fetch at most N pages."),
)

_EXAMPLES = (
    "mcp-inspect list tools -- npx -y @modelcontextprotocol/server-everything",
    "mcp-inspect list all --json https://example.com/mcp",
)

_WORD = re.compile(r"[a-z]+")
_ITEMS = {"tools": Tool, "resources": Resource, "templates": Template, "prompts": Prompt}
MOST_OF_DESCRIPTION = 160
"""Maximum number of characters of a description in a list."""


def extent(kind: str, *, page_by_page: bool, cursor: str | None, limit: int | None) -> Extent:
    """Return the pages to fetch of one kind, or of "all". Raises: UsageError."""
    if limit is not None and limit < 1:
        raise UsageError(f"invalid --limit {limit}", hint="Give 1 or more.")
    if page_by_page and limit is not None:
        raise UsageError("--page-by-page excludes --limit", hint="--page-by-page is the same as --limit 1.")
    if kind == "all" and cursor is not None:
        raise UsageError("--cursor applies to one list", hint="Name it: tools, resources, templates or prompts.")
    return Extent(cursor, 1 if page_by_page else limit)


@documented(
    "list",
    _EXAMPLES,
    "`revision`, `era`, `server`, `tools`, `resources`, `templates`, `prompts` as received, `lists` "
    "(pages, next cursor, TTL, failures), `notices`; `primary`, a finding, if a list is undeclared or an item unusable",
)
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
    """List tools, resources, templates, prompts or all, from all pages."""
    wanted = extent(kind, page_by_page=page_by_page, cursor=cursor, limit=limit)

    async def work(visit: CommandSession) -> ExitStatus:
        return await _list(visit, kind, wanted)

    return visit(env, url, options, work)


async def _list(visit: CommandSession, kind: str, wanted: Extent) -> ExitStatus:
    """Print lists. A single kind is always requested; "all" means the kinds that the server declares.

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
    if "tools" in fetched:
        _note_capabilities(visit, fetched["tools"])
    raise_failure(visit.output, fetched.values())
    return ExitStatus.TOOL_ERROR if any(each.missing for each in fetched.values()) else ExitStatus.OK


def _note_capabilities(visit: CommandSession, tools: FetchedList) -> None:
    """Note that the list may depend on client capabilities, if it is empty or the server's instructions name them.

    Servers may register tools by client capability, and a command advertises only what it can respond to.
    """
    revision, client = visit.opening.revision, visit.session.options.connect.client
    if client.exactly is not None or _is_absent(tools):
        return  # the advertised client capabilities are complete, or there is no list
    missing = {name.partition(".")[0] for name in offered_in(revision, ALL) - offered_in(revision, client.offers)}
    missing -= {name.partition(".")[0] for name in client.offers}
    if tools.items:
        missing &= set(_WORD.findall(visit.opening.instructions.lower()))
    if missing:
        names = ", ".join(sorted(missing))
        visit.output.narrate(f"the server may list more tools if the client advertises {names}: --capability all")


def _is_absent(fetched: FetchedList) -> bool:
    """Return whether no page was received."""
    return not fetched.items and (fetched.failure is not None or fetched.error is not None)


def _show(visit: CommandSession, fetched: dict[str, FetchedList]) -> None:
    if visit.output.as_json:
        visit.output.data(_as_json(visit, fetched) | _narrate_finding(visit, fetched))
        return
    _narrate_finding(visit, fetched)
    for each in fetched.values():
        if _is_absent(each) and each.missing:
            visit.output.lines([((f"{each.kind}: could not be fetched", "error"),)])
        else:
            visit.output.lines(list_lines(each.kind, each.items))
            _say_age(visit, each)


def _narrate_finding(visit: CommandSession, fetched: dict[str, FetchedList]) -> dict[str, Any]:
    """Print the most important finding if a list is doubtful or the server does not declare it.

    Findings are looked for in these cases only, for that takes time.
    """
    lists = [each for each in fetched.values() if each.items]
    offered = declared(visit.opening)
    if not any(each.kind not in offered or _is_doubtful(each) for each in lists):
        return {}
    from inspector.cli.requests import narrate_since  # slow to import

    return narrate_since(visit, 1, answered=True)


def _is_doubtful(fetched: FetchedList) -> bool:
    """Whether an item of a list can't be used, or something about its pages is odd, such as how long they are fresh."""
    named = [peek.text(raw, "uri") or ":" for raw in fetched.items]
    return (
        "remarks" in fetched.about
        or any(":" not in uri for uri in named)
        or any(_ITEMS[fetched.kind](raw).flaw for raw in fetched.items)
    )


def _say_age(visit: CommandSession, fetched: FetchedList) -> None:
    """Print the TTL of a list if the server sent one."""
    freshness = visit.session.journal.conversation.catalogue.listings[fetched.kind].freshness
    if freshness is not None and freshness.ttl_ms is not None:
        scope = f", cacheScope {freshness.scope}" if freshness.scope else ""
        visit.output.narrate(f"{fetched.kind}: TTL {text_of(freshness.ttl_ms * 1_000_000)}{scope}")


def _as_json(visit: CommandSession, fetched: dict[str, FetchedList]) -> dict[str, Any]:
    opening = visit.opening
    lists = {kind: fetched[kind].exact if kind in fetched else () for kind in LISTS}
    about = {kind: each.about | ({"failed": each.missing} if each.missing else {}) for kind, each in fetched.items()}
    opened = {"revision": opening.revision.date, "era": opening.era, "server": opening.server}
    return {**opened, **lists, "lists": about, "notices": list(visit.session.journal.notices)}


def _report(visit: CommandSession, refused: FetchedList) -> ExitStatus:
    from inspector.checks.sayings import explained  # slow to import
    from inspector.cli.reports import finding_as_json
    from inspector.present.failure_report import diagnosis_lines, reason_so_far

    declares = ", ".join(visit.opening.capabilities) or "no capability"
    means, advice = explained(refused.refusal)
    message = f"{refused.refusal} ({means})" if means else refused.refusal
    answer = {"jsonrpc_error": refused.error}
    if (found := reason_so_far(visit.session.journal)) is not None:
        visit.output.narrate_lines(diagnosis_lines(found))
        answer["diagnosis"] = [finding_as_json(found.reason)]
    return visit.output.report(
        "server_error", message, advice or f"It declares: {declares}.", ExitStatus.TOOL_ERROR, answer
    )


def list_lines(kind: str, items: Sequence[Any]) -> list[Line]:
    """Return a list as lines. Kinds: "tools", "resources", "templates", "prompts". An empty list is stated as such."""
    if not items:
        return [((f"{kind}: none", "muted"),)]
    match kind:
        case "tools":
            rows = tool_rows([Tool(raw) for raw in items])
            return [((total_cost(rows), "title"),), *(line for row in rows for line in _tool(row))]
        case "resources":
            found = (_resource(Resource(raw)) for raw in items)
        case "templates":
            found = (_template(Template(raw)) for raw in items)
        case _:
            found = (_prompt(Prompt(raw)) for raw in items)
    counted = f"{len(items):,} {kind if len(items) != 1 else kind.removesuffix('s')}"
    return [((counted, "title"),), *(line for lines in found for line in lines)]


def _tool(row: ItemRow) -> list[Line]:
    head: list[Any] = [(row.label, "method")]
    if row.title:
        head.append((f"  {row.title}", "text"))
    if claims := Tool(row.item.raw).claims:
        head.append((f"  {spans.CLAIMED}{', '.join(claims)}", "claimed"))
    head.append((f"  {text.human_size(row.size)}", "faint"))
    if row.flaw:
        head.append((f"  {spans.WARNING} {row.flaw}", "warning"))
    return [tuple(head), *_described(row.item)]


def _resource(resource: Resource) -> list[Line]:
    name = resource.title or "(no name)"
    kind = f"  {text.visible(resource.mime_type, limit=80)}" if resource.mime_type else ""
    head: Line = (span(resource.uri or "(no uri)", "target"), ("  ", "text"), span(name), (kind, "muted"))
    return [head, *_described(resource)]


def _template(template: Template) -> list[Line]:
    head: Line = (span(template.uri_template or "(no template)", "target"), ("  ", "text"), span(template.title))
    return [head, *_described(template)]


def _prompt(prompt: Prompt) -> list[Line]:
    name = prompt.name or "(no name)"
    title = "" if prompt.title == prompt.name else f"  {text.visible(prompt.title, limit=200)}"
    arguments = [_argument(argument) for argument in prompt.arguments]
    asked = f"  ({', '.join(arguments)})" if arguments else ""
    return [(span(name, "method", limit=200), (title, "text"), (asked, "muted")), *_described(prompt)]


def _argument(argument: Any) -> str:
    name = text.visible(peek.text(argument, "name") or "?", limit=60)
    return name if peek.flag(argument, "required") else f"{name}?"


def _described(item: ListedItem) -> list[Line]:
    first = next((line.strip() for line in item.description.split("\n") if line.strip()), "")
    return [((f"    {text.visible(first, limit=MOST_OF_DESCRIPTION)}", "muted"),)] if first else []
