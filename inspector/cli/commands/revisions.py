"""`mcp-inspect revisions`: protocol versions and how they differ."""

from collections.abc import Callable, Iterator
from textwrap import wrap
from typing import Any

import click
from msgspec import structs

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.output import Output
from inspector.protocol.revisions._shape import Era, Revision
from inspector.protocol.revisions.table import ROWS

_SAME = "="
_WIDTH, _NAMES = 78, 22

_CARRIAGES = {
    "legacy_sse": "GET stream and POST address",
    "sessions": "sessions",
    "stateless": "one POST, one response",
}

_EXAMPLES = ("mcp-inspect revisions", "mcp-inspect revisions --json")


def _yes(fact: bool) -> str:
    return "yes" if fact else "–"


_FACTS: tuple[tuple[str, Callable[[Revision], str]], ...] = (
    ("era", lambda row: row.era),
    ("opens with", lambda row: "`initialize`" if row.era is Era.LEGACY else "`server/discover` or nothing"),
    ("each request carries", lambda row: f"`{row.stamp}`" if row.stamp == "_meta" else "–"),
    ("over HTTP", lambda row: _CARRIAGES[row.carriage]),
    ("version header", lambda row: "`MCP-Protocol-Version`" if row.version_header else "–"),
    ("routing headers", lambda row: "`Mcp-Method`, `Mcp-Name`, `Mcp-Param-*`" if row.routing_headers else "–"),
    ("batches", lambda row: _yes(row.batches)),
    ("streams resume", lambda row: _yes(row.resumable)),
    ("server requests by", lambda row: "its own requests" if row.server_requests else "results (`input_required`)"),
    ("server requests", lambda row: ", ".join(sorted(f"`{name}`" for name in row.input_requests))),
    ("changes are heard by", lambda row: f"`{row.watch}`"),
    ("log level", lambda row: f"`{row.log_level}`"),
    ("cancel over HTTP", lambda row: row.cancel if " " in row.cancel else f"`{row.cancel}`"),
    ("ping", lambda row: _yes("ping" in row.client_requests)),
    ("tasks", lambda row: _none(row.tasks)),
    ("structured results", lambda row: _none(row.structured)),
    ("`resultType`", lambda row: _yes(row.result_type)),
    ("cache hints", lambda row: _yes(bool(row.cache_hints))),
    ("content", lambda row: ", ".join(f"`{name}`" for name in sorted(row.content_types))),
    ("own error codes", lambda row: ", ".join(str(code) for code in sorted(row.error_names) if code > -32600) or "–"),
)


def matrix() -> list[tuple[str, ...]]:
    """Return table rows: the protocol versions, then each fact with its values."""
    head = ("", *(row.date for row in ROWS))
    return [head, *((name, *_changes([of(row) for row in ROWS])) for name, of in _FACTS)]


def as_markdown() -> str:
    """Return the facts as a Markdown table."""
    head, *lines = (f"| {' | '.join(line)} |" for line in matrix())
    return "\n".join([head, "|---" * len(matrix()[0]) + "|", *lines])


def as_text() -> str:
    """Return a block of text for each protocol version, with its changes from the previous one."""
    return "\n\n".join("\n".join(_block(column, row)) for column, row in enumerate(ROWS, 1)).replace("`", "")


def _block(column: int, row: Revision) -> Iterator[str]:
    yield row.date
    nothing = (_SAME, "–") if column == 1 else (_SAME,)
    for name, *cells in matrix()[1:]:
        if cells[column - 1] not in nothing:
            yield from _wrapped(name.replace("`", ""), cells[column - 1])
    added = row.features - (ROWS[column - 2].features if column > 1 else frozenset())
    yield from _wrapped("new", ", ".join(sorted(added))) if added else ()
    yield f"  {row.changelog or row.page}"


def _wrapped(name: str, fact: str) -> Iterator[str]:
    first, *rest = wrap(fact, _WIDTH - _NAMES, break_long_words=False, break_on_hyphens=False)
    yield f"  {name:<{_NAMES}}{first}"
    yield from (" " * (_NAMES + 2) + line for line in rest)


def as_json() -> dict[str, Any]:
    """Return each protocol version with all its facts."""
    return {"revisions": [_as_json(row) for row in ROWS]}


def _as_json(row: Revision) -> dict[str, Any]:
    facts = structs.asdict(row)
    return {name: sorted(fact) if isinstance(fact, frozenset) else fact for name, fact in facts.items()} | {
        "error_names": {str(code): name for code, name in row.error_names.items()}
    }


def _changes(cells: list[str]) -> list[str]:
    return [_SAME if place and cell == cells[place - 1] else cell for place, cell in enumerate(cells)]


def _none(fact: str) -> str:
    return "–" if fact == "none" else fact


@documented("revisions", _EXAMPLES, "`revisions`")
@click.option("--markdown", is_flag=True, help="Write a table in Markdown.")
@click.option("--json", "json_", is_flag=True, help="Write one JSON object to stdout.")
@click.pass_obj
def command(env: CliEnv, /, markdown: bool, json_: bool) -> ExitStatus:
    """Show the revisions of the protocol and how they differ."""
    output = Output(env)
    if json_:
        output.data(as_json())
    else:
        output.text(as_markdown() if markdown else as_text())
    return ExitStatus.OK
