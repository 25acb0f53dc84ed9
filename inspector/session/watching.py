"""Subscriptions to lists and resources, in the way of the session's revision.

In the handshake era each resource is subscribed to separately, and list changes are always sent. In the stateless
one a single `subscriptions/listen` request has all subscriptions. Watching something else sends a new one,
and gives the old one up only once the new one was acknowledged: nothing is missed in between.

Nothing is raised for what a server does. What a user should know beside the frames is in `said`.
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
from inspector.protocol.revisions._shape import SubscriptionMethod
from inspector.protocol.tracking.subscriptions import ACKNOWLEDGED, ListenStream, StreamFilter, Subscriptions
from inspector.session.driver import Driver

# One stream of changes over all its attempts (stateless era)


class Patience(msgspec.Struct, frozen=True):
    """How long to wait for what, in seconds."""

    acknowledgement_s: float = 5.0
    """After this, a subscriber learns that the server did not report what it grants."""
    pauses_s: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
    """Before each further attempt after a cut; no more attempts in a row than there are pauses."""
    lived_s: float = 30.0
    """A stream that lasted so long was a success: the pauses start over."""


class Listening:
    """One wish. `keep` has its stream for as long as that can be had."""

    def __init__(self, driver: Driver, subscriptions: Subscriptions, wanted: StreamFilter, patience: Patience) -> None:
        self.wanted = wanted
        self.settled = asyncio.Event()
        """Set once the first attempt was acknowledged, or is over, or is no longer needed."""
        self.over: tuple[StreamEnd, str] | None = None
        """Why it is, and will not be had again; None while it is or may be."""
        self.reply: Reply | None = None
        """What ended the newest attempt that ended."""
        self.said: Callable[[str], None] = lambda what: None
        """Called with what a user should know: an interruption, an end, a return."""
        self.missed: Callable[[], None] = lambda: None
        """Called when it is there again after an interruption: changes in between are unknown."""
        self._driver = driver
        self._subscriptions = subscriptions
        self._patience = patience
        self._exchange: Exchange | None = None
        self._given_up = False
        self._attempts = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def stream(self) -> ListenStream | None:
        """What the frames show of the newest attempt; None before it was sent."""
        return self._subscriptions.of(self._exchange) if self._exchange is not None else None

    def start(self, tasks: asyncio.TaskGroup) -> None:
        """Begin."""
        self._task = tasks.create_task(self._keep())

    def acknowledged(self) -> None:
        """The server has said what it grants on the newest attempt."""
        if self.settled.is_set() and self._attempts:
            self.said("the subscription stream is open again; changes in between are unknown")
            self.missed()
        self.settled.set()

    async def give_up(self, reason: str) -> None:
        """End it, in the way of its transport."""
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
            self.reply = await self._driver.drive(listen(self.wanted), self._opened)
            end, why = end_of(self.reply)
            self._attempts = 0 if clock() - began >= self._patience.lived_s else self._attempts
            if self._given_up or end in (StreamEnd.BY_US, StreamEnd.OVER):
                self.over = end, why
            elif end is not StreamEnd.CUT or not self.settled.is_set() or self._attempts >= len(pauses):
                self._end(end, why)
            else:
                pause, self._attempts = pauses[self._attempts], self._attempts + 1
                self.said(f"the subscription stream broke: {why}; reconnecting in {pause:g} s")
                await asyncio.sleep(pause)
        self.settled.set()

    def _end(self, end: StreamEnd, why: str) -> None:
        self.over = end, why
        if not self.settled.is_set():
            return  # the caller gets the outcome
        if end is StreamEnd.CUT:
            why = f"{why}; {self._attempts} attempts to have it again brought nothing"
        self.said(f"change notifications stopped: {why}")


_MOST_SAID = 1000


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of a subscription."""

    granted: StreamFilter = StreamFilter()
    not_granted: StreamFilter = StreamFilter()
    refused: str = ""
    """Why it failed, may quote the server; "" if it did not."""
    acknowledged: bool = True
    """False if the server has not said in time what it grants."""
    reply: Reply | None = None
    """The response, if it was rejected."""


