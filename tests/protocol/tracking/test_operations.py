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
    assert [operation.exchanges for operation in tracker.operations] == [[1], [2, 3]]


def test_a_cursor_that_nobody_gave_is_a_wish_of_its_own() -> None:
    tracker = OperationTracker()
    tracker.opened(of(1), {"cursor": "?"})
    tracker.opened(of(2, "tools/call"), {"cursor": "?"})
    assert [operation.exchanges for operation in tracker.operations] == [[1], [2]]
