"""What is lost with an HTTP exchange, and what can still be hoped for."""

import pytest

from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import CLIENT_LEFT, CLOSED_HERE, GIVEN_UP_HERE
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import ErrorResponse, Part, Request, ResultResponse
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import ROWS, newest_of
from inspector.protocol.tracking.exchanges import NO_ANSWER, HttpEnd, OperationTracker, Pairs, what_is_lost

LEGACY, MODERN = newest_of(Era.LEGACY).date, newest_of(Era.MODERN).date
LOST, CANCELLED = ExchangeState.LOST, ExchangeState.CANCELLED


def exchange(revision: str | None, sender: Direction = Direction.TO_SERVER) -> Exchange:
    return Exchange(1, sender, 1, "tools/call", "a", 1, 0, revision, http=1)


@pytest.mark.parametrize(
    "end", [HttpEnd(1, CLOSED_HERE, 200, is_stream=True), HttpEnd(1, GIVEN_UP_HERE), HttpEnd(1, CLIENT_LEFT)]
)
def test_stream_end_cancels_in_modern_revisions(end: HttpEnd) -> None:
    assert what_is_lost(exchange(MODERN), end) == (CANCELLED, end.why)
    assert what_is_lost(exchange(LEGACY), end) == (LOST, end.why)


@pytest.mark.parametrize("revision", [None, "unheard of", *(row.date for row in ROWS)])
def test_a_cut_or_refused_exchange_is_lost_in_every_revision(revision: str | None) -> None:
    cut = HttpEnd(1, "the connection was reset", 200, is_stream=True)
    assert what_is_lost(exchange(revision), cut) == (LOST, "the connection was reset")
    for status in (404, 302):
        assert what_is_lost(exchange(revision), HttpEnd(1, "", status)) == (LOST, NO_ANSWER)
        assert what_is_lost(exchange(revision), HttpEnd(1, "", status, is_stream=True)) == (LOST, NO_ANSWER)


@pytest.mark.parametrize("revision", [None, LEGACY, MODERN])
def test_a_body_without_the_answer_ends_the_wait_for_it(revision: str | None) -> None:
    assert what_is_lost(exchange(revision), HttpEnd(1, "", 200)) == (LOST, NO_ANSWER)


@pytest.mark.parametrize("end", [HttpEnd(1), HttpEnd(1, "", 202), HttpEnd(1, "", 202, is_stream=True)])
def test_accepted_request_is_not_lost(end: HttpEnd) -> None:
    assert what_is_lost(exchange(LEGACY), end) is None


def test_a_stream_that_can_be_resumed_may_still_bring_the_answer() -> None:
    end = HttpEnd(1, "", 200, is_stream=True)
    assert what_is_lost(exchange(LEGACY), end) is None
    assert what_is_lost(exchange(None), end) is None
    assert what_is_lost(exchange(MODERN), end) == (LOST, NO_ANSWER)


def of(number: int, method: str = "tools/list") -> Exchange:
    return Exchange(number, Direction.TO_SERVER, number, method, "", number, 0)


def test_two_lists_of_the_same_kind_at_once_keep_their_pages_apart() -> None:
    tracker = OperationTracker()
    first, second = of(1), of(2)
    tracker.opened(first, None)
    tracker.opened(second, None)
    tracker.answered(first, {"nextCursor": "a2"})
    tracker.answered(second, {"nextCursor": "b2"})
    tracker.opened(of(3), {"cursor": "b2"})
    assert [list(operation.exchanges) for operation in tracker.operations] == [[1], [2, 3]]


def test_unknown_cursor_starts_a_new_operation() -> None:
    tracker = OperationTracker()
    tracker.opened(of(1), {"cursor": "?"})
    tracker.opened(of(2, "tools/call"), {"cursor": "?"})
    assert [list(operation.exchanges) for operation in tracker.operations] == [[1], [2]]


ASKS = {"resultType": "input_required", "inputRequests": {"who": {}}, "requestState": "s1"}
BOOK = {"name": "book", "arguments": {"a": 1, "b": 2}}


def calls(tracker: OperationTracker, number: int, params: object, result: object = None) -> None:
    exchange = of(number, "tools/call")
    tracker.opened(exchange, params)
    if result is not None:
        tracker.asked(exchange, params, result)


def linked(tracker: OperationTracker) -> list[list[int]]:
    return [list(operation.exchanges) for operation in tracker.operations]


def test_retry_with_responses_belongs_to_its_call() -> None:
    tracker = OperationTracker()
    calls(tracker, 1, BOOK | {"_meta": {"progressToken": 1}}, ASKS)
    retry = {"arguments": {"b": 2, "a": 1}, "name": "book", "_meta": {"progressToken": 2}}
    calls(tracker, 2, retry | {"inputResponses": {"who": {}}, "requestState": "s1"}, ASKS | {"requestState": "s2"})
    calls(tracker, 3, BOOK | {"inputResponses": {"who": {}}, "requestState": "s2"})
    assert linked(tracker) == [[1, 2, 3]]


