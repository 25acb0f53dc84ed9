"""Which requests become cases."""

from inspector.capture.compare.operations import accounts
from inspector.replay.cases.promoting import promoted
from tests.tui.staging import handshake
from tests.viewmodels.tape import Tape


def test_calls_that_were_answered_become_cases_and_whatever_is_chosen() -> None:
    tape = Tape()
    handshake(tape).call(3, "buy")
    tape.answer(3, {"content": []})
    tape.call(4, "sell")
    found = accounts(tape.journal).operations
    assert [case.name for case in promoted(found)] == ["tools/call buy"], "what has no answer expects nothing"
    listed = next(each for each in found if each.method == "tools/list").sent[0].frame
    assert [case.name for case in promoted(found, {listed})] == ["tools/list"]
    assert promoted(found, set()) == []
    tape.journal.close()
