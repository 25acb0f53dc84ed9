"""Options and states of a session, without the session.

Imported with the command line, before a server is started; so nothing here imports an event loop, or a session.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from inspector.protocol.capabilities import Advertised
from inspector.protocol.questions import Root
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import Opening
from inspector.sampler.choice import ModelChoice
from inspector.transports.base import LIMITS, Limits

if TYPE_CHECKING:
    from inspector.auth.guide import Guide
    from inspector.config.profiles import ClientProfile
    from inspector.session.desk import Policy
    from inspector.session.scripted import Prepared
    from inspector.transports.children import Started
    from inspector.transports.http.authorizing import Authorizer


class Timeouts(msgspec.Struct, frozen=True):
    """How long to wait, in seconds; None: no limit."""

    idle_s: float | None = 60.0
    total_s: float | None = 3600.0
    start_s: float | None = None
    """For the whole opening; None: no limit beside those of its requests."""


class ListWishes(msgspec.Struct, frozen=True):
    """How a person wants lists to be fetched."""

    by_itself: bool = True
    """Whether a list is fetched again when the server reports a change."""
    page_by_page: bool = False
    """Whether one page is fetched at a time."""


class SessionState(StrEnum):
    """The state of a session."""

    CONNECTING = "connecting"
    OPEN = "open"
    CLOSED = "closed"
    """It ended, asked to or not; `Session.why` says."""


def _forget(opening: Opening) -> None:
    """Keep nothing."""


class Settings(msgspec.Struct, frozen=True):
    """How to talk to a target."""

    era: Era | None = None
    """None: find out."""
    revision: str = ""
    """A version string to use and no other; "" for the newest."""
    clocks: Timeouts = msgspec.field(default_factory=Timeouts)
    probe_silence_s: float = 2.0
    offers: frozenset[str] = frozenset()
    """What questions of the server are offered an answer, by the names of `protocol.offers`."""
    prepared: "tuple[Prepared, ...]" = ()
    """Responses without a user, tried in order."""
    policies: "tuple[tuple[str, Policy], ...]" = ()
    """Who answers before those, by name."""
    roots: tuple[Root, ...] = ()
    extensions: Advertised = Advertised()
    model: ModelChoice | None = None
    """A real model for sampling requests that nothing prepared answers."""
    lists: ListWishes = msgspec.field(default_factory=ListWishes)
    has_person: bool = False
    """Whether a user responds to what has no prepared response."""
    authorizer: "Callable[[str], Authorizer] | None" = None
    """Makes the authorizer for a server's URL; None: a rejection is final."""
    retry_calls: bool = False
    """Whether to make calls again whose stream was cut, whatever they do."""
    limits: Limits = LIMITS
    guide: "Guide | None" = None
    """The guide through a login, for the screen to show; None: there is none."""
    profile: "ClientProfile | None" = None
    """The client to behave like."""
    remembered: Era | None = None
    """What the target was found to be in an earlier run."""
    revealed: Era | None = None
    """What its command reveals; used where nothing is remembered."""
    remember: Callable[[Opening], None] = _forget
    started: "Started | None" = None
    """The server of a command, where it was started ahead; the session takes it over."""
