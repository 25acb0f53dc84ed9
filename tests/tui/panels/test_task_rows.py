"""The rows of tasks."""

from inspector.tui.panels.task_rows import TaskRows
from inspector.viewmodels.lines import plain
from tests.tui.staging import Staged
from tests.viewmodels.errands import CORE, begun, polled
from tests.viewmodels.tape import Tape


def test_tasks_stand_in_the_order_in_which_they_became_known(tape: Tape) -> None:
    begun(tape.initialized(CORE), "a", "paint", 10)
    begun(tape, "b", "order", 11)
    rows = TaskRows(Staged(tape))
    assert rows.count == 2
    assert [plain(rows.row(at, 80).spans).split()[2] for at in range(2)] == ["paint", "order"]
    assert rows.row(0, 80).live
    assert plain(rows.header(80)).split()[0] == "state"


def test_rows_are_made_anew_when_something_has_come_and_not_otherwise(tape: Tape) -> None:
    begun(tape.initialized(CORE))
    rows = TaskRows(Staged(tape))
    assert rows.take()
    before = rows.generation
    assert not rows.take()
    assert rows.generation == before
    polled(tape, 11, state="completed")
    assert rows.take()
    assert rows.generation != before
    assert rows.running == 0
