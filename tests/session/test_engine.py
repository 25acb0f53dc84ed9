"""The engine: a loop in its own thread, and a live conversation on it from beginning to end."""

import asyncio
import json
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol.flows.list_all import Pages
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Reply, Silent
from inspector.protocol.listed_items import KIND_OF_METHOD
from inspector.protocol.revisions._shape import Era
from inspector.session.engine import OFTEN, Engine, Lists, Live, OpenedSession, _why
from inspector.session.options import ListOptions, SessionState, Settings
from inspector.session.session import Session
from tests.architecture.sources import ROOT
from tests.session.talking import HELLO, reply, session
from tests.transports.memory import Peer
from tests.waiting import PATIENCE_S, until


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.stop()


def _live(engine: Engine, *argv: str) -> Live:
    environment = build_environment({}, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"])
    target = StdioTarget((sys.executable, *argv), environment, str(ROOT))
    return Live(engine, target, start_capture(None), Settings(era=Era.LEGACY))


async def test_a_conversation_lives_on_another_thread_and_leaves_nothing(engine: Engine) -> None:
    live = _live(engine, "-m", "inspector.demo")
    catalogue = live.journal.conversation.catalogue
    await until(lambda: catalogue.prompts and live.listing is None, "all was listed")
    assert live.state == SessionState.OPEN
    assert "update_resource" in {tool.name for tool in catalogue.tools}
    assert "lighthouse://barometer" in {resource.key for resource in catalogue.resources}
    await asyncio.wrap_future(live.refresh(("tools",)))
    called = await asyncio.wrap_future(live.run(lambda session: session.call("ping")))
    assert called.rounds == 1
    assert live.session is not None
    await asyncio.wrap_future(live.end())
    await asyncio.wrap_future(live.end())
    assert live.session.state == SessionState.CLOSED
    assert live.session.transport.exit is not None  # type: ignore[attr-defined]


async def test_a_server_that_cannot_be_reached_is_a_state(engine: Engine) -> None:
    live = _live(engine, "tests/servers/dies.py", "3")
    await until(lambda: live.state is SessionState.CLOSED, "the server was gone")
    assert live.session is not None
    assert "exited with code 3" in str(live.session.error)
    await asyncio.wrap_future(live.end())


async def test_a_conversation_that_still_connects_can_be_ended(engine: Engine) -> None:
    live = _live(engine, "tests/servers/never_reads.py")
    await until(lambda: live.journal.conversation.exchanges, "initialize was sent")
    assert live.state == SessionState.CONNECTING
    await asyncio.wait_for(asyncio.wrap_future(live.end()), PATIENCE_S)
    assert (str(live.state), live.crash) == ("closed", None)


async def test_changed_list_is_fetched_again(engine: Engine) -> None:
    live = _live(engine, "-m", "inspector.demo", "--legacy-only")
    catalogue = live.journal.conversation.catalogue
    await until(lambda: catalogue.prompts and live.listing is None, "all was listed")
    opened = {"name": "toggle_tool", "arguments": {}}
    await asyncio.wrap_future(live.run(lambda session: session.call("tools/call", opened)))
    await until(lambda: "extra_tool" in [tool.name for tool in catalogue.tools], "the new tool")
    assert not catalogue.listings["tools"].outdated
    await asyncio.wrap_future(live.end())


async def test_changed_list_waits_in_manual_mode(engine: Engine) -> None:
    live = _live(engine, "-m", "inspector.demo", "--legacy-only")
    live.lists.by_itself = False
    catalogue = live.journal.conversation.catalogue
    await until(lambda: catalogue.prompts and live.listing is None, "all was listed")
    opened = {"name": "toggle_tool", "arguments": {}}
    await asyncio.wrap_future(live.run(lambda session: session.call("tools/call", opened)))
    await until(lambda: catalogue.listings["tools"].outdated, "the server has said so")
    assert "extra_tool" not in [tool.name for tool in catalogue.tools]
    await asyncio.wrap_future(live.refresh_by_itself(True))
    assert "extra_tool" in [tool.name for tool in catalogue.tools]
    await asyncio.wrap_future(live.fetch_more(("tools",)))
    await asyncio.wrap_future(live.end())


def test_engine_stop_ends_its_thread_and_tasks() -> None:
    engine = Engine()
    started, cancelled = threading.Event(), threading.Event()

    async def forever() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    engine.submit(forever())
    assert started.wait(10)
    engine.stop()
    engine.stop()
    assert cancelled.is_set()
    assert not engine._thread.is_alive()


def test_engine_submit_returns_the_result(engine: Engine) -> None:
    async def where() -> str:
        return threading.current_thread().name

    assert engine.submit(where()).result(10) == "mcp-inspect engine"


async def test_reopened_stream_refetches_the_lists(engine: Engine) -> None:
    environment = build_environment({}, inherit_all=False, set_=[])
    target = StdioTarget((sys.executable, str(ROOT / "tests" / "servers" / "listened_to.py"), "cuts"), environment, "/")
    live = Live(engine, target, start_capture(None), Settings())

    def sent(method: str) -> int:
        return sum(each.method == method for each in list(live.journal.conversation.exchanges))

    await until(lambda: sent("tools/list") == 2, "the tools are fetched anew")
    assert sent("subscriptions/listen") == 2
    assert live.session is not None
    assert "reconnecting in 1 s" in live.session.watching.notices[0]
    assert "open again" in live.session.watching.notices[1]
    await asyncio.wrap_future(live.end())


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
        yield Lists(live.journal, ListOptions(**wishes)), live


def names(live: Session) -> list[str]:
    return [tool.name for tool in live.journal.conversation.catalogue.tools]


async def test_without_words_all_pages_of_what_is_offered_are_fetched() -> None:
    shelf = Shelf(["a"], ["b"])
    async with before(shelf) as (lists, live):
        await lists.fetch(live)
        assert names(live) == ["a", "b"]
        assert shelf.asked == [("tools/list", None), ("tools/list", "1")]
        assert (lists.fetching, lists.stopped) == (None, {})


async def test_fetch_without_declared_lists_requests_tools() -> None:
    shelf = Shelf(["a"], capabilities={})
    async with before(shelf) as (lists, live):
        await lists.fetch(live)
        assert [method for method, _ in shelf.asked] == ["tools/list"]
        await lists.fetch(live, ("prompts",))
        assert lists.offered(live) == ("tools", "prompts")


async def test_page_by_page_fetches_one_more_page_and_refetches_as_many() -> None:
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


async def test_follow_refetches_automatically_only_by_option() -> None:
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


async def test_refused_page_is_reported_in_the_servers_words() -> None:
    shelf = Shelf(["a"], ["b"])
    shelf.refuses = "1"
    async with before(shelf) as (lists, live):
        await lists.fetch(live)
        assert lists.stopped == {"tools": "page 2 could not be fetched: error -32601 no such method"}
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
        (Silent(None, 5, "idle"), "stopped: no response within 5 s"),
        (Refused(None, 404, "", b""), "stopped: HTTP 404"),
        (Refused(None, None, "", b"", why="gone"), "stopped: gone"),
        (Broken(None, "dead"), "stopped: dead"),
        (GivenUp(None, "enough"), "stopped: enough"),
    ],
)
def test_failed_page_has_a_reason(failed: Reply | None, why: str) -> None:
    assert _why(Pages("tools", (), 1, "stopped", failed)) == why


def test_a_capture_has_nothing_to_begin_and_nothing_to_end() -> None:
    opened = OpenedSession("a", capture=Path("a.mcpcap"))
    assert (opened.begin, opened.first, opened.close) == (None, None, None)
