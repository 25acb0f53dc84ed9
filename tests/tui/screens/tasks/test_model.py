"""Tasks as rows and facts."""

from typing import Any

import pytest

from inspector.present.calls import outcome
from inspector.present.result import result_view
from inspector.present.spans import plain, section_lines
from inspector.protocol.tracking.tasks import Task
from inspector.text import cell_width
from inspector.tui.screens.tasks.model import left_of_ttl, row, sections, titles
from tests.present.errands import CORE, begun, brought, polled, word
from tests.present.tape import Tape

DONE = {"content": [{"type": "text", "text": "painted"}]}


def shown(tape: Tape, task: Task, width: int = 80) -> str:
    return plain(row(task, tape.now, width)).rstrip()


def told(tape: Tape, task: Task) -> str:
    return "\n".join(plain(line) for each in sections(tape.journal, task, tape.now) for line in section_lines(each))


def test_task_row_has_state_age_and_message(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    tape.wait(2000)
    polled(tape, 11, message="half done")
    assert shown(tape, task) == "⋯ Working        paint            2.00 s   half done"


def test_a_wide_row_has_its_id_what_is_left_of_it_and_who_runs_it(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    tape.wait(20_000)
    line = shown(tape, task, 140)
    assert line.split() == [
        "⋯", "Working", "paint", "t-1", "20.0", "s", "40.0", "s", "500", "ms", "server", "begun",
    ]  # fmt: skip
    assert "server ●" in plain(row(task, tape.now, 140, followed=True))


@pytest.mark.parametrize("width", [20, 80, 89, 90, 160])
def test_rows_and_titles_fill_their_width(tape: Tape, width: int) -> None:
    task = begun(tape.initialized(CORE), id_="灯" * 40, tool="灯" * 40)
    assert sum(cell_width(part) for part, _ in row(task, tape.now, width)) == width
    assert sum(cell_width(part) for part, _ in titles(width)) == width


def test_task_faults_are_counted_and_listed(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    polled(tape, 11, state="completed")
    polled(tape, 12, state="wor\x1bking")
    assert "faults" in shown(tape, task)
    everything = told(tape, task)
    assert "Defects" in everything
    assert "the state changed from completed back to wor" in everything
    assert "\x1b" not in everything


def test_the_history_has_each_state_with_its_moment_and_its_frame(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    tape.wait(1000)
    polled(tape, 11, state="input_required", message="which colour?")
    history = told(tape, task).partition("History")[2]
    assert "start     ⋯ Working        begun  #5" in history
    assert "1.00 s    ◆ Input required which colour?  #7" in history


def test_task_ttl_counts_down(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    tape.wait(10_000)
    assert "60.0 s from its creation, 50 s left" in told(tape, task)
    tape.wait(60_000)
    assert "60.0 s from its creation, expired" in told(tape, task)
    assert left_of_ttl(task, tape.now) == "expired"


def test_task_without_ttl_has_no_limit(tape: Tape) -> None:
    task = begun(tape.initialized(CORE), ttl=None)
    assert left_of_ttl(task, tape.now) == "no limit"
    assert "no limit" in told(tape, task)


def test_a_task_is_no_older_than_it_was_when_it_ended(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    tape.wait(3000)
    polled(tape, 11, state="completed")
    tape.wait(60_000)
    assert "3.00 s total" in told(tape, task)


def test_task_cancellation_is_shown(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    n = tape.request(11, "tasks/cancel", {"taskId": "t-1"})
    assert f"cancel requested  #{n}" in told(tape, task)


@pytest.mark.parametrize("result", [DONE, {"content": [], "isError": True}])
def test_task_outcome_is_the_call_result(tape: Tape, result: Any) -> None:
    task = begun(tape.initialized(CORE))
    assert outcome(tape.journal, task) is None
    polled(tape, 11, state="completed")
    brought(tape, 12, result)
    found = outcome(tape.journal, task)
    assert found is not None
    assert (found[0].answered, found[0].result, found[0].method) == (True, result, "tools/call")


def test_an_error_in_the_place_of_a_result_is_one(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    polled(tape, 11, state="failed")
    tape.request(12, "tasks/result", {"taskId": "t-1"})
    tape.error(12, -32000, "sunk")
    found = outcome(tape.journal, task)
    assert found is not None
    assert found[0].error == {"code": -32000, "message": "sunk"}


@pytest.mark.parametrize(
    ("state", "more", "result", "error"),
    [
        ("completed", {"result": DONE}, DONE, None),
        ("failed", {"error": {"code": 1, "message": "sunk"}}, None, {"code": 1, "message": "sunk"}),
    ],
)
def test_task_outcome_comes_from_the_notification(tape: Tape, state: str, more: Any, result: Any, error: Any) -> None:
    task = begun(tape.initialized(CORE))
    polled(tape, 11, state=state, **more)
    found = outcome(tape.journal, task)
    assert found is not None
    assert (found[0].result, found[0].error) == (result, error)


def test_listed_task_is_shown(tape: Tape) -> None:
    tape.initialized(CORE)
    tape.request(10, "tasks/list")
    tape.answer(10, {"tasks": [word("t-9", "completed")]})
    (task,) = tape.journal.conversation.tasks.all
    assert shown(tape, task).startswith("✓ Completed      ?")
    assert "request" not in told(tape, task)


def test_a_task_that_has_failed_did_not_succeed_whatever_result_it_brings(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    polled(tape, 11, state="failed")
    brought(tape, 12, DONE)
    found = outcome(tape.journal, task)
    assert found is not None
    view = result_view(found[0])
    assert plain(view.headline).startswith("✗ The task failed")
    assert view.blocks[0].text == "painted"
