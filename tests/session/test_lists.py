"""Which lists are fetched, when, and how far."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from inspector.protocol.flows.list_all import Pages
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Reply, Silent
from inspector.protocol.things import KIND_OF_METHOD
from inspector.session.lists import OFTEN, Lists, _why
from inspector.session.session import Session
from inspector.session.wishes import ListWishes
from inspector.transports.memory import Peer
from tests.session.talking import HELLO, reply, session
from tests.waiting import until


class Shelf:
    """A server whose tools are in pages. It says that they have changed when told to, or after each listing."""

    def __init__(self, *pages: list[str], capabilities: Any = None) -> None:
        self.pages = list(pages)
        self.hello = HELLO | ({} if capabilities is None else {"capabilities": capabilities})
        self.asked: list[Any] = []
        """Method and cursor of each list request."""
        self.always_changes = False
        self.refuses: str | None = None
        self.peer: Peer | None = None

    async def __call__(self, peer: Peer) -> None:
        self.peer = peer
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            if message["method"] == "initialize":
                reply(peer, message, self.hello)
            elif message["method"] in KIND_OF_METHOD:
                self._page(peer, message)

    def _page(self, peer: Peer, message: Any) -> None:
        cursor = (message.get("params") or {}).get("cursor")
        self.asked.append((message["method"], cursor))
        at = int(cursor or 0)
        more = {"nextCursor": str(at + 1)} if at + 1 < len(self.pages) else {}
        found = {"tools": [{"name": name} for name in self.pages[at]]} | more
        reply(peer, message, None if cursor is not None and cursor == self.refuses else found)
        if self.always_changes:
            self.change()

    def change(self) -> None:
        assert self.peer is not None
        self.peer.send(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')


@asynccontextmanager
async def before(shelf: Shelf, **wishes: bool) -> AsyncIterator[tuple[Lists, Session]]:
    async with session(shelf) as live:
        yield Lists(live.journal, ListWishes(**wishes)), live


def names(live: Session) -> list[str]:
    return [tool.name for tool in live.journal.conversation.catalogue.tools]


async def test_without_words_all_pages_of_what_is_offered_are_fetched() -> None:
    shelf = Shelf(["a"], ["b"])
    async with before(shelf) as (lists, live):
        await lists.fetch(live)
        assert names(live) == ["a", "b"]
        assert shelf.asked == [("tools/list", None), ("tools/list", "1")]
        assert (lists.fetching, lists.stopped) == (None, {})


async def test_a_server_that_declares_nothing_is_asked_for_tools() -> None:
    shelf = Shelf(["a"], capabilities={})
    async with before(shelf) as (lists, live):
        await lists.fetch(live)
        assert [method for method, _ in shelf.asked] == ["tools/list"]
        await lists.fetch(live, ("prompts",))
        assert lists.offered(live) == ("tools", "prompts")


async def test_page_by_page_a_page_more_comes_when_asked_for_and_as_many_when_fetched_anew() -> None:
    shelf = Shelf(["a"], ["b"], ["c"])
    async with before(shelf, page_by_page=True) as (lists, live):
        await lists.fetch(live)
        assert (names(live), lists.stopped) == (["a"], {})
        await lists.fetch_more(live, ("tools",))
        assert names(live) == ["a", "b"]
        await lists.fetch(live)
        assert names(live) == ["a", "b"]
        await lists.fetch_more(live, ("tools",))
        await lists.fetch_more(live, ("tools",))
        assert names(live) == ["a", "b", "c"]
        assert [cursor for _, cursor in shelf.asked] == [None, "1", None, "1", "2"]


async def test_what_has_changed_is_fetched_by_itself_or_when_that_is_wished_again() -> None:
    shelf = Shelf(["a"])
    async with before(shelf, by_itself=False) as (lists, live):
        await lists.fetch(live)
        shelf.pages = [["a", "b"]]
        shelf.change()
        await until(lists.outdated, "the server has said so")
        await lists.follow(live)
        assert names(live) == ["a"]
        lists.by_itself = True
        await lists.follow(live)
        assert (names(live), lists.outdated()) == (["a", "b"], ())


async def test_a_server_that_changes_with_every_look_is_not_obeyed_for_ever() -> None:
    shelf = Shelf(["a"])
    shelf.always_changes = True
    async with before(shelf) as (lists, live):
        await lists.fetch(live)
        for _ in range(OFTEN + 5):
            await until(lists.outdated, "it has changed again")
            await lists.follow(live)
        assert len(shelf.asked) == OFTEN + 1
        assert lists.stopped == {"tools": "the server has said 10 times within 10 s that they changed"}
        await lists.fetch(live)
        assert (len(shelf.asked), lists.stopped) == (OFTEN + 2, {})


async def test_two_fetchings_do_not_run_into_one_another() -> None:
    shelf = Shelf(["a"], ["b"])
    async with before(shelf) as (lists, live):
        await asyncio.gather(lists.fetch(live), lists.fetch(live))
        assert names(live) == ["a", "b"]
        assert [cursor for _, cursor in shelf.asked] == [None, "1", None, "1"]


async def test_a_page_that_is_refused_is_told_with_the_servers_words() -> None:
    shelf = Shelf(["a"], ["b"])
    shelf.refuses = "1"
    async with before(shelf) as (lists, live):
        await lists.fetch(live)
        assert lists.stopped == {"tools": "page 2 could not be had: error -32601 no such method"}
        shelf.refuses = None
        await lists.fetch_more(live, ("tools",))
        assert (names(live), lists.stopped) == (["a", "b"], {})


async def test_nothing_is_fetched_once_the_connection_is_gone() -> None:
    shelf = Shelf(["a"])
    async with before(shelf) as (lists, live):
        await live.close()
        await lists.fetch(live)
        assert shelf.asked == []


@pytest.mark.parametrize(
    ("failed", "why"),
    [
        (None, "stopped"),
        (Silent(None, 5, "idle"), "stopped: no answer within 5 s"),
        (Refused(None, 404, "", b""), "stopped: HTTP 404"),
        (Refused(None, None, "", b"", why="gone"), "stopped: gone"),
        (Broken(None, "dead"), "stopped: dead"),
        (GivenUp(None, "enough"), "stopped: enough"),
    ],
)
def test_whatever_came_instead_of_a_page_is_a_sentence(failed: Reply | None, why: str) -> None:
    assert _why(Pages("tools", (), 1, "stopped", failed)) == why
