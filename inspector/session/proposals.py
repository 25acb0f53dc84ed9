"""Proposals: what a real model would answer to a sampling request, until somebody sends it.

A proposal is asked for by the person, or by the desk where nobody is asked first. It is given up when its question is
withdrawn or answered otherwise, and on a key. Another thread may read a proposal: its state is written last.
"""

import asyncio
import time
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from inspector.errors import InspectError
from inspector.protocol.questions import Result
from inspector.sampler.choice import Approve

if TYPE_CHECKING:  # few runs have a model
    from inspector.sampler.completion import Said


class Model(Protocol):
    """Answers sampling requests."""

    @property
    def label(self) -> str:
        """The model and where it is, for people."""

    async def answer(self, params: Any) -> "Said":
        """What it says to the params of `sampling/createMessage`. Raises: InspectError."""


class ProposalState(StrEnum):
    """Where a proposal stands."""

    ASKING = "asking"
    READY = "ready"
    FAILED = "failed"
    STOPPED = "stopped"
    """Nobody wants it any more."""


def _nothing() -> None:
    """There is nothing to stop."""


class Proposal(msgspec.Struct, eq=False):
    """One answer of a model's, on its way or here."""

    model: str
    """For people: the model and where it is."""
    started_ns: int
    """By the monotonic clock."""
    state: ProposalState = ProposalState.ASKING
    said: "Said | None" = None
    took_ns: int = 0
    why: str = ""
    """Why there is none; foreign text may stand in it."""
    hint: str = ""
    stop: Callable[[], object] = _nothing
    """Give it up. On the loop that asked."""

    @property
    def result(self) -> Result | None:
        """The answer; None while there is none."""
        return self.said.result if self.said is not None else None


class Proposer:
    """Asks one model, as often as somebody wants."""

    def __init__(self, model: Model, approve: Approve = Approve.ALWAYS) -> None:
        self._model = model
        self.approve = approve

    @property
    def label(self) -> str:
        """The model and where it is, for people."""
        return self._model.label

    def begin(self) -> Proposal:
        """A proposal that is asked for now; `finish` does it."""
        return Proposal(self._model.label, time.monotonic_ns())

    async def finish(self, proposal: Proposal, params: Any, unwanted: asyncio.Future[Any]) -> None:
        """Ask the model. Returns when the proposal has its state; it is stopped once the future is done."""
        async with asyncio.TaskGroup() as group:
            work = group.create_task(self._ask(proposal, params))
            proposal.stop = work.cancel
            unwanted.add_done_callback(lambda _: work.cancel())
        if proposal.state is ProposalState.ASKING:  # it was stopped before it could begin
            proposal.state = ProposalState.STOPPED

    async def _ask(self, proposal: Proposal, params: Any) -> None:
        state = ProposalState.STOPPED
        try:
            proposal.said = await self._model.answer(params)
            state = ProposalState.READY
        except InspectError as error:
            proposal.why, proposal.hint = str(error), error.hint
            state = ProposalState.FAILED
        finally:
            proposal.took_ns = time.monotonic_ns() - proposal.started_ns
            proposal.state = state
