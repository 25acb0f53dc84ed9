"""The sessions and captures that an agent has open, each with an id that its calls name."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import msgspec

from inspector.capture.automatic import SUFFIX, captures
from inspector.capture.journal import Journal
from inspector.capture.open import Following
from inspector.checks.findings import Finding
from inspector.config.targets import Target
from inspector.errors import RequestTimeout, UsageError
from inspector.features.lock.lock_file import ServerDefinitions
from inspector.features.tap.registry import live
from inspector.present.live_checks import LiveChecks
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.listed_items import Tool
from inspector.protocol.server_requests import ServerRequest
from inspector.serve.cleaning import Cleaner
from inspector.serve.watching import WatchedSession
from inspector.session.engine import Engine, Live
from inspector.session.inbox import Ticket
from inspector.session.options import SessionState, Settings
from inspector.session.session import Session

_PACE_S = 0.005
"""Seconds between two looks at what changes on the engine's thread."""
_MOMENT_S = 0.5
"""Seconds in which the outcome of a call may come although the server has asked: perhaps another call."""
_MOST_SESSIONS = 20
CLIENT: ContextVar[str] = ContextVar("client", default="")
"""The client whose call is handled: "" on stdio, where there is one."""
MOST_IDLE_S = 1800.0
"""Seconds without a call after which a session is closed over HTTP, because its client may be gone."""


class WantedTarget(msgspec.Struct, frozen=True):
    """A server as an agent names it: one of these is set, or none for the server of the command line."""

    name: str = ""
    command: tuple[str, ...] = ()
    url: str = ""
    client: str = ""
    """Client to imitate; "" for none."""
    protocol: str = ""
    """Protocol version to use exclusively; "" for the newest that the server has."""


class AllowedTarget(msgspec.Struct, frozen=True):
    """A server that the user allows, with the settings of its session."""

    name: str
    target: Target
    settings: Settings
    journal: Callable[[], Journal]
    """Returns a new journal for a session."""
    secrets: tuple[str, ...] = ()
    """Values of the environment that no answer may contain."""


class ServeOptions(msgspec.Struct, frozen=True):
    """What the user allows, from the command line."""

    resolve: Callable[[WantedTarget], AllowedTarget]
    """Returns the target that an agent names. Raises: UsageError if the user does not allow it."""
    allowed: tuple[str, ...]
    """Names of allowed targets; "" for the server of the command line."""
    captures: Path
    """Directory of captures."""
    any_command: bool = False
    allows_destructive: bool = False


class LastCall(msgspec.Struct, frozen=True):
    """The last request of an agent that had an outcome."""

    method: str
    params: dict[str, Any]
    value: Any
    """Its result, or its error."""


