"""Engine: an event loop in its own thread, and the live conversations that run on it.

The user interface's loop draws and handles keys; this one reads pipes and sockets. Neither waits for the other: the
interface reads the journal's columns and submits coroutines with `submit`. The engine also starts before the
interface is imported, so that a server has begun to respond when the first screen is shown.
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
from inspector.protocol.frames import Cause
from inspector.protocol.jsonrpc import ErrorResponse
from inspector.protocol.listed_items import LISTS
from inspector.session.options import ListOptions, SessionState, Settings

if TYPE_CHECKING:
    from inspector.session.session import Session


OFTEN, WINDOW_S = 10, 10.0
"""Automatic updates are stopped after this many within this many seconds."""

T = TypeVar("T")
logger = logging.getLogger(__name__)


class Lists:
    """Fetches the lists of one conversation. Its attributes may be read and set from another thread."""

    def __init__(self, journal: Journal, options: ListOptions) -> None:
        self._journal = journal
        self.by_itself = options.by_itself
        """See `ListOptions`; may be changed."""
        self.page_by_page = options.page_by_page
        """See `ListOptions`."""
        self.fetching: str | None = None
        """Kind of list being fetched now; None if none is."""
        self.stopped: dict[str, str] = {}
        """By kind, why a list is incomplete; may quote the server. The dict is replaced, never changed."""
        self._lock = asyncio.Lock()
        self._times: dict[str, deque[float]] = {kind: deque(maxlen=OFTEN) for kind in LISTS}

    async def fetch(self, session: "Session", kinds: tuple[str, ...] = (), *, cause: Cause = Cause.USER) -> None:
        """Fetch lists again; without kinds, all that the server has. A failure is not raised."""
        for kind in kinds or self.offered(session):
            shown = self._journal.conversation.catalogue.listings[kind].pages
            async with self._lock:
                await self._fetch(session, kind, None, max(1, shown) if self.page_by_page else None, cause)

    async def fetch_more(self, session: "Session", kinds: tuple[str, ...]) -> None:
        """Fetch one more page of each list that has more."""
        for kind in kinds:
            async with self._lock:
                cursor = self._journal.conversation.catalogue.listings[kind].next_cursor
                if cursor is not None:
                    await self._fetch(session, kind, cursor, 1, Cause.USER)

    async def follow(self, session: "Session") -> None:
        """Fetch lists that have changed, if automatic updates are on."""
        if not self.by_itself:
            return
        now = asyncio.get_running_loop().time()
        for kind in self.outdated():
            times = self._times[kind]
            if len(times) == OFTEN and now - times[0] < WINDOW_S:
                self._say(kind, f"the server has said {OFTEN} times within {WINDOW_S:.0f} s that they changed")
                continue
            times.append(now)
            await self.fetch(session, (kind,), cause=Cause.REFRESH)

    def offered(self, session: "Session") -> tuple[str, ...]:
        """Return the lists of the advertised capabilities and those fetched before; tools if there are none at all."""
        declared = session.opening.capabilities if session.opening else {}
        listings = self._journal.conversation.catalogue.listings
        kinds = tuple(k for k, listed in LISTS.items() if listed.capability in declared or listings[k].asked)
        return kinds if declared or kinds else ("tools",)

    def outdated(self) -> tuple[str, ...]:
        """Return the lists that were fetched and have changed since."""
        listings = self._journal.conversation.catalogue.listings
        return tuple(kind for kind, listing in listings.items() if listing.asked and listing.outdated)

    async def _fetch(
        self, session: "Session", kind: str, cursor: str | None, most_pages: int | None, cause: Cause
    ) -> None:
        if session.state is not SessionState.OPEN:
            return
        self.fetching = kind
        try:
            pages = await session.list_all(kind, cursor=cursor, most_pages=most_pages, cause=cause)
            self._say(kind, _why(pages))
        finally:
            self.fetching = None

    def _say(self, kind: str, why: str) -> None:
        others = {key: value for key, value in self.stopped.items() if key != kind}
        self.stopped = others | ({kind: why} if why else {})


def _why(pages: Pages) -> str:
    """Return why the list is incomplete; "" if it is complete, or if no more pages were requested."""
    match pages.failed:
        case None:
            return pages.stopped
        case Replied(message=ErrorResponse(error=error)):
            message = peek.text(error, "message") or ""
            return f"{pages.stopped}: error {peek.at(error, 'code')} {message}".rstrip()
        case Silent(seconds=seconds):
            return f"{pages.stopped}: no response within {seconds:g} s"
        case Refused(status=status, why=why):
            return f"{pages.stopped}: HTTP {status}" if status else f"{pages.stopped}: {why}"
        case Broken(why=why) | GivenUp(why=why):
            return f"{pages.stopped}: {why}"
        case Replied():
            return pages.stopped


class Engine:
    """A thread with an event loop, started on creation; `stop` ends both."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="mcp-inspect engine", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Run a coroutine on the engine's loop. Any thread may call it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, work: Callable[[], object]) -> None:
        """Call a function on the engine's loop soon."""
        self._loop.call_soon_threadsafe(work)

    def stop(self) -> None:
        """Cancel everything that runs, then end the loop and the thread."""
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
    """A live conversation on an engine, usable from any thread.

    It connects, fetches the lists that the server offers, and runs until `end`. A connection that fails or is lost
    is a state (`session.state`, `session.error`, `session.why`), never an exception here.
    """

    def __init__(
        self, engine: Engine, target: Target, journal: Journal, settings: Settings, *, held: bool = False
    ) -> None:
        """Create the conversation.

        With `held`, nothing is sent before `begin`; a server that was started in advance keeps running.
        """
        self.engine = engine
        self.target = target
        self.journal = journal
        self.settings = settings
        self.session: Session | None = None
        """Session; None until the engine has created it."""
        self.lists = Lists(journal, settings.lists)
        """The lists, and how fetching them went."""
        self.crash: Exception | None = None
        """Internal error that ended the conversation, if any: an error of mcp-inspect, not of the server."""
        self.has_listed = False
        """Whether it is connected, and the first attempt to fetch all lists has ended."""
        self.watch_first: tuple[str, ...] = ()
        """Resources to watch once it is open: those of the previous conversation."""
        self._enough: asyncio.Event | None = None
        self._made = asyncio.Event()
        """Set when there is a session, or never will be."""
        self._may_connect = asyncio.Event()
        if not held:
            self._may_connect.set()
        self._life = engine.submit(self._live())

    def begin(self) -> None:
        """Connect now, if `held` was given. Any thread may call it."""
        if not self._may_connect.is_set():
            self.engine.call(self._may_connect.set)

    @property
    def state(self) -> SessionState:
        return self.session.state if self.session else SessionState.CONNECTING

    @property
    def listing(self) -> str | None:
        """Kind of list being fetched now; None if none is."""
        return self.lists.fetching

    @property
    def is_over(self) -> bool:
        """Whether it has ended completely: no process, no task, and its capture is closed."""
        return self._life.done()

    def run(self, work: "Callable[[Session], Coroutine[Any, Any, T]]") -> "Future[T]":
        """Run a coroutine function with the session, on its own loop."""

        async def on_engine() -> T:
            await self._made.wait()
            assert self.session is not None, "the engine has made it, or has crashed"
            return await work(self.session)

        return self.engine.submit(on_engine())

    def refresh(self, kinds: tuple[str, ...] = ()) -> "Future[None]":
        """Fetch lists again; without kinds, all that the server has."""
        return self.run(lambda session: self.lists.fetch(session, kinds))

    def fetch_more(self, kinds: tuple[str, ...]) -> "Future[None]":
        """Fetch one more page of each of these lists that has more."""
        return self.run(lambda session: self.lists.fetch_more(session, kinds))

    def refresh_by_itself(self, on: bool) -> "Future[None]":
        """Switch automatic updates of changed lists on or off. Lists that have changed already are fetched at once."""
        self.lists.by_itself = on
        return self.run(self.lists.follow)

    def end(self) -> "Future[None]":
        """End the session and its capture. The future is done when it has ended completely."""

        async def on_engine() -> None:
            if self._enough is not None:
                self._enough.set()
            self._may_connect.set()
            await asyncio.shield(asyncio.wrap_future(self._life))  # cancelling the caller interrupts nothing

        return self.engine.submit(on_engine())

    async def _live(self) -> None:
        self._enough = asyncio.Event()
        await self._may_connect.wait()
        try:
            from inspector.session.open import open_session  # not needed for the first screen

            async with open_session(self.target, self.journal, self.settings) as session, asyncio.TaskGroup() as tasks:
                self.session = session
                self._made.set()
                work = tasks.create_task(self._work(session))
                await self._enough.wait()
                work.cancel()  # it may still be connecting, to a server that never responds
        except Exception as error:  # boundary of the engine's worker; shown with the conversation
            logger.exception("the session ended with an internal error")
            self.crash = error
        finally:
            self._made.set()
            self.journal.close()

    async def _work(self, session: "Session") -> None:
        """Connect, fetch all lists, and fetch lists again when the server reports changes."""
        changed = asyncio.Event()

        def hear(entry: Entry, found: Sequence[Event]) -> None:
            if any(isinstance(event, Outdated) for event in found):
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
            if not session.options.opening:  # an imitated client has already fetched its lists
                await self.lists.fetch(session, cause=Cause.OPENING)
            self.has_listed = True
            if self.watch_first:
                await session.watching.again(self.watch_first)
            while True:
                changed.clear()
                await self.lists.follow(session)
                if missed.is_set() and self.lists.by_itself:
                    missed.clear()
                    await self.lists.fetch(session, cause=Cause.REFRESH)
                await changed.wait()
        except InspectError as error:
            logger.info("connecting ended: %s", error)
        finally:
            stop()


# Opened conversations and captures


class OpenedSession(msgspec.Struct, frozen=True):
    """A started conversation, or a capture."""

    name: str
    """Short name for its tab; untrusted text."""
    begin: Callable[..., Live] | None = None
    """Starts it again; None for a capture."""
    first: Live | None = None
    capture: Path | None = None
    close: Callable[[], object] | None = None
    """Ends what still runs of it. Blocks, so call it in a thread of its own."""
    named: bool = True
    """Whether the user chose the name. If not, its tab takes the server's own name once that is known."""
