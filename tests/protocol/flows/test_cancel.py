"""What giving a request up sends, by revision and carriage."""

from inspector.protocol.flows.cancel import cancel
from inspector.protocol.flows.steps import Notify
from inspector.protocol.revisions.table import NEWEST, ROWS
from tests.protocol.flows.scripted import exchange

CANCELLED = Notify("notifications/cancelled", {"requestId": 1, "reason": "bored"})


def test_over_stdio_it_is_the_notification_in_every_revision() -> None:
    for row in ROWS:
        assert cancel(exchange(), row, over_http=False, reason="bored") == CANCELLED


def test_over_http_the_stateless_revision_closes_the_stream_instead() -> None:
    assert [cancel(exchange(), row, over_http=True, reason="bored") for row in ROWS] == [CANCELLED] * 4 + [None]


def test_initialize_is_never_cancelled() -> None:
    assert cancel(exchange("initialize"), ROWS[0], over_http=False, reason="") is None


def test_before_a_revision_is_settled_the_notification_is_sent() -> None:
    assert cancel(exchange(), None, over_http=False, reason="bored") == CANCELLED
    assert NEWEST is ROWS[-1]