def test_a_round_without_questions_is_linked_by_its_state() -> None:
    tracker = OperationTracker()
    calls(tracker, 1, BOOK, {"resultType": "input_required", "requestState": "s"})
    calls(tracker, 2, BOOK | {"requestState": "s"})
    assert linked(tracker) == [[1, 2]]


def test_answers_to_other_keys_with_another_state_or_other_params_are_a_wish_of_their_own() -> None:
    tracker = OperationTracker()
    calls(tracker, 1, BOOK, ASKS)
    calls(tracker, 2, BOOK | {"inputResponses": {"whom": {}}, "requestState": "s1"})
    calls(tracker, 3, BOOK | {"inputResponses": {"who": {}}, "requestState": "s9"})
    calls(tracker, 4, BOOK | {"name": "cook", "inputResponses": {"who": {}}, "requestState": "s1"})
    assert linked(tracker) == [[1], [2], [3], [4]]


def test_ambiguous_retry_is_not_linked() -> None:
    tracker = OperationTracker()
    calls(tracker, 1, BOOK, ASKS)
    calls(tracker, 2, BOOK, ASKS)
    calls(tracker, 3, BOOK | {"inputResponses": {"who": {}}, "requestState": "s1"})
    assert linked(tracker) == [[1], [2], [3]]


def test_an_answered_question_is_not_answered_again() -> None:
    tracker = OperationTracker()
    calls(tracker, 1, BOOK, ASKS)
    calls(tracker, 2, BOOK | {"inputResponses": {"who": {}}, "requestState": "s1"})
    calls(tracker, 3, BOOK | {"inputResponses": {"who": {}}, "requestState": "s1"})
    assert linked(tracker) == [[1, 2], [3]]


C2S, S2C = Direction.TO_SERVER, Direction.FROM_SERVER


def frame(n: int, direction: Direction, http: int | None = None, channel: Channel = Channel.MEMORY) -> Frame:
    return Frame(n, n, n, direction, channel, b"", http=http)


def test_an_id_used_again_after_its_answer_opens_a_new_exchange() -> None:
    pairs = Pairs()
    for n in (1, 3):
        pairs.open(frame(n, C2S), Request(1, "m"), target="", revision=None)
        pairs.close(frame(n + 1, S2C), ResultResponse(1, Part(None, {})))
    assert [exchange.answer_frame for exchange in pairs.exchanges] == [2, 4]


def test_a_request_whose_id_is_used_again_before_its_answer_is_lost_and_not_pending_for_ever() -> None:
    pairs = Pairs()
    for n in (1, 2):
        pairs.open(frame(n, C2S), Request(1, "m"), target="", revision=None)
    pairs.close(frame(3, S2C), ResultResponse(1, Part(None, {})))
    assert [exchange.state for exchange in pairs.exchanges] == [ExchangeState.LOST, ExchangeState.ANSWERED]
    assert "its id" in pairs.exchanges[0].why


def test_error_without_id_is_not_assigned_between_two_requests() -> None:
    pairs = Pairs()
    for id_ in (1, 2):
        pairs.open(frame(id_, C2S, 5), Request(id_, "m"), target="", revision=None)
    exchange, late = pairs.close(frame(3, S2C, 5), ErrorResponse(None, Part(None, {})))
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
    exchange, late = pairs.close(frame(10, S2C, 2), ResultResponse(1, Part(None, {})))
    assert exchange is not None
    assert (late, exchange.state, exchange.why, exchange.ended_ns) == (False, ExchangeState.ANSWERED, "", 10)


def test_error_with_unknown_id_belongs_to_its_post() -> None:
    pairs = Pairs()
    pairs.open(frame(1, C2S, 1), Request(1, "m"), target="", revision=None)
    strange = ErrorResponse("server-error", Part(None, {"code": -32600}))
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
    exchange, late = pairs.close(frame(3, S2C), ErrorResponse(1, Part(None, {"code": -1})))
    assert late
    assert exchange is not None
    assert (exchange.state, exchange.error_code) == (ExchangeState.LATE, -1)
    assert pairs.find_open(C2S, 1) is None


def test_open_on_lists_requests_of_an_http_exchange() -> None:
    pairs = Pairs()
    for id_ in range(6):
        pairs.open(frame(id_ + 1, C2S, 7), Request(id_, "m"), target="", revision=None)
    pairs.open(frame(7, C2S), Request(9, "m"), target="", revision=None)
    pairs.close(frame(8, S2C), ResultResponse(0, Part(None, {})))
    pairs.cancel(frame(9, C2S), 1, "")
    pairs.open(frame(10, C2S, 8), Request(2, "again"), target="", revision=None)
    assert [each.id for each in pairs.open_on(7)] == [2, 3, 4, 5]
    assert [each.method for each in pairs.open_on(8)] == ["again"]
    pairs.lose_on(7, 11, lambda each: (ExchangeState.LOST, "") if each.id == 3 else None)
    assert [each.id for each in pairs.pending] == [4, 5, 9, 2]
    pairs.lose(12, "over")
    assert pairs.open_on(7) == pairs.open_on(8) == []
