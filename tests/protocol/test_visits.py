"""An error that asks for a visit first, and the word that it was made."""

from typing import Any

import pytest

from inspector.protocol.questions import Kind
from inspector.protocol.revisions.table import ROWS
from inspector.protocol.visits import COMPLETE, MOST, REQUIRED, Visits, visits_in
from tests.viewmodels.tape import Tape

PAY = {"mode": "url", "message": "Please pay.", "url": "https://pay.example/x", "elicitationId": "e1"}
KNOWS = next(row for row in ROWS if REQUIRED in row.error_names)


def error(*elicitations: Any, code: int = REQUIRED) -> dict[str, Any]:
    return {"code": code, "message": "first pay", "data": {"elicitations": list(elicitations)}}


def found(error: Any, revision: Any = KNOWS) -> Any:
    return visits_in(error, revision, exchange=3, frame=7, asked_ns=9)


def test_each_address_is_a_question_by_a_link() -> None:
    first, second = found(error(PAY, {"url": "https://b.example"}))
    assert (first.kind, first.mode, first.url, first.elicitation) == (Kind.ELICITATION, "url", PAY["url"], "e1")
    assert (first.exchange, first.cause, first.frame, first.asked_ns) == (3, 3, 7, 9)
    assert first.visit
    assert first.key != second.key


@pytest.mark.parametrize(
    "wrong",
    [error(PAY, code=-32000), error(), error("x", None, {}), {"code": REQUIRED}, None, {"code": REQUIRED, "data": []}],
)
def test_what_names_no_address_asks_nothing(wrong: Any) -> None:
    assert found(wrong) == ()


def test_a_revision_without_that_error_asks_nothing() -> None:
    assert [bool(found(error(PAY), row)) for row in (*ROWS, None)] == [False, False, False, True, False, False]


def test_there_is_an_end_to_them() -> None:
    assert len(found(error(*[PAY] * (MOST + 9)))) == MOST


def test_the_fold_knows_what_is_asked_and_what_is_complete() -> None:
    tape = Tape()
    tape.initialized(KNOWS.date).call(9, "buy")
    body = {"jsonrpc": "2.0", "id": 9, "error": error(PAY)}
    tape.from_server(body)
    tape.wait(5).notify(COMPLETE, {"elicitationId": "e1"})
    tape.notify(COMPLETE, {"elicitationId": "nobody's"})
    tape.notify(COMPLETE, {"elicitationId": 7})
    conversation = tape.journal.conversation
    (question,) = conversation.questions
    assert conversation.visits.is_complete(question)
    assert conversation.visits.unknown(conversation.questions) == ("nobody's",)
    tape.journal.close()


def test_without_an_id_nothing_is_complete() -> None:
    visits = Visits()
    visits.told({"elicitationId": ""}, 1)
    (question,) = found(error({"url": "https://b.example"}))
    assert not visits.is_complete(question)
    assert visits.complete == {}
