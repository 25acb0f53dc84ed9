"""Subject: the conversation that the interface is about, live or recorded, behind one face.

Panels ask a subject and nothing else. Its journal is read from this thread; whatever must be done to the server is
handed to the engine's loop and awaited here. A recorded conversation can be looked at and does nothing.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

import msgspec

from inspector.capture.journal import Journal
from inspector.capture.store.history import History, PastJournal
from inspector.config.environment import Environment
from inspector.config.paths import places
from inspector.config.remembered import KeptMutes
from inspector.config.targets import HttpTarget, StdioTarget
from inspector.errors import AuthorizationNeeded, InspectError
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.questions import Reply, Root
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.tracking.catalogue import Listing
from inspector.session.desk import Proposer, Ticket
from inspector.session.engine import Live
from inspector.session.options import SessionState
from inspector.session.tasks import SessionTasks
from inspector.session.waiting import Left

if TYPE_CHECKING:
    from inspector.auth.guide import Guide
    from inspector.present.list_changes import RememberedServer
    from inspector.present.live_checks import AnyChecks, PastChecks
    from inspector.present.stats_report import ToolUse
    from inspector.session.session import Session
    from inspector.tui.process_usage import ProcessUsage


class DeskView:
    """The server requests of a conversation and the answers to them: what the Inbox asks. Empty without a live one."""

    def __init__(self, live: Live | None = None) -> None:
        self._live = live

    @property
    def _session(self) -> "Session | None":
        return self._live.session if self._live else None

    @property
    def tickets(self) -> tuple[Ticket, ...]:
        """Server requests, oldest first: all that wait for an answer, and the last ones that are over.

        Read their state, and answer with `answer`.
        """
        return self._session.options.desk.tickets if self._session else ()

    @property
    def answered_earlier(self) -> Sequence[int]:
        """The exchanges of server requests that were over before those: the journal has them. Only grows."""
        return self._session.options.desk.earlier if self._session else ()

    @property
    def changes(self) -> int:
        """A number that grows with every change of the tickets."""
        return self._session.options.desk.changes if self._session else 0

    @property
    def roots(self) -> tuple[Root, ...]:
        """The roots in the response to `roots/list`."""
        if self._live is None:
            return ()
        return self._session.options.desk.roots if self._session else self._live.settings.roots

    @property
    def patience_s(self) -> float | None:
        """The total timeout of a call in seconds; None: no timeout."""
        return self._live.settings.clocks.total_s if self._live else None

    async def answer(self, ticket: Ticket, reply: Reply) -> bool:
        """Answer a server request, on the loop where it waits; False if it does not wait any more."""
        if self._live is None:
            return False

        async def work(session: "Session") -> bool:
            return session.options.desk.answer(ticket, reply)

        return await asyncio.wrap_future(self._live.run(work))

    @property
    def offers(self) -> frozenset[str]:
        """The capabilities declared to the server now, by the names of `protocol.capabilities`."""
        if self._live is None:
            return frozenset()
        return self._session.offering.client.offers if self._session else self._live.settings.offers

    async def declare(self, offers: frozenset[str]) -> bool:
        """Declare these capabilities from the next request on; False where that takes a new connection."""
        if self._live is None:
            return False
        return await asyncio.wrap_future(self._live.run(lambda session: session.advertise(offers)))

    async def set_roots(self, roots: Sequence[Root]) -> None:
        """List other roots from now on; notifies the server if that was declared."""
        if self._live is not None:
            await asyncio.wrap_future(self._live.run(lambda session: session.set_roots(roots)))

    @property
    def proposer(self) -> Proposer | None:
        """The model that may be asked to answer sampling requests; None without one."""
        return self._session.options.desk.proposer if self._session else None

    async def consult(self, ticket: Ticket, params: Any) -> None:
        """Start asking the model; its answer is added to the ticket. It continues when the person leaves the screen."""
        if self._live is not None:
            self._live.run(lambda session: session.options.desk.consult(ticket, params))

    async def stop_consulting(self, ticket: Ticket) -> None:
        """Stop waiting for the model."""
        if self._live is None:
            return

        async def work(session: "Session") -> None:
            if ticket.proposal is not None:
                ticket.proposal.stop()

        await asyncio.wrap_future(self._live.run(work))


class LoginView:
    """The login of a conversation: what the dialog and the Server screen ask."""

    def __init__(self, live: Live | None = None) -> None:
        self._live = live

    @property
    def guide(self) -> "Guide | None":
        """Guides a person through the login; None where there is no login. Read only."""
        return self._live.settings.guide if self._live else None

    @property
    def refused(self) -> bool:
        """Whether the server requires credentials that are missing, or rejects those it got."""
        session = self._live.session if self._live else None
        return session is not None and isinstance(session.error, AuthorizationNeeded)

    async def take_pasted(self, text: str) -> str:
        """Continue with the address at which the browser ended; returns "", or what is wrong with it."""
        guide = self.guide
        if self._live is None or guide is None:
            return "no request is pending"

        async def work() -> str:
            return guide.take(text)

        return await asyncio.wrap_future(self._live.engine.submit(work()))

    async def give_up(self) -> None:
        """Cancel the login in progress."""
        guide = self.guide
        if self._live is None or guide is None:
            return

        async def work() -> None:
            guide.give_up()

        await asyncio.wrap_future(self._live.engine.submit(work()))


class MemoryView:
    """How the lists of a server compare with those of its last connection."""

    def __init__(self, live: Live | None = None) -> None:
        self.key = live.target.key if live else ""
        """Identifies the server: the command line or the URL, never its own name. "": it is not remembered."""
        self.comparison: RememberedServer | None = None
        """The newest comparison; None before the first."""
        self.compared: tuple[Listing, ...] = ()
        """The lists that were compared last."""
        self.seen: tuple[Listing, ...] = ()
        """The lists at the last look."""
        self.rest = 0
        """Looks for which they have stayed the same."""
        self.shown = False
        """Whether a person has looked at the changes."""


class RequestView:
    """The requests in flight, and the log level that requests carry."""

    def __init__(self, live: Live | None = None) -> None:
        self._live = live

    @property
    def log_level(self) -> str:
        """The log level that every later request carries; "" without one, or if it is set by one request."""
        return self._live.session.logs.level if self._live and self._live.session else ""

    async def ask_for_level(self, level: str) -> Called | None:
        """Set the log level in the way of the revision; the outcome where that takes a request of its own."""
        if self._live is None:
            return None
        return await asyncio.wrap_future(self._live.run(lambda session: session.set_log_level(level)))

    def clocks_of(self, exchange: Exchange) -> Left | None:
        """The time left until the timeouts of a request of ours; None if it is not in flight."""
        session = self._live.session if self._live else None
        waiter = session.waiters.get(exchange.id) if session else None
        return waiter.left() if waiter is not None and waiter.exchange is exchange else None


T = TypeVar("T")


class TaskView:
    """The tasks that the session follows. The journal knows the rest."""

    def __init__(self, live: Live | None = None) -> None:
        self._live = live

    @property
    def followed(self) -> frozenset[str]:
        """The ids of the server's tasks that are followed until they end."""
        return self._live.session.tasks.followed if self._live and self._live.session else frozenset()

    async def perform(self, work: Callable[[SessionTasks], Awaitable[T]]) -> T:
        """Do something with tasks, on the engine's loop. Raises what it raises; NotImplementedError if not live."""
        if self._live is None:
            raise NotImplementedError(_NOT_LIVE)

        async def on_engine(session: "Session") -> T:
            return await work(session.tasks)

        return await asyncio.wrap_future(self._live.run(on_engine))


