"""A recording as it was at a moment."""

from inspector.tui.past_subject import PastSubject, past_of
from inspector.tui.subject import Stage
from tests.tui.staging import Staged, handshake
from tests.viewmodels.tape import Tape


def test_it_knows_what_was_known_and_its_clock_stands_there(tape: Tape) -> None:
    whole = Staged(handshake(tape), stage=Stage.RECORDED)
    then = PastSubject(whole, past_of(whole).at(2))
    assert (then.stage, then.about, then.can_act) == (Stage.RECORDED, whole.about, False)
    assert then.opening is not None
    assert then.now_ns == tape.journal.store.time_ns(2)
    then.waited_ns = 5
    assert then.now_ns == tape.journal.store.time_ns(2) + 5
    assert past_of(then) is past_of(whole)
    empty = PastSubject(whole, past_of(whole).at(0))
    assert (empty.now_ns, empty.opening) == (0, None)
