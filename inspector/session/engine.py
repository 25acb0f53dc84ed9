"""Engine: an event loop in a thread of its own, and the live conversation that runs on it.

The interface's loop draws and answers keys; this one reads pipes and sockets. Neither waits for the other: the
interface reads the journal's columns and hands coroutines over with `submit`. It also starts before the interface
is imported, so that a server has begun to answer by the time there is a screen.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from inspector.capture.journal import Journal
from inspector.capture.store import Entry
from inspector.config.targets import Target
from inspector.errors import InspectError
from inspector.protocol.events import Event, Outdated
from inspector.session.lists import Lists
from inspector.session.wishes import Settings, State

if TYPE_CHECKING:
    from inspector.session.session import Session

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
        """What went wrong on our side, if that ended it: an error of this program, not of the server."""
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
    def state(self) -> State:
        """Where the session stands."""
        return self.session.state if self.session else State.CONNECTING

    @property
    def listing(self) -> str | None:
        """The kind of list being fetched now, None if none is."""
        return self.lists.fetching

    def run(self, work: "Callable[[Session], Coroutine[Any, Any, T]]") -> "Future[T]":
        """Do something with the session, on its own loop."""

        async def on_engine() -> T:
            await self._made.wait()
            assert self.session is not None, "the engine has made it, or has crashed"
            return await work(self.session)

        return self.engine.submit(on_engine())

    def refresh(self, kinds: tuple[str, ...] = ()) -> "Future[None]":
        """Fetch lists anew; all that the server offers if none is named."""
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
            await asyncio.shield(asyncio.wrap_future(self._life))  # whoever waits no longer ends nothing halfway

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
        except Exception as error:  # border: the engine's worker; whoever looks at this conversation is told
            logger.exception("the conversation ended by an error of this program")
            self.crash = error
        finally:
            self._made.set()
            self.journal.close()

    async def _work(self, session: "Session") -> None:
        """Connect, list what is offered, and list anew what the server says has changed."""
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
