"""Revision: a protocol revision's facts as data, and a named strategy where behaviour differs.

Each row after the first evolves from the previous one, so that a row's file reads like that revision's changelog.
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
    """No handshake: each request declares its revision; `server/discover` returns what the server supports."""


class Carriage(StrEnum):
    """How messages are transmitted over HTTP."""

    STATELESS = "stateless"
    """One POST, one response or stream; closing it cancels."""
    SESSIONS = "sessions"
    """Session id, GET stream, resumption, DELETE."""
    LEGACY_SSE = "legacy_sse"
    """A GET stream to receive; its first event has the URL to send to."""


class Stamp(StrEnum):
    """What each request carries about its sender."""

    NOTHING = "nothing"
    META = "_meta"
    """Version, client info and capabilities under `io.modelcontextprotocol/` in `params._meta`."""


class SubscriptionMethod(StrEnum):
    """How a client subscribes to changes."""

    SUBSCRIBE = "resources/subscribe"
    LISTEN = "subscriptions/listen"


class LogLevel(StrEnum):
    """How a client requests log messages."""

    REQUEST = "logging/setLevel"
    META = "_meta"


class Cancel(StrEnum):
    """How a client cancels a request over HTTP; over stdio it is always the notification."""

    NOTIFICATION = "notifications/cancelled"
    CLOSE_STREAM = "close the stream"


class TaskSupport(StrEnum):
    """Where tasks are defined."""

    NONE = "none"
    CORE = "core, experimental"
    EXTENSION = "extension"


class StructuredContent(StrEnum):
    """Allowed values of `structuredContent`."""

    NONE = "none"
    OBJECT = "object"
    ANY = "any JSON"


class Revision(msgspec.Struct, frozen=True):
    """One row of the table. Sets are complete, not only what this revision added."""

    date: str
    """The version string on the wire; an identifier, never compared by order."""
    page: str
    """URL of the specification."""
    changelog: str
    """URL of the changes since the previous row; "" for the first."""
    era: Era
    carriage: Carriage
    client_requests: frozenset[str]
    server_requests: frozenset[str]
    """Requests that a server may send. Empty in the revision where requests for input are inside results."""
    client_notifications: frozenset[str]
    server_notifications: frozenset[str]
    content_types: frozenset[str]
    """Blocks that a tool's result and a prompt's message may contain."""
    error_names: Mapping[int, str]
    """Names of error codes in the specification, including the five of JSON-RPC."""
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
    result_type: bool = False
    """Whether every result must have a `resultType`."""
    cache_hints: frozenset[str] = frozenset()
    """Methods whose results must carry `ttlMs` and `cacheScope`."""
    input_requests: frozenset[str] = frozenset()
    """Methods by which a server may request user input, in requests or inside results."""
    features: frozenset[str] = msgspec.field(default_factory=frozenset)
    """Members and behaviours introduced by some revision, by a short name ("title", "icons", …)."""

    agreed: str = ""
    """The stateless-era version that `initialize` has nevertheless settled; the rules are those of this row."""

    @property
    def in_header(self) -> str:
        """The negotiated version, as sent in `MCP-Protocol-Version`."""
        return self.agreed or self.date

    @property
    def named(self) -> str:
        """Label for the user: the date and its era."""
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
        """Return the next row: this one with changes to its sets, and other facts replaced."""
        sets: dict[str, Any] = {}
        for name in {*(add or {}), *(drop or {})}:
            before = getattr(self, name)
            sets[name] = (before - frozenset((drop or {}).get(name, ()))) | frozenset((add or {}).get(name, ()))
        return msgspec.structs.replace(self, date=date, page=page, changelog=changelog, **sets, **changed)
