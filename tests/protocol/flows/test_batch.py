"""Several requests in one frame, where that is legal."""

import pytest

from inspector.errors import UsageError
from inspector.protocol.flows.batch import batch
from inspector.protocol.flows.steps import Send, SendBatch
from inspector.protocol.revisions.table import ROWS
from tests.protocol.flows.scripted import Played, result

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
