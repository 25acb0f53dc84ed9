"""What is noted is the same in all moments of a recording."""

from inspector.tui.noting import noted_of
from inspector.tui.past_subject import PastSubject, past_of
from inspector.tui.subject import Stage
from tests.tui.staging import Staged, handshake
from tests.viewmodels.tape import Tape


def test_a_mark_is_one_of_the_recording_and_a_colour_that_was_given_is_given_again(tape: Tape) -> None:
    whole = Staged(handshake(tape), stage=Stage.RECORDED)
    then = PastSubject(whole, past_of(whole).at(2))
    noted = noted_of(whole)
    assert noted_of(then) is noted
    assert not noted.is_kept
    assert noted.mark(2, color="blue", text="here").text == "here"
    assert then.journal.marks[2].color == "blue"
    assert noted.mark(3).color == "blue"
    assert noted.mark(2, color="red").text == "here"
    assert noted.mark_at(9).color == "red"
    assert 9 not in noted.notes.marks
    changes = noted.changes
    noted.unmark(2)
    assert (2 in tape.journal.marks, noted.changes) == (False, changes + 1)
