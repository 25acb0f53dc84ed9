"""The fold of plain traffic, leaner: what it does is what `Conversation.observe` does, without telling what it meant.

Whoever reads a long recording needs no events, only what became of the conversation and one line of columns. Messages
with which anything is unusual are not taken here; whoever asks gives those to the conversation as frames.
"""

import msgspec

from inspector.protocol.conversation import Conversation
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import notification_in
from inspector.protocol.tracking.subscriptions import TELLING_OF_CHANGES
from inspector.protocol.tracking.tasks import TELLING
from inspector.protocol.visits import COMPLETE

_PROGRESS = "notifications/progress"
_TELLING = frozenset({_PROGRESS, "notifications/cancelled", COMPLETE, *TELLING, *TELLING_OF_CHANGES})
"""Notifications that the fold takes note of."""
_OTHER = {Direction.TO_SERVER: Direction.FROM_SERVER, Direction.FROM_SERVER: Direction.TO_SERVER}


class PlainNotification(msgspec.Struct, frozen=True, gc=False):
    """What was taken in."""

    method: str
    exchange: int = 0
    """The number of the exchange that it speaks of; 0 for none."""


class PlainFold:
    """A conversation, told of plain notifications."""

    def __init__(self, conversation: Conversation) -> None:
        self._exchanges = conversation.exchanges
        self._progress = conversation.progress

    def take(self, payload: str | bytes, n: int, time_ns: int, direction: Direction) -> PlainNotification | None:
        """Take in a frame that is one plain notification; None for any other, of which nothing was taken in."""
        found = notification_in(payload)
        if found is None:
            return None
        method, params = found
        if method != _PROGRESS:
            return None if method in _TELLING else PlainNotification(method)
        exchange = self._progress.notified_plainly(_OTHER[direction], params, n, time_ns)
        if exchange is None:
            return None
        self._exchanges.keep(exchange)
        return PlainNotification(method, exchange.number)
