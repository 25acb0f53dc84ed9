"""Which answer belongs to which request, at the edges."""

from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Part, Request
from inspector.protocol.tracking.pairs import Pairs

C2S, S2C = Direction.TO_SERVER, Direction.FROM_SERVER


def frame(n: int, direction: Direction, http: int | None = None) -> Frame:
    return Frame(n, n, n, direction, Channel.MEMORY, b"", http=http)


def test_an_id_used_again_after_its_answer_opens_a_new_exchange() -> None:
    pairs = Pairs()
    for n in (1, 3):
        pairs.open(frame(n, C2S), Request(1, "m"), target="", revision=None)
        pairs.close(frame(n + 1, S2C), Answer(1, Part(None, {})))
    assert [exchange.answer_frame for exchange in pairs.exchanges] == [2, 4]


def test_an_id_used_again_before_its_answer_hides_the_first_request() -> None:
    pairs = Pairs()
    for n in (1, 2):
        pairs.open(frame(n, C2S), Request(1, "m"), target="", revision=None)
    pairs.close(frame(3, S2C), Answer(1, Part(None, {})))
    assert [exchange.state for exchange in pairs.exchanges] == [ExchangeState.PENDING, ExchangeState.ANSWERED]


def test_an_error_of_nobody_is_not_given_to_one_of_two_on_the_same_http_exchange() -> None:
    pairs = Pairs()
    for id_ in (1, 2):
        pairs.open(frame(id_, C2S, 5), Request(id_, "m"), target="", revision=None)
    exchange, late = pairs.close(frame(3, S2C, 5), ErrorAnswer(None, Part(None, {})))
    assert (exchange, late) == (None, False)
    assert len(pairs.pending) == 2


def test_one_http_exchange_can_be_lost_alone() -> None:
    pairs = Pairs()
    for id_ in (1, 2):
        pairs.open(frame(id_, C2S, id_), Request(id_, "m"), target="", revision=None)
    (lost,) = pairs.lose(9, "cut", http=1)
    assert lost.id == 1
    assert [exchange.id for exchange in pairs.pending] == [2]


def test_an_answer_to_a_lost_request_is_late() -> None:
    pairs = Pairs()
    pairs.open(frame(1, C2S), Request(1, "m"), target="", revision=None)
    pairs.lose(2, "cut")
    exchange, late = pairs.close(frame(3, S2C), ErrorAnswer(1, Part(None, {"code": -1})))
    assert late
    assert exchange is not None
    assert (exchange.state, exchange.error_code) == (ExchangeState.LATE, -1)
    assert pairs.find_open(C2S, 1) is None