class WatchView:
    """The watched resources, and news of the streams that report on them."""

    def __init__(self, live: Live | None = None) -> None:
        self._live = live
        self._told = 0

    def news(self) -> tuple[str, ...]:
        """What happened since the last call: streams cut, ended, open again. May quote the server. Nearly free."""
        said = self._live.session.watching.said if self._live and self._live.session else []
        news = tuple(said[self._told :])
        self._told += len(news)
        return news

    @property
    def wanted(self) -> tuple[str, ...]:
        """The resources to watch, granted or not."""
        if self._live is None:
            return ()
        return self._live.session.watching.wanted.uris if self._live.session else self._live.watch_first

    def watch_first(self, uris: tuple[str, ...]) -> None:
        """Watch these as soon as there is a connection."""
        if self._live is not None:
            self._live.watch_first = uris


_NOT_LIVE = "this is a recording"


class ConversationStage(StrEnum):
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
    profile: str = ""
    """The client that we behave like, with the date of what is known of it; "" for none."""


class OpenConversation:
    """What panels ask. A subject that only shows raises on `call`; see `Recording` and `LiveSubject`."""

    can_act = False

    def __init__(self, journal: Journal, about: About, live: Live | None = None) -> None:
        self.journal = journal
        self.about = about
        self.desk = DeskView(live)
        self.login = LoginView(live)
        self.memory = MemoryView(live)
        self.requests = RequestView(live)
        self.tasks = TaskView(live)
        self.watching = WatchView(live)

    @cached_property
    def checks(self) -> "AnyChecks":
        """What checks have found in it so far. Nothing is checked before somebody gives them time."""
        from inspector.present.live_checks import LiveChecks  # the first picture has no use for it

        checks = LiveChecks(self.journal, over=lambda: self.stage is ConversationStage.RECORDED and not self.grows)
        if not self.journal.live:
            checks.mute(KeptMutes(places().state, self.journal.head.id).read())
        return checks

    @property
    def checks_so_far(self) -> "AnyChecks | None":
        """The same; None before anybody has asked for them."""
        return vars(self).get("checks")

    @cached_property
    def tool_use(self) -> "ToolUse":
        """How its tools have been used. Nothing is counted before somebody asks."""
        from inspector.present.stats_report import ToolUse  # the first picture has no use for it

        return ToolUse(self.journal)

    @property
    def usage(self) -> "ProcessUsage | None":
        """What the server's processes use, watched from the first call on; None unless they were started here."""
        return None

    @property
    def stage(self) -> ConversationStage:
        """The place of it now."""
        return ConversationStage.RECORDED

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
        raise NotImplementedError(_NOT_LIVE)

    async def perform(self, work: "Callable[[Session], Coroutine[Any, Any, T]]") -> T:
        """Do something with the session, on the engine's loop."""
        raise NotImplementedError(_NOT_LIVE)

    async def cancel(self, exchange: Exchange) -> None:
        """Give a request up."""

    async def refresh(self, *kinds: str) -> None:
        """Fetch lists again; all that the server offers if none is named."""

    async def fetch_more(self, *kinds: str) -> None:
        """Fetch one page more of each of these lists that has more."""

    @property
    def refreshes(self) -> bool:
        """Whether a list is fetched again when the server says that it has changed."""
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


