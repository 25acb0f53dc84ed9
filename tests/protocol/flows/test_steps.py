"""Several requests in one frame, where that is legal."""

import pytest

from inspector.errors import UsageError
from inspector.protocol.flows.steps import Notify, Send, SendBatch, batch, cancel
from inspector.protocol.revisions.table import NEWEST, ROWS
from tests.protocol.flows.scripted import Played, exchange, result

PINGS = [("ping", None), ("tools/list", {"cursor": "2"})]


def test_requests_are_one_step_in_the_revision_that_has_batches() -> None:
    played = Played()
    replies = (result({}), result({"tools": []}))
    assert played.play(batch(PINGS, revision=ROWS[1]), [replies]) == replies
    (step,) = played.steps
    assert isinstance(step, SendBatch)
    assert step.sends == tuple(Send(method, params, revision=ROWS[1]) for method, params in PINGS)


@pytest.mark.parametrize("row", [ROWS[0], *ROWS[2:]], ids=lambda row: row.date)
def test_no_other_revision_sends_one_and_the_hint_names_the_one_that_does(row) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match="has no batches") as caught:
        Played().play(batch(PINGS, revision=row), [])
    assert ROWS[1].date in caught.value.hint


@pytest.mark.parametrize("requests", [[], [("initialize", {})]])
def test_nothing_and_initialize_are_no_batch(requests: list[tuple[str, object]]) -> None:
    with pytest.raises(UsageError):
        Played().play(batch(requests, revision=ROWS[1]), [])


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


def test_send_defaults_to_no_probe_and_session_timeouts() -> None:
    send = Send("tools/list")
    assert (send.cause, send.silence_s, send.revision, send.progress) == (None, None, None, False)
    assert Notify("n") == Notify("n", None)
