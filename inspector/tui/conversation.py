"""The conversation that the interface shows, live or recorded, behind one common interface.

Panels only use a conversation. Its journal is read on this thread; operations on the server run on the engine's loop
and are awaited here. A recorded conversation can only be viewed.
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
from inspector.config.environment import Environment
from inspector.config.paths import places
from inspector.config.remembered import StoredMutes
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.errors import AuthorizationNeeded, InspectError
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.listed_items import LISTS
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.server_requests import Reply, Root
from inspector.protocol.tracking.catalogue import Listing
from inspector.session.engine import Live
from inspector.session.inbox import Proposer, Ticket, TicketState
from inspector.session.options import SessionState
from inspector.session.tasks import SessionTasks
from inspector.session.waiting import Left
from inspector.tui import keys

if TYPE_CHECKING:
    from inspector.auth.guide import Guide
    from inspector.capture.store.history import History, PastJournal
    from inspector.present.changes.lists import RememberedServer
    from inspector.present.live_checks import AnyChecks, PastChecks
    from inspector.present.stats_report import ToolUse
    from inspector.session.session import Session
    from inspector.tui.process_usage import ProcessUsage

T = TypeVar("T")
_NOT_LIVE = "this is a recording"


class InboxView:
    """Server requests of a conversation and their responses, for the Inbox. Empty if it is not live."""

    def __init__(self, live: Live | None = None) -> None:
        self._live = live

    @property
    def _session(self) -> "Session | None":
        return self._live.session if self._live else None

    @property
    def tickets(self) -> tuple[Ticket, ...]:
        """Server requests, oldest first: all that are waiting, and the most recent finished ones.

        Read-only: respond with `answer`.
        """
        return self._session.options.inbox.tickets if self._session else ()

    @property
    def waiting(self) -> tuple[Ticket, ...]:
        """Server requests that wait for the user, oldest first."""
        return tuple(ticket for ticket in self.tickets if ticket.state is TicketState.WAITING)

    @property
    def answered_earlier(self) -> Sequence[int]:
        """Exchanges of earlier finished server requests, which the journal has. Only grows."""
        return self._session.options.inbox.earlier if self._session else ()

    @property
    def changes(self) -> int:
        """A number that grows with every change of the tickets."""
        return self._session.options.inbox.changes if self._session else 0

    @property
    def roots(self) -> tuple[Root, ...]:
        """The roots in the response to `roots/list`."""
        if self._live is None:
            return ()
        return self._session.options.inbox.roots if self._session else self._live.settings.roots

    @property
    def patience_s(self) -> float | None:
        """Total timeout of a call, in seconds; None if there is none."""
        return self._live.settings.clocks.total_s if self._live else None

    async def answer(self, ticket: Ticket, reply: Reply) -> bool:
        """Respond to a server request, on the engine's loop; return False if it is no longer waiting."""
        if self._live is None:
            return False

        async def work(session: "Session") -> bool:
            return session.options.inbox.answer(ticket, reply)

        return await asyncio.wrap_future(self._live.run(work))

    @property
    def offers(self) -> frozenset[str]:
        """Capabilities currently declared to the server, by their names in `protocol.capabilities`."""
        if self._live is None:
            return frozenset()
        return self._session.offering.client.offers if self._session else self._live.settings.offers

    async def declare(self, offers: frozenset[str]) -> bool:
        """Declare these capabilities from the next request on; return False if that requires a new connection."""
        if self._live is None:
            return False
        return await asyncio.wrap_future(self._live.run(lambda session: session.advertise(offers)))

    async def set_roots(self, roots: Sequence[Root]) -> None:
        """Replace the roots; the server is notified if that capability was declared."""
        if self._live is not None:
            await asyncio.wrap_future(self._live.run(lambda session: session.set_roots(roots)))

    @property
    def proposer(self) -> Proposer | None:
        """The model that can propose responses to sampling requests; None if there is none."""
        return self._session.options.inbox.proposer if self._session else None

    async def request_proposal(self, ticket: Ticket, params: Any) -> None:
        """Request a proposal from the model, which is added to the ticket, even if the user leaves the screen."""
        if self._live is not None:
            self._live.run(lambda session: session.options.inbox.request_proposal(ticket, params))

    async def cancel_proposal(self, ticket: Ticket) -> None:
        """Stop waiting for the model."""
        if self._live is None:
            return

        async def work(session: "Session") -> None:
            if ticket.proposal is not None:
                ticket.proposal.stop()

        await asyncio.wrap_future(self._live.run(work))


