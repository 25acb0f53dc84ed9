"""What a subject says of requests on their way, and of what each of them asks for: clocks, and the level of the log.

Nothing is on its way in a recording; a live conversation looks at what its engine's loop waits for.
"""

import asyncio

from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.session.engine import Live
from inspector.session.waiting import Left


class RequestView:
    """Nothing is on its way."""

    @property
    def log_level(self) -> str:
        """From which level on every request asks for log messages; "" if none does, or if a request asks once."""
        return ""

    async def ask_for_level(self, level: str) -> Called | None:
        """Ask for log messages from a level on, in the way of the revision; what came of a request that says so."""
        return None

    def clocks_of(self, exchange: Exchange) -> Left | None:
        """What is left of the clocks of a request of ours; None if nobody waits for it."""
        return None


class LiveRequestView(RequestView):
    """As they are on the engine's loop."""

    _live: Live

    @property
    def log_level(self) -> str:
        """As later requests carry it."""
        return self._live.session.logs.level if self._live.session else ""

    async def ask_for_level(self, level: str) -> Called | None:
        """Ask on the engine's loop."""
        from inspector.session.log_level import ask_for_level

        return await asyncio.wrap_future(self._live.run(lambda session: ask_for_level(session, level)))

    def clocks_of(self, exchange: Exchange) -> Left | None:
        """As they run on the engine's loop."""
        waiter = self._live.session.waiters.get(exchange.id) if self._live.session else None
        return waiter.left() if waiter is not None and waiter.exchange is exchange else None
