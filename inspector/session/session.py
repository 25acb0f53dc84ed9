"""Session: one live conversation, from connecting to its end.

A server's responses are data; exceptions are for what prevents the conversation from opening. A session is a context
manager: leaving it ends the connection and every task, and a connection that ends by itself wakes all waiters.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, assert_never

import msgspec

from inspector.capture.journal import Journal
from inspector.errors import ConnectError, InspectError, RequestTimeout
from inspector.protocol import peek
from inspector.protocol.capabilities import declared
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.flows.call import Called, call
from inspector.protocol.flows.connect import ConnectOptions, connect, discover_again, refuses_stateless, reopen
from inspector.protocol.flows.list_all import Pages, is_repeated, is_safe, list_all, was_cut
from inspector.protocol.flows.steps import Flow, GivenUp, Notify, Refused, Reply, batch
from inspector.protocol.frames import Cause
from inspector.protocol.listed_items import KIND_OF_METHOD, LISTS, Tool
from inspector.protocol.revisions._shape import LogLevel, Revision, Stamp, SubscriptionMethod
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.server_requests import Root
from inspector.session.driver import BeforeSend, Driver, is_unknown_session
from inspector.session.inbox import Inbox
from inspector.session.options import SessionState, Timeouts
from inspector.session.raw import RawMessages
from inspector.session.subscriptions import Watching
from inspector.session.tasks import SessionTasks
from inspector.transports.base import LIMITS, Limits, Observer, Transport

if TYPE_CHECKING:  # it parses YAML, and few sessions have one
    from inspector.config.profiles import OpeningRequest

T = TypeVar("T")


class SessionOptions(msgspec.Struct, frozen=True):
    """Options of a session that the user can set."""

    connect: ConnectOptions
    clocks: Timeouts = msgspec.field(default_factory=Timeouts)
    remember: Callable[[Opening], None] = lambda _: None
    """Called with each opening, so that the server's era can be stored for the next time."""
    inbox: Inbox = msgspec.field(default_factory=Inbox)
    """Where server requests are answered."""
    retry_calls: bool = False
    """Whether to retry a call whose stream was cut, even if the server does not declare that this is safe."""
    limits: Limits = LIMITS
    opening: "tuple[OpeningRequest, ...]" = ()
    """Requests to send after the opening, in this order: those of the imitated client."""
    modern_opening: "tuple[OpeningRequest, ...]" = ()
    """The same in a stateless session."""


