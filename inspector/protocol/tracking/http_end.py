"""What the end of an HTTP exchange means for a request that is still open on it.

Who carries it knows more: whether a stream will be resumed, whether the answer comes by another one. A recorded
conversation has facts only, so this says what they allow, and an answer that comes after all settles the request.
"""

import msgspec

from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import CLOSED_HERE, GIVEN_UP_HERE
from inspector.protocol.frames import Direction
from inspector.protocol.revisions._shape import Cancel, Era, Revision
from inspector.protocol.revisions.table import find, newest_of

ACCEPTED = 202
NO_ANSWER = "the response ended without an answer"
"""Why a request is lost whose HTTP exchange went well, or was refused: the status stands beside it."""


class HttpEnd(msgspec.Struct, frozen=True):
    """How an HTTP exchange ended."""

    http: int
    why: str = ""
    """Why before its time; "" if the body was read to its end."""
    status: int = 0
    """0 if no response was seen."""
    is_stream: bool = False
    """Whether the response was a stream of events."""


def what_is_lost(exchange: Exchange, end: HttpEnd) -> tuple[ExchangeState, str] | None:
    """The state of an open request and why; None while its answer can still come."""
    row = _row(exchange)
    by_us = end.why in (CLOSED_HERE, GIVEN_UP_HERE) and exchange.sender is Direction.TO_SERVER
    if by_us and row.cancel is Cancel.CLOSE_STREAM:
        return ExchangeState.CANCELLED, end.why
    if end.why:
        return ExchangeState.LOST, end.why
    refused = end.status != 0 and not 200 <= end.status < 300
    if not refused and (end.status in (0, ACCEPTED) or (end.is_stream and row.resumable)):
        return None
    return ExchangeState.LOST, NO_ANSWER


def _row(exchange: Exchange) -> Revision:
    """By whose rules: its own, or where none is settled yet those that are slowest to give up."""
    return find(exchange.revision or "") or newest_of(Era.LEGACY)
