"""What has been opened: a live conversation that has begun, with what begins it anew and ends it, or a capture."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from inspector.session.engine import Live


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
    named: bool = True
    """Whether somebody gave it that name; if not, its tab takes the server's own name once that is known."""
