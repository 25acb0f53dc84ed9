"""Subject: the conversation that the interface is about, live or recorded, behind one face.

Panels ask a subject and nothing else. Its journal is read from this thread; whatever must be done to the server is
handed to the engine's loop and awaited here. A recorded conversation can be looked at and does nothing.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from inspector.capture.journal import Journal
from inspector.config.environment import Environment
from inspector.config.targets import HttpTarget, StdioTarget
from inspector.errors import InspectError
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.revisions.openings import Opening
from inspector.session.engine import Live
from inspector.session.wishes import State
from inspector.tui.desk_view import DeskView, LiveDeskView
from inspector.tui.login_view import LiveLoginView, LoginView
from inspector.tui.memory_view import LiveMemoryView, MemoryView
from inspector.tui.request_view import LiveRequestView, RequestView
from inspector.tui.task_view import LiveTaskView, TaskView
from inspector.tui.watch_view import LiveWatchView, WatchView

if TYPE_CHECKING:
    from inspector.session.session import Session
    from inspector.viewmodels.live_checks import LiveChecks

T = TypeVar("T")


class Stage(StrEnum):
    """Where a subject stands, as the header says it."""

    CONNECTING = "connecting"
    OPEN = "connected"
    CLOSED = "closed"
    FAILED = "failed"
    """It never opened."""
    LOADING = "loading"
    RECORDED = "recorded"


class About(msgspec.Struct, frozen=True):
    """What is known of a subject beside its journal."""

    label: str
    """A short name for titles: the script, the host."""
    environment: Environment | None = None
    """What the child got; None for a server that we did not start."""
    insecure: bool = False


class Subject(DeskView, LoginView, MemoryView, RequestView, TaskView, WatchView):
    """What panels ask. A subject that only shows raises on `call`; see `Recording` and `LiveSubject`."""

    can_act = False

    def __init__(self, journal: Journal, about: About) -> None:
        self.journal = journal
        self.about = about

    @cached_property
    def checks(self) -> "LiveChecks":
        """What checks have found in it so far. Nothing is checked before somebody gives them time."""
        from inspector.viewmodels.live_checks import LiveChecks  # the first picture has no use for it

        checks = LiveChecks(self.journal, over=lambda: self.stage is Stage.RECORDED and not self.grows)
        if not self.journal.live:
            from inspector.config.mutes import KeptMutes
            from inspector.config.paths import places

            checks.mute(KeptMutes(places().state, self.journal.head.id).read())
        return checks

    @property
    def checks_so_far(self) -> "LiveChecks | None":
        """The same; None before anybody has asked for them."""
        return vars(self).get("checks")

    @property
    def stage(self) -> Stage:
        """Where it stands now."""
        return Stage.RECORDED

    @property
    def grows(self) -> bool:
        """Whether it is a capture that somebody else is recording into now."""
        return False

    @property
    def moment_shown(self) -> int | None:
        """The entry at which it is shown as it was then; None: as it is now, or was at its end."""
        return None

    @property
    def why(self) -> str:
        """Why it failed or closed, one sentence with the evidence; "" otherwise."""
        return ""

    @property
    def hint(self) -> str:
        """What to do about it, one sentence; "" if nothing sensible can be said."""
        return ""

    @property
    def now_ns(self) -> int:
        """Now, by the journal's monotonic clock: what is pending is timed by it."""
        return time.monotonic_ns()

    @property
    def opening(self) -> Opening | None:
        """How the conversation was opened; None until it is."""
        return self.journal.conversation.opening

    @property
    def listing(self) -> str | None:
        """The kind of list being fetched now."""
        return None

    async def call(self, method: str, params: Any, opened: Callable[[Exchange], None]) -> Called:
        """Make a request. `opened` is told, on this thread's loop, of each exchange as soon as it was sent."""
        raise NotImplementedError("a recorded conversation can't be continued")

    async def perform(self, work: "Callable[[Session], Coroutine[Any, Any, T]]") -> T:
        """Do something with the session, on the engine's loop."""
        raise NotImplementedError("a recorded conversation can't be continued")

    async def cancel(self, exchange: Exchange) -> None:
        """Give a request up."""

    async def refresh(self, *kinds: str) -> None:
        """Fetch lists anew; all that the server offers if none is named."""

    async def fetch_more(self, *kinds: str) -> None:
        """Fetch one page more of each of these lists that has more."""

    @property
    def refreshes(self) -> bool:
        """Whether a list is fetched anew when the server says that it has changed."""
        return False

    async def refresh_by_itself(self, on: bool) -> None:
        """Do so from now on, or do not."""

    def stopped(self, kind: str) -> str:
        """Why a list was not fetched further, a sentence with the server's words; "" if nothing stopped it."""
        return ""

    def begin(self) -> None:
        """Connect, where that waited for the first picture."""

    async def end(self) -> None:
        """End whatever lives."""


