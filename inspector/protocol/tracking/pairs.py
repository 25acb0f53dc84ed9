"""Which answer belongs to which request.

Two id spaces, one a direction, and ids of a type: 1 is not "1". An id may come again once it has been answered
(always in 2026-07-28, wrongly before), so the open requests are a table and all exchanges are a list.
An error without an id goes to the request whose HTTP exchange carried it, if exactly one is open there.
"""

from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Request, RequestId

_OTHER = {Direction.TO_SERVER: Direction.FROM_SERVER, Direction.FROM_SERVER: Direction.TO_SERVER}


class Pairs:
    """All exchanges of a conversation."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        """Exchange number n stands at position n - 1."""
        self._open: dict[tuple[Direction, RequestId], Exchange] = {}
        self._ended: dict[tuple[Direction, RequestId], Exchange] = {}

    def open(self, frame: Frame, request: Request, *, target: str, revision: str | None) -> Exchange:
        """A request was sent. One with the id of an open request takes the place of that one in the table."""
        exchange = Exchange(
            number=len(self.exchanges) + 1,
            sender=frame.direction,
            id=request.id,
            method=request.method,
            target=target,
            request_frame=frame.n,
            started_ns=frame.time_ns,
            revision=revision,
            probe=frame.probe,
            http=frame.http,
        )
        self.exchanges.append(exchange)
        self._open[frame.direction, request.id] = exchange
        return exchange

    def close(self, frame: Frame, message: Answer | ErrorAnswer) -> tuple[Exchange | None, bool]:
        """An answer came: its exchange, and whether it came too late. (None, False) if it belongs to none."""
        asker = _OTHER[frame.direction]
        if message.id is None:
            exchange = self._alone_on(frame.http, asker)
        else:
            exchange = self._open.get((asker, message.id))
        if exchange is None:
            ended = None if message.id is None else self._ended.get((asker, message.id))
            if ended is not None:
                self._came_late(ended, frame, message)
            return ended, ended is not None
        del self._open[asker, exchange.id]
        self._ended[asker, exchange.id] = exchange
        self._settle(exchange, frame, message)
        return exchange, False

    def cancel(self, frame: Frame, id_: RequestId, why: str) -> Exchange | None:
        """The side that sent a request takes it back; None if no such request is open."""
        exchange = self._open.pop((frame.direction, id_), None)
        if exchange is not None:
            self._ended[frame.direction, id_] = exchange
            exchange.state, exchange.ended_ns, exchange.why = ExchangeState.CANCELLED, frame.time_ns, why
        return exchange

    def lose(self, time_ns: int, why: str, *, http: int | None = None) -> list[Exchange]:
        """The connection, or one HTTP exchange, ended: what is open on it stays unanswered."""
        lost = [exchange for exchange in self._open.values() if http is None or exchange.http == http]
        for exchange in lost:
            del self._open[exchange.sender, exchange.id]
            self._ended[exchange.sender, exchange.id] = exchange
            exchange.state, exchange.ended_ns, exchange.why = ExchangeState.LOST, time_ns, why
        return lost

    def find_open(self, sender: Direction, id_: RequestId) -> Exchange | None:
        """The open request of that id."""
        return self._open.get((sender, id_))

    @property
    def pending(self) -> list[Exchange]:
        """What is still awaited, oldest first."""
        return list(self._open.values())

    def _alone_on(self, http: int | None, asker: Direction) -> Exchange | None:
        if http is None:
            return None
        there = [exchange for exchange in self._open.values() if exchange.http == http and exchange.sender is asker]
        return there[0] if len(there) == 1 else None

    def _settle(self, exchange: Exchange, frame: Frame, message: Answer | ErrorAnswer) -> None:
        exchange.answer_frame, exchange.ended_ns = frame.n, frame.time_ns
        if isinstance(message, ErrorAnswer):
            exchange.error_code = message.code
            exchange.state = ExchangeState.ERROR
        else:
            exchange.state = ExchangeState.ANSWERED

    def _came_late(self, exchange: Exchange, frame: Frame, message: Answer | ErrorAnswer) -> None:
        if exchange.answer_frame is None:
            exchange.answer_frame = frame.n
            if isinstance(message, ErrorAnswer):
                exchange.error_code = message.code
        if exchange.state in (ExchangeState.CANCELLED, ExchangeState.LOST):
            exchange.state = ExchangeState.LATE