class LoginView:
    """The login of a conversation, for the dialog and the Server screen."""

    def __init__(self, live: Live | None = None) -> None:
        self._live = live

    @property
    def guide(self) -> "Guide | None":
        """Guide through the login; None if there is no login. Read-only."""
        return self._live.settings.guide if self._live else None

    @property
    def refused(self) -> bool:
        """Whether the server requires missing credentials, or rejects the given ones."""
        session = self._live.session if self._live else None
        return session is not None and isinstance(session.error, AuthorizationNeeded)

    @property
    def target(self) -> HttpTarget | None:
        """The server that can get other credentials in a new connection; None if it has no URL, or is recorded."""
        target = self._live.target if self._live else None
        return target if isinstance(target, HttpTarget) else None

    async def take_pasted(self, text: str) -> str:
        """Continue with the URL at which the browser ended; return "" or what is wrong with it."""
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
    """Comparison of a server's lists with those of its last connection."""

    def __init__(self, live: Live | None = None) -> None:
        self.key = live.target.key if live else ""
        """Identifies the server by its command line or URL, never by its name; "" if it is not remembered."""
        self.comparison: RememberedServer | None = None
        """Newest comparison; None before the first."""
        self.compared: tuple[Listing, ...] = ()
        """Lists that were compared last."""
        self.seen: tuple[Listing, ...] = ()
        """Lists at the last update."""
        self.rest = 0
        """Number of updates without a change of the lists."""
        self.shown = False
        """Whether the user has seen the changes."""


class RequestView:
    """Requests in flight, and the log level that requests carry."""

    def __init__(self, live: Live | None = None) -> None:
        self._live = live

    @property
    def log_level(self) -> str:
        """Log level in every later request; "" if there is none, or if a separate request sets it."""
        return self._live.session.logs.level if self._live and self._live.session else ""

    async def ask_for_level(self, level: str) -> Called | None:
        """Set the log level as the protocol revision requires; return the outcome if that takes a separate request."""
        if self._live is None:
            return None
        return await asyncio.wrap_future(self._live.run(lambda session: session.set_log_level(level)))

    def clocks_of(self, exchange: Exchange) -> Left | None:
        """Return the time left until the timeouts of a request; None if it is not in flight."""
        session = self._live.session if self._live else None
        waiter = session.waiters.get(exchange.id) if session else None
        return waiter.left() if waiter is not None and waiter.exchange is exchange else None


class TaskView:
    """Tasks that the session follows. Everything else is in the journal."""

    def __init__(self, live: Live | None = None) -> None:
        self._live = live

    @property
    def followed(self) -> frozenset[str]:
        """Ids of the server's tasks that are followed until they end."""
        return self._live.session.tasks.followed if self._live and self._live.session else frozenset()

    async def perform(self, work: Callable[[SessionTasks], Awaitable[T]]) -> T:
        """Run `work` with the tasks on the engine's loop. Raises: what it raises; NotImplementedError if not live."""
        if self._live is None:
            raise NotImplementedError(_NOT_LIVE)

        async def on_engine(session: "Session") -> T:
            return await work(session.tasks)

        return await asyncio.wrap_future(self._live.run(on_engine))


class WatchView:
    """Watched resources, and news of the streams that report on them."""

    def __init__(self, live: Live | None = None) -> None:
        self._live = live
        self._reported = 0

    def news(self) -> tuple[str, ...]:
        """Return the events since the last call: streams cut, ended, reopened. May quote the server. Nearly free."""
        lines = self._live.session.watching.notices if self._live and self._live.session else []
        news = tuple(lines[self._reported :])
        self._reported += len(news)
        return news

    @property
    def wanted(self) -> tuple[str, ...]:
        """Resources to watch, granted or not."""
        if self._live is None:
            return ()
        return self._live.session.watching.wanted.uris if self._live.session else self._live.watch_first

    def watch_first(self, uris: tuple[str, ...]) -> None:
        """Watch these resources as soon as there is a connection."""
        if self._live is not None:
            self._live.watch_first = uris


