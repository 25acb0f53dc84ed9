"""Opening another conversation: what the app asks of whoever knows how servers are started, recorded and ended."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from inspector.session.opened import Opened

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.viewmodels.start import Capture, Server
    from inspector.viewmodels.wanted import Wanted


class Opener(Protocol):
    """Whoever knows how."""

    def found(self) -> "tuple[Sequence[Server], Sequence[Capture]]":
        """The servers that hosts on this machine know, and recent captures."""

    def open(self, wanted: "Wanted") -> Opened:
        """Begin it.

        Raises: InspectError if it can't be begun at all; a server that fails later is a state of its conversation.
        """

    def share(self, capture: "Path", out: "Path", *, notes: bool, overwrite: bool) -> list[str]:
        """Copy a capture without its secrets; what was done, in lines.

        Raises: InspectError if it can't be copied, or a secret would be left in it.
        """
