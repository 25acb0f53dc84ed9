"""Engine: an event loop in its own thread, and the live conversation that runs on it.

The interface's loop draws and answers keys; this one reads pipes and sockets. Neither waits for the other: the
interface reads the journal's columns and hands coroutines over with `submit`. It also starts before the interface
is imported, so that a server has begun to answer by the time there is a screen.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal
from inspector.config.targets import Target
from inspector.errors import InspectError
from inspector.protocol import peek
from inspector.protocol.events import Event, Outdated
from inspector.protocol.flows.list_all import Pages
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Silent
from inspector.protocol.jsonrpc import ErrorAnswer
from inspector.protocol.things import LISTS
from inspector.session.options import ListWishes, SessionState, Settings

if TYPE_CHECKING:
    from inspector.session.session import Session


# Fetching lists

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
        """Fetch lists again; without kinds, all that the server has. No outcome is raised."""
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
        if session.state is not SessionState.OPEN:
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
            return f"{pages.stopped}: no response within {seconds:g} s"
        case Refused(status=status, why=why):
            return f"{pages.stopped}: HTTP {status}" if status else f"{pages.stopped}: {why}"
        case Broken(why=why) | GivenUp(why=why):
            return f"{pages.stopped}: {why}"
        case Replied():
            return pages.stopped


logger = logging.getLogger(__name__)

T = TypeVar("T")


class Engine:
    """The thread and its loop. Started when made; `stop` ends both."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="mcp-inspect engine", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Run a coroutine on the engine's loop; its result, from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, work: Callable[[], object]) -> None:
        """Call a function on the engine's loop, soon."""
        self._loop.call_soon_threadsafe(work)

    def stop(self) -> None:
        """End the loop and the thread. Whatever still runs is cancelled first."""
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()


class Live:
    """One live conversation on an engine, from any thread's view.

    It connects, lists what the server says it offers, and stays until `end`. A connection that fails or dies is a
    state (`session.state`, `session.error`, `session.why`), never an exception here.
    """

    def __init__(
        self, engine: Engine, target: Target, journal: Journal, settings: Settings, *, held: bool = False
    ) -> None:
        """`held`: nothing is sent before `begin`; a server that was started ahead runs meanwhile."""
        self.engine = engine
        self.target = target
        self.journal = journal
        self.settings = settings
        self.session: Session | None = None
        """None for the moment before the engine has made it."""
        self.lists = Lists(journal, settings.lists)
        """Fetches them, and says how that went."""
        self.crash: Exception | None = None
        """What went wrong on our side, if that ended it: an error of mcp-inspect, not of the server."""
        self.watch_first: tuple[str, ...] = ()
        """Resources to watch once it is open: those of the conversation before."""
        self._enough: asyncio.Event | None = None
        self._made = asyncio.Event()
        """Set when there is a session, or never will be."""
        self._may_connect = asyncio.Event()
        if not held:
            self._may_connect.set()
        self._life = engine.submit(self._live())

    def begin(self) -> None:
        """Connect now, where that was held back; else nothing happens. From any thread."""
        if not self._may_connect.is_set():
            self.engine.call(self._may_connect.set)

    @property
    def state(self) -> SessionState:
        """The state of the session."""
        return self.session.state if self.session else SessionState.CONNECTING

    @property
    def listing(self) -> str | None:
        """The kind of list being fetched now, None if none is."""
        return self.lists.fetching

    @property
    def is_over(self) -> bool:
        """Whether nothing of it is left: no process, no task, and its capture is closed."""
        return self._life.done()

    def run(self, work: "Callable[[Session], Coroutine[Any, Any, T]]") -> "Future[T]":
        """Do something with the session, on its own loop."""

        async def on_engine() -> T:
            await self._made.wait()
            assert self.session is not None, "the engine has made it, or has crashed"
            return await work(self.session)

        return self.engine.submit(on_engine())

    def refresh(self, kinds: tuple[str, ...] = ()) -> "Future[None]":
        """Fetch lists again; all that the server has if none is named."""
        return self.run(lambda session: self.lists.fetch(session, kinds))

    def fetch_more(self, kinds: tuple[str, ...]) -> "Future[None]":
        """Fetch one page more of each of these lists that has more."""
        return self.run(lambda session: self.lists.fetch_more(session, kinds))

    def refresh_by_itself(self, on: bool) -> "Future[None]":
        """From now on, fetch lists that change, or do not; what has changed already is fetched at once."""
        self.lists.by_itself = on
        return self.run(self.lists.follow)

    def end(self) -> "Future[None]":
        """End the session and its capture; done when nothing of it is left."""

        async def on_engine() -> None:
            if self._enough is not None:
                self._enough.set()
            self._may_connect.set()
            await asyncio.shield(asyncio.wrap_future(self._life))  # a cancelled waiter interrupts nothing

        return self.engine.submit(on_engine())

    async def _live(self) -> None:
        self._enough = asyncio.Event()
        await self._may_connect.wait()
        try:
            from inspector.session.open import open_session  # the first picture has no use for a session

            async with (
                open_session(self.target, self.journal, self.settings) as session,
                asyncio.TaskGroup() as tasks,
            ):
                self.session = session
                self._made.set()
                work = tasks.create_task(self._work(session))
                await self._enough.wait()
                work.cancel()  # it may still be connecting, to a server that never answers
        except Exception as error:  # border: the engine's worker; shown with the conversation
            logger.exception("the session ended with an internal error")
            self.crash = error
        finally:
            self._made.set()
            self.journal.close()

    async def _work(self, session: "Session") -> None:
        """Connect, fetch all lists, and fetch lists again that the server reports as changed."""
        changed = asyncio.Event()

        def hear(entry: Entry, found: Sequence[Event]) -> None:
            if any(map(_is_outdated, found)):
                changed.set()

        stop = self.journal.listen(hear, in_runs=False)
        missed = asyncio.Event()

        def was_cut() -> None:
            missed.set()
            changed.set()

        session.watching.missed = was_cut
        try:
            await session.connect()
            session.watching.follow_lists()
            if not session.options.opening:  # a client to behave like has listed what it lists
                await self.lists.fetch(session)
            if self.watch_first:
                await session.watching.again(self.watch_first)
            while True:
                changed.clear()
                await self.lists.follow(session)
                if missed.is_set() and self.lists.by_itself:
                    missed.clear()
                    await self.lists.fetch(session)
                await changed.wait()
        except InspectError as error:
            logger.info("connecting ended: %s", error)
        finally:
            stop()


def _is_outdated(event: Event) -> bool:
    return isinstance(event, Outdated)


# Opened conversations and captures


class OpenedSession(msgspec.Struct, frozen=True):
    """A conversation that has begun, or a capture."""

    name: str
    """A short name for its tab; foreign text."""
    begin: Callable[..., Live] | None = None
    """Begins it again; None for a capture."""
    first: Live | None = None
    capture: Path | None = None
    close: Callable[[], object] | None = None
    """Ends whatever of it still runs; for a thread of its own, because it waits."""
    named: bool = True
    """Whether the user gave it that name; if not, its tab takes the server's own name once that is known."""
