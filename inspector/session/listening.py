"""Listening: one wish for a stream of changes, over all attempts to have it (stateless era).

A stream that was cut is asked for again, more and more slowly and not for ever: nothing of it is replayed. One that
the server ended on purpose, or refused, is not.
"""

import asyncio
from collections.abc import Callable

import msgspec

from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Reply
from inspector.protocol.flows.watch import End, end_of, listen
from inspector.protocol.tracking.subscriptions import Filter, Stream, Subscriptions
from inspector.session.driver import Driver


class Patience(msgspec.Struct, frozen=True):
    """How long to wait for what, in seconds."""

    acknowledgement_s: float = 5.0
    """After this, whoever wants to watch is told that the server has not said what it grants."""
    pauses_s: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
    """Before each further attempt after a cut; no more attempts in a row than there are pauses."""
    lived_s: float = 30.0
    """A stream that lasted so long was a success: the pauses begin anew."""


class Listening:
    """One wish. `keep` has its stream for as long as that can be had."""

    def __init__(self, driver: Driver, subscriptions: Subscriptions, wanted: Filter, patience: Patience) -> None:
        self.wanted = wanted
        self.settled = asyncio.Event()
        """Set once the first attempt was acknowledged, or is over, or nobody waits for that any longer."""
        self.over: tuple[End, str] | None = None
        """Why it is, and will not be had again; None while it is or may be."""
        self.reply: Reply | None = None
        """What ended the newest attempt that ended."""
        self.said: Callable[[str], None] = lambda what: None
        """Told what a person should know: a cut, a farewell, a return."""
        self.missed: Callable[[], None] = lambda: None
        """Called when it is there again after a cut: what changed in between nobody tells."""
        self._driver = driver
        self._subscriptions = subscriptions
        self._patience = patience
        self._exchange: Exchange | None = None
        self._given_up = False
        self._attempts = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def stream(self) -> Stream | None:
        """What the frames tell of the newest attempt; None before it was sent."""
        return self._subscriptions.of(self._exchange) if self._exchange is not None else None

    def start(self, tasks: asyncio.TaskGroup) -> None:
        """Begin."""
        self._task = tasks.create_task(self._keep())

    def acknowledged(self) -> None:
        """The server has said what it grants on the newest attempt."""
        if self.settled.is_set() and self._attempts:
            self.said("the stream of changes is open again; what changed in between was not told")
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
            if self._given_up or end in (End.BY_US, End.OVER):
                self.over = end, why
            elif end is not End.CUT or not self.settled.is_set() or self._attempts >= len(pauses):
                self._end(end, why)
            else:
                pause, self._attempts = pauses[self._attempts], self._attempts + 1
                self.said(f"the stream of changes was cut: {why}; asking for it again in {pause:g} s")
                await asyncio.sleep(pause)
        self.settled.set()

    def _end(self, end: End, why: str) -> None:
        self.over = end, why
        if not self.settled.is_set():
            return  # whoever asked is told
        if end is End.CUT:
            why = f"{why}; {self._attempts} attempts to have it again brought nothing"
        self.said(f"changes are not told of any more: {why}")