class Recording(OpenConversation):
    """A capture. It fills while `load` runs; opening it connects to nothing and starts nothing."""

    def __init__(self, path: Path, cache: Path | None = None) -> None:
        """Open the file. `cache`: where indexes of captures are kept. Raises: CaptureError if it is not a capture."""
        from inspector.capture.open import CaptureReading

        self.reading = CaptureReading(path, cache)
        super().__init__(self.reading.journal, About(path.name))

    @property
    def stage(self) -> ConversationStage:
        """Loading until the last record was read that was there."""
        return ConversationStage.RECORDED if self.reading.is_complete else ConversationStage.LOADING

    @property
    def grows(self) -> bool:
        """Whether it was being recorded to at the last look."""
        return self.reading.grows

    @property
    def now_ns(self) -> int:
        """The moment of the last record: in a recording, time is paused."""
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


class LiveSubject(OpenConversation):
    """A conversation that continues."""

    can_act = True

    def __init__(self, live: Live) -> None:
        target = live.target
        super().__init__(
            live.journal,
            About(
                target.label,
                environment=target.environment if isinstance(target, StdioTarget) else None,
                insecure=isinstance(target, HttpTarget) and target.insecure,
                profile=live.settings.profile.dated if live.settings.profile is not None else "",
            ),
            live,
        )
        self._live = live
        self._usage: ProcessUsage | None = None

    @property
    def usage(self) -> "ProcessUsage | None":
        """What the server's processes use."""
        if not isinstance(self._live.target, StdioTarget):
            return None
        if self._usage is None:
            from inspector.tui.process_usage import ProcessUsage  # the first picture has no use for it

            self._usage = ProcessUsage(self.journal)
        self._usage.watch()
        return self._usage

    @property
    def stage(self) -> ConversationStage:
        """The place of it now."""
        if self._error is not None or self._live.crash is not None:
            return ConversationStage.FAILED
        return {
            SessionState.CONNECTING: ConversationStage.CONNECTING,
            SessionState.OPEN: ConversationStage.OPEN,
            SessionState.CLOSED: ConversationStage.CLOSED,
        }[self._live.state]

    @property
    def why(self) -> str:
        """Why it failed or closed."""
        if self._live.crash is not None:
            return f"internal error:  {self._live.crash!r}"
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
        """Fetch lists again."""
        await asyncio.wrap_future(self._live.refresh(kinds))

    async def fetch_more(self, *kinds: str) -> None:
        """Fetch one page more."""
        await asyncio.wrap_future(self._live.fetch_more(kinds))

    @property
    def refreshes(self) -> bool:
        """Whether lists that change are fetched again."""
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
        if self._usage is not None:
            self._usage.stop()
        await asyncio.wrap_future(self._live.end())


