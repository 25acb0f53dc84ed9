"""`mcp-inspect info`: server info, capabilities, and the sizes of its lists."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import click

from inspector import text
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented
from inspector.cli.lists import caching_hints, declared, fetch_each, raise_failure
from inspector.cli.options import headless_options
from inspector.present.items import NEVER_RENDERED, link_line
from inspector.present.server import opening_sections
from inspector.present.spans import Fact, Line, Section, fact, plain, section_lines
from inspector.present.words import TRANSPORTS
from inspector.protocol.apps import AppLink, apps_of
from inspector.protocol.listed_items import LISTS
from inspector.protocol.revisions.openings import Opening

_DISCOVER = "server/discover"
_HINTS = ("ttlMs", "cacheScope")
_EXAMPLES = (
    "mcp-inspect info -- npx -y @modelcontextprotocol/server-everything",
    "mcp-inspect info --json https://example.com/mcp",
)


@documented(
    "info",
    _EXAMPLES,
    "`revision`, `era`, `transport`, `server`, `capabilities`, `instructions`, `counts`, `failed`, `notices`",
)
@headless_options
@click.pass_obj
def command(env: CliEnv, /, url: str | None, **options: Any) -> ExitStatus:
    """Show server info: name, version, protocol version, capabilities, instructions."""
    return visit(env, url, options, _info)


async def _info(visit: CommandSession) -> ExitStatus:
    """Print server info and the sizes of its lists.

    Raises: RequestFailed, RequestTimeout, after the rest was written.
    """
    opening = visit.opening
    counts: dict[str, int | None] = dict.fromkeys(LISTS)
    caching = _of_opening(visit)
    lists = await fetch_each(visit, declared(opening))
    failed = {kind: fetched.missing for kind, fetched in lists.items() if fetched.missing}
    for kind, fetched in lists.items():
        counts[kind] = None if fetched.error or fetched.failure else len(fetched.items)
        caching[LISTS[kind].method] = {key: fetched.about[key] for key in _HINTS if key in fetched.about}
        if fetched.error:
            visit.output.warn(fetched.refusal)
    transport = visit.session.transport.kind
    apps = apps_of(visit.session.journal.conversation.catalogue.tools)
    if not visit.output.as_json:
        visit.output.lines(info_lines(opening, transport, counts, apps, failed))
        raise_failure(visit.output, lists.values())
        return ExitStatus.TOOL_ERROR if failed else ExitStatus.OK
    about = {
        "revision": opening.revision.date,
        "era": opening.era,
        "transport": transport,
        "server": opening.server,
        "capabilities": opening.capabilities,
        "instructions": opening.instructions or None,
        "counts": counts,
        "failed": failed,
        "apps": [{"tool": app.tool, "uri": app.uri, "visibility": app.visibility} for app in apps],
        "caching": {method: hints for method, hints in caching.items() if hints},
        "notices": list(visit.session.journal.notices),
    }
    visit.output.data(about)
    raise_failure(visit.output, lists.values())
    return ExitStatus.TOOL_ERROR if failed else ExitStatus.OK


def _of_opening(visit: CommandSession) -> dict[str, dict[str, Any]]:
    """Return the caching hints of the opening response as received, if any."""
    journal = visit.session.journal
    asked = [each for each in journal.conversation.exchanges if each.method == _DISCOVER and each.answer_frame]
    return {_DISCOVER: caching_hints(journal, asked[-1])} if asked else {}


def info_lines(
    opening: Opening,
    transport: str,
    counts: Mapping[str, int | None],
    apps: Sequence[AppLink] = (),
    failed: Container[str] = (),
) -> list[Line]:
    """Return server info as lines; `counts` has None for a list that is missing or rejected.

    `apps`: the pages that its tools name; `failed`: the kinds whose list is missing or incomplete.
    """

    def count_of(kind: str, count: int | None) -> Fact:
        if count is None:
            return Fact(kind, "could not be fetched" if kind in failed else "none declared")
        return Fact(kind, f"{count} (incomplete)" if kind in failed else str(count))

    spoken = Fact("transport", TRANSPORTS.get(transport) or text.visible(transport, limit=40))
    has = Section("It has", (spoken, *(count_of(kind, count) for kind, count in counts.items())))
    pages = Section("Apps", tuple(fact(app.tool, plain(link_line(app)), "target") for app in apps), note=NEVER_RENDERED)
    return _sections((*opening_sections(opening), has, pages))


def _sections(sections: Iterable[Section]) -> list[Line]:
    """Return the sections separated by empty lines. Empty sections are omitted."""
    found: list[Line] = []
    for section in sections:
        if section.facts or section.lines:
            found += [()] if found else []
            found += section_lines(section)
    return found
