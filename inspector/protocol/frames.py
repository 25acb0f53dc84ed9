"""Frame: one thing that crossed the wire, exactly as it crossed. Beside it the facts of its carriage.

This file does not know JSON. A frame is bytes; that a frame may be no message at all is the point.
"""

from enum import StrEnum

import msgspec


class Direction(StrEnum):
    """Who sent it. Client and server are the MCP roles."""

    TO_SERVER = "c2s"
    FROM_SERVER = "s2c"


class Channel(StrEnum):
    """Where on the carriage it crossed."""

    STDIN = "stdin"
    STDOUT = "stdout"
    POST = "post"
    """The body of an HTTP POST."""
    REPLY = "reply"
    """The body of an HTTP response other than an event stream."""
    SSE = "sse"
    """An event on the stream that answers a POST."""
    GET = "get"
    """An event on a stream opened by GET (the standalone stream, a resumed one, or legacy HTTP+SSE)."""
    MEMORY = "memory"
    """Two ends in one process."""


class Eol(StrEnum):
    """What ended the frame on a line-based channel; NONE elsewhere, and for a tail cut by the end of the stream."""

    LF = "lf"
    CRLF = "crlf"
    NONE = "none"


class SseFacts(msgspec.Struct, frozen=True, gc=False):
    """What the event that carried a frame said beside its data. None means the event had no such line."""

    event: str | None = None
    id: str | None = None
    retry: int | None = None


class Frame(msgspec.Struct, frozen=True):
    """One thing that crossed the wire, exactly as it crossed."""

    n: int
    """Its number in the journal, from 1, in the order of observation; shared with the other records."""
    time_ns: int
    """Monotonic clock, nanoseconds: orders and measures."""
    wall_ns: int
    """Wall clock, nanoseconds since 1970: correlates machines."""
    direction: Direction
    channel: Channel
    payload: bytes
    """Without the line's end. May be empty, may be no JSON, may be no UTF-8."""
    eol: Eol = Eol.NONE
    http: int | None = None
    """The HTTP exchange it belongs to, numbered from 1 within the connection; None on stdio."""
    sse: SseFacts | None = None
    probe: bool = False
    """Sent to find something out: the server's era, or what it says to what it should refuse; or the answer to that."""
    cut: int = 0
    """How many bytes came behind the payload and were not kept: the whole was over the limit for one message.

    Of a body, of which nothing is read past the limit, there may be more.
    """
