"""Which request a progress notification speaks of: the one that gave its token, in the other direction."""

from collections import OrderedDict
from typing import Any

from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, Progress
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import RequestId

_REMEMBERED = 4_000
"""So many tokens are known, and those of all requests that are open."""


class ProgressTracker:
    """Tokens given out, and by which exchange.

    A token given twice speaks of the newer request, and keeps speaking of it for long after the answer: late
    progress still finds its request.
    """

    def __init__(self) -> None:
        self._by_token: OrderedDict[tuple[Direction, RequestId], Exchange] = OrderedDict()

    def opened(self, exchange: Exchange, params: Any) -> None:
        """A request may have given a token."""
        token = _token(peek.at(params, "_meta", "progressToken"))
        if token is not None:
            exchange.progress_token = token
            self._by_token[exchange.sender, token] = exchange
            self._by_token.move_to_end((exchange.sender, token))
            self._forget_the_oldest()

    def notified(self, frame: Frame, params: Any) -> Exchange | None:
        """The request that a notification speaks of, with its progress set; None if its token is nobody's."""
        token = _token(peek.at(params, "progressToken"))
        asker = Direction.TO_SERVER if frame.direction is Direction.FROM_SERVER else Direction.FROM_SERVER
        exchange = None if token is None else self._by_token.get((asker, token))
        if exchange is None:
            return None
        count = exchange.progress.count + 1 if exchange.progress else 1
        exchange.progress = Progress(
            progress=peek.number(params, "progress") or 0.0,
            total=peek.number(params, "total"),
            message=peek.text(params, "message") or "",
            frame=frame.n,
            count=count,
        )
        return exchange

    def _forget_the_oldest(self) -> None:
        """Let go of a request that has ended long ago; one that is still open is as good as new."""
        while len(self._by_token) > _REMEMBERED:
            key, exchange = next(iter(self._by_token.items()))
            self._by_token.move_to_end(key)
            if not exchange.is_open:
                del self._by_token[key]
            else:
                return


def _token(value: Any) -> RequestId | None:
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None
