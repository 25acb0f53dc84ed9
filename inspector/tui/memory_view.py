"""What a subject knows of its server from before: how its lists stand against what is remembered of them."""

from functools import cached_property
from typing import TYPE_CHECKING

from inspector.protocol.tracking.catalogue import Listing
from inspector.session.engine import Live

if TYPE_CHECKING:
    from inspector.viewmodels.since_seen import Memory


class MemoryState:
    """How far comparing has come."""

    def __init__(self) -> None:
        self.compared: tuple[Listing, ...] = ()
        """The lists that were compared last."""
        self.seen: tuple[Listing, ...] = ()
        """The lists at the last look."""
        self.rest = 0
        """Looks for which they have stayed the same."""
        self.shown = False
        """Whether a person has looked at what has changed."""


class MemoryView:
    """Nothing is remembered of a recorded conversation's server."""

    memory: "Memory | None" = None
    """The newest comparison; None before the first."""

    @property
    def memory_key(self) -> str:
        """Under which the server is remembered: what is run, or the URL; "" if it is not."""
        return ""

    @cached_property
    def memory_state(self) -> MemoryState:
        """How far comparing has come."""
        return MemoryState()


class LiveMemoryView(MemoryView):
    """A server that will be met again."""

    _live: Live

    @property
    def memory_key(self) -> str:
        """The target's own key, never the name that the server gives itself."""
        return self._live.target.key
