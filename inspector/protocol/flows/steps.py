"""Steps that flows yield, and the possible outcomes of a request. A driver performs the steps.

A flow is a generator: it yields a Step and receives its outcome. It has no clock, no socket and no shared state, so
it can be tested with a list of replies.
"""

from collections.abc import Generator, Sequence
from typing import Any, TypeVar

import msgspec

from inspector.errors import UsageError
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Cause
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.revisions._shape import Cancel, Carriage, Revision
from inspector.protocol.revisions.table import ROWS
from inspector.protocol.server_requests import ServerRequest

T = TypeVar("T")


class Send(msgspec.Struct, frozen=True):
    """Send a request and wait for its outcome, a Reply."""

    method: str
    params: Any = None
    revision: Revision | None = None
    """Revision for metadata and headers; None for the session's, or none before one is settled."""
    cause: Cause | None = None
    """Why it is sent; None for the cause of the flow."""
    silence_s: float | None = None
    """Timeout in seconds; None for the session's timeouts."""
    or_late: Exchange | None = None
    """An earlier exchange whose late response is accepted instead."""
    input_schema: Any = None
    """Input schema of the called tool, for the headers that mirror parameters."""
    progress: bool = False
    """Whether to request progress notifications."""
    endless: bool = False
    """Whether no response is expected unless something fails: no timeout applies."""


class RequestUserInput(msgspec.Struct, frozen=True):
    """Get the user's responses to server requests: a `Reply` each, in order, or None if the user gives none."""

    server_requests: tuple[ServerRequest, ...]
    patience_s: float | None = None
    """Seconds until the outcome is StillWaiting; then the same questions may be awaited again. None for no limit."""


class StillWaiting(msgspec.Struct, frozen=True):
    """The questions are not answered yet."""


class Withdraw(msgspec.Struct, frozen=True):
    """The responses to server requests are no longer needed; no outcome."""

    server_requests: tuple[ServerRequest, ...]
    why: str


class WaitForNews(msgspec.Struct, frozen=True):
    """Wait for an update of a server task, at most for a time. The outcome is the known task, or None."""

    task: str
    """Id of the task."""
    seconds: float


class Pause(msgspec.Struct, frozen=True):
    """Do nothing for a while; no outcome."""

    seconds: float


class Notice(msgspec.Struct, frozen=True):
    """Show the user a notice of one sentence; no outcome."""

    what: str


class SendBatch(msgspec.Struct, frozen=True):
    """Send several requests as one frame and wait for all. The outcome is a Reply for each, in order."""

    sends: tuple[Send, ...]


class Await(msgspec.Struct, frozen=True):
    """Continue waiting for a request that was already sent. The outcome is a Reply."""

    exchange: Exchange
    silence_s: float | None = None
    """Timeout in seconds; None for the session's timeouts."""


class Drop(msgspec.Struct, frozen=True):
    """Stop waiting for a request that was sent earlier; no outcome. Over HTTP its exchange ends.

    On stdio it stays open: a late answer is still shown.
    """

    exchange: Exchange


class Restart(msgspec.Struct, frozen=True):
    """stdio only: restart, once, a server that exited while we connect. The outcome is how it exited, one sentence.

    The outcome is "" if it was not restarted: because it was restarted before, or had not read anything.
    """

    why: str
    """What caused the exit, for the capture."""


class Notify(msgspec.Struct, frozen=True):
    """Send a notification; the outcome is "", or why it could not be sent."""

    method: str
    params: Any = None


class UseCarriage(msgspec.Struct, frozen=True):
    """HTTP only: switch to another transport variant. The outcome is "", or why that failed."""

    carriage: Carriage


class OpenStream(msgspec.Struct, frozen=True):
    """HTTP sessions only: open the standalone stream. No outcome: a server may reject it."""

    revision: Revision


Step = (
    Send
    | RequestUserInput
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
    """A response was received."""

    message: ResultResponse | ErrorResponse
    exchange: Exchange
    still_open: Exchange | None = None
    """The request that is still waiting, if this is a late response to an earlier one (`Send.or_late`)."""
    status: int | None = None
    """HTTP status of the response; None if unknown."""


class Silent(msgspec.Struct, frozen=True):
    """No response in time."""

    exchange: Exchange | None
    seconds: float
    clock: str
    """Which timeout expired: "idle" or "total"."""


class Refused(msgspec.Struct, frozen=True):
    """The HTTP exchange ended without a JSON-RPC response."""

    exchange: Exchange | None
    status: int | None
    content_type: str
    body: bytes
    """The beginning of the body, as evidence."""
    headers: tuple[tuple[str, str], ...] = ()
    why: str = ""
    begun: bool = False
    """Whether a successful response was interrupted: the server accepted the request and may have executed it."""


class Broken(msgspec.Struct, frozen=True):
    """The connection ended, or could not be established."""

    exchange: Exchange | None
    why: str
    hint: str = ""
    unreached: bool = False
    """Whether it could not be established, at least for this request."""
    no_response: bool = False
    """Whether it was established, but closed without an HTTP response to this request."""
    no_entry: bool = False
    """Whether credentials are missing because a login failed."""


class GivenUp(msgspec.Struct, frozen=True):
    """The client cancelled the request."""

    exchange: Exchange | None
    why: str = ""


Reply = Replied | Silent | Refused | Broken | GivenUp

Flow = Generator[Step, Any, T]
"""Generator that yields steps and returns T.

It is sent a Reply (Send, Await), several (SendBatch), a string (Notify, UseCarriage, Restart) or None (OpenStream).
"""


# Cancelling a request: by a notification, or over stateless HTTP by closing its stream.


def cancel(exchange: Exchange, revision: Revision | None, *, over_http: bool, reason: str) -> Notify | None:
    """Return the notification to send; None if there is none: then only the response stream, if any, is closed."""
    if exchange.method == "initialize":
        return None
    if over_http and revision is not None and revision.cancel is Cancel.CLOSE_STREAM:
        return None
    return Notify("notifications/cancelled", {"requestId": exchange.id, "reason": reason})


# Sending several requests as one frame, in the one revision whose clients may (2025-03-26, basic: batching).


def batch(requests: Sequence[tuple[str, Any]], *, revision: Revision) -> Flow[tuple[Reply, ...]]:
    """Send requests (method and params each) as one frame, and return the outcome of each, in order.

    Raises: UsageError if the revision has no batches, or if there is nothing to send.
    """
    if not revision.batches:
        dates = ", ".join(row.date for row in ROWS if row.batches)
        raise UsageError(f"{revision.date} has no batches", hint=f"Connect with --revision {dates} to send one.")
    if not requests or any(method == "initialize" for method, _ in requests):
        raise UsageError("a batch needs at least one request, and must not contain initialize")
    replies: tuple[Reply, ...] = yield SendBatch(tuple(Send(m, params, revision=revision) for m, params in requests))
    return replies
