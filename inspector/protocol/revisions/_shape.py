"""What a Revision is: facts as data, and the name of one of a few strategies where behaviour differs.

Each row after the first is the row before, evolved, so that a row's file reads like that revision's changelog.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import msgspec


class Era(StrEnum):
    """The two ways a conversation can be opened."""

    LEGACY = "legacy"
    """A handshake (`initialize`) settles the revision for the whole conversation."""
    MODERN = "modern"
    """No handshake: each request declares its revision; `server/discover` asks what there is."""


class Carriage(StrEnum):
    """How messages travel over HTTP."""

    STATELESS = "stateless"
    """One POST, one response or stream; closing it cancels."""
    SESSIONS = "sessions"
    """Session id, GET stream, resumption, DELETE."""
    LEGACY_SSE = "legacy_sse"
    """A GET stream to receive; the URL to send to is in its first event."""


class Stamp(StrEnum):
    """What each request carries about its sender."""

    NOTHING = "nothing"
    META = "_meta"
    """Version, client info and capabilities under `io.modelcontextprotocol/` in `params._meta`."""


class SubscriptionMethod(StrEnum):
    """How a client asks to hear of changes."""

    SUBSCRIBE = "resources/subscribe"
    LISTEN = "subscriptions/listen"


class LogLevel(StrEnum):
    """How a client asks for log messages."""

    REQUEST = "logging/setLevel"
    META = "_meta"


class Cancel(StrEnum):
    """How a client gives a request up over HTTP; over stdio it is the notification everywhere."""

    NOTIFICATION = "notifications/cancelled"
    CLOSE_STREAM = "close the stream"


class TaskSupport(StrEnum):
    """Where long-running work is defined."""

    NONE = "none"
    CORE = "core, experimental"
    EXTENSION = "extension"


class StructuredContent(StrEnum):
    """What `structuredContent` may be."""

    NONE = "none"
    OBJECT = "object"
    ANY = "any JSON"


class Revision(msgspec.Struct, frozen=True):
    """One row of the table. Sets are complete, not what this revision added."""

    date: str
    """The version string on the wire; an identifier, never compared by order."""
    page: str
    """Where it is specified."""
    changelog: str
    """What it changed against the row before; "" for the first."""
    era: Era
    carriage: Carriage
    client_requests: frozenset[str]
    server_requests: frozenset[str]
    """Requests of its own that a server may send. Empty where questions travel inside results."""
    client_notifications: frozenset[str]
    server_notifications: frozenset[str]
    content_types: frozenset[str]
    """Blocks that a tool's result and a prompt's message may contain."""
    error_names: Mapping[int, str]
    """What the specification calls its own error codes; JSON-RPC's five included."""
    stamp: Stamp = Stamp.NOTHING
    watch: SubscriptionMethod = SubscriptionMethod.SUBSCRIBE
    log_level: LogLevel = LogLevel.REQUEST
    cancel: Cancel = Cancel.NOTIFICATION
    tasks: TaskSupport = TaskSupport.NONE
    structured: StructuredContent = StructuredContent.NONE
    version_header: bool = False
    """`MCP-Protocol-Version` on every HTTP request after the opening one."""
    routing_headers: bool = False
    """`Mcp-Method`, `Mcp-Name`, `Mcp-Param-*`."""
    batches: bool = False
    """Whether a client may send an array of messages. Arrays are accepted everywhere."""
    resumable: bool = False
    """Whether an interrupted stream is resumed with `Last-Event-ID`."""
    ids_unique_in_session: bool = True
    """Whether a request id may be used once only; else it must only differ from those in flight."""
    result_type: bool = False
    """Whether every result must say its `resultType`."""
    cache_hints: frozenset[str] = frozenset()
    """Methods whose results must carry `ttlMs` and `cacheScope`."""
    questions: frozenset[str] = frozenset()
    """Methods by which a server may ask the person, however they travel."""
    features: frozenset[str] = msgspec.field(default_factory=frozenset)
    """Members and behaviours that exist from some revision on, by a short name ("title", "icons", …)."""

    agreed: str = ""
    """The version that `initialize` has settled, where it is one without a handshake and the rules are this row's."""

    @property
    def in_header(self) -> str:
        """The version that `MCP-Protocol-Version` carries: the one that was negotiated."""
        return self.agreed or self.date

    @property
    def named(self) -> str:
        """For a person: the date and its era."""
        return f"{self.date} ({self.era})"

    def evolve(
        self,
        date: str,
        *,
        page: str,
        changelog: str,
        add: Mapping[str, Iterable[Any]] | None = None,
        drop: Mapping[str, Iterable[Any]] | None = None,
        **changed: Any,
    ) -> "Revision":
        """The next row: this one, with members added to and dropped from its sets, and other facts replaced."""
        sets: dict[str, Any] = {}
        for name in {*(add or {}), *(drop or {})}:
            before = getattr(self, name)
            sets[name] = (before - frozenset((drop or {}).get(name, ()))) | frozenset((add or {}).get(name, ()))
        return msgspec.structs.replace(self, date=date, page=page, changelog=changelog, **sets, **changed)
