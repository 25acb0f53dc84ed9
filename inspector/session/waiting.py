"""A pending request: its future, and the two timeouts that limit the wait.

The idle timeout restarts with each progress notification, the total timeout does not. The outcome says which one
expired.
"""

import asyncio
from collections.abc import Callable

import msgspec

from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Reply, Silent
from inspector.protocol.jsonrpc import RequestId
from inspector.session.options import Timeouts


class Left(msgspec.Struct, frozen=True):
    """Remaining time of both timeouts of a request, in seconds. None: there is no such timeout."""

    idle_s: float | None
    total_s: float | None
    clocks: Timeouts
    """The full timeouts."""
    held: bool = False
    """Whether the server waits for the client: the idle timeout is paused."""


def _ignore(exchange: Exchange) -> None:
    """Ignore the exchange."""


class Waiter(msgspec.Struct):
    """A pending request."""

    id: RequestId
    now: Callable[[], float]
    """Clock of the event loop, in seconds."""
    opened: Callable[[Exchange], None] = _ignore
    """Called with the exchange once its frame was observed."""
    future: asyncio.Future[Reply] = msgspec.field(default_factory=lambda: asyncio.get_running_loop().create_future())
    exchange: Exchange | None = None
    delivery: asyncio.Task[None] | None = None
    """Task that sends the request; over HTTP it ends with the response."""
    heard_at: float = 0.0
    held: int = 0
    """Number of server requests that wait for our answer. Meanwhile the idle timeout is paused."""
    paused: Callable[[], bool] = lambda: False
    """Returns whether all timeouts are paused because the user logs in."""
    clocks: Timeouts | None = None
    """Timeouts that run since `started_at`; None before anything waits."""
    started_at: float = 0.0

    def __post_init__(self) -> None:
        self.heard_at = self.now()

    def left(self) -> Left | None:
        """Return the remaining time, from any thread; None if it does not wait."""
        clocks, now = self.clocks, self.now()
        if clocks is None or self.future.done():
            return None
        idle_s = None if clocks.idle_s is None else clocks.idle_s - (0.0 if self.held else now - self.heard_at)
        total_s = None if clocks.total_s is None else clocks.total_s - (now - self.started_at)
        return Left(idle_s, total_s, clocks, held=self.held > 0)

    def sent(self, exchange: Exchange) -> None:
        """Record that the frame crossed the wire. If that is repeated, after a login, the timeouts restart."""
        if self.exchange is not None:
            self.started_at = self.now()
            self.heard()
        self.exchange = exchange
        self.opened(exchange)

    def heard(self) -> None:
        """Restart the idle timeout: there was progress."""
        self.heard_at = self.now()

    def hold(self) -> None:
        """Pause the idle timeout: the server waits for the client."""
        self.held += 1

    def release(self) -> None:
        """Resume after `hold`; the idle timeout restarts after the last server request."""
        self.held -= 1
        self.heard()

    def settle(self, reply: Reply) -> None:
        """Set the outcome. Only the first one counts."""
        if not self.future.done():
            self.future.set_result(reply)


async def wait(waiter: Waiter, clocks: Timeouts, *others: Waiter) -> Reply:
    """Wait for the outcome of the request or of one of the others; Silent after a timeout."""
    waiter.clocks, waiter.started_at = clocks, waiter.now()
    while True:
        left, clock = _left(waiter, clocks)
        if left is not None and left <= 0:
            return Silent(waiter.exchange, (clocks.idle_s if clock == "idle" else clocks.total_s) or 0.0, clock)
        futures = {waiter.future, *(other.future for other in others)}
        done, _ = await asyncio.wait(futures, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        if done:
            return (waiter.future if waiter.future in done else done.pop()).result()


def _left(waiter: Waiter, clocks: Timeouts) -> tuple[float | None, str]:
    """Return the seconds until the first timeout, and which it is; (None, "") if there is none."""
    now = waiter.now()
    if waiter.paused():
        waiter.started_at += max(0.0, now - max(waiter.heard_at, waiter.started_at))
    if waiter.held or waiter.paused():
        waiter.heard()
    ends = []
    if clocks.idle_s is not None:
        ends.append((waiter.heard_at + clocks.idle_s - now, "idle"))
    if clocks.total_s is not None:
        ends.append((waiter.started_at + clocks.total_s - now, "total"))
    return min(ends, default=(None, ""))
