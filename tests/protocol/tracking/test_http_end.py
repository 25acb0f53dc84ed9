"""What is lost with an HTTP exchange, and what can still be hoped for."""

import pytest

from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import CLOSED_HERE, GIVEN_UP_HERE
from inspector.protocol.frames import Direction
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import ROWS, newest_of
from inspector.protocol.tracking.http_end import NO_ANSWER, HttpEnd, what_is_lost

LEGACY, MODERN = newest_of(Era.LEGACY).date, newest_of(Era.MODERN).date
LOST, CANCELLED = ExchangeState.LOST, ExchangeState.CANCELLED


def exchange(revision: str | None, sender: Direction = Direction.TO_SERVER) -> Exchange:
    return Exchange(1, sender, 1, "tools/call", "a", 1, 0, revision, http=1)


@pytest.mark.parametrize("end", [HttpEnd(1, CLOSED_HERE, 200, is_stream=True), HttpEnd(1, GIVEN_UP_HERE)])
def test_closing_the_stream_cancels_where_the_revision_says_so(end: HttpEnd) -> None:
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
def test_what_was_only_accepted_is_still_awaited(end: HttpEnd) -> None:
    assert what_is_lost(exchange(LEGACY), end) is None


def test_a_stream_that_can_be_resumed_may_still_bring_the_answer() -> None:
    end = HttpEnd(1, "", 200, is_stream=True)
    assert what_is_lost(exchange(LEGACY), end) is None
    assert what_is_lost(exchange(None), end) is None
    assert what_is_lost(exchange(MODERN), end) == (LOST, NO_ANSWER)