class Session:
    """A live conversation. An async context manager; its parts stay on the event loop that entered it."""

    def __init__(self, transport: Transport, journal: Journal, options: SessionOptions) -> None:
        self.transport = transport
        self.journal = journal
        self.observer: Observer = journal
        """Where the transport reports; may be replaced before `connect` to intercept a part of the traffic."""
        self.options = options
        self.state = SessionState.CONNECTING
        self.why = ""
        """Why it closed; "" while it is open, and when it was closed on request."""
        self.error: InspectError | None = None
        """Error that ended the attempt to connect; None if it succeeded or is running."""
        self.ended = asyncio.Event()
        """Set when the state becomes CLOSED."""
        self._tasks = asyncio.TaskGroup()
        self._driver = Driver(transport, journal, options.connect.client, options.clocks, self._tasks, options.inbox)
        self.offering = self._driver.offering
        """Capabilities advertised to the server now."""
        self.watching = Watching(self._driver, journal, self._tasks)
        """Subscriptions to changes."""
        self.logs = self._driver.logs
        """Requested level of log messages."""
        self.waiters = self._driver.waiters
        """Pending requests by id, readable from any thread."""
        self.raw = RawMessages(transport, journal, self._driver.ids)
        """For messages that the user writes, valid or not."""
        self._stop_listening: Callable[[], None] = lambda: None
        self._reopening = asyncio.Lock()
        self._era_was_wrong = False
        """Whether the conversation was opened again in the other era."""
        self.tasks = SessionTasks(
            self._driver, journal, options.clocks, options.inbox, self._tasks, self._called, self._started_over
        )

    @property
    def opening(self) -> Opening | None:
        """How the conversation was opened; None until it is."""
        return self.journal.conversation.opening

    @property
    def revision(self) -> Revision | None:
        """Revision of requests sent now; None before the conversation is open."""
        return self._driver.revision

    def hold_with(self, before_send: BeforeSend) -> None:
        """Pass each message to this function before it is sent."""
        self._driver.before_send = before_send

    async def __aenter__(self) -> "Session":
        await self._tasks.__aenter__()
        self._stop_listening = self.journal.listen(self._driver.on_entry, in_runs=False)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()
        await self._tasks.__aexit__(None, None, None)

    async def connect(self) -> Opening:
        """Open the transport and the conversation.

        Raises: ConnectError, AuthorizationNeeded, Disconnected, RequestTimeout, RemoteProtocolError.
        """
        process = self._driver.process
        try:
            if process is not None:
                process.hold(self._driver.fail_all)
            await self.transport.open(self.observer)
            self._tasks.create_task(self._watch_the_end())
            try:
                async with asyncio.timeout(self.options.clocks.start_s):
                    opening = await self._driver.drive(connect(self.options.connect), cause=Cause.OPENING)
            except TimeoutError:
                seconds = self.options.clocks.start_s or 0.0
                raise RequestTimeout(
                    f"timeout: the server did not open within {seconds:g} s, its start timeout",
                    hint="An imitated client has its own (--as).",
                ) from None
            finally:
                if process is not None:
                    process.settle()
        except InspectError as error:
            self.error = error
            self._end(str(error), error.hint)
            raise
        self.state = SessionState.OPEN
        self.options.remember(opening)
        await self._follow_client(opening)
        return opening

    async def _follow_client(self, opening: Opening) -> None:
        """Send the requests that the imitated client sends by itself. A failure is not raised: the traffic shows it."""
        for each in self.options.modern_opening if self.watching.by_stream else self.options.opening:
            if each.method == SubscriptionMethod.LISTEN:
                await self.watching.listen_to_lists(Cause.OPENING)
                continue
            if each.method == "server/discover":
                if self.watching.stream is not None:
                    await self._driver.drive(discover_again(), cause=Cause.OPENING)
                continue
            kind = KIND_OF_METHOD.get(each.method)
            capability = LISTS[kind].capability if kind else "logging"
            if not each.always and capability not in opening.capabilities:
                continue
            if kind is None:
                await self.set_log_level(each.level, cause=Cause.OPENING)
            else:
                await self.list_all(kind, most_pages=1 if each.pages == "one" else None, cause=Cause.OPENING)

    async def call(
        self,
        method: str,
        params: Any = None,
        *,
        opened: Callable[[Exchange], None] = lambda exchange: None,
        plain: bool = False,
        cause: Cause = Cause.USER,
    ) -> Called:
        """Send a request and wait for its outcome, including retries.

        `opened` is called with each exchange as soon as its frame was observed. No outcome is raised: a response, a
        rejection, a timeout and a lost connection are all in `Called.reply`. A tool that must be called as a task
        is, and a call that becomes a task is followed to its end; with `plain` neither is done, for testing.
        """
        if plain:
            return await self._called(method, params, opened, cause)
        called = await self._called(method, self.tasks.params_for(method, params), opened, cause)
        return await self.tasks.finish(called, opened)

    async def _called(
        self, method: str, params: Any, opened: Callable[[Exchange], None], cause: Cause = Cause.USER
    ) -> Called:
        called = await self._driver.drive(self._calling(method, params), opened, cause=cause)
        if not await self._started_over(called.reply):
            return called
        if was_cut(called.reply) and not (self.options.retry_calls or is_safe(method, self._tool(_name(params)))):
            return called  # the session was lost during the call: it may have been executed
        again = await self._driver.drive(self._calling(method, params), opened, cause=Cause.RETRY)
        return Called(again.reply, called.rounds + again.rounds)

    async def list_all(
        self, kind: str, *, cursor: str | None = None, most_pages: int | None = None, cause: Cause = Cause.USER
    ) -> Pages:
        """Fetch all pages of a list: "tools", "resources", "templates" or "prompts". A failure is not raised.

        `cursor` is the first page, None for the beginning; `most_pages` limits the number of pages, None: all.
        """
        pages = await self._driver.drive(_listing(kind, self, cursor, most_pages), cause=cause)
        if pages.failed is None or not await self._started_over(pages.failed):
            return pages
        return await self._driver.drive(_listing(kind, self, None, most_pages), cause=Cause.RETRY)

    async def batch(self, *requests: tuple[str, Any]) -> tuple[Reply, ...]:
        """Send requests (method and params each) as one frame, if the revision has batches.

        Raises: UsageError if it has none.
        """
        return await self._driver.drive(batch(requests, revision=self._opened_with))

    async def perform(self, flow: Callable[[Revision], Flow[T]]) -> T:
        """Perform any flow with the session's revision, such as those of an extension."""
        return await self._driver.drive(flow(self._opened_with))

    async def cancel(self, exchange: Exchange, reason: str = "cancelled by the user") -> None:
        """Cancel a request, in the way of its revision. A late response is still shown. A task of it is ended."""
        if not await self.tasks.give_up(exchange):
            await self._driver.cancel(exchange, reason)

    async def set_roots(self, roots: Sequence[Root]) -> None:
        """Set the list of roots, and notify the server if that was advertised.

        "Clients that support listChanged MUST send a notification when roots change" (client/roots).
        """
        self.options.inbox.roots = tuple(roots)
        promised = self.revision and declared(self.options.connect.client.offers, self.revision)
        if self.state is SessionState.OPEN and peek.flag(promised, "roots", "listChanged"):
            await self.notify("notifications/roots/list_changed")

    async def set_log_level(self, level: str, *, cause: Cause = Cause.USER) -> Called | None:
        """Request log messages from a level on; "" for none, where each request declares the level.

        Return the outcome of the request that sets the level; None if later requests declare it, or if it can't be
        set.
        """
        if self.revision is None:
            return None
        match self.revision.log_level:
            case LogLevel.META:
                self.logs.level = level
                return None
            case LogLevel.REQUEST:
                return await self.call("logging/setLevel", {"level": level}, cause=cause) if level else None
            case _:
                assert_never(self.revision.log_level)

    async def advertise(self, offers: frozenset[str]) -> bool:
        """Advertise these client capabilities from the next request on.

        Return False, without any change, if only an opening can advertise them.
        """
        if self.revision is None or self.revision.stamp is not Stamp.META:
            return False
        self.offering.client = msgspec.structs.replace(self.offering.client, offers=offers, exactly=None)
        self.offering.answering.offers = offers
        return True

    async def notify(self, method: str, params: Any = None) -> str:
        """Send a notification; return "" or why it could not be sent."""
        return await self._driver.drive(_notification(method, params))

    async def close(self) -> None:
        """End the conversation and the connection. A second call does nothing."""
        await self.watching.stop()
        self.tasks.stop()
        await self._driver.finish_cancels()
        await self.transport.close()
        self._end("")
        self._stop_listening()

    @property
    def _opened_with(self) -> Revision:
        """Revision of the opening. Raises: ConnectError before that: the caller may have seen the session before."""
        if self.revision is None:
            raise ConnectError("the connection is not open yet")
        return self.revision

    def _calling(self, method: str, params: Any) -> Flow[Called]:
        revision = self._opened_with
        again = self.options.retry_calls or is_repeated(method, revision, self._tool(_name(params)))
        return call(method, params, revision=revision, schema_of=lambda name: _schema_of(self._tool(name)), again=again)

    def _tool(self, name: str | None) -> Tool | None:
        tools = self.journal.conversation.catalogue.tools
        return next((tool for tool in tools if tool.name == name), None)

    async def _watch_the_end(self) -> None:
        self._end(await self.transport.wait_closed())

    def _end(self, why: str, hint: str = "") -> None:
        self._driver.fail_all(why or "the connection was closed", hint)
        self.options.inbox.withdraw(why or "the connection was closed")
        self._driver.side_waits.wake()
        if self.state is not SessionState.CLOSED:
            self.state, self.why = SessionState.CLOSED, why
            self.ended.set()

    async def _started_over(self, reply: Reply) -> bool:
        """Open again if the server does not know this HTTP session any more, or this era after all.

        Return whether that worked, so that the request can be sent again.
        """
        if self._has_reopened(reply) or await self._reopened(reply):
            return True
        http, revision = self._driver.http, self.revision
        if http is None or revision is None or http.mcp_session_id is None:
            return False
        if not isinstance(reply, Refused) or not is_unknown_session(reply.status, reply.body.decode(errors="replace")):
            return False
        http.forget_session(reply.status or 0)
        with suppress(InspectError):
            again = msgspec.structs.replace(self.options.connect, era=revision.era)
            await self._driver.drive(connect(again), cause=Cause.OPENING)
            await self.watching.renew()
            return True
        return False

    def _has_reopened(self, reply: Reply) -> bool:
        """Return whether the conversation was opened in another era while this request was under way."""
        asked = None if isinstance(reply, GivenUp) or reply.exchange is None else reply.exchange.revision
        return self._era_was_wrong and asked is not None and self.revision is not None and asked != self.revision.date

    async def _reopened(self, reply: Reply) -> bool:
        """Open by handshake if the server refuses the first request of the era that it opened in."""
        why = refuses_stateless(self.options.connect, self.opening, reply)
        if not why or any(
            each.method != "server/discover" and each.state is ExchangeState.ANSWERED
            for each in self.journal.conversation.exchanges
        ):
            return False
        async with self._reopening:
            if self._has_reopened(reply):
                return True
            with suppress(InspectError):
                opening = await self._driver.drive(reopen(self.options.connect, why), cause=Cause.OPENING)
                self._era_was_wrong = True
                self.options.remember(opening)
                await self.watching.renew()
                return True
        return False


def _listing(kind: str, session: Session, cursor: str | None, wanted: int | None) -> Flow[Pages]:
    most, revision = session.options.limits, session.revision
    return list_all(kind, revision=revision, page_limit=most.pages, item_limit=most.items, cursor=cursor, wanted=wanted)


def _schema_of(tool: Tool | None) -> Any:
    return None if tool is None else tool.input_schema


def _name(params: Any) -> str | None:
    return peek.text(params, "name")


def _notification(method: str, params: Any) -> Flow[str]:
    problem: str = yield Notify(method, params)
    return problem
