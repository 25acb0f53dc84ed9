"""Subscriptions to lists and resources, in the way of the session's revision.

In the handshake era each resource is subscribed to separately, and list changes are always sent. In the stateless
era a single `subscriptions/listen` request has all subscriptions. To change them, a new request is sent, and the old
one is cancelled only once the new one was acknowledged, so that no change is missed in between.

Nothing that a server does is raised. What the user should know beyond the frames is in `said`.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal
from inspector.protocol import peek
from inspector.protocol.events import Event, Notified
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Flow, Reply
from inspector.protocol.flows.watch import StreamEnd, end_of, listen, subscribe, unsubscribe
from inspector.protocol.frames import Cause
from inspector.protocol.revisions._shape import SubscriptionMethod
from inspector.protocol.tracking.subscriptions import ACKNOWLEDGED, ListenStream, StreamFilter, Subscriptions
from inspector.session.driver import Driver

_MOST_SAID = 1000


# A stream of changes across reconnects (stateless era)


class ReconnectTiming(msgspec.Struct, frozen=True):
    """Timeouts and pauses in seconds."""

    acknowledgement_s: float = 5.0
    """After this, a subscriber learns that the server did not report what it grants."""
    pauses_s: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
    """Pauses before reconnecting after a cut. Their number limits the attempts in a row."""
    lived_s: float = 30.0
    """A stream that lasted this long was a success: the pauses start over."""


class Listening:
    """A subscription: keeps its stream open, reconnecting if necessary."""

    def __init__(
        self, driver: Driver, subscriptions: Subscriptions, wanted: StreamFilter, patience: ReconnectTiming
    ) -> None:
        self.wanted = wanted
        self.settled = asyncio.Event()
        """Set once the first attempt was acknowledged or has ended, or is no longer needed."""
        self.over: tuple[StreamEnd, str] | None = None
        """Why it has ended for good; None while it is open or may be reopened."""
        self.reply: Reply | None = None
        """Reply that ended the newest finished attempt."""
        self.report: Callable[[str], None] = lambda what: None
        """Called with what the user should know: an interruption, an end, a reconnect."""
        self.missed: Callable[[], None] = lambda: None
        """Called after a reconnect: changes in between are unknown."""
        self._driver = driver
        self._subscriptions = subscriptions
        self._patience = patience
        self.cause = Cause.USER
        self._exchange: Exchange | None = None
        self._given_up = False
        self._attempts = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def stream(self) -> ListenStream | None:
        """State of the newest attempt, from its frames; None before it was sent."""
        return self._subscriptions.of(self._exchange) if self._exchange is not None else None

    def start(self, tasks: asyncio.TaskGroup) -> None:
        self._task = tasks.create_task(self._keep())

    def acknowledged(self) -> None:
        """Process the server's acknowledgement of the newest attempt."""
        if self.settled.is_set() and self._attempts:
            self.report("the subscription stream is open again; changes in between are unknown")
            self.missed()
        self.settled.set()

    async def give_up(self, reason: str) -> None:
        """End the subscription, in the way of its transport."""
        self._given_up = True
        if self._exchange is not None and self._exchange.is_open:
            await self._driver.cancel(self._exchange, reason)
        if self._task is not None:
            self._task.cancel()

    def _opened(self, exchange: Exchange) -> None:
        self._exchange = exchange

    async def _keep(self) -> None:
        clock, pauses = asyncio.get_running_loop().time, self._patience.pauses_s
        while self.over is None:
            began = clock()
            cause = Cause.RETRY if self._attempts else self.cause
            self.reply = await self._driver.drive(listen(self.wanted), self._opened, cause=cause)
            end, why = end_of(self.reply)
            self._attempts = 0 if clock() - began >= self._patience.lived_s else self._attempts
            if self._given_up or end in (StreamEnd.BY_US, StreamEnd.OVER):
                self.over = end, why
            elif end is not StreamEnd.CUT or not self.settled.is_set() or self._attempts >= len(pauses):
                self._end(end, why)
            else:
                pause, self._attempts = pauses[self._attempts], self._attempts + 1
                self.report(f"the subscription stream broke: {why}; reconnecting in {pause:g} s")
                await asyncio.sleep(pause)
        self.settled.set()

    def _end(self, end: StreamEnd, why: str) -> None:
        self.over = end, why
        if not self.settled.is_set():
            return  # the caller gets the outcome
        if end is StreamEnd.CUT:
            why = f"{why}; {self._attempts} attempts to reconnect failed"
        self.report(f"change notifications stopped: {why}")


