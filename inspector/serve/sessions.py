"""The sessions and captures that an agent has open, each with an id that its calls name."""

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec

from inspector.capture.automatic import SUFFIX, captures
from inspector.capture.journal import Journal
from inspector.capture.open import Following
from inspector.checks.findings import Finding
from inspector.config.targets import Target
from inspector.errors import UsageError
from inspector.features.lock.lock_file import ServerDefinitions
from inspector.features.tap.registry import live
from inspector.present.live_checks import LiveChecks
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.listed_items import Tool
from inspector.serve.cleaning import Cleaner
from inspector.serve.watching import WatchedSession
from inspector.session.engine import Engine, Live
from inspector.session.inbox import Ticket
from inspector.session.options import SessionState, Settings
from inspector.session.session import Session

_PACE_S = 0.005
"""Seconds between two looks at what changes on the engine's thread."""
_MOST_SESSIONS = 20


async def until(condition: Callable[[], object], seconds: float) -> bool:
    """Wait for a condition; return False if it is still false after so many seconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(_PACE_S)
    return True


class WantedTarget(msgspec.Struct, frozen=True):
    """A server as an agent names it: one of these is set, or none for the server of the command line."""

    name: str = ""
    command: tuple[str, ...] = ()
    url: str = ""
    client: str = ""
    """Client to imitate; "" for none."""
    protocol: str = ""
    """Protocol version to use exclusively; "" for the newest that the server has."""
    start_s: float = 15.0
    """Timeout of the whole opening."""


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


class AgentCall:
    """A request of an agent, until it has an outcome."""

    def __init__(self, method: str, params: dict[str, Any], live: Live, before: Sequence[Ticket]) -> None:
        self.method = method
        self.params = params
        self._before = {each.number for each in before}
        self.exchange: Exchange | None = None
        """Its first exchange; None until it is sent."""
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
        """Return the requests of the server that came since this call was made: it may wait for them."""
        return [each for each in waiting if each.number not in self._before]

    def _opened(self, exchange: Exchange) -> None:
        self.exchange = self.exchange or exchange


class LastCall(msgspec.Struct, frozen=True):
    """The last request of an agent that had an outcome."""

    method: str
    params: dict[str, Any]
    value: Any
    """Its result, or its error."""


class AgentSession:
    """A session with a server. It keeps its journal when the connection ends, until it is closed."""

    def __init__(self, id_: str, allowed: AllowedTarget, engine: Engine) -> None:
        self.id = id_
        self.allowed = allowed
        self._engine = engine
        self.journal = allowed.journal()
        self.live = Live(engine, allowed.target, self.journal, allowed.settings)
        self.watched: WatchedSession | None = None
        self._watching = self.live.run(self._watch)
        self.checks = LiveChecks(self.journal)
        """Findings so far. Read on a thread."""
        self.calls: list[AgentCall] = []
        """Requests of the agent without an outcome."""
        self.last_call: LastCall | None = None
        """Outlives a restart."""
        self.definitions = ServerDefinitions()
        """Last known definitions; they outlive a restart."""
        self.probe_findings: tuple[Finding, ...] = ()

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
    def has_started(self) -> bool:
        """Whether connecting has ended, and with a connection whether the lists were fetched."""
        return self.live.has_listed or self.live.is_over or self.state is SessionState.CLOSED

    async def started(self, seconds: float) -> None:
        """Wait until it is connected and has the lists, or connecting has failed, or the time is over.

        A server that failed is ended: what it writes at its end is evidence.
        """
        await until(lambda: self.has_started, seconds)
        if self.state is SessionState.CLOSED:
            await self.end()

    async def end(self) -> None:
        """End the server. What was recorded can still be read, and how it ended."""
        if not self.live.is_over:
            await asyncio.wrap_future(self.live.run(lambda session: session.close()))

    @property
    def waiting(self) -> tuple[Ticket, ...]:
        """Requests of the server that wait for an answer."""
        session = self.live.session
        return () if session is None else session.options.inbox.waiting

    @property
    def is_held(self) -> bool:
        """Whether a person holds one of its messages."""
        return self.watched is not None and bool(self.watched.rules.held.all)

    def tool(self, name: str) -> Tool | None:
        """Return a tool as the server lists it now."""
        return next((tool for tool in self.journal.conversation.catalogue.tools if tool.name == name), None)

    def begin(self, method: str, params: dict[str, Any]) -> AgentCall:
        """Send a request. Raises: UsageError without a connection."""
        if self.state is not SessionState.OPEN:
            raise UsageError(
                f"session {self.id} has no connection{f': {self.why}' if self.why else ''}",
                hint=f"restart(session={self.id!r}) opens it again.",
            )
        call = AgentCall(method, params, self.live, self.waiting)
        self.calls.append(call)
        return call

    async def settled(self, call: AgentCall, seconds: float) -> None:
        """Wait until a call has an outcome, or the server has asked since, or the time is over."""
        await until(lambda: call.future.done() or call.asked(self.waiting), seconds)
        if call.future.done():
            self.calls = [each for each in self.calls if each is not call]

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
        self._used: dict[str, float] = {}
        """When something was last named in a call, on the monotonic clock."""
        self._count = 0

    @property
    def all(self) -> tuple[Opened, ...]:
        return tuple(self._opened.values())

    async def open_server(self, wanted: WantedTarget) -> AgentSession:
        """Start a server that the user allows, without waiting for it. Raises: UsageError."""
        self._demand_room()
        allowed = await asyncio.to_thread(self.options.resolve, wanted)
        self.clean.learn(allowed.secrets)
        self._count += 1
        opened = AgentSession(f"s{self._count}", allowed, self._engine)
        self._opened[opened.id] = opened
        return opened

    async def open_capture(self, name: str) -> AgentCapture:
        """Open a capture of the directory. Raises: UsageError, CaptureError."""
        self._demand_room()
        path = self.capture_path(name)
        self._count += 1
        opened = AgentCapture(f"c{self._count}", path)
        await asyncio.to_thread(opened.read)
        self._opened[opened.id] = opened
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
        """Return what is open by its id; without one, the newest session. Raises: UsageError."""
        if not id_ and self._opened:
            id_ = next(reversed(self._opened))
        opened = self._opened.get(id_)
        if opened is None:
            known = f"Open are {', '.join(self._opened)}." if self._opened else "open() opens one."
            raise UsageError(f"no session {id_!r}" if id_ else "no session is open", hint=known)
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

    async def restart(self, opened: AgentSession) -> AgentSession:
        """End a server and start it again under the same id. The old one can't be read any more."""
        await opened.close()
        new = AgentSession(opened.id, opened.allowed, self._engine)
        new.last_call, new.definitions = opened.last_call, opened.definitions
        self._opened[new.id] = new
        return new

    async def close(self, id_: str) -> Opened:
        """Close a session or a capture. Raises: UsageError if it is not open."""
        opened = await self.get(id_)
        del self._opened[opened.id]
        await opened.close()
        return opened

    async def close_idle(self, seconds: float) -> None:
        """Close what no call has named for so long."""
        now = time.monotonic()
        for id_ in [each for each in self._opened if now - self._used.setdefault(each, now) > seconds]:
            await self.close(id_)

    async def close_all(self) -> None:
        """End all servers, and the engine."""
        for opened in self.all:
            await opened.close()
        self._opened.clear()
        await asyncio.to_thread(self._engine.stop)

    def _demand_room(self) -> None:
        if len(self._opened) >= _MOST_SESSIONS:
            raise UsageError(f"{_MOST_SESSIONS} sessions are open", hint="close() ends one.")
