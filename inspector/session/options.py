"""Options and states of a session, without the session.

The command line imports this before a server is started, so nothing here imports an event loop or a session.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from inspector.protocol.capabilities import Advertised
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.server_requests import Root
from inspector.sampler.choice import ModelChoice
from inspector.transports.base import LIMITS, Limits
from inspector.transports.children import Started

if TYPE_CHECKING:
    from inspector.auth.guide import Guide
    from inspector.config.profiles import ClientProfile
    from inspector.session.inbox import Policy
    from inspector.session.scripted import Prepared
    from inspector.transports.http.authorizing import Authorizer


class Timeouts(msgspec.Struct, frozen=True):
    """Timeouts in seconds; None: no limit."""

    idle_s: float | None = 60.0
    total_s: float | None = 3600.0
    start_s: float | None = None
    """Timeout for the whole opening; None: only the timeouts of its requests apply."""


class ListOptions(msgspec.Struct, frozen=True):
    """Settings for fetching lists."""

    by_itself: bool = True
    """Whether a list is fetched again when the server reports a change."""
    page_by_page: bool = False
    """Whether to fetch only one page at a time."""


class SessionState(StrEnum):
    CONNECTING = "connecting"
    OPEN = "open"
    CLOSED = "closed"
    """It has ended, on request or not; see `Session.why`."""


class Settings(msgspec.Struct, frozen=True):
    """Settings for a conversation with a target."""

    era: Era | None = None
    """Era to use; None: detect it."""
    revision: str = ""
    """Protocol version to use exclusively; "" for the newest."""
    clocks: Timeouts = msgspec.field(default_factory=Timeouts)
    probe_silence_s: float = 2.0
    offers: frozenset[str] = frozenset()
    """Server requests to advertise support for, by the names of `protocol.offers`."""
    prepared: "tuple[Prepared, ...]" = ()
    """Prepared answers, tried in order."""
    policies: "tuple[tuple[str, Policy], ...]" = ()
    """Policies tried before `prepared`, by name."""
    roots: tuple[Root, ...] = ()
    extensions: Advertised = Advertised()
    model: ModelChoice | None = None
    """Model for sampling requests without a prepared answer."""
    lists: ListOptions = msgspec.field(default_factory=ListOptions)
    has_person: bool = False
    """Whether a user can answer what has no prepared answer."""
    authorizer: "Callable[[str], Authorizer] | None" = None
    """Creates the authorizer for a server's URL; None: a rejection is final."""
    retry_calls: bool = False
    """Whether to retry calls whose stream was cut, even if that may not be safe."""
    limits: Limits = LIMITS
    guide: "Guide | None" = None
    """Guide through a login, for the screen; None: there is none."""
    profile: "ClientProfile | None" = None
    """Client to imitate."""
    remembered: Era | None = None
    """Era detected in an earlier run."""
    revealed: Era | None = None
    """Era that the command suggests; used if `remembered` is None."""
    remember: Callable[[Opening], None] = lambda _: None
    started: Started | None = None
    """Server of a command if it was started in advance; the session uses it."""
