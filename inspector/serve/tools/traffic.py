"""`traffic`: the recorded messages that match a filter."""

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta, field

from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind
from inspector.errors import UsageError
from inspector.features.cases.running import value_at
from inspector.filters.language.parser import parse
from inspector.present import words
from inspector.present.traffic.matching import EntryFilter
from inspector.present.traffic.tail import TailWriter
from inspector.protocol.changes import ABSENT
from inspector.serve.bounded import DEFAULT_TOKENS, bounded, cut_text, fits
from inspector.serve.facts import json_of, payload_of
from inspector.serve.sessions import Sessions
from inspector.serve.tool import Answer, Arguments, MaxTokens, SessionId, tool
from inspector.text import visible

_MEMBERS = ("n", "kind", "dir", "method", "target", "status", "duration_ms")
_MAX_ROW_CHARS = 160


class TrafficArguments(Arguments):
    session: SessionId = ""
    filter: Annotated[
        str, Meta(description='"failed", "method == tools/call and dur > 1s", "tool == add", "stderr".')
    ] = ""
    before: Annotated[int, Meta(description="Only entries before this one.", ge=0)] = 0
    limit: Annotated[int, Meta(description="Most rows.", ge=1)] = 20
    fields: Annotated[list[str], Meta(description="JSON pointers of messages to include.")] = field(
        default_factory=list
    )
    max_tokens: MaxTokens = DEFAULT_TOKENS


class TrafficAnswer(Answer):
    session: str
    entries: int
    matching: int
    rows: list[dict[str, Any]]
    """The newest that match, oldest first."""


@tool()
async def traffic(sessions: Sessions, wanted: TrafficArguments) -> TrafficAnswer:
    """List all recorded messages between client and server.

    Also failed requests, stderr, process events. n: entry number.
    """
    opened = await sessions.get(wanted.session)
    return await asyncio.to_thread(_answer, opened.id, opened.journal, wanted)


def _answer(id_: str, journal: Journal, wanted: TrafficArguments) -> TrafficAnswer:
    end = min(journal.count, wanted.before - 1) if wanted.before else journal.count
    term = parse(wanted.filter)
    if wrong := next((each for each in wanted.fields if each[:1] not in ("", "/")), ""):
        raise UsageError(f"field {wrong!r} is not a JSON pointer", hint=f"Write {'/' + wrong!r}, or /params/name.")
    found: Sequence[int] = range(1, end + 1)
    if term is not None:
        entries = EntryFilter(journal)
        found = entries.matching(entries.program(term), 1, end)
    rows: list[dict[str, Any]] = []
    writer = TailWriter(journal)
    for n in reversed(found[-wanted.limit :]):
        row = _row(journal, writer, n, wanted.fields)
        if rows and not fits([row, *rows], wanted.max_tokens):
            break
        rows.insert(0, row)
    answer = TrafficAnswer(session=id_, entries=journal.count, matching=len(found), rows=rows, next="")
    if not rows:
        answer.next = f'traffic(session="{id_}") without a filter lists all entries'
    elif len(rows) < len(found):
        same = f", filter={json.dumps(wanted.filter, ensure_ascii=False)}" if wanted.filter else ""
        more = f"before={rows[0]['n']}) has {len(found) - len(rows):,} earlier ones"
        answer.next = f'traffic(session="{id_}"{same}, {more}'
    else:
        answer.next = f'message(session="{id_}", entry={rows[-1]["n"]})'
    return answer


def _row(journal: Journal, writer: TailWriter, n: int, fields: list[str]) -> dict[str, Any]:
    data = writer.data(n)
    row = {name: data[name] for name in _MEMBERS if data.get(name) not in (None, "")}
    payload = payload_of(journal, n)
    if journal.store.kind(n) is EntryKind.FRAME:
        row["text"] = words.of_payload(payload)[0]
    else:
        row["text"] = visible(str(data.get("text", "")))
    row["text"] = cut_text(row["text"], _MAX_ROW_CHARS)
    if fields:
        message = json_of(payload)
        values = {field: value_at(message, field) for field in fields}
        row["fields"] = {field: bounded(value, 100)[0] for field, value in values.items() if value is not ABSENT}
    return {name: value for name, value in row.items() if value != ""}
