"""The interface between the session and the transports.

The rule of order: a transport calls `Observer.frame` at the synchronous write, before any `await`, and at
the read, before anybody can act on what was read. A frame exists because it crossed, never because it was
meant to. A transport reads no JSON: what it must know about a message is in `Outgoing`.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

import msgspec

from inspector.protocol.facts import Fact, Headers
from inspector.protocol.frames import Channel, Direction, Eol, SseFacts


class Observer(Protocol):
    """Where a transport reports. The journal is one; tests have lists. Never raises, never awaits."""

    def frame(
        self,
        direction: Direction,
        channel: Channel,
        payload: bytes,
        *,
        eol: Eol = Eol.NONE,
        http: int | None = None,
        sse: SseFacts | None = None,
        probe: bool = False,
        cut: int = 0,
    ) -> None:
        """A frame crossed the wire just now; of one that was over the limit the beginning, and how much was cut."""

    def burst(self, direction: Direction, channel: Channel, lines: Sequence[tuple[bytes, Eol]]) -> None:
        """Frames crossed the wire just now, read in one piece: payloads, and how each line ended."""

    def stderr_lines(self, lines: Sequence[tuple[bytes, Eol]]) -> None:
        """Lines of the child's stderr, read in one piece: how each ended, and NONE where no end came (yet)."""

    def fact(self, fact: Fact) -> None:
        """Something happened beside the frames just now."""


class Expects(StrEnum):
    """What the other side will do with a message we send."""

    ANSWER = "answer"
    """It is a request."""
    NOTHING = "nothing"
    """It is a notification or an answer."""


class Outgoing(msgspec.Struct, frozen=True):
    """A message on its way out, as bytes, with what its carriage must know about it."""

    payload: bytes
    expects: Expects
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    """HTTP only: what the revision adds (MCP-Protocol-Version, Mcp-Method, …)."""
    opens_session: bool = False
    """True for `initialize`: a session id in its response is kept and sent from then on."""
    probe: bool = False
    """Sent to find something out, such as the server's era; its frames, both ways, are tagged."""


class Delivery(msgspec.Struct, frozen=True):
    """What the carriage can say once it is done with one message."""

    answer_may_follow: bool
    """True if the answer can still arrive on another channel (stdio, legacy HTTP+SSE, 202, a resumable
    stream). False: the exchange is over, and what has not been answered never will be."""
    status: int | None = None
    """HTTP status; None on stdio and memory."""
    content_type: str = ""
    headers: Headers = ()
    body: bytes = b""
    """The first 64 KiB of a response body that was no event stream: for the verdict on a failure."""
    why: str = ""
    """Why it ended without all that was expected ("stream closed by the server"), or ""."""
    begun: bool = False
    """True: the server accepted the message and began to respond, by an event stream or a body that was interrupted."""


class Transport(Protocol):
    """One connection to one server."""

    @property
    def kind(self) -> str:
        """One of "stdio", "http", "sse", "memory"."""

    async def open(self, observer: Observer) -> None:
        """Connect, or start the child, and begin to report. Over HTTP nothing is sent yet, except by LEGACY_SSE.

        Raises: ConnectError, with the evidence and what to do.
        """

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Carry one message and return when its carriage is done: written (stdio), or response read to its end (HTTP).

        Frames are observed in the order of the calls. Cancelling the call gives the exchange up: over HTTP the
        response stream is closed (in 2026-07-28 that is the cancel), over stdio bytes already written stay written
        and a line is never cut in the middle.

        Raises: Disconnected if the connection is gone; ConnectError if the server can't be reached for this message.
        """

    async def close(self) -> None:
        """End the connection in the way its revision asks for, then make sure. A second call does nothing.

        When it returns no task, thread, socket or child of this transport is left.
        """

    async def wait_closed(self) -> str:
        """Wait for the end, from either side; return why, one sentence, "" if `close` was called. Many may wait."""


# Limits: no honest server reaches the defaults, and each can be raised

MESSAGE = 256 * 1024 * 1024
RATIO = 100
REDIRECTS = 5
PAGES = 1000
ITEMS = 100_000
SCHEMA = 100_000
PATTERN = 100


class Limits(msgspec.Struct, frozen=True):
    """What a person may raise, or lower."""

    message: int = MESSAGE
    """Bytes of one message: a line, a body, an event."""
    ratio: int = RATIO
    """How many bytes one byte of a compressed body may unpack to."""
    redirects: int = REDIRECTS
    """How often one request may be sent on to another address."""
    pages: int = PAGES
    """Of one list."""
    items: int = ITEMS
    """Of one list; the page with one too many is the last."""
    schema: int = SCHEMA
    """Parts of a schema that values are validated against, and validation steps. It applies to the whole process."""
    pattern: int = PATTERN
    """Milliseconds of a search for a schema's `pattern`. It holds for the whole process."""


LIMITS = Limits()
"""The defaults."""
