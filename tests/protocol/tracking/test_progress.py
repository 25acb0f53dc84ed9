"""Which request a progress notification speaks of, at the edges."""

from inspector.protocol.exchange_log import ExchangeLog
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.tracking.progress import ProgressTracker

FRAME = Frame(9, 9, 9, Direction.FROM_SERVER, Channel.MEMORY, b"")


def asked(token: object) -> tuple[ProgressTracker, Exchange]:
    log, exchange = ExchangeLog(), Exchange(1, Direction.TO_SERVER, 1, "m", "", 1, 0)
    log.append(exchange)
    tracker = ProgressTracker(log)
    tracker.opened(exchange, {"_meta": {"progressToken": token}})
    return tracker, exchange


def test_a_token_of_the_wrong_type_is_none() -> None:
    wrong: list[object] = [True, 1.5, None, {}]
    for token in wrong:
        tracker, exchange = asked(token)
        assert exchange.progress_token is None
        assert tracker.notified(FRAME, {"progressToken": token}) is None


def test_a_token_that_comes_back_in_another_spelling_is_the_same_number() -> None:
    tracker, exchange = asked(7)
    assert tracker.notified(FRAME, {"progressToken": 7.0, "progress": 1}) is exchange


def test_progress_without_numbers_counts_as_a_word_of_progress() -> None:
    tracker, exchange = asked("t")
    tracker.notified(FRAME, {"progressToken": "t", "progress": "half"})
    tracker.notified(FRAME, {"progressToken": "t", "progress": 2, "total": 3})
    assert exchange.progress is not None
    assert (exchange.progress.progress, exchange.progress.total, exchange.progress.count) == (2, 3, 2)


def test_progress_in_the_wrong_direction_is_nobodys() -> None:
    tracker, _ = asked("t")
    wrong = Frame(9, 9, 9, Direction.TO_SERVER, Channel.MEMORY, b"")
    assert tracker.notified(wrong, {"progressToken": "t"}) is None


def test_progress_faults_are_kept_once() -> None:
    tracker, exchange = asked("t")
    for value in (3, 2, 5, 4, -1):
        tracker.notified(FRAME, {"progressToken": "t", "progress": value, "total": 4})
    assert exchange.progress is not None
    assert exchange.progress.wrong == "goes backwards, beyond the total, negative"
    assert (exchange.progress.began, exchange.progress.count) == (3, 5)
