"""What is asked of exchanges: looked at once when they have ended, each time while they are open."""

import pytest

from inspector.capture.filters.exchange_columns import ExchangeColumns, state_of
from tests.viewmodels.tape import Tape


def test_an_exchange_is_asked_while_it_is_open_and_kept_when_it_has_ended(tape: Tape) -> None:
    tape.call(1, "echo")
    columns = ExchangeColumns(tape.journal)
    pending = columns.text_test("status", lambda state: state == "pending")
    long = columns.number_test("dur", lambda dur: dur >= 3_000_000)
    assert (pending(1), long(1), columns.number("answer", 1)) == (True, False, None)
    tape.wait(3).answer(1, {})
    assert (pending(1), long(1), columns.number("answer", 1)) == (False, True, 2)
    assert columns.text_test("target", lambda target: target == "echo")(1)
    assert columns.number("error.code", 1) is None


def test_one_that_changes_after_its_end_is_forgotten_first(tape: Tape) -> None:
    tape.call(1, "echo")
    tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    columns = ExchangeColumns(tape.journal)
    late = columns.text_test("status", lambda state: state == "late")
    assert not late(1)
    tape.answer(1, {})
    assert not late(1)
    columns.forget(1)
    columns.forget(999_999)
    assert late(1)


def test_more_words_than_are_numbered_are_asked_for(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.capture.filters.exchange_columns._MOST_WORDS", 1)
    for number, name in enumerate(("a", "b", "c"), 1):
        tape.call(number, name)
        tape.answer(number, {})
    columns = ExchangeColumns(tape.journal)
    wanted = columns.text_test("target", lambda target: target in ("a", "c"))
    assert [wanted(number) for number in (1, 2, 3, 1, 2, 3)] == [True, False, True] * 2


def test_states_have_the_words_of_the_field(tape: Tape) -> None:
    tape.call(1, "a")
    tape.answer(1, {"isError": True})
    tape.call(2, "b")
    tape.answer(2, {})
    assert [state_of(exchange) for exchange in tape.journal.conversation.exchanges] == ["tool-error", "ok"]
