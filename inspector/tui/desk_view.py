"""What a subject says of a server's questions, and how they are answered: the part of it that the Inbox talks to.

A recording asks nobody and takes no answers; a live conversation hands them to the desk, on the engine's loop.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from inspector.protocol.questions import Reply, Root
from inspector.session.desk import Ticket
from inspector.session.engine import Live
from inspector.session.offering import offer
from inspector.session.proposals import Proposer

if TYPE_CHECKING:
    from inspector.session.session import Session


class DeskView:
    """Nothing is asked."""

    @property
    def tickets(self) -> tuple[Ticket, ...]:
        """Questions that came to the desk, oldest first: all that wait, and those that were over last.

        Read their state, and answer with `answer`.
        """
        return ()

    @property
    def answered_earlier(self) -> Sequence[int]:
        """The exchanges of questions that were over before those: the journal has them. Grows only."""
        return ()

    @property
    def desk_changes(self) -> int:
        """A number that grows with whatever happens to the tickets."""
        return 0

    @property
    def roots(self) -> tuple[Root, ...]:
        """What a request for roots is answered with."""
        return ()

    @property
    def patience_s(self) -> float | None:
        """After how many seconds a call gives up, whatever happens; None: never."""
        return None

    async def answer(self, ticket: Ticket, reply: Reply) -> bool:
        """Answer a question; False if nobody waits for that any more."""
        return False

    @property
    def offers(self) -> frozenset[str]:
        """What is offered to the server now, by the names of `protocol.offers`."""
        return frozenset()

    async def declare(self, offers: frozenset[str]) -> bool:
        """Offer this from the next request on; False where that takes a new connection."""
        return False

    async def set_roots(self, roots: Sequence[Root]) -> None:
        """List other roots from now on; the server is told where that was promised."""

    @property
    def proposer(self) -> Proposer | None:
        """Which real model may be asked for answers to sampling requests; None if there is none."""
        return None

    async def consult(self, ticket: Ticket, params: Any) -> None:
        """Begin to ask the model; what comes of it stands in the ticket."""

    async def stop_consulting(self, ticket: Ticket) -> None:
        """Wait for the model no longer."""


class LiveDeskView(DeskView):
    """What the desk of a live conversation holds."""

    _live: Live

    @property
    def tickets(self) -> tuple[Ticket, ...]:
        """As the desk keeps them."""
        return self._live.session.options.desk.tickets if self._live.session else ()

    @property
    def answered_earlier(self) -> Sequence[int]:
        """As the desk has let them go."""
        return self._live.session.options.desk.earlier if self._live.session else ()

    @property
    def desk_changes(self) -> int:
        """Grows with whatever happens to the tickets."""
        return self._live.session.options.desk.changes if self._live.session else 0

    @property
    def roots(self) -> tuple[Root, ...]:
        """As they are listed now."""
        return self._live.session.options.desk.roots if self._live.session else self._live.settings.roots

    @property
    def patience_s(self) -> float | None:
        """The total clock of a call."""
        return self._live.settings.clocks.total_s

    async def answer(self, ticket: Ticket, reply: Reply) -> bool:
        """Answer a question, on the loop where it waits."""

        async def work(session: "Session") -> bool:
            return session.options.desk.answer(ticket, reply)

        return await asyncio.wrap_future(self._live.run(work))

    @property
    def offers(self) -> frozenset[str]:
        """As the session offers it now."""
        session = self._live.session
        return session.offering.client.offers if session else self._live.settings.offers

    async def declare(self, offers: frozenset[str]) -> bool:
        """Offer it, on the engine's loop."""
        return await asyncio.wrap_future(self._live.run(lambda session: offer(session, offers)))

    async def set_roots(self, roots: Sequence[Root]) -> None:
        """List other roots from now on."""
        await asyncio.wrap_future(self._live.run(lambda session: session.set_roots(roots)))

    @property
    def proposer(self) -> Proposer | None:
        """As the desk knows it."""
        return self._live.session.options.desk.proposer if self._live.session else None

    async def consult(self, ticket: Ticket, params: Any) -> None:
        """Begin to ask the model, on the loop where the question waits; whoever leaves the screen leaves it running."""
        self._live.run(lambda session: session.options.desk.consult(ticket, params))

    async def stop_consulting(self, ticket: Ticket) -> None:
        """Wait for the model no longer."""

        async def work(session: "Session") -> None:
            if ticket.proposal is not None:
                ticket.proposal.stop()

        await asyncio.wrap_future(self._live.run(work))
