"""Frame: one unit transmitted on the wire, as exact bytes, with its transport metadata.

This module does not parse JSON. A frame may contain anything, also what is not a message.
"""

from enum import StrEnum

import msgspec


class Direction(StrEnum):
    """Direction of a frame. Client and server are the MCP roles, View and host those of MCP Apps."""

    TO_SERVER = "c2s"
    FROM_SERVER = "s2c"
    FROM_VIEW = "v2h"
    TO_VIEW = "h2v"

    @property
    def opposite(self) -> "Direction":
        """The direction of a response."""
        return _OPPOSITE[self]

    @property
    def is_of_view(self) -> bool:
        """Whether it passes between a View and its host, and not between the client and the server."""
        return self is Direction.FROM_VIEW or self is Direction.TO_VIEW

    @property
    def is_towards_server(self) -> bool:
        """Whether it goes towards the server: from the client, or from the View to the client, which is its host."""
        return self is Direction.TO_SERVER or self is Direction.FROM_VIEW


_OPPOSITE = {
    Direction.TO_SERVER: Direction.FROM_SERVER,
    Direction.FROM_SERVER: Direction.TO_SERVER,
    Direction.FROM_VIEW: Direction.TO_VIEW,
    Direction.TO_VIEW: Direction.FROM_VIEW,
}
SENDERS = {
    Direction.TO_SERVER: "client",
    Direction.FROM_SERVER: "server",
    Direction.FROM_VIEW: "View",
    Direction.TO_VIEW: "host",
}
"""Who sends a frame of a direction."""


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
    VIEW = "view"
    """The messages of a View, which is an MCP App in a web page."""


class Eol(StrEnum):
    """Line ending of a frame on a line-based channel; NONE elsewhere, and for a tail cut by the end of the stream."""

    LF = "lf"
    CRLF = "crlf"
    NONE = "none"


ENDINGS = {Eol.LF: b"\n", Eol.CRLF: b"\r\n", Eol.NONE: b""}


class Cause(StrEnum):
    """Why the client sends a message. The checks judge a response by what the server had to do with such a request."""

    UNKNOWN = ""
    """Another program sent it, or an older mcp-inspect."""
    USER = "user"
    """The user requested it, or a command that the user ran."""
    OPENING = "opening"
    """Connecting needs it, or the imitated client sends it then."""
    REFRESH = "refresh"
    """A list is fetched again because it has changed, or may have."""
    CHECK = "check"
    """`check` repeats what clients request first, such as a list, which must succeed each time."""
    PROBE = "probe"
    """It tests how the server reacts: to an invalid or unknown request, or to one of the other era."""
    RETRY = "retry"
    """A request is sent again: after a cut stream, an error that states its remedy, input, or a lost session."""
    POLL = "poll"
    """The status or the result of a task is requested."""
    ANSWER = "answer"
    """It is the response to a request of the server."""
    CANCEL = "cancel"
    """It cancels a request, after a timeout or for the user."""
    IN_PLACE = "in place"
    """It is from a person or a rule, in place of the server: nothing of it is the server's."""


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
    cause: Cause = Cause.UNKNOWN
    """Why the client sent it; of the HTTP response to a request, that of the request. UNKNOWN for other frames."""
    cut: int = 0
    """Bytes after the payload that were not kept, because the message exceeds the size limit.

    Of an HTTP body there may be more, because nothing is read past the limit.
    """
