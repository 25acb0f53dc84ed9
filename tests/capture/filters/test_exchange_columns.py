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


def test_one_that_changes_after_its_end_is_what_it_is_now(tape: Tape) -> None:
    tape.call(1, "echo")
    tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    columns = ExchangeColumns(tape.journal)
    late = columns.text_test("status", lambda state: state == "late")
    assert not late(1)
    tape.answer(1, {})
    assert late(1)
    assert columns.number("answer", 1) == 3


def test_names_without_a_number_are_asked_for(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    tape.call(1, "a")
    columns = ExchangeColumns(tape.journal)
    wanted = columns.text_test("target", lambda target: target in ("a", "c"))
    assert (wanted.never, wanted.mark(b"\1\0\1", [1, 1, 0])) == (False, b"\1\0\0")
    monkeypatch.setattr("inspector.protocol.exchange_table._MOST_NAMES", 1)
    for number, name in enumerate(("b", "c"), 2):
        tape.call(number, name)
        tape.answer(number, {})
    assert [wanted(number) for number in (1, 2, 3)] == [True, False, True]
    assert wanted.mark(b"\1\1\1\0", [3, 2, 1, 1]) == b"\1\0\1\0"


def test_what_holds_for_no_name_holds_for_nothing_until_such_a_one_comes(tape: Tape) -> None:
    tape.call(1, "a")
    tried: list[str] = []
    columns = ExchangeColumns(tape.journal)

    def is_b(target: str) -> bool:
        tried.append(target)
        return target == "b"

    wanted = columns.text_test("target", is_b)
    assert (wanted.never, wanted.mark(b"\1", [1])) == (True, b"\0")
    tape.call(2, "a")
    tape.call(3, "b")
    assert (wanted.never, wanted.mark(b"\1\1\1", [1, 2, 3])) == (False, b"\0\0\1")
    assert len(tried) == len(set(tried)), "each name is tried once"


def test_a_revision_is_tried_once_for_all_that_have_it(tape: Tape) -> None:
    tape.call(1, "a")
    tried: list[str] = []
    test = ExchangeColumns(tape.journal).revision_test(lambda revision: not tried.append(revision))  # type: ignore[func-returns-value]
    assert test(1)
    assert test(1)
    assert len(tried) == 1


def test_states_have_the_words_of_the_field(tape: Tape) -> None:
    tape.call(1, "a")
    tape.answer(1, {"isError": True})
    tape.call(2, "b")
    tape.answer(2, {})
    assert [state_of(exchange) for exchange in tape.journal.conversation.exchanges] == ["tool-error", "ok"]
