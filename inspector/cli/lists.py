"""Fetching lists for a command: whole, exact, and with a word on what is missing."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from inspector.capture.journal import Journal
from inspector.cli.headless import Visit
from inspector.cli.outcome import answered
from inspector.protocol import jsonrpc, peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.list_all import Pages
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import ErrorAnswer
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.things import LISTS


class Fetched(msgspec.Struct, frozen=True):
    """A list as far as the server gave it."""

    kind: str
    items: tuple[Any, ...]
    """JSON values; for the exact text see `exact`."""
    exact: tuple[Any, ...]
    """The same as `msgspec.Raw`, digit by digit as they came."""
    error: Any = None
    """The JSON-RPC error that came in place of a page; None if none did."""

    @property
    def refusal(self) -> str:
        """The error as a sentence; "" if there is none."""
        if self.error is None:
            return ""
        code, said = peek.at(self.error, "code"), peek.text(self.error, "message") or ""
        where = f", after {len(self.items)} items" if self.items else ""
        return f"the server answered {LISTS[self.kind].method} with error {code}: {said}{where}"


def declared(opening: Opening) -> tuple[str, ...]:
    """The kinds of list that the server's capabilities promise."""
    return tuple(kind for kind, listed in LISTS.items() if listed.capability in opening.capabilities)


async def fetch(visit: Visit, kind: str) -> Fetched:
    """Fetch all pages of a list and say on stderr where it is not whole.

    Raises: what `answered` raises, for a page to which no answer came.
    """
    pages = await visit.session.list_all(kind)
    exact = tuple(islice(_exact(visit.session.journal, pages), len(pages.items)))
    error = None
    if pages.failed is not None:
        message = answered(pages.failed, LISTS[kind].method).message
        error = message.error if isinstance(message, ErrorAnswer) else None
    elif pages.stopped:
        visit.output.warn(f"{LISTS[kind].method}: {pages.stopped}; {len(pages.items)} items up to there")
    return Fetched(kind, pages.items, exact if len(exact) == len(pages.items) else pages.items, error)


class _Result(msgspec.Struct):
    result: dict[str, msgspec.Raw]


def _exact(journal: Journal, pages: Pages) -> Iterator[Any]:
    """The items as they stand in the frames."""
    listed = LISTS[pages.kind]
    asked = [each for each in journal.conversation.exchanges if each.method == listed.method and each.answer_frame]
    last = asked[-pages.pages - (pages.failed is not None) :] if pages.pages else []
    for exchange in last[: pages.pages]:
        yield from _items(journal, exchange, listed.member)


def _items(journal: Journal, exchange: Exchange, member: str) -> list[Any]:
    frame = journal.store.entry(exchange.answer_frame or 0).what
    assert isinstance(frame, Frame)
    try:
        return msgspec.json.decode(
            msgspec.json.decode(frame.payload, type=_Result).result[member], type=list[msgspec.Raw]
        )
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, RecursionError):
        return _tolerantly(frame.payload, exchange, member)


def _tolerantly(payload: bytes, exchange: Exchange, member: str) -> list[Any]:
    for message in jsonrpc.read(payload):
        if isinstance(message, jsonrpc.Answer) and message.id == exchange.id:
            return peek.items(message.result, member)
    return []