class ConversationStage(StrEnum):
    """State of a conversation, as the header shows it."""

    CONNECTING = "connecting"
    OPEN = "connected"
    CLOSED = "closed"
    FAILED = "failed"
    """It has never been open."""
    LOADING = "loading"
    RECORDED = "recorded"


class About(msgspec.Struct, frozen=True):
    """Facts about a conversation that are not in its journal."""

    label: str
    """Short name for titles: the script, the host."""
    environment: Environment | None = None
    """Environment of the child; None for a server that was not started here."""
    insecure: bool = False
    profile: str = ""
    """The client that is imitated, with the date of that information; "" if none."""


class OpenConversation:
    """Interface used by panels. One that is not live raises on `call`; see `Recording` and `LiveConversation`."""

    can_act = False

    def __init__(self, journal: Journal, about: About, live: Live | None = None) -> None:
        self.journal = journal
        self.about = about
        self.inbox = InboxView(live)
        self.login = LoginView(live)
        self.memory = MemoryView(live)
        self.requests = RequestView(live)
        self.tasks = TaskView(live)
        self.watching = WatchView(live)
        self.unsent: dict[bytes, object] = {}
        """Responses to server requests that were typed and not sent, by what was asked. A reconnection keeps them."""

    @cached_property
    def checks(self) -> "AnyChecks":
        """Findings of the checks so far. Nothing is checked until the checks are given time."""
        from inspector.present.live_checks import LiveChecks  # not needed for the first paint

        checks = LiveChecks(self.journal, over=lambda: self.stage is ConversationStage.RECORDED and not self.grows)
        if not self.journal.live:
            checks.mute(StoredMutes(places().state, self.journal.head.id).read())
        return checks

    @property
    def checks_so_far(self) -> "AnyChecks | None":
        """The checks if they have been accessed before, otherwise None."""
        return vars(self).get("checks")

    @cached_property
    def tool_use(self) -> "ToolUse":
        """Statistics of its tools. Nothing is counted until they are requested."""
        from inspector.present.stats_report import ToolUse  # not needed for the first paint

        return ToolUse(self.journal)

    @property
    def usage(self) -> "ProcessUsage | None":
        """Resource usage of the server's processes, sampled from the first access on; None if not started here."""
        return None

    @property
    def stage(self) -> ConversationStage:
        """Current state."""
        return ConversationStage.RECORDED

    @property
    def is_recorded(self) -> bool:
        """Whether it is a recording, to whose server nothing can be sent."""
        return self.stage in (ConversationStage.LOADING, ConversationStage.RECORDED)

    @property
    def grows(self) -> bool:
        """Whether it is a capture that another process is recording."""
        return False

    @property
    def is_tapped(self) -> bool:
        """Whether a tap records it: the traffic of another client."""
        return self.journal.head.mode.endswith("-proxy")

    @property
    def moment_shown(self) -> int | None:
        """The replay position that is shown, as an entry; None for the current or final state."""
        return None

    @property
    def why(self) -> str:
        """Why it failed or closed, as one sentence with the evidence; "" otherwise."""
        return ""

    @property
    def hint(self) -> str:
        """What to do about it, as one sentence; "" if there is no useful hint."""
        return ""

    @property
    def now_ns(self) -> int:
        """Current time of the journal's monotonic clock, used to time pending requests."""
        return time.monotonic_ns()

    @property
    def opening(self) -> Opening | None:
        """How the conversation was opened; None until then."""
        return self.journal.conversation.opening

    @property
    def listing(self) -> str | None:
        """Kind of the list that is being fetched."""
        return None

    @property
    def is_starting(self) -> bool:
        """Whether it is still connecting or fetching the tools: everything that can wait leaves the CPU to that."""
        return self.stage is ConversationStage.CONNECTING or self.listing == "tools"

    async def call(self, method: str, params: Any, opened: Callable[[Exchange], None]) -> Called:
        """Send a request. `opened` is called on this thread's loop with each exchange as soon as it has been sent."""
        raise NotImplementedError(_NOT_LIVE)

    async def perform(self, work: "Callable[[Session], Coroutine[Any, Any, T]]") -> T:
        """Run `work` with the session, on the engine's loop."""
        raise NotImplementedError(_NOT_LIVE)

    async def cancel(self, exchange: Exchange) -> None:
        """Cancel a request."""

    async def refresh(self, *kinds: str) -> None:
        """Fetch lists again; without names, all lists that the server offers."""

    async def fetch_more(self, *kinds: str) -> None:
        """Fetch one more page of each of these lists, if there is one."""

    @property
    def refreshes(self) -> bool:
        """Whether a list is fetched again when the server reports a change."""
        return False

    async def refresh_by_itself(self, on: bool) -> None:
        """Turn automatic refreshing on or off."""

    def stopped(self, kind: str) -> str:
        """Return why fetching a list was stopped, as a sentence that quotes the server; "" if it was not stopped."""
        return ""

    def begin(self) -> None:
        """Connect, if that was delayed until the first paint."""

    async def end(self) -> None:
        """End everything that is still running."""