class Recording(Subject):
    """A capture. It fills while `load` runs; opening it connects to nothing and starts nothing."""

    def __init__(self, path: Path, cache: Path | None = None) -> None:
        """Open the file. `cache`: where indexes of captures are kept. Raises: CaptureError if it is no capture."""
        from inspector.capture.reading import Reading

        self.reading = Reading(path, cache)
        super().__init__(self.reading.journal, About(path.name))

    @property
    def stage(self) -> Stage:
        """Loading until the last record was read that was there."""
        return Stage.RECORDED if self.reading.is_complete else Stage.LOADING

    @property
    def grows(self) -> bool:
        """Whether somebody was recording into it at the last look."""
        return self.reading.grows

    @property
    def now_ns(self) -> int:
        """The moment of the last record: in a recording, time stands still."""
        count = self.journal.count
        return self.journal.store.time_ns(count) if count else 0

    def load(self) -> None:
        """Read the file to its end, and on while it grows."""
        self.reading.read()

    def keep_up(self) -> None:
        """Load, then watch the file; for a worker with a thread of its own, which ends when the worker is cancelled."""
        from textual.worker import get_current_worker

        worker = get_current_worker()
        self.reading.read(lambda: worker.is_cancelled)
        self.reading.watch(lambda: worker.is_cancelled)

    async def end(self) -> None:
        """Stop reading and close the file."""
        self.reading.stop()
        self.journal.close()


class LiveSubject(LiveDeskView, LiveLoginView, LiveMemoryView, LiveRequestView, LiveTaskView, LiveWatchView, Subject):
    """A conversation that goes on."""

    can_act = True

    def __init__(self, live: Live) -> None:
        target = live.target
        super().__init__(
            live.journal,
            About(
                target.label,
                environment=target.environment if isinstance(target, StdioTarget) else None,
                insecure=isinstance(target, HttpTarget) and target.insecure,
            ),
        )
        self._live = live

    @property
    def stage(self) -> Stage:
        """Where it stands now."""
        if self._error is not None or self._live.crash is not None:
            return Stage.FAILED
        return {State.CONNECTING: Stage.CONNECTING, State.OPEN: Stage.OPEN, State.CLOSED: Stage.CLOSED}[
            self._live.state
        ]

    @property
    def why(self) -> str:
        """Why it failed or closed."""
        if self._live.crash is not None:
            return f"an error of this program: {self._live.crash!r}"
        session = self._live.session
        return str(self._error) if self._error else session.why if session else ""

    @property
    def hint(self) -> str:
        """What to do about it."""
        return self._error.hint if self._error else ""

    @property
    def listing(self) -> str | None:
        """The kind of list being fetched now."""
        return self._live.listing

    @property
    def _error(self) -> InspectError | None:
        return self._live.session.error if self._live.session else None

    async def call(self, method: str, params: Any, opened: Callable[[Exchange], None]) -> Called:
        """Make a request on the engine's loop; its exchanges are told of on this one."""
        loop = asyncio.get_running_loop()

        def tell(exchange: Exchange) -> None:
            loop.call_soon_threadsafe(opened, exchange)

        async def work(session: "Session") -> Called:
            return await session.call(method, params, opened=tell)

        return await asyncio.wrap_future(self._live.run(work))

    async def perform(self, work: "Callable[[Session], Coroutine[Any, Any, T]]") -> T:
        """Do something with the session, on the engine's loop."""
        return await asyncio.wrap_future(self._live.run(work))

    async def cancel(self, exchange: Exchange) -> None:
        """Give a request up."""
        await asyncio.wrap_future(self._live.run(lambda session: session.cancel(exchange)))

    async def refresh(self, *kinds: str) -> None:
        """Fetch lists anew."""
        await asyncio.wrap_future(self._live.refresh(kinds))

    async def fetch_more(self, *kinds: str) -> None:
        """Fetch one page more."""
        await asyncio.wrap_future(self._live.fetch_more(kinds))

    @property
    def refreshes(self) -> bool:
        """Whether lists that change are fetched anew."""
        return self._live.lists.by_itself

    async def refresh_by_itself(self, on: bool) -> None:
        """Fetch them, or do not."""
        await asyncio.wrap_future(self._live.refresh_by_itself(on))

    def stopped(self, kind: str) -> str:
        """Why a list was not fetched further."""
        return self._live.lists.stopped.get(kind, "")

    def begin(self) -> None:
        """Connect, where that waited for the first picture."""
        self._live.begin()

    async def end(self) -> None:
        """End the session; done when no child and no task of it is left."""
        await asyncio.wrap_future(self._live.end())


def why_silent(subject: Subject) -> str:
    """Why nothing can be sent now, and what to do: two sentences for whoever pressed a key that sends; "" if it can."""
    if subject.stage is Stage.OPEN and subject.can_act:
        return ""
    if subject.stage is Stage.CONNECTING:
        return "Nothing is sent while it connects. ^r begins anew."
    if subject.can_act:
        return "Nothing is sent: there is no connection. ^r connects again."
    return "Nothing is sent: this is a recording. ^r starts its server in a tab beside."
