"""Which answer belongs to which request, at the edges."""

from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Part, Request
from inspector.protocol.tracking.pairs import Pairs

C2S, S2C = Direction.TO_SERVER, Direction.FROM_SERVER


def frame(n: int, direction: Direction, http: int | None = None, channel: Channel = Channel.MEMORY) -> Frame:
    return Frame(n, n, n, direction, channel, b"", http=http)


def test_an_id_used_again_after_its_answer_opens_a_new_exchange() -> None:
    pairs = Pairs()
    for n in (1, 3):
        pairs.open(frame(n, C2S), Request(1, "m"), target="", revision=None)
        pairs.close(frame(n + 1, S2C), Answer(1, Part(None, {})))
    assert [exchange.answer_frame for exchange in pairs.exchanges] == [2, 4]


def test_a_request_whose_id_is_used_again_before_its_answer_is_lost_and_not_pending_for_ever() -> None:
    pairs = Pairs()
    for n in (1, 2):
        pairs.open(frame(n, C2S), Request(1, "m"), target="", revision=None)
    pairs.close(frame(3, S2C), Answer(1, Part(None, {})))
    assert [exchange.state for exchange in pairs.exchanges] == [ExchangeState.LOST, ExchangeState.ANSWERED]
    assert "its id" in pairs.exchanges[0].why


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
    assert pairs.lose_on(2, 9, lambda exchange: None) == []
    (lost,) = pairs.lose_on(1, 9, lambda exchange: (ExchangeState.LOST, "cut"))
    assert (lost.id, lost.state, lost.why, lost.ended_ns) == (1, ExchangeState.LOST, "cut", 9)
    assert [exchange.id for exchange in pairs.pending] == [2]


def test_an_answer_that_comes_by_another_stream_after_all_settles_what_was_given_up() -> None:
    pairs = Pairs()
    pairs.open(frame(1, C2S, 1), Request(1, "m"), target="", revision=None)
    pairs.lose_on(1, 9, lambda exchange: (ExchangeState.LOST, "cut"))
    exchange, late = pairs.close(frame(10, S2C, 2), Answer(1, Part(None, {})))
    assert exchange is not None
    assert (late, exchange.state, exchange.why, exchange.ended_ns) == (False, ExchangeState.ANSWERED, "", 10)


def test_an_error_with_an_id_that_nobody_used_belongs_to_the_post_whose_body_it_is() -> None:
    pairs = Pairs()
    pairs.open(frame(1, C2S, 1), Request(1, "m"), target="", revision=None)
    strange = ErrorAnswer("server-error", Part(None, {"code": -32600}))
    assert pairs.close(frame(2, S2C, 2, Channel.REPLY), strange) == (None, False)
    assert pairs.close(frame(3, S2C, 1, Channel.SSE), strange) == (None, False)
    exchange, _ = pairs.close(frame(4, S2C, 1, Channel.REPLY), strange)
    assert exchange is not None
    assert (exchange.id, exchange.state, exchange.answer_frame) == (1, ExchangeState.ERROR, 4)
    assert pairs.pending == []


def test_an_answer_to_a_lost_request_is_late() -> None:
    pairs = Pairs()
    pairs.open(frame(1, C2S), Request(1, "m"), target="", revision=None)
    pairs.lose(2, "cut")
    exchange, late = pairs.close(frame(3, S2C), ErrorAnswer(1, Part(None, {"code": -1})))
    assert late
    assert exchange is not None
    assert (exchange.state, exchange.error_code) == (ExchangeState.LATE, -1)
    assert pairs.find_open(C2S, 1) is None


def test_what_is_open_on_an_http_exchange_is_known_until_it_ends_in_whatever_way() -> None:
    pairs = Pairs()
    for id_ in range(6):
        pairs.open(frame(id_ + 1, C2S, 7), Request(id_, "m"), target="", revision=None)
    pairs.open(frame(7, C2S), Request(9, "m"), target="", revision=None)
    pairs.close(frame(8, S2C), Answer(0, Part(None, {})))
    pairs.cancel(frame(9, C2S), 1, "")
    pairs.open(frame(10, C2S, 8), Request(2, "again"), target="", revision=None)
    pairs.lose_on(7, 11, lambda each: (ExchangeState.LOST, "") if each.id == 3 else None)
    assert [each.id for each in pairs.open_on(7)] == [4, 5]
    assert [each.method for each in pairs.open_on(8)] == ["again"]
    pairs.lose(12, "over")
    assert pairs.open_on(7) == pairs.open_on(8) == []
