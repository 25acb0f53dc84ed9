"""The clocks of a call, in words."""

import pytest

from inspector.protocol.exchanges import Exchange
from inspector.protocol.questions import Kind, Question
from inspector.session.desk import Ticket
from inspector.session.waiting import Left
from inspector.session.wishes import Clocks as Bounds
from inspector.tui.panels.clocks import Clocks, clock_lines, clocks_of, whole_seconds
from inspector.viewmodels.lines import plain
from tests.tui.staging import Staged
from tests.viewmodels.tape import Tape

BOTH = Bounds(60, 3600)


class Timed(Staged):
    """Says what the test says of clocks and tickets."""

    left: Left | None = None
    waiting: tuple[Ticket, ...] = ()

    def clocks_of(self, exchange: Exchange) -> Left | None:
        return self.left

    @property
    def tickets(self) -> tuple[Ticket, ...]:
        return self.waiting


def lines(clocks: Clocks) -> list[str]:
    return [plain(line) for line in clock_lines(clocks)]


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (Left(54.2, 3594.2, BOTH), "idle clock   55 s left of 60 s, total clock  59m 55s left of 1h 00m"),
        (Left(None, 20, Bounds(None, 30)), "idle clock   off, total clock  20 s left of 30 s"),
        (Left(-0.5, None, Bounds(5, None)), "idle clock   0 s left of 5 s, total clock  off"),
    ],
)
def test_what_is_left_of_each_clock_is_told(left: Left, words: str) -> None:
    assert lines(Clocks(left)) == words.split(", ")


def test_a_clock_that_has_nearly_run_out_warns() -> None:
    idle, total = clock_lines(Clocks(Left(9, 100, BOTH)))
    assert (idle[1][1], total[1][1]) == ("warning", "muted")


def test_while_the_server_waits_for_the_person_the_idle_clock_stands_still() -> None:
    held, *clocks = lines(Clocks(Left(60, 3000, BOTH, held=True), held=True))
    assert held.startswith("◆ held: the server waits for you")
    assert clocks == ["idle clock   stands still", "total clock  50m 00s left of 1h 00m"]


def test_between_two_rounds_only_the_person_is_waited_for() -> None:
    assert len(lines(Clocks(None, held=True))) == 1


def test_nothing_is_told_of_a_call_that_nobody_waits_for(tape: Tape) -> None:
    assert lines(clocks_of(Timed(tape), None)) == []
    tape.call(1, "a")
    tape.answer(1, {"content": []})
    subject = Timed(tape)
    subject.left = Left(1, 1, BOTH)
    assert clocks_of(subject, tape.journal.conversation.exchanges[0]) == Clocks()


async def test_a_question_that_waits_holds_the_call_that_it_was_asked_in(tape: Tape) -> None:
    tape.call(1, "a")
    tape.call(2, "b")
    first, second = tape.journal.conversation.exchanges
    subject = Timed(tape)
    subject.left = Left(60, 3600, BOTH)
    subject.waiting = (Ticket(1, Question(Kind.ROOTS, {}, 3, 3, 0, cause=1)),)
    assert clocks_of(subject, first) == Clocks(subject.left, held=True)
    assert clocks_of(subject, second) == Clocks(subject.left)


def test_clocks_are_drawn_again_when_a_second_has_gone() -> None:
    assert whole_seconds(Clocks(Left(54.2, 3594.2, BOTH))) == whole_seconds(Clocks(Left(54.9, 3594.9, BOTH)))
    assert whole_seconds(Clocks(Left(53.9, 3594.2, BOTH))) != whole_seconds(Clocks(Left(54.2, 3594.2, BOTH)))
    assert whole_seconds(Clocks()) == (None, None, False)
