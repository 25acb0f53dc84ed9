"""Work told by the clock."""

from datetime import UTC, datetime, timedelta

import pytest

from inspector.demo.long_work import KEPT, Json, Task, Tasks, Work

QUESTION: Json = {"method": "elicitation/create", "params": {}}


def begun(work: Work) -> Task:
    return Task("t", work, 0.0, datetime.now(UTC), 1000)


def works(**more: object) -> Work:
    return Work(("one", "two"), 1.0, lambda answer: {"content": [], "answer": answer}, **more)  # type: ignore[arg-type]


def told(task: Task, now: float) -> tuple[str, str]:
    task.look(now)
    return task.state, task.message


def test_its_steps_follow_from_the_time_and_then_it_is_done() -> None:
    task = begun(works())
    assert told(task, 0.5) == ("working", "one (1 of 2)")
    assert told(task, 1.5) == ("working", "two (2 of 2)")
    assert told(task, 2.0) == ("completed", "done")
    assert task.result == {"content": [], "answer": {}}
    assert told(task, 0.0) == ("completed", "done")


def test_the_time_stands_still_while_its_question_is_open() -> None:
    task = begun(works(question=QUESTION))
    assert told(task, 1.0)[0] == "input_required"
    assert told(task, 900.0)[0] == "input_required"
    task.answer = {"action": "accept"}
    assert told(task, 900.5) == ("working", "two (2 of 2)")
    assert told(task, 901.0)[0] == "completed"
    assert task.result == {"content": [], "answer": {"action": "accept"}}


def test_it_may_fail_and_it_may_never_end() -> None:
    failing = begun(works(fails="no luck"))
    assert told(failing, 5) == ("failed", "no luck")
    assert failing.result is not None
    assert failing.result["isError"]
    assert failing.error is not None
    assert failing.error["message"] == "no luck"
    endless = begun(works(endless=True))
    assert told(endless, 1e6 + 0.5) == ("working", "one (1000001)")
    endless.cancel()
    assert told(endless, 2e6) == ("cancelled", "called off")


def test_no_more_are_kept_than_fit_and_none_beyond_its_time() -> None:
    tasks = Tasks()
    made = [tasks.begin(works(), 60_000) for _ in range(KEPT + 1)]
    assert tasks.find(made[0].id) is None
    assert tasks.find(made[-1].id) is made[-1]
    made[-1].created -= timedelta(seconds=61)
    assert tasks.find(made[-1].id) is None
    assert len(tasks.listed()) == KEPT - 1


@pytest.mark.parametrize("seconds", [0, 0.0])
def test_work_without_a_time_is_done_at_once(seconds: float) -> None:
    assert told(begun(Work(("one",), seconds, lambda _: {})), 0)[0] == "completed"