class Recording(OpenConversation):
    """A capture. Its journal grows while `load` runs; opening it neither connects to nor starts anything."""

    def __init__(self, path: Path, cache: Path | None = None) -> None:
        """Open the file. `cache`: directory for indexes of captures. Raises: CaptureError if it is not a capture."""
        from inspector.capture.open import CaptureReading

        self.reading = CaptureReading(path, cache)
        self.reading.begin()
        super().__init__(self.reading.journal, About(path.name))

    @property
    def stage(self) -> ConversationStage:
        """LOADING until the last record that existed on opening has been read."""
        return ConversationStage.RECORDED if self.reading.is_complete else ConversationStage.LOADING

    @property
    def grows(self) -> bool:
        """Whether it was being recorded at the last check."""
        return self.reading.grows

    @property
    def now_ns(self) -> int:
        """Time of the last record: in a capture, no time passes."""
        count = self.journal.count
        return self.journal.store.time_ns(count) if count else 0

    def load(self) -> None:
        """Read the file to its end, and continue while it grows."""
        self.reading.read()

    def keep_up(self) -> None:
        """Load, then watch the file. Runs in a threaded worker, and ends when the worker is cancelled."""
        from textual.worker import get_current_worker

        worker = get_current_worker()
        self.reading.read(lambda: worker.is_cancelled)
        self.reading.watch(lambda: worker.is_cancelled)

    async def end(self) -> None:
        """Stop reading and close the file."""
        self.reading.stop()
        self.journal.close()


class LiveConversation(OpenConversation):
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
    def target(self) -> Target:
        """The server as it was started or connected to."""
        return self._live.target

    @property
    def usage(self) -> "ProcessUsage | None":
        """Resource usage of the server's processes; None unless they were started here."""
        if not isinstance(self._live.target, StdioTarget):
            return None
        if self._usage is None:
            from inspector.tui.process_usage import ProcessUsage  # not needed for the first paint

            self._usage = ProcessUsage(self.journal)
        self._usage.watch()
        return self._usage

    @property
    def stage(self) -> ConversationStage:
        if self._error is not None or self._live.crash is not None:
            return ConversationStage.FAILED
        return {
            SessionState.CONNECTING: ConversationStage.CONNECTING,
            SessionState.OPEN: ConversationStage.OPEN,
            SessionState.CLOSED: ConversationStage.CLOSED,
        }[self._live.state]

    @property
    def why(self) -> str:
        if self._live.crash is not None:
            return f"internal error: {self._live.crash!r}"
        session = self._live.session
        return str(self._error) if self._error else session.why if session else ""

    @property
    def hint(self) -> str:
        return self._error.hint if self._error else ""

    @property
    def listing(self) -> str | None:
        return self._live.listing

    @property
    def _error(self) -> InspectError | None:
        return self._live.session.error if self._live.session else None

    async def call(self, method: str, params: Any, opened: Callable[[Exchange], None]) -> Called:
        """Send a request on the engine's loop; its exchanges are reported on this one."""
        loop = asyncio.get_running_loop()

        def tell(exchange: Exchange) -> None:
            loop.call_soon_threadsafe(opened, exchange)

        async def work(session: "Session") -> Called:
            return await session.call(method, params, opened=tell)

        return await asyncio.wrap_future(self._live.run(work))

    async def perform(self, work: "Callable[[Session], Coroutine[Any, Any, T]]") -> T:
        return await asyncio.wrap_future(self._live.run(work))

    async def cancel(self, exchange: Exchange) -> None:
        await asyncio.wrap_future(self._live.run(lambda session: session.cancel(exchange)))

    async def refresh(self, *kinds: str) -> None:
        await asyncio.wrap_future(self._live.refresh(kinds))

    async def fetch_more(self, *kinds: str) -> None:
        await asyncio.wrap_future(self._live.fetch_more(kinds))

    @property
    def refreshes(self) -> bool:
        return self._live.lists.by_itself

    async def refresh_by_itself(self, on: bool) -> None:
        await asyncio.wrap_future(self._live.refresh_by_itself(on))

    def stopped(self, kind: str) -> str:
        return self._live.lists.stopped.get(kind, "")

    def begin(self) -> None:
        self._live.begin()

    async def end(self) -> None:
        """End the session; returns when none of its children and tasks is left."""
        if self._usage is not None:
            self._usage.stop()
        await asyncio.wrap_future(self._live.end())


