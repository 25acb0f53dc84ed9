"""Lists: which lists of a live conversation are fetched, when, and how far.

What the server says has changed is fetched by itself, or when somebody asks for it; all pages at once, or one after
the other. One fetching runs at a time: two that run into one another would tear the list. A server that says after
each fetching that the list has changed is not obeyed for ever.
"""

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from inspector.capture.journal import Journal
from inspector.protocol import peek
from inspector.protocol.flows.list_all import Pages
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Silent
from inspector.protocol.jsonrpc import ErrorAnswer
from inspector.protocol.things import LISTS
from inspector.session.wishes import ListWishes, State

if TYPE_CHECKING:
    from inspector.session.session import Session

OFTEN, WINDOW_S = 10, 10.0
"""So many fetchings by itself, within so many seconds, are enough."""


class Lists:
    """Fetches the lists of one conversation. Its attributes may be read and set from another thread."""

    def __init__(self, journal: Journal, wishes: ListWishes) -> None:
        self._journal = journal
        self.by_itself = wishes.by_itself
        """As in `ListWishes`; may be changed."""
        self.page_by_page = wishes.page_by_page
        """As in `ListWishes`."""
        self.fetching: str | None = None
        """The kind of list being fetched now, None if none is."""
        self.stopped: dict[str, str] = {}
        """By kind, why a list was not fetched further, a sentence with the server's words; replaced, never changed."""
        self._lock = asyncio.Lock()
        self._times: dict[str, deque[float]] = {kind: deque(maxlen=OFTEN) for kind in LISTS}

    async def fetch(self, session: "Session", kinds: tuple[str, ...] = ()) -> None:
        """Fetch lists anew; without kinds, all that the server offers. Nothing that comes is raised."""
        for kind in kinds or self.offered(session):
            shown = self._journal.conversation.catalogue.listings[kind].pages
            async with self._lock:
                await self._fetch(session, kind, None, max(1, shown) if self.page_by_page else None)

    async def fetch_more(self, session: "Session", kinds: tuple[str, ...]) -> None:
        """Fetch one page more of each list that has more."""
        for kind in kinds:
            async with self._lock:
                cursor = self._journal.conversation.catalogue.listings[kind].next_cursor
                if cursor is not None:
                    await self._fetch(session, kind, cursor, 1)

    async def follow(self, session: "Session") -> None:
        """Fetch by itself what has changed, if that is wished."""
        if not self.by_itself:
            return
        now = asyncio.get_running_loop().time()
        for kind in self.outdated():
            times = self._times[kind]
            if len(times) == OFTEN and now - times[0] < WINDOW_S:
                self._say(kind, f"the server has said {OFTEN} times within {WINDOW_S:.0f} s that they changed")
                continue
            times.append(now)
            await self.fetch(session, (kind,))

    def offered(self, session: "Session") -> tuple[str, ...]:
        """The lists that the capabilities promise, or that were fetched before; tools if nothing at all is promised."""
        declared = session.opening.capabilities if session.opening else {}
        listings = self._journal.conversation.catalogue.listings
        kinds = tuple(k for k, listed in LISTS.items() if listed.capability in declared or listings[k].asked)
        return kinds if declared or kinds else ("tools",)

    def outdated(self) -> tuple[str, ...]:
        """The lists that were asked for and have changed since."""
        listings = self._journal.conversation.catalogue.listings
        return tuple(kind for kind, listing in listings.items() if listing.asked and listing.outdated)

    async def _fetch(self, session: "Session", kind: str, cursor: str | None, most_pages: int | None) -> None:
        if session.state is not State.OPEN:
            return
        self.fetching = kind
        try:
            pages = await session.list_all(kind, cursor=cursor, most_pages=most_pages)
            self._say(kind, _why(pages))
        finally:
            self.fetching = None

    def _say(self, kind: str, why: str) -> None:
        others = {key: value for key, value in self.stopped.items() if key != kind}
        self.stopped = others | ({kind: why} if why else {})


def _why(pages: Pages) -> str:
    """Why the list is not whole; "" if it is, or if no more was wished for."""
    match pages.failed:
        case None:
            return pages.stopped
        case Replied(message=ErrorAnswer(error=error)):
            said = peek.text(error, "message") or ""
            return f"{pages.stopped}: error {peek.at(error, 'code')} {said}".rstrip()
        case Silent(seconds=seconds):
            return f"{pages.stopped}: no answer within {seconds:g} s"
        case Refused(status=status, why=why):
            return f"{pages.stopped}: HTTP {status}" if status else f"{pages.stopped}: {why}"
        case Broken(why=why) | GivenUp(why=why):
            return f"{pages.stopped}: {why}"
        case Replied():
            return pages.stopped