async def until(condition: Callable[[], object], seconds: float) -> bool:
    """Wait for a condition; return False if it is still false after so many seconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(_PACE_S)
    return True


class AgentCall:
    """A request of an agent, until it has an outcome."""

    def __init__(self, method: str, params: dict[str, Any], live: Live) -> None:
        self.method = method
        self.params = params
        self.exchange: Exchange | None = None
        """Its first exchange; None until it is sent."""
        self._exchanges: list[Exchange] = []
        self.future: Future[Called] = live.run(lambda session: session.call(method, params, opened=self._opened))

    @property
    def called(self) -> Called:
        """The outcome of an ended call. Raises: an internal error of the engine, if there was one."""
        return self.future.result(0)

    @property
    def last(self) -> Exchange | None:
        """The exchange with its result: the last round of its operation."""
        if self.future.done() and (reply := self.called.reply.exchange) is not None:
            return reply
        return self.exchange

    def asked(self, waiting: Sequence[Ticket]) -> list[Ticket]:
        """Return the requests of the server that this call may wait for: those that came after it, if none names it."""
        own = self.exchange
        if own is None:
            return []
        asked = [(each, each.server_request) for each in waiting]
        return [ticket for ticket, each in asked if each.frame > own.request_frame and self._may_have_caused(each)]

    def _may_have_caused(self, asked: ServerRequest) -> bool:
        return asked.cause is None or any(each.number == asked.cause for each in self._exchanges)

    def _opened(self, exchange: Exchange) -> None:
        self._exchanges.append(exchange)
        self.exchange = self.exchange or exchange


class AgentSession:
    """A session with a server. It keeps its journal when the connection ends, until it is closed."""

    def __init__(self, id_: str, allowed: AllowedTarget, engine: Engine, start_s: float) -> None:
        """Start it. `start_s`: timeout of the whole opening, if the user has set none."""
        self.id = id_
        self.allowed = allowed
        self._engine = engine
        self.journal = allowed.journal()
        clocks = allowed.settings.clocks
        clocks = msgspec.structs.replace(clocks, start_s=clocks.start_s or start_s)
        settings = msgspec.structs.replace(allowed.settings, clocks=clocks)
        self.live = Live(engine, allowed.target, self.journal, settings)
        self.watched: WatchedSession | None = None
        self._watching = self.live.run(self._watch)
        self.checks = LiveChecks(self.journal)
        """Findings so far. Read on a thread."""
        self._calls: list[AgentCall] = []
        self.last_call: LastCall | None = None
        """Outlives a restart."""
        self.definitions = ServerDefinitions()
        """Last known definitions; they outlive a restart."""
        self.probe_findings: tuple[Finding, ...] = ()
        self._awaited = 0

    @property
    def state(self) -> SessionState:
        return self.live.state

    @property
    def why(self) -> str:
        """Why there is no connection; "" if there is one. May quote the server."""
        session = self.live.session
        if self.live.crash is not None:
            return f"internal error of mcp-inspect: {self.live.crash}"
        return "" if session is None else str(session.error or "") or session.why

    @property
    def has_timed_out(self) -> bool:
        """Whether it did not open in time."""
        return self.live.session is not None and isinstance(self.live.session.error, RequestTimeout)

    @property
    def has_started(self) -> bool:
        """Whether connecting has ended, and with a connection whether the lists were fetched."""
        return self.live.has_listed or self.live.is_over or self.state is SessionState.CLOSED

    async def started(self, seconds: float) -> None:
        """Wait until it is connected and has the lists, or connecting has failed, or it asks, or the time is over.

        A server that failed is ended: what it writes at its end is evidence.
        """
        await until(lambda: self.has_started or self.waiting, seconds)
        if self.state is SessionState.CLOSED:
            await self.end()

    async def end(self) -> None:
        """End the server. What was recorded can still be read, and how it ended."""
        if not self.live.is_over:
            await asyncio.wrap_future(self.live.run(lambda session: session.close()))

    @property
    def calls(self) -> list[AgentCall]:
        """Requests of the agent without an outcome."""
        self._calls = [each for each in self._calls if not each.future.done()]
        return self._calls

    @property
    def waiting(self) -> tuple[Ticket, ...]:
        """Requests of the server that wait for an answer."""
        session = self.live.session
        return () if session is None else session.options.inbox.waiting

    @property
    def is_busy(self) -> bool:
        """Whether a tool waits for it, or a person holds one of its messages."""
        return self._awaited > 0 or self.is_held

    @property
    def is_held(self) -> bool:
        """Whether a person holds one of its messages."""
        return self.watched is not None and bool(self.watched.rules.held.all)

    def tool(self, name: str) -> Tool | None:
        """Return a tool as the server lists it now."""
        return next((tool for tool in self.journal.conversation.catalogue.tools if tool.name == name), None)

    def demand_open(self) -> None:
        """Raise UsageError without a connection."""
        if self.state is SessionState.CONNECTING:
            raise UsageError(f"session {self.id} is still connecting", hint="sessions() shows when it is open.")
        if self.state is SessionState.CLOSED:
            raise UsageError(
                f"session {self.id} has no connection{f': {self.why}' if self.why else ''}",
                hint=f'restart(session="{self.id}") opens it again.',
            )

    def begin(self, method: str, params: dict[str, Any]) -> AgentCall:
        """Send a request. Raises: UsageError without a connection."""
        self.demand_open()
        call = AgentCall(method, params, self.live)
        self._calls.append(call)
        return call

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Mark it as in use while a tool waits for it."""
        self._awaited += 1
        try:
            yield
        finally:
            self._awaited -= 1

    async def settled(self, calls: Sequence[AgentCall], seconds: float) -> AgentCall:
        """Wait until one of these calls has an outcome, or the server asks the first one, or the time is over.

        Return that call; the first one, if none has an outcome. One that has an outcome is found before a request that
        came earlier and may belong to another call.
        """

        def is_done() -> bool:
            return any(each.future.done() for each in calls)

        with self.awaited():
            if calls[0].asked(self.waiting):
                await until(is_done, min(seconds, _MOMENT_S))
            await until(lambda: is_done() or calls[0].asked(self.waiting), seconds)
        return next((each for each in calls if each.future.done()), calls[0])

    def callers(self, ticket: Ticket) -> list[AgentCall]:
        """Return the calls that may wait for the answer to a request of the server, the likeliest first."""
        return [each for each in reversed(self.calls) if each.asked((ticket,))]

    async def close(self) -> None:
        """End the server, and the recording."""
        for call in self.calls:
            call.future.cancel()
        await asyncio.wrap_future(self._watching)
        if self.watched is not None:
            self.live.engine.call(self.watched.close)
        await asyncio.wrap_future(self.live.end())

    async def _watch(self, session: Session) -> None:
        """Let a person attach to it. Runs on the engine's loop."""
        allowed = self.allowed
        self.watched = WatchedSession(session, self.journal, allowed.target, allowed.name, self._engine)


class AgentCapture:
    """A capture. One that is still being recorded grows."""

    def __init__(self, id_: str, path: Path) -> None:
        """Open it. Raises: CaptureError."""
        self.id = id_
        self._following = Following(path)
        self.journal = self._following.journal

    def read(self) -> None:
        """Read what was recorded since. Blocks."""
        self._following.follow()

    async def close(self) -> None:
        self.journal.close()


Opened = AgentSession | AgentCapture


