"""Exchange: a request and what answered it. Operation: the exchanges that serve one wish.

Both are records that the conversation's trackers fill in as frames come; everybody else only reads them.
"""

from enum import StrEnum

import msgspec

from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import RequestId


class ExchangeState(StrEnum):
    """The state of an exchange."""

    PENDING = "pending"
    ANSWERED = "answered"
    """A result came. Whether it is a tool's own error (`isError`) is `Exchange.tool_error`."""
    ERROR = "error"
    """A JSON-RPC error came."""
    CANCELLED = "cancelled"
    """The requester cancelled it, and no response arrived since."""
    LATE = "late"
    """Something came after it was cancelled or had been answered."""
    LOST = "lost"
    """The connection, or the HTTP exchange that carried it, ended before an answer."""


class Progress(msgspec.Struct, frozen=True, gc=False):
    """The latest progress of a request."""

    progress: float
    total: float | None
    message: str
    frame: int
    count: int
    """How many such notifications came so far."""
    began: float = 0.0
    """What the first of them said."""
    began_ns: int = 0
    time_ns: int = 0
    """When the newest came, by the clock of `began_ns`."""
    raw: str = ""
    """The value in place of the number, if it is not one; foreign JSON, truncated."""
    wrong: str = ""
    """What is wrong with the values that came so far, in our words, with commas; "" if nothing is."""

    @property
    def rate(self) -> float | None:
        """Progress per second since the first notification; None if unknown."""
        lasted = self.time_ns - self.began_ns
        return None if lasted <= 0 or self.count < 2 or self.raw else (self.progress - self.began) * 1e9 / lasted


class Exchange(msgspec.Struct, weakref=True):
    """A request and what answered it."""

    number: int
    """From 1, in the order of the requests, both directions together."""
    sender: Direction
    """The direction of the request; the two directions have separate id spaces."""
    id: RequestId
    method: str
    target: str
    """What it is about: a tool's or prompt's name, a uri; "" if there is nothing to name."""
    request_frame: int
    started_ns: int
    revision: str | None = None
    """The revision this request declared itself, or the conversation's at that time; None before any is known."""
    probe: bool = False
    http: int | None = None
    state: ExchangeState = ExchangeState.PENDING
    answer_frame: int | None = None
    ended_ns: int | None = None
    error_code: int | None = None
    tool_error: bool = False
    asks: bool = False
    """Whether its result was no result yet, but questions."""
    retried: bool = False
    """Whether a later request has brought the answers to them."""
    progress_token: RequestId | None = None
    progress: Progress | None = None
    operation: int | None = None
    why: str = ""
    """Why it was cancelled or lost, if that is known; of one with a response, why its result is not complete."""

    @property
    def duration_ns(self) -> int | None:
        """From the request's frame to what ended it; None while pending."""
        return None if self.ended_ns is None else self.ended_ns - self.started_ns

    @property
    def is_open(self) -> bool:
        """Whether an answer is still awaited."""
        return self.state is ExchangeState.PENDING


class Operation(msgspec.Struct, frozen=True):
    """The exchanges that serve one wish: the pages of a list, a call and its retries."""

    number: int
    exchanges: tuple[int, ...]
    """Numbers of its exchanges, oldest first. The first one's method and target are those of the whole."""