def why_silent(conversation: OpenConversation) -> str:
    """Return why nothing can be sent now and what to do, in two sentences for the user; "" if sending is possible."""
    if conversation.stage is ConversationStage.OPEN and conversation.can_act:
        return ""
    if conversation.stage is ConversationStage.CONNECTING:
        return f"Still connecting. {keys.shown_key('reconnect')} reconnects."
    if conversation.can_act:
        return f"Not connected. {keys.shown_key('reconnect')} reconnects."
    if conversation.grows and conversation.is_tapped:
        send = keys.shown_key("tap.send")
        return f"This is the session of another client. {send} on a row of Traffic sends a request through its tap."
    return f"This is a recording. {keys.shown_key('reconnect')} starts its server in a new tab."


# --- A capture at a replay position, for the panels; later entries do not exist in it.

_pasts: "WeakKeyDictionary[OpenConversation, History]" = WeakKeyDictionary()


def past_of(conversation: OpenConversation) -> "History":
    """Return the history of a conversation; for a past one, that of its capture."""
    from inspector.capture.store.history import History  # not needed for the first paint

    whole = conversation.whole if isinstance(conversation, ReplayedConversation) else conversation
    found = _pasts.get(whole)
    if found is None:
        found = _pasts[whole] = History(whole.journal)
    return found


class ReplayedConversation(OpenConversation):
    """State at a replay position. It advances along with `journal`; an earlier position is another conversation."""

    def __init__(self, whole: OpenConversation, journal: "PastJournal") -> None:
        super().__init__(journal, whole.about)
        self.moment = journal
        self.whole = whole
        """The whole capture."""
        self._checks: PastChecks | None = None
        self.waited_ns = 0
        """Time since its newest entry during playback, by the clock of the capture."""

    @property
    def checks(self) -> "AnyChecks":
        """Findings of the checks about the entries up to the replay position."""
        if self._checks is None:
            from inspector.present.live_checks import PastChecks

            self._checks = PastChecks(self.journal, self.whole.checks)
        return self._checks.now()

    @property
    def checks_so_far(self) -> "AnyChecks | None":
        return None if self.whole.checks_so_far is None else self.checks

    @property
    def stage(self) -> ConversationStage:
        """State of a capture, which may still be loading."""
        return ConversationStage.RECORDED if self.moment.count else self.whole.stage

    @property
    def grows(self) -> bool:
        return self.whole.grows

    @property
    def moment_shown(self) -> int | None:
        """Newest entry up to the replay position; None if it is the last of the capture."""
        return self.moment.count if self.moment.live else None

    @property
    def now_ns(self) -> int:
        """Time of its newest entry, plus the time since then."""
        count = self.journal.count
        return self.journal.store.time_ns(count) + self.waited_ns if count else 0


def is_listed(conversation: OpenConversation) -> bool:
    """Return whether every list that the server declares has been fetched or has failed."""
    capabilities = conversation.opening.capabilities if conversation.opening is not None else {}
    listings = conversation.journal.conversation.catalogue.listings
    declared = [kind for kind, listed in LISTS.items() if listed.capability in capabilities]
    return conversation.listing is None and all(listings[kind].asked or conversation.stopped(kind) for kind in declared)
