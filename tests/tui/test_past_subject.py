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
    assert then.moment_shown == 2
    empty = PastSubject(whole, past_of(whole).at(0))
    assert (empty.now_ns, empty.opening) == (0, None)


def test_it_knows_of_findings_what_could_be_said_then(tape: Tape) -> None:
    tape.started().from_server(b"hello")
    whole = Staged(tape, stage=Stage.RECORDED)
    then = PastSubject(whole, past_of(whole).at(1))
    before = then.checks_so_far
    assert before is None, "nobody has begun"
    whole.checks.catch_up()
    found = then.checks
    assert then.checks_so_far is found
    assert (found.all, found.later) == ([], 2)
    then.moment.advance(tape.journal.count)
    assert then.checks_so_far is found
    assert [each.id for each in found.all] == ["F-01", "S01"]
