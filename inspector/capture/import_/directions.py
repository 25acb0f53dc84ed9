"""Who sent a message, where nobody has written it down: known by its method, or by whose request it answers.

A method of neither side, such as `ping`, counts as the client's, and so does an answer to nothing as the server's.
"""

from inspector.protocol import peek
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Notification, Request, RequestId, read

_OF_SERVER = frozenset(
    {
        *("sampling/createMessage", "elicitation/create", "roots/list"),
        *("notifications/message", "notifications/progress", "notifications/elicitation/complete"),
        *("notifications/tools/list_changed", "notifications/prompts/list_changed"),
        *("notifications/resources/list_changed", "notifications/resources/updated"),
        *("notifications/subscriptions/acknowledged", "notifications/tasks/status"),
    }
)
_MOST = 100_000
"""Requests whose answers are awaited."""


class Directions:
    """What is known so far of the messages of one session."""

    def __init__(self) -> None:
        self._open: dict[tuple[Direction, RequestId], None] = {}

    def of(self, payload: bytes) -> Direction:
        """Who sent this frame, the next of its session."""
        found = Direction.FROM_SERVER
        for at, message in enumerate(read(payload)):
            one = self._of(message)
            found = one if at == 0 else found
        return found

    def _of(self, message: object) -> Direction:
        if isinstance(message, Request | Notification):
            sender = self._sender(message)
            if isinstance(message, Request):
                self._open[sender, message.id] = None
                if len(self._open) > _MOST:
                    del self._open[next(iter(self._open))]
            return sender
        if isinstance(message, Answer | ErrorAnswer) and message.id is not None:
            return self._answering(message.id)
        return Direction.FROM_SERVER

    def _sender(self, message: Request | Notification) -> Direction:
        if message.method == "notifications/cancelled":
            id_ = peek.request_id(message.params, "requestId")
            theirs = id_ is not None and (Direction.FROM_SERVER, id_) in self._open
            ours = id_ is not None and (Direction.TO_SERVER, id_) in self._open
            return Direction.FROM_SERVER if theirs and not ours else Direction.TO_SERVER
        return Direction.FROM_SERVER if message.method in _OF_SERVER else Direction.TO_SERVER

    def _answering(self, id_: RequestId) -> Direction:
        """Of two open requests with one id, the older is answered."""
        asked = next((key for key in self._open if key[1] == id_ and type(key[1]) is type(id_)), None)
        if asked is None:
            return Direction.FROM_SERVER
        del self._open[asked]
        return Direction.TO_SERVER if asked[0] is Direction.FROM_SERVER else Direction.FROM_SERVER
