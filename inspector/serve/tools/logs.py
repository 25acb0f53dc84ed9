"""`logs`: what the server wrote to stderr, and its log messages."""

import asyncio
from typing import Annotated, Any

from msgspec import Meta

from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind
from inspector.present.words import of_log_message
from inspector.protocol import peek
from inspector.protocol.request_meta import LOG_MESSAGE
from inspector.serve.bounded import DEFAULT_TOKENS, cut_text, fits
from inspector.serve.facts import json_of, payload_of
from inspector.serve.sessions import Sessions
from inspector.serve.tool import Answer, Arguments, MaxTokens, SessionId, tool
from inspector.text import decode, visible

_MAX_LINE_CHARS = 400


class LogsArguments(Arguments):
    session: SessionId = ""
    after: Annotated[int, Meta(description="Only entries after this one.", ge=0)] = 0
    max_tokens: MaxTokens = DEFAULT_TOKENS


class LogsAnswer(Answer):
    session: str
    lines: int
    from_server: list[str]
    """The newest lines, oldest first, each with its entry number."""


@tool()
async def logs(sessions: Sessions, wanted: LogsArguments) -> LogsAnswer:
    """Show what the server wrote to stderr, and log notifications.

    Such as print output, exceptions and tracebacks.
    """
    opened = await sessions.get(wanted.session)
    return await asyncio.to_thread(_answer, opened.id, opened.journal, wanted)


def _answer(id_: str, journal: Journal, wanted: LogsArguments) -> LogsAnswer:
    found = [n for n in range(wanted.after + 1, journal.count + 1) if _is_log(journal, n)]
    lines: list[str] = []
    for n in reversed(found):
        line = f"#{n} {_line(journal, n)}"
        if lines and not fits([line, *lines], wanted.max_tokens):
            break
        lines.insert(0, line)
    follow = f'logs(session="{id_}", after={journal.count}) after the next call'
    if len(lines) < len(found):
        follow = f'traffic(session="{id_}", filter="stderr or method == {LOG_MESSAGE}") has all {len(found):,}'
    return LogsAnswer(session=id_, lines=len(found), from_server=lines, next=follow)


def _is_log(journal: Journal, n: int) -> bool:
    return journal.store.kind(n) is EntryKind.STDERR or journal.store.method(n) == LOG_MESSAGE


def _line(journal: Journal, n: int) -> str:
    payload = payload_of(journal, n)
    if journal.store.kind(n) is EntryKind.STDERR:
        return cut_text(visible(decode(payload)), _MAX_LINE_CHARS)
    params: Any = peek.at(json_of(payload), "params")
    return cut_text(f"[{peek.text(params, 'level') or 'log'}] {of_log_message(params)}", _MAX_LINE_CHARS)
