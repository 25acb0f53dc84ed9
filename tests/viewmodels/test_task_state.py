"""The words for the states of tasks."""

import pytest

from inspector.protocol.tracking.task_words import TaskState
from inspector.protocol.tracking.tasks import Task
from inspector.viewmodels.task_state import state_of, state_words


@pytest.mark.parametrize("state", list(TaskState))
def test_each_state_has_a_sign_and_a_word(state: TaskState) -> None:
    sign, word = state_words(state)[0].split(" ", 1)
    assert len(sign) == 1
    assert word


def test_a_state_that_there_is_not_is_shown_as_it_came() -> None:
    assert state_words("sl\x1beeping") == ("? sl␛eeping", "warning")
    assert state_words("") == ("? no state", "warning")


def test_a_task_that_nobody_knows_any_more_says_so() -> None:
    task = Task(1, "t", True, 0, 1, state="working")
    assert state_of(task)[0] == "⋯ working"
    task.lost = True
    assert state_of(task)[0] == "▲ not known"
