"""`trace`: everything that happened for one request."""

import asyncio

from inspector.capture.journal import Journal
from inspector.capture.messages import exchange_at
from inspector.errors import UsageError
from inspector.present.trace import markdown_of, trace_of
from inspector.serve.bounded import DEFAULT_TOKENS, cut_text
from inspector.serve.sessions import Sessions
from inspector.serve.tool import Answer, Arguments, EntryNumber, MaxTokens, SessionId, tool

_BYTES_OF_TOKEN = 4


class TraceArguments(Arguments):
    entry: EntryNumber
    session: SessionId = ""
    max_tokens: MaxTokens = DEFAULT_TOKENS


class TraceAnswer(Answer):
    session: str
    open: bool
    """Whether more may follow."""
    from_server: str
    """Markdown."""


@tool()
async def trace(sessions: Sessions, wanted: TraceArguments) -> TraceAnswer:
    """Show what happened during one request, and why it is slow.

    Markdown: time spent, retries, progress, HTTP, stderr.
    """
    opened = await sessions.get(wanted.session)
    return await asyncio.to_thread(_answer, opened.id, opened.journal, wanted)


def _answer(id_: str, journal: Journal, wanted: TraceArguments) -> TraceAnswer:
    story = trace_of(journal, wanted.entry) if 0 < wanted.entry <= journal.count else None
    if story is None:
        raise UsageError(
            f"entry {wanted.entry} belongs to no request",
            hint=f'traffic(session="{id_}", filter="kind == request") lists requests.',
        )
    page = cut_text(markdown_of(story, journal), wanted.max_tokens * _BYTES_OF_TOKEN * 4 // 5)
    exchange = exchange_at(journal, wanted.entry)
    entry = wanted.entry if exchange is None else exchange.answer_frame or exchange.request_frame
    return TraceAnswer(session=id_, open=story.open, from_server=page, next=f'message(session="{id_}", entry={entry})')
