"""`mcp-inspect info`: what a server says about itself, and how much it has."""

from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import Documented
from inspector.cli.lists import caching_hints, declared, fetch_each, raise_failure
from inspector.cli.options import headless_options
from inspector.protocol.apps import apps_of
from inspector.protocol.things import LISTS

_DISCOVER = "server/discover"
_HINTS = ("ttlMs", "cacheScope")
_EXAMPLES = (
    "mcp-inspect info -- npx -y @modelcontextprotocol/server-everything",
    "mcp-inspect info --json https://example.com/mcp",
)


@click.command("info", cls=Documented, examples=_EXAMPLES)
@headless_options
@click.pass_obj
def command(env: CliEnv, /, url: str | None, **options: Any) -> ExitStatus:
    """Show what a server says about itself."""
    return visit(env, url, options, _info)


async def _info(visit: CommandSession) -> ExitStatus:
    """What the server says, and the sizes of its lists.

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
        from inspector.cli.readable import info_lines

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
    """The caching hints of the answer that opened the conversation, as they came, if there are any."""
    journal = visit.session.journal
    asked = [each for each in journal.conversation.exchanges if each.method == _DISCOVER and each.answer_frame]
    return {_DISCOVER: caching_hints(journal, asked[-1])} if asked else {}