class Watching:
    """What a session watches. Its parts stay on the session's event loop."""

    def __init__(self, driver: Driver, journal: Journal, tasks: asyncio.TaskGroup) -> None:
        self.patience = Patience()
        self.wanted = StreamFilter()
        """What is to be watched now, granted or not."""
        self.said: list[str] = []
        """What a person should know, oldest first: a stream that was cut, or ended, or is there again."""
        self.tell: Callable[[str], None] = lambda what: None
        """Called with each of them."""
        self.missed: Callable[[], None] = lambda: None
        """Called when a stream is there again after an interruption: changes in between are unknown."""
        self._driver = driver
        self._journal = journal
        self._tasks = tasks
        self._current: Listening | None = None
        self._next: Listening | None = None
        """Asked for and not acknowledged."""
        self._one_by_one = asyncio.Lock()
        self._stop_hearing: Callable[[], None] = lambda: None

    @property
    def subscriptions(self) -> Subscriptions:
        """All that the frames show of it."""
        return self._journal.conversation.subscriptions

    @property
    def by_stream(self) -> bool:
        """Whether one stream carries all changes (the stateless era)."""
        return self._driver.revision is not None and self._driver.revision.watch is SubscriptionMethod.LISTEN

    @property
    def stream(self) -> ListenStream | None:
        """The stream that is open now; None without one, and in the handshake era."""
        stream = self._current.stream if self._current is not None else None
        return stream if stream is not None and stream.is_open else None

    @property
    def is_over(self) -> bool:
        """Whether the stream has ended and will not be asked for again."""
        return self._current is not None and self._current.over is not None

    async def watch(self, *uris: str) -> Outcome:
        """Watch resources beside what is watched already. `Outcome` is about these alone."""
        if not self.by_stream:
            return await self._each(uris, subscribe)
        came = await self._change(lambda now: replace(now, uris=tuple(dict.fromkeys((*now.uris, *uris)))))
        asked = StreamFilter(uris=uris)
        granted = StreamFilter(uris=tuple(uri for uri in uris if uri in came.granted.uris))
        missing = asked.without(granted) if came.acknowledged and not came.refused else StreamFilter()
        return replace(came, granted=granted, not_granted=missing)

    async def unwatch(self, *uris: str) -> Outcome:
        """Watch resources no longer."""
        if not self.by_stream:
            return await self._each(uris, unsubscribe)
        return await self._change(lambda now: replace(now, uris=tuple(uri for uri in now.uris if uri not in uris)))

    def follow_lists(self) -> None:
        """Hear of every list that the server says may change, without waiting for its word."""
        if self.by_stream and self.offered():
            self._tasks.create_task(self._follow_lists())

    def offered(self) -> StreamFilter:
        """The lists of which the server says that it tells when they change."""
        kinds = ("tools", "prompts", "resources")
        tools, prompts, resources = (peek.flag(self._capabilities, kind, "listChanged") is True for kind in kinds)
        return StreamFilter(tools, prompts, resources)

    @property
    def offers_resources(self) -> bool:
        """Whether the server says that resources can be watched."""
        return peek.flag(self._capabilities, "resources", "subscribe") is True

    async def listen(self, wanted: StreamFilter) -> Outcome:
        """Watch exactly this, in the stateless era. Where that is refused, what was watched before still is."""
        return await self._change(lambda now: wanted)

    async def _change(self, change: Callable[[StreamFilter], StreamFilter]) -> Outcome:
        """Watch something else, once whatever is being changed now has been."""
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
        """Subscribe again after a new handshake: the server has forgotten."""
        if not self.by_stream and self.wanted.uris:
            came = await self._each(self.wanted.uris, subscribe)
            self.say(f"subscribed again in the new session: {len(came.granted.uris)} of {len(self.wanted.uris)}")

    async def again(self, uris: Sequence[str]) -> None:
        """Watch what was watched on a connection before, and say how that went."""
        came = await self.watch(*uris)
        said = f"watching again what was watched before: {len(came.granted.uris)} of {len(uris)}"
        self.say(f"{said}: {came.refused}" if came.refused else said)

    async def stop(self) -> None:
        """End all of it: the session is about to end."""
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
        if came.refused:
            self.say(f"list changes are not reported: {came.refused}")

    async def _each(self, uris: Sequence[str], flow: Callable[[str], Flow[Reply]]) -> Outcome:
        """Subscribe, or unsubscribe, one after the other; the first refusal ends it."""
        done: list[str] = []
        for uri in uris:
            reply = await self._driver.drive(flow(uri))
            end, why = end_of(reply)
            if end is not StreamEnd.BY_SERVER:  # here: no result came
                lost = tuple(each for each in uris if each not in done)
                return Outcome(StreamFilter(uris=tuple(done)), StreamFilter(uris=lost), refused=why, reply=reply)
            done.append(uri)
            others = tuple(each for each in self.wanted.uris if each != uri)
            self.wanted = StreamFilter(uris=(*others, uri) if flow is subscribe else others)
        return Outcome(StreamFilter(uris=tuple(done)) if flow is subscribe else StreamFilter())

    async def _replace(self, wanted: StreamFilter) -> Outcome:
        """Have another stream, and give the old one up once the new one is granted."""
        new = self._next = Listening(self._driver, self.subscriptions, wanted, self.patience)
        new.said, new.missed = self.say, lambda: self.missed()
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
        """An acknowledgement may be the awaited one."""
        for event in found:
            if isinstance(event, Notified) and event.message.method == ACKNOWLEDGED:
                for listening in (self._next, self._current):
                    stream = listening.stream if listening is not None else None
                    if listening is not None and stream is not None and stream.acknowledged_frame == entry.n:
                        listening.acknowledged()

    def say(self, what: str) -> None:
        """Let a person know."""
        if len(self.said) < _MOST_SAID:
            self.said.append(what)
        self.tell(what)


def _outcome(listening: Listening | None) -> Outcome:
    if listening is None or listening.over is not None:
        why = listening.over[1] if listening is not None and listening.over else "it was not requested"
        return Outcome(refused=why, reply=listening.reply if listening is not None else None)
    stream = listening.stream
    if stream is None or stream.granted is None:
        return Outcome(acknowledged=False)
    return Outcome(stream.granted, stream.not_granted)
