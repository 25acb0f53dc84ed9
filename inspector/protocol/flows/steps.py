"""The steps a flow can ask for, and what can come of sending. Flows yield these; a driver performs them.

A flow is a generator: it yields a Step and is sent its outcome. It has no clock, no socket and no state but
its own, so that each can be tested line by line with a list of replies.
"""

from collections.abc import Generator, Sequence
from typing import Any, TypeVar

import msgspec

from inspector.errors import UsageError
from inspector.protocol.exchanges import Exchange
from inspector.protocol.jsonrpc import Answer, ErrorAnswer
from inspector.protocol.questions import Question
from inspector.protocol.revisions._shape import Cancel, Carriage, Revision
from inspector.protocol.revisions.table import ROWS


class Send(msgspec.Struct, frozen=True):
    """Send a request and wait for its outcome: a Reply."""

    method: str
    params: Any = None
    revision: Revision | None = None
    """By whose rules it is stamped and gets headers; None: the session's, or none before any is settled."""
    probe: bool = False
    silence_s: float | None = None
    """How long to wait; None: the session's clocks."""
    or_late: Exchange | None = None
    """An earlier exchange whose late answer is as welcome as this one's."""
    input_schema: Any = None
    """Of the tool being called, for the headers that mirror parameters."""
    progress: bool = False
    """Whether to ask for progress notifications."""
    endless: bool = False
    """Whether no response is expected unless something fails: no timeout applies."""


class AskPerson(msgspec.Struct, frozen=True):
    """Get responses to server requests: a Reply of `questions` each, in order, or None if no one responds."""

    questions: tuple[Question, ...]
    patience_s: float | None = None
    """After how long StillAsked comes of it instead; the same questions may then be awaited again. None: never."""


class StillAsked(msgspec.Struct, frozen=True):
    """Questions are not answered yet."""


class Withdraw(msgspec.Struct, frozen=True):
    """The responses to server requests are no longer needed; no outcome."""

    questions: tuple[Question, ...]
    why: str


class WaitForNews(msgspec.Struct, frozen=True):
    """Wait until there is news of a task of the server's, or for so long; what is known of it comes of it, or None."""

    task: str
    """Its id."""
    seconds: float


class Pause(msgspec.Struct, frozen=True):
    """Do nothing for a while; no outcome."""

    seconds: float


class Notice(msgspec.Struct, frozen=True):
    """Show the user a notice of one sentence; no outcome."""

    what: str


class SendBatch(msgspec.Struct, frozen=True):
    """Send several requests as one frame and wait for all: a Reply each, in their order."""

    sends: tuple[Send, ...]


class Await(msgspec.Struct, frozen=True):
    """Go on waiting for a request that was sent before: a Reply."""

    exchange: Exchange
    silence_s: float | None = None
    """How long; None: the session's clocks."""


class Drop(msgspec.Struct, frozen=True):
    """Stop waiting for a request that was sent earlier; no outcome. Over HTTP its exchange ends.

    On stdio it stays open: a late answer is still shown.
    """

    exchange: Exchange


class Restart(msgspec.Struct, frozen=True):
    """stdio only: start a server once more that has exited while we connect; how it exited comes of it, one sentence.

    "" comes of it where nothing was started: it works once, and only if the server had read anything.
    """

    why: str
    """What the exit followed, for the capture."""


class Notify(msgspec.Struct, frozen=True):
    """Send a notification; the outcome is "", or why it could not be sent."""

    method: str
    params: Any = None


class UseCarriage(msgspec.Struct, frozen=True):
    """HTTP only: travel another way from now on; "" comes of it, or why that does not work."""

    carriage: Carriage


class OpenStream(msgspec.Struct, frozen=True):
    """HTTP sessions only: open the standalone stream. No outcome: a server may reject it."""

    revision: Revision


Step = (
    Send
    | AskPerson
    | Withdraw
    | WaitForNews
    | Pause
    | Notice
    | SendBatch
    | Await
    | Drop
    | Restart
    | Notify
    | UseCarriage
    | OpenStream
)


class Replied(msgspec.Struct, frozen=True):
    """An answer came."""

    message: Answer | ErrorAnswer
    exchange: Exchange
    still_open: Exchange | None = None
    """The request that was waited for, where this is the late answer to an earlier one (`Send.or_late`)."""
    status: int | None = None
    """HTTP status of the response that carried it; None if nothing says."""


class Silent(msgspec.Struct, frozen=True):
    """No response in time."""

    exchange: Exchange | None
    seconds: float
    clock: str
    """Which clock ran out: "idle" or "total"."""


class Refused(msgspec.Struct, frozen=True):
    """The HTTP exchange ended without an answer."""

    exchange: Exchange | None
    status: int | None
    content_type: str
    body: bytes
    """Its beginning, for the evidence."""
    headers: tuple[tuple[str, str], ...] = ()
    why: str = ""
    begun: bool = False
    """Whether a successful response was interrupted: the server accepted the request, and may have done it."""


class Broken(msgspec.Struct, frozen=True):
    """The connection ended, or could not be made."""

    exchange: Exchange | None
    why: str
    hint: str = ""
    unreached: bool = False
    """Whether it could not be made, for this request at least."""
    no_response: bool = False
    """Whether it was made, and closed without an HTTP response to this request."""
    no_entry: bool = False
    """Whether credentials are missing: a login was tried and failed."""


class GivenUp(msgspec.Struct, frozen=True):
    """The client cancelled it."""

    exchange: Exchange | None
    why: str = ""


Reply = Replied | Silent | Refused | Broken | GivenUp

T = TypeVar("T")
Flow = Generator[Step, Any, T]
"""Yields steps and returns T.

It is sent a Reply (Send, Await), several (SendBatch), a string (Notify, UseCarriage, Restart) or None (OpenStream).
"""


# How a request is given up: by a notification, or over stateless HTTP by closing its stream.


def cancel(exchange: Exchange, revision: Revision | None, *, over_http: bool, reason: str) -> Notify | None:
    """What to send; None where nothing is: closing the response stream, if there is one, is all that is left."""
    if exchange.method == "initialize":
        return None
    if over_http and revision is not None and revision.cancel is Cancel.CLOSE_STREAM:
        return None
    return Notify("notifications/cancelled", {"requestId": exchange.id, "reason": reason})


# How several requests are sent as one frame, in the one revision whose clients may (2025-03-26, basic:
# batching).


def batch(requests: Sequence[tuple[str, Any]], *, revision: Revision) -> Flow[tuple[Reply, ...]]:
    """Send requests (method and params each) as one frame; the outcome of each, in order.

    Raises: UsageError where the revision has no batches, or where there is nothing that may be sent as one.
    """
    if not revision.batches:
        dates = ", ".join(row.date for row in ROWS if row.batches)
        raise UsageError(f"{revision.date} has no batches", hint=f"Connect with --revision {dates} to send one.")
    if not requests or any(method == "initialize" for method, _ in requests):
        raise UsageError("a batch needs at least one request, and must not contain initialize")
    replies: tuple[Reply, ...] = yield SendBatch(tuple(Send(m, params, revision=revision) for m, params in requests))
    return replies