class Outcome(msgspec.Struct, frozen=True):
    granted: StreamFilter = StreamFilter()
    not_granted: StreamFilter = StreamFilter()
    refused: str = ""
    """Why it failed, may quote the server; "" if it did not."""
    acknowledged: bool = True
    """False if the server has not reported in time what it grants."""
    reply: Reply | None = None
    """Response, if it was a rejection."""


class Watching:
    """Subscriptions of a session. Its parts stay on the session's event loop."""

    def __init__(self, driver: Driver, journal: Journal, tasks: asyncio.TaskGroup) -> None:
        self.patience = ReconnectTiming()
        self.wanted = StreamFilter()
        """Current subscriptions, granted or not."""
        self.cause = Cause.USER
        """Why subscriptions are requested."""
        self.notices: list[str] = []
        """Messages for the user, oldest first: a stream was cut, has ended, or was reopened."""
        self.tell: Callable[[str], None] = lambda what: None
        """Called with each new message of `said`."""
        self.missed: Callable[[], None] = lambda: None
        """Called after a reconnect: changes in between are unknown."""
        self._driver = driver
        self._journal = journal
        self._tasks = tasks
        self._current: Listening | None = None
        self._next: Listening | None = None
        """Subscription that was requested and is not acknowledged yet."""
        self._one_by_one = asyncio.Lock()
        self._stop_hearing: Callable[[], None] = lambda: None

    @property
    def subscriptions(self) -> Subscriptions:
        return self._journal.conversation.subscriptions

    @property
    def by_stream(self) -> bool:
        """Whether one stream carries all changes (the stateless era)."""
        return self._driver.revision is not None and self._driver.revision.watch is SubscriptionMethod.LISTEN

    @property
    def stream(self) -> ListenStream | None:
        """Stream that is open now; None without one, and in the handshake era."""
        stream = self._current.stream if self._current is not None else None
        return stream if stream is not None and stream.is_open else None

    @property
    def is_over(self) -> bool:
        """Whether the stream has ended for good."""
        return self._current is not None and self._current.over is not None

    async def watch(self, *uris: str) -> Outcome:
        """Watch resources in addition to those already watched. The outcome is about the new ones only."""
        if not self.by_stream:
            return await self._each(uris, subscribe)
        came = await self._change(lambda now: replace(now, uris=tuple(dict.fromkeys((*now.uris, *uris)))))
        asked = StreamFilter(uris=uris)
        granted = StreamFilter(uris=tuple(uri for uri in uris if uri in came.granted.uris))
        missing = asked.without(granted) if came.acknowledged and not came.refused else StreamFilter()
        return replace(came, granted=granted, not_granted=missing)

    async def unwatch(self, *uris: str) -> Outcome:
        """Stop watching resources."""
        if not self.by_stream:
            return await self._each(uris, unsubscribe)
        return await self._change(lambda now: replace(now, uris=tuple(uri for uri in now.uris if uri not in uris)))

    def follow_lists(self) -> None:
        """Subscribe to all lists that may change, without waiting for the acknowledgement."""
        if self.by_stream and self.offered():
            self._tasks.create_task(self._follow_lists())

    async def listen_to_lists(self, cause: Cause) -> None:
        """Subscribe to all lists that may change, and wait for the acknowledgement."""
        if self.offered():
            self.cause, before = cause, self.cause
            await self._follow_lists()
            self.cause = before

    def offered(self) -> StreamFilter:
        """Return the lists for which the server advertises change notifications."""
        kinds = ("tools", "prompts", "resources")
        tools, prompts, resources = (peek.flag(self._capabilities, kind, "listChanged") is True for kind in kinds)
        return StreamFilter(tools, prompts, resources)

    @property
    def offers_resources(self) -> bool:
        """Whether the server advertises resource subscriptions."""
        return peek.flag(self._capabilities, "resources", "subscribe") is True

    async def listen(self, wanted: StreamFilter) -> Outcome:
        """Watch exactly this, in the stateless era. If that is rejected, the previous subscription remains."""
        return await self._change(lambda now: wanted)

    async def _change(self, change: Callable[[StreamFilter], StreamFilter]) -> Outcome:
        """Change the subscription, after any change that is in progress."""
        async with self._one_by_one:
            wanted = change(self.wanted)
            if wanted == self.wanted and self.stream is not None:
                return _outcome(self._current)
            if wanted:
                return await self._replace(wanted)
            current, self._current, self.wanted = self._current, None, wanted
            if current is not None:
                await current.give_up("nothing is watched any more")
            return Outcome()

    async def renew(self) -> None:
        """Subscribe again after a new handshake, because the server has forgotten the subscriptions."""
        if not self.by_stream and self.wanted.uris:
            came = await self._each(self.wanted.uris, subscribe)
            self.say(f"Subscribed again in the new session: {len(came.granted.uris)} of {len(self.wanted.uris)}")

    async def again(self, uris: Sequence[str]) -> None:
        """Watch the resources of an earlier connection, and report how that went."""
        came = await self.watch(*uris)
        message = f"Subscribed again: {len(came.granted.uris)} of {len(uris)}"
        self.say(f"{message}: {came.refused}" if came.refused else message)

    async def stop(self) -> None:
        """End all subscriptions, because the session is about to end."""
        self._stop_hearing()
        for listening in (self._next, self._current):
            if listening is not None:
                await listening.give_up("the client is leaving")

    @property
    def _capabilities(self) -> object:
        opening = self._journal.conversation.opening
        return opening.capabilities if opening is not None else None

    async def _follow_lists(self) -> None:
        lists = self.offered()
        came = await self._change(lambda now: replace(lists, uris=now.uris, task_ids=now.task_ids))
        if came.refused or not came.acknowledged:
            seconds = self.patience.acknowledgement_s
            why = came.refused or f"the server has not acknowledged subscriptions/listen in {seconds:g} s"
            self.say(f"list changes are not reported: {why}")

    async def _each(self, uris: Sequence[str], flow: Callable[[str], Flow[Reply]]) -> Outcome:
        """Subscribe or unsubscribe one by one, until the first rejection."""
        done: list[str] = []
        for uri in uris:
            reply = await self._driver.drive(flow(uri))
            end, why = end_of(reply)
            if end is not StreamEnd.BY_SERVER:  # meaning here: no result
                lost = tuple(each for each in uris if each not in done)
                return Outcome(StreamFilter(uris=tuple(done)), StreamFilter(uris=lost), refused=why, reply=reply)
            done.append(uri)
            others = tuple(each for each in self.wanted.uris if each != uri)
            self.wanted = StreamFilter(uris=(*others, uri) if flow is subscribe else others)
        return Outcome(StreamFilter(uris=tuple(done)) if flow is subscribe else StreamFilter())

    async def _replace(self, wanted: StreamFilter) -> Outcome:
        """Open another stream, and end the old one once the new one is granted."""
        new = self._next = Listening(self._driver, self.subscriptions, wanted, self.patience)
        new.report, new.missed, new.cause = self.say, lambda: self.missed(), self.cause
        self._stop_hearing()
        self._stop_hearing = self._journal.listen(self._hear, in_runs=False)
        new.start(self._tasks)
        with suppress(TimeoutError):
            async with asyncio.timeout(self.patience.acknowledgement_s):
                await new.settled.wait()
        new.settled.set()
        self._next, came = None, _outcome(new)
        if not came.refused:
            old, self._current, self.wanted = self._current, new, wanted
            if old is not None:
                await old.give_up("another subscription takes its place")
        return came

    def _hear(self, entry: Entry, found: Sequence[Event]) -> None:
        """Check whether an entry is an awaited acknowledgement."""
        for event in found:
            if isinstance(event, Notified) and event.message.method == ACKNOWLEDGED:
                for listening in (self._next, self._current):
                    stream = listening.stream if listening is not None else None
                    if listening is not None and stream is not None and stream.acknowledged_frame == entry.n:
                        listening.acknowledged()

    def say(self, what: str) -> None:
        """Add a message for the user."""
        if len(self.notices) < _MOST_SAID:
            self.notices.append(what)
        self.tell(what)


def _outcome(listening: Listening | None) -> Outcome:
    if listening is None or listening.over is not None:
        why = listening.over[1] if listening is not None and listening.over else "it was not requested"
        return Outcome(refused=why, reply=listening.reply if listening is not None else None)
    stream = listening.stream
    if stream is None or stream.granted is None:
        return Outcome(acknowledged=False)
    return Outcome(stream.granted, stream.not_granted)
