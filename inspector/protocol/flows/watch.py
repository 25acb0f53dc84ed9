"""How a client asks to hear of changes, and what the end of such a request means.

A `subscriptions/listen` request stays open for as long as the stream lasts. Its result is the server's word that it
has ended the stream on purpose; without one it was cut, and may be asked for again: nothing is replayed.

Source: specification, server/resources (subscriptions); 2026-07-28, basic/patterns/subscriptions.
"""

from enum import StrEnum
from typing import assert_never

from inspector.protocol.flows.steps import Broken, Flow, GivenUp, Refused, Replied, Reply, Send, Silent
from inspector.protocol.jsonrpc import ErrorAnswer
from inspector.protocol.tracking.subscriptions import LISTEN, SUBSCRIBE, UNSUBSCRIBE, StreamFilter

_LATER = {408, 425, 429}
"""Refusals that a later attempt may not meet, beside the server's own troubles."""


def subscribe(uri: str) -> Flow[Reply]:
    """Ask for the updates of a resource, in the handshake era."""
    reply: Reply = yield Send(SUBSCRIBE, {"uri": uri})
    return reply


def unsubscribe(uri: str) -> Flow[Reply]:
    """Ask for them no longer."""
    reply: Reply = yield Send(UNSUBSCRIBE, {"uri": uri})
    return reply


def listen(wanted: StreamFilter) -> Flow[Reply]:
    """Open a stream and stay until it ends; what ended it."""
    reply: Reply = yield Send(LISTEN, {"notifications": wanted.as_json()}, endless=True)
    return reply


class StreamEnd(StrEnum):
    """Why a stream is over."""

    BY_SERVER = "ended by the server"
    """On purpose: it has said so."""
    CUT = "cut"
    """The stream broke, and may be asked for again."""
    REFUSED = "refused"
    """Asking again would bring the same."""
    BY_US = "given up"
    OVER = "over"
    """The whole connection is gone."""


def end_of(reply: Reply) -> tuple[StreamEnd, str]:
    """What a stream's end means, and why it came, in a few words that may quote the server."""
    match reply:
        case Replied(message) if isinstance(message, ErrorAnswer):
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
