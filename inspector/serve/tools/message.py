"""`message`: one recorded message, whole or a part."""

import asyncio
import json
from typing import Annotated, Any

from msgspec import Meta, field

from inspector.capture.journal import Journal
from inspector.capture.messages import exchange_at
from inspector.errors import UsageError
from inspector.features.cases.running import value_at
from inspector.protocol.changes import ABSENT
from inspector.serve.bounded import DEFAULT_TOKENS, bounded
from inspector.serve.cleaning import Cleaner
from inspector.serve.facts import json_of, payload_of
from inspector.serve.sessions import Sessions
from inspector.serve.tool import Answer, Arguments, EntryNumber, MaxTokens, SessionId, tool


class MessageArguments(Arguments):
    entry: EntryNumber
    session: SessionId = ""
    pointer: Annotated[str, Meta(description="JSON pointer of a part: /result/content/0/text.")] = ""
    offset: Annotated[int, Meta(description="First character or item of that part.", ge=0)] = 0
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
    """Show one recorded request or response as sent on the wire: the full JSON.

    With a JSON pointer a part, with an offset the rest of a cut result.
    """
    opened = await sessions.get(wanted.session)
    return await asyncio.to_thread(_answer, opened.id, opened.journal, wanted, sessions.clean)


def _answer(id_: str, journal: Journal, wanted: MessageArguments, clean: Cleaner) -> MessageAnswer:
    n, store = wanted.entry, journal.store
    if not 0 < n <= journal.count:
        raise UsageError(
            f"no entry {n}: the session has {journal.count:,}", hint=f'traffic(session="{id_}") shows entry numbers.'
        )
    payload = payload_of(journal, n)
    whole = json_of(payload)
    value = value_at(whole, wanted.pointer)
    if value is ABSENT or wanted.pointer[:1] not in ("", "/"):
        hint = f'message(session="{id_}", entry={n}) shows the members; a pointer begins with /.'
        raise UsageError(f"nothing at {wanted.pointer!r}", hint=hint)
    if isinstance(value, str):
        value = clean(value)  # before it is divided: half of a secret is not recognized
    if isinstance(value, str | list):
        value = value[wanted.offset :]
    shown, cut = bounded(value, wanted.max_tokens)
    exchange = exchange_at(journal, n)
    entries = [] if exchange is None else [exchange.request_frame, exchange.answer_frame]
    kind = store.message_kind(n).name.lower() if store.direction(n) is not None else store.kind(n).name.lower()
    follow = f'trace(session="{id_}", entry={n})' if exchange is not None else f'traffic(session="{id_}")'
    if cut:
        same = f'message(session="{id_}", entry={n}'
        same += f", pointer={json.dumps(wanted.pointer)}" if wanted.pointer else ""
        follow = f"{same}, max_tokens={wanted.max_tokens * 8}), or with the pointer of a part"
        if isinstance(value, str):
            follow = f"{same}, offset={wanted.offset + _shown_of(shown)}) has more"
    return MessageAnswer(
        session=id_,
        entry=n,
        kind=kind,
        size=len(payload),
        exchange=[each for each in entries if each],
        from_server=shown,
        next=follow,
    )


def _shown_of(cut: str) -> int:
    """Return how many characters of a text are shown."""
    return cut.rindex("… (+")
