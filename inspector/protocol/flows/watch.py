"""Flows that subscribe to changes, and the meaning of a stream's end.

A `subscriptions/listen` request stays open as long as its stream. Its result means that the server ended the stream
on purpose. Without a result the stream was cut and may be requested again; missed notifications are not replayed.

Source: specification, server/resources (subscriptions); 2026-07-28, basic/patterns/subscriptions.
"""

from enum import StrEnum
from typing import assert_never

from inspector.protocol.flows.steps import Broken, Flow, GivenUp, Refused, Replied, Reply, Send, Silent
from inspector.protocol.jsonrpc import ErrorResponse
from inspector.protocol.tracking.subscriptions import LISTEN, SUBSCRIBE, UNSUBSCRIBE, StreamFilter

_LATER = {408, 425, 429}
"""Temporary HTTP errors, in addition to 5xx."""


class StreamEnd(StrEnum):
    """Why a stream ended."""

    BY_SERVER = "ended by the server"
    """The server ended it on purpose, with a result."""
    CUT = "cut"
    """The stream was interrupted and may be requested again."""
    REFUSED = "refused"
    """Another request would be refused, too."""
    BY_US = "given up"
    OVER = "over"
    """The whole connection ended."""


def subscribe(uri: str) -> Flow[Reply]:
    """Subscribe to a resource, in the handshake era."""
    reply: Reply = yield Send(SUBSCRIBE, {"uri": uri})
    return reply


def unsubscribe(uri: str) -> Flow[Reply]:
    """Unsubscribe from a resource, in the handshake era."""
    reply: Reply = yield Send(UNSUBSCRIBE, {"uri": uri})
    return reply


def listen(wanted: StreamFilter) -> Flow[Reply]:
    """Open a stream and wait until it ends. Return what ended it."""
    reply: Reply = yield Send(LISTEN, {"notifications": wanted.as_json()}, endless=True)
    return reply


def end_of(reply: Reply) -> tuple[StreamEnd, str]:
    """Return the meaning of a stream's end, and its reason in a few words that may quote the server."""
    match reply:
        case Replied(message) if isinstance(message, ErrorResponse):
            return StreamEnd.REFUSED, f"the server answered with error {message.code}: {message.message}"
        case Replied():
            return StreamEnd.BY_SERVER, "the server ended it"
        case Refused(_, status, _, _, _, why):
            if status is None or 200 <= status < 300:
                return StreamEnd.CUT, why
            passing = status >= 500 or status in _LATER
            return StreamEnd.CUT if passing else StreamEnd.REFUSED, f"HTTP {status}"
        case Broken(_, why, _, unreached):
            return StreamEnd.CUT if unreached else StreamEnd.OVER, why
        case GivenUp(_, why):
            return StreamEnd.BY_US, why
        case Silent():
            return StreamEnd.CUT, f"no data for {reply.seconds:g} s"
        case _:
            assert_never(reply)
