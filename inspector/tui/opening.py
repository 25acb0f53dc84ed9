"""Opening another conversation: what the app asks of whoever knows how servers are started, recorded and ended."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from inspector.session.engine import Live

if TYPE_CHECKING:
    from inspector.viewmodels.start import Capture, Server
    from inspector.viewmodels.wanted import Wanted


class Opened(msgspec.Struct, frozen=True):
    """A conversation that has begun, or a capture."""

    name: str
    """A short name for its tab; foreign text."""
    begin: Callable[..., Live] | None = None
    """Begins it anew; None for a capture."""
    first: Live | None = None
    capture: Path | None = None
    close: Callable[[], object] | None = None
    """Ends whatever of it still runs; for a thread of its own, because it waits."""


class Opener(Protocol):
    """Whoever knows how."""

    def found(self) -> "tuple[Sequence[Server], Sequence[Capture]]":
        """The servers that hosts on this machine know, and recent captures."""

    def open(self, wanted: "Wanted") -> Opened:
        """Begin it.

        Raises: InspectError if it can't be begun at all; a server that fails later is a state of its conversation.
        """
