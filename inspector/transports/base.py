"""Interface between the session and the transports.

Ordering rule: a transport calls `Observer.frame` right at the synchronous write, before any `await`, and at the
read, before anyone can act on what was read. A frame exists because it crossed the wire, never because it was meant
to. A transport parses no JSON: what it must know about a message is in `Outgoing`.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

import msgspec

from inspector.protocol.facts import Fact, Headers
from inspector.protocol.frames import Cause, Channel, Direction, Eol, SseFacts

MESSAGE = 256 * 1024 * 1024
RATIO = 100
REDIRECTS = 5
PAGES = 1000
ITEMS = 100_000
SCHEMA = 100_000
PATTERN = 100


class MessageObserver(Protocol):
    """Receives reports of single messages and facts. Never raises, never awaits."""

    def frame(
        self,
        direction: Direction,
        channel: Channel,
        payload: bytes,
        *,
        eol: Eol = Eol.NONE,
        http: int | None = None,
        sse: SseFacts | None = None,
        cause: Cause = Cause.UNKNOWN,
        cut: int = 0,
    ) -> None:
        """Report a frame that has just crossed the wire.

        Of a frame over the size limit, `payload` is the beginning and `cut` the number of bytes removed.
        """

    def fact(self, fact: Fact) -> None:
        """Report a fact that has just happened."""


class Observer(MessageObserver, Protocol):
    """Receives the reports of a transport: the journal, or lists in tests."""

    def burst(self, direction: Direction, channel: Channel, lines: Sequence[tuple[bytes, Eol]]) -> None:
        """Report frames read in one piece: payloads, and how each line ended."""

    def stderr_lines(self, lines: Sequence[tuple[bytes, Eol]]) -> None:
        """Report lines of stderr read in one piece: payloads, and how each ended (NONE: no line end yet)."""


class Expects(StrEnum):
    """What the other side is expected to do with a message from us."""

    ANSWER = "answer"
    """The message is a request."""
    NOTHING = "nothing"
    """The message is a notification or a response."""


class Outgoing(msgspec.Struct, frozen=True):
    """An outgoing message as bytes, with what its transport must know about it."""

    payload: bytes
    expects: Expects
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    """HTTP only: headers added by the revision (MCP-Protocol-Version, Mcp-Method, …)."""
    opens_session: bool = False
    """True for `initialize`: the session id in its response is stored and sent from then on."""
    cause: Cause = Cause.UNKNOWN
    """Why it is sent. Recorded with its frame, over HTTP also with those of the response."""
    eol: Eol = Eol.LF
    """Stdio only: how the line ends."""


class Delivery(msgspec.Struct, frozen=True):
    """What the transport reports once it has delivered a message."""

    answer_may_follow: bool
    """Whether the response can still arrive on another channel (stdio, legacy HTTP+SSE, 202, a resumable stream).

    False: the exchange is over, and requests without a response will never get one.
    """
    status: int | None = None
    """HTTP status; None on stdio and memory."""
    content_type: str = ""
    headers: Headers = ()
    body: bytes = b""
    """First 64 KiB of a response body that is not an event stream, for the analysis of a failure."""
    why: str = ""
    """Why it ended incomplete ("stream closed by the server"), or ""."""
    begun: bool = False
    """Whether the server accepted the message and began to respond, by an event stream or an interrupted body."""


class Transport(Protocol):
    @property
    def kind(self) -> str:
        """One of "stdio", "http", "sse", "memory"."""

    async def open(self, observer: Observer) -> None:
        """Connect, or start the child, and begin to report. Over HTTP nothing is sent yet, except with LEGACY_SSE.

        Raises: ConnectError, with the evidence and what to do.
        """

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Send one message; return when it is written (stdio), or when the response is read to its end (HTTP).

        Frames are observed in the order of the calls. Cancelling the call abandons the exchange: over HTTP the
        response stream is closed (in 2026-07-28 that cancels the request), over stdio bytes already written stay
        written and a line is never cut in the middle.

        Raises: Disconnected if the connection is lost; ConnectError if the server can't be reached for this message.
        """

    async def close(self) -> None:
        """End the connection as its revision requires, then force it. A second call does nothing.

        When it returns no task, thread, socket or child of this transport is left.
        """

    async def wait_closed(self) -> str:
        """Wait until either side ends the connection. Several callers may wait.

        Return why, as one sentence; "" if `close` was called.
        """


# Limits: no honest server reaches the defaults, and each can be changed


class Limits(msgspec.Struct, frozen=True):
    """Limits that the user can change."""

    message: int = MESSAGE
    """Maximum size of one message in bytes: a line, a body, an event."""
    ratio: int = RATIO
    """Maximum number of bytes that one byte of a compressed body may expand to."""
    redirects: int = REDIRECTS
    """Maximum number of redirects per request."""
    pages: int = PAGES
    """Maximum number of pages per list."""
    items: int = ITEMS
    """Maximum number of items per list. The page that exceeds it is the last."""
    schema: int = SCHEMA
    """Maximum number of parts of a validated schema, and of validation steps. Applies to the whole process."""
    pattern: int = PATTERN
    """Milliseconds of a search for a schema's `pattern`. Applies to the whole process."""


LIMITS = Limits()
