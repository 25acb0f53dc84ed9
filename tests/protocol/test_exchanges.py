"""An exchange knows how long it took, and whether it is still awaited."""

from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction


def test_a_pending_exchange_has_no_duration_yet() -> None:
    exchange = Exchange(1, Direction.TO_SERVER, 1, "m", "", 1, 100)
    assert (exchange.is_open, exchange.duration_ns) == (True, None)
    exchange.ended_ns, exchange.state = 350, ExchangeState.ANSWERED
    assert (exchange.is_open, exchange.duration_ns) == (False, 250)
