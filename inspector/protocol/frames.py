"""Frame: one unit transmitted on the wire, as exact bytes, with its transport metadata.

This module does not parse JSON. A frame may contain anything, also what is not a message.
"""

from enum import StrEnum

import msgspec


class Direction(StrEnum):
    """Direction of a frame. Client and server are the MCP roles."""

    TO_SERVER = "c2s"
    FROM_SERVER = "s2c"


class Channel(StrEnum):
    """The part of a transport that carried a frame."""

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
    """A connection between two ends in one process."""


class Eol(StrEnum):
    """Line ending of a frame on a line-based channel; NONE elsewhere, and for a tail cut by the end of the stream."""

    LF = "lf"
    CRLF = "crlf"
    NONE = "none"


class SseFacts(msgspec.Struct, frozen=True, gc=False):
    """Fields of the SSE event that carried a frame. None means the event had no such line."""

    event: str | None = None
    id: str | None = None
    retry: int | None = None


class Frame(msgspec.Struct, frozen=True):
    """One unit transmitted on the wire, as exact bytes."""

    n: int
    """Its number in the journal, from 1, in the order of observation; shared with the other records."""
    time_ns: int
    """Monotonic clock, nanoseconds: for order and durations."""
    wall_ns: int
    """Wall clock, nanoseconds since 1970: for correlation between machines."""
    direction: Direction
    channel: Channel
    payload: bytes
    """The content without its line ending. May be empty, invalid JSON or invalid UTF-8."""
    eol: Eol = Eol.NONE
    http: int | None = None
    """Number of its HTTP exchange, from 1 within the connection; None on stdio."""
    sse: SseFacts | None = None
    probe: bool = False
    """Whether it belongs to a probe, which tests the server's era or its error handling: request or response."""
    cut: int = 0
    """Bytes after the payload that were not kept, because the message exceeds the size limit.

    Of an HTTP body there may be more, because nothing is read past the limit.
    """