def why_silent(subject: OpenConversation) -> str:
    """Why nothing can be sent now, and what to do: two sentences for whoever pressed a key that sends; "" if it can."""
    if subject.stage is ConversationStage.OPEN and subject.can_act:
        return ""
    if subject.stage is ConversationStage.CONNECTING:
        return "Still connecting. ^r reconnects."
    if subject.can_act:
        return "Not connected. ^r reconnects."
    return "This is a recording. ^r starts its server in a new tab."


# --- A recording as it was at one of its moments, for the panels: what came later is not known to it.

_pasts: "WeakKeyDictionary[OpenConversation, History]" = WeakKeyDictionary()


def past_of(subject: OpenConversation) -> History:
    """All moments of a subject; of a past one, those of the recording."""
    whole = subject.whole if isinstance(subject, PastSubject) else subject
    found = _pasts.get(whole)
    if found is None:
        found = _pasts[whole] = History(whole.journal)
    return found


class PastSubject(OpenConversation):
    """Goes forward as `journal` does. Another moment before this one is another subject."""

    def __init__(self, whole: OpenConversation, journal: PastJournal) -> None:
        super().__init__(journal, whole.about)
        self.moment = journal
        self.whole = whole
        """All of the recording."""
        self._checks: PastChecks | None = None
        self.waited_ns = 0
        """How long nothing has come since its newest entry, by the clock of the recording: it is being played."""

    @property
    def checks(self) -> "AnyChecks":
        """What checks could say of what had come by then."""
        if self._checks is None:
            from inspector.present.live_checks import PastChecks

            self._checks = PastChecks(self.journal, self.whole.checks)
        return self._checks.now()

    @property
    def checks_so_far(self) -> "AnyChecks | None":
        """The same; None before anybody has asked for checks."""
        return None if self.whole.checks_so_far is None else self.checks

    @property
    def stage(self) -> ConversationStage:
        """A recording, of which some may not be read yet."""
        return ConversationStage.RECORDED if self.moment.count else self.whole.stage

    @property
    def moment_shown(self) -> int | None:
        """The newest entry that is known here; None if that is all there is."""
        return self.moment.count if self.moment.live else None

    @property
    def now_ns(self) -> int:
        """The moment of its newest entry, and what has gone by since."""
        count = self.journal.count
        return self.journal.store.time_ns(count) + self.waited_ns if count else 0
