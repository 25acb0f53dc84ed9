"""Exchange: a request and its response. Operation: the exchanges that serve one user action.

Both are records that the conversation's trackers update with each frame. Other code only reads them.
"""

from enum import StrEnum

import msgspec

from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import RequestId


class ExchangeState(StrEnum):
    PENDING = "pending"
    ANSWERED = "answered"
    """A result arrived. A tool error (`isError`) is in `Exchange.tool_error`."""
    ERROR = "error"
    """A JSON-RPC error arrived."""
    CANCELLED = "cancelled"
    """The requester cancelled it, and no response has arrived since."""
    LATE = "late"
    """A response arrived after it was cancelled or answered."""
    LOST = "lost"
    """The connection, or the HTTP exchange that carried it, ended before a response."""


class Progress(msgspec.Struct, frozen=True, gc=False):
    """The latest progress of a request."""

    progress: float
    total: float | None
    message: str
    frame: int
    count: int
    """Number of progress notifications so far."""
    began: float = 0.0
    """Progress value of the first notification."""
    began_ns: int = 0
    time_ns: int = 0
    """Time of the latest notification, on the same clock as `began_ns`."""
    raw: str = ""
    """The invalid value in place of the number, as truncated JSON of the server; "" if it is a number."""
    wrong: str = ""
    """Defects of the values so far, as comma-separated phrases; "" if there are none."""

    @property
    def rate(self) -> float | None:
        """Progress per second since the first notification; None if unknown."""
        lasted = self.time_ns - self.began_ns
        return None if lasted <= 0 or self.count < 2 or self.raw else (self.progress - self.began) * 1e9 / lasted


class Exchange(msgspec.Struct, weakref=True):
    number: int
    """Counted from 1 in the order of the requests, both directions together."""
    sender: Direction
    """The direction of the request; the two directions have separate id spaces."""
    id: RequestId
    method: str
    target: str
    """What the request is about, such as a tool name or a URI; "" if there is nothing to name."""
    request_frame: int
    started_ns: int
    revision: str | None = None
    """Revision declared by the request, otherwise that of the conversation at the time; None if not known yet."""
    probe: bool = False
    http: int | None = None
    session: int = 0
    """Number of its session among those that a tap over HTTP has recorded; 0 for the first one, and elsewhere."""
    state: ExchangeState = ExchangeState.PENDING
    answer_frame: int | None = None
    ended_ns: int | None = None
    error_code: int | None = None
    tool_error: bool = False
    asks: bool = False
    """Whether its result requests input (`input_required`)."""
    retried: bool = False
    """Whether a later request carried the responses."""
    progress_token: RequestId | None = None
    progress: Progress | None = None
    operation: int | None = None
    why: str = ""
    """Why it was cancelled or lost, if known. If it has a response: why its result is incomplete."""

    @property
    def duration_ns(self) -> int | None:
        """Time from the request's frame to its end; None while pending."""
        return None if self.ended_ns is None else self.ended_ns - self.started_ns

    @property
    def is_open(self) -> bool:
        """Whether it still waits for a response."""
        return self.state is ExchangeState.PENDING


class Operation(msgspec.Struct, frozen=True):
    """The exchanges that serve one user action: the pages of a list, a call and its retries."""

    number: int
    exchanges: tuple[int, ...]
    """Numbers of its exchanges, oldest first. The first one defines the method and target of the operation."""
