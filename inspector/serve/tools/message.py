"""`message`: one recorded message, whole or a part."""

import asyncio
from typing import Annotated, Any

from msgspec import Meta, field

from inspector.capture.journal import Journal
from inspector.errors import UsageError
from inspector.features.cases.running import value_at
from inspector.protocol.changes import ABSENT
from inspector.serve.bounded import DEFAULT_TOKENS, bounded
from inspector.serve.facts import json_of, payload_of
from inspector.serve.sessions import Sessions
from inspector.serve.tool import Answer, Arguments, EntryNumber, MaxTokens, SessionId, tool


class MessageArguments(Arguments):
    entry: EntryNumber
    session: SessionId = ""
    pointer: Annotated[str, Meta(description="JSON pointer of a part: /result/content/0/text.")] = ""
    offset: Annotated[int, Meta(description="First character or item of that part.")] = 0
    max_tokens: MaxTokens = DEFAULT_TOKENS


class MessageAnswer(Answer):
    session: str
    entry: int
    kind: str
    size: int
    exchange: list[int] = field(default_factory=list)
    """Entries of request and response."""
    from_server: Any = None


@tool()
async def message(sessions: Sessions, wanted: MessageArguments) -> MessageAnswer:
    """Show one recorded entry as it crossed the wire, whole or the part at a JSON pointer."""
    opened = await sessions.get(wanted.session)
    return await asyncio.to_thread(_answer, opened.id, opened.journal, wanted)


def _answer(id_: str, journal: Journal, wanted: MessageArguments) -> MessageAnswer:
    n, store = wanted.entry, journal.store
    if not 0 < n <= journal.count:
        raise UsageError(f"no entry {n}: the session has {journal.count:,}", hint="traffic() shows entry numbers.")
    payload = payload_of(journal, n)
    whole = json_of(payload)
    value = value_at(whole, wanted.pointer)
    if value is ABSENT:
        raise UsageError(f"nothing at {wanted.pointer!r}", hint=f"message(entry={n}) shows the members.")
    if wanted.offset and isinstance(value, str | list):
        value = value[wanted.offset :]
    shown, cut = bounded(value, wanted.max_tokens)
    number = store.exchange(n)
    exchange = journal.conversation.exchanges[number - 1] if number else None
    entries = [] if exchange is None else [exchange.request_frame, exchange.answer_frame]
    kind = store.message_kind(n).name.lower() if store.direction(n) is not None else store.kind(n).name.lower()
    follow = f'trace(session="{id_}", entry={n})' if exchange is not None else f'traffic(session="{id_}")'
    if cut:
        follow = "the same call with a pointer to a part, an offset, or more max_tokens"
    return MessageAnswer(
        session=id_,
        entry=n,
        kind=kind,
        size=len(payload),
        exchange=[each for each in entries if each],
        from_server=shown,
        next=follow,
    )
