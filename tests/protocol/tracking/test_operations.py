"""Which exchanges serve one wish."""

from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from inspector.protocol.tracking.operations import OperationTracker


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


def test_a_cursor_that_nobody_gave_is_a_wish_of_its_own() -> None:
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


def test_a_retry_with_the_answers_belongs_to_the_call_that_was_asked() -> None:
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


def test_where_two_earlier_calls_fit_none_is_linked() -> None:
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