class Sessions:
    """All that an agent has open. Used on one event loop."""

    def __init__(self, options: ServeOptions) -> None:
        self.options = options
        self.clean = Cleaner()
        """Returns a JSON value without secrets."""
        self._engine = Engine()
        self._opened: dict[str, Opened] = {}
        self._owners: dict[str, str] = {}
        """The client that has opened it."""
        self._used: dict[str, float] = {}
        """When something was last named in a call, on the monotonic clock."""
        self._idle: dict[str, str] = {}
        """Ids that were closed because no call named them, with their captures."""
        self._count = 0

    @property
    def all(self) -> tuple[Opened, ...]:
        return tuple(self._opened.values())

    async def open_server(self, wanted: WantedTarget, start_s: float) -> AgentSession:
        """Start a server that the user allows, without waiting for it. Raises: UsageError.

        `start_s`: timeout of the whole opening, if the user has set none.
        """
        self._demand_room()
        allowed = await asyncio.to_thread(self.options.resolve, wanted)
        self.clean.learn(allowed.secrets)
        self._count += 1
        opened = AgentSession(f"s{self._count}", allowed, self._engine, start_s)
        self._opened[opened.id], self._owners[opened.id] = opened, CLIENT.get()
        return opened

    async def open_capture(self, name: str) -> AgentCapture:
        """Open a capture of the directory. Raises: UsageError, CaptureError."""
        self._demand_room()
        path = self.capture_path(name)
        self._count += 1
        opened = AgentCapture(f"c{self._count}", path)
        await asyncio.to_thread(opened.read)
        self._opened[opened.id], self._owners[opened.id] = opened, CLIENT.get()
        return opened

    def capture_path(self, name: str) -> Path:
        """Return the path of a capture of the directory or of a running tap. Raises: UsageError for another file."""
        name = name.removeprefix("mcpcap://").removesuffix(SUFFIX)
        taps = (Path(tap["capture"]) for tap in live() if tap["capture"])
        found = next((path for path in (*captures(self.options.captures), *taps) if path.stem == name), None)
        if found is None:
            raise UsageError(f"no capture {name!r}", hint="The resource mcpcap://list names the captures.")
        return found

    async def get(self, id_: str) -> Opened:
        """Return what is open by its id; without one, the client's newest session. Raises: UsageError."""
        if not id_:
            id_ = next((each for each in reversed(self._opened) if self._owners[each] == CLIENT.get()), "")
        opened = self._opened.get(id_)
        if opened is None:
            raise self._no_session(id_)
        self._used[opened.id] = time.monotonic()
        if isinstance(opened, AgentCapture):
            await asyncio.to_thread(opened.read)
        return opened

    async def server(self, id_: str) -> AgentSession:
        """Return a session with a server by its id. Raises: UsageError, also for a capture."""
        opened = await self.get(id_)
        if isinstance(opened, AgentCapture):
            raise UsageError(f"{id_} is a capture", hint="open() starts the server.")
        return opened

    async def restart(self, opened: AgentSession, start_s: float) -> AgentSession:
        """End a server and start it again under the same id. The old one can't be read any more."""
        await opened.close()
        new = AgentSession(opened.id, opened.allowed, self._engine, start_s)
        new.last_call, new.definitions = opened.last_call, opened.definitions
        self._opened[new.id] = new
        return new

    async def close(self, id_: str) -> Opened:
        """Close a session or a capture. Raises: UsageError if it is not open."""
        opened = await self.get(id_)
        del self._opened[opened.id]
        await opened.close()
        return opened

    async def close_idle(self, seconds: float = MOST_IDLE_S) -> None:
        """Close what no call has named for so long, and what no call waits for."""
        now = time.monotonic()
        for id_, opened in [*self._opened.items()]:
            if isinstance(opened, AgentSession) and opened.is_busy:
                self._used[id_] = now
            elif now - self._used.setdefault(id_, now) > seconds:
                path = opened.journal.capture_path
                self._idle[id_] = path.stem if path is not None else ""
                await self.close(id_)

    def _no_session(self, id_: str) -> UsageError:
        """Return the error for an id that is not open, with what to do."""
        name = id_ or next(reversed(self._idle), "")
        if name in self._idle:
            capture = self._idle[name]
            recording = f', open(capture="{capture}") reads the recording' if capture else ""
            return UsageError(
                f"session {name} was closed, because no call had named it for {MOST_IDLE_S / 60:.0f} minutes",
                hint=f"open() starts the server again{recording}.",
            )
        known = f"Open sessions: {', '.join(self._opened)}." if self._opened else "open() opens one."
        return UsageError(
            f"no session {id_!r}" if id_ else f"no session {'of this client ' * bool(self._opened)}is open", hint=known
        )

    async def close_all(self) -> None:
        """End all servers, and the engine."""
        for opened in self.all:
            await opened.close()
        self._opened.clear()
        await asyncio.to_thread(self._engine.stop)

    def _demand_room(self) -> None:
        if len(self._opened) >= _MOST_SESSIONS:
            raise UsageError(f"{_MOST_SESSIONS} sessions are open", hint="close() ends one.")
