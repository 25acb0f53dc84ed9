"""One task in full."""

from inspector.protocol.tracking.tasks import Task
from inspector.tui.panels.task_pane import TaskPane
from tests.tui.screen_text import text
from tests.tui.staging import Staged
from tests.tui.widgets.showing import Showing
from tests.viewmodels.errands import CORE, begun, brought, polled
from tests.viewmodels.tape import Tape
from tests.waiting import until


async def test_a_task_that_runs_has_facts_and_no_result(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    pane = TaskPane()
    app = Showing(pane)
    async with app.run_test(size=(70, 30)) as pilot:
        await until(lambda: pane.is_ready, "it is laid out")
        pane.show(Staged(tape), task)
        await pilot.pause()
        screen = text(app)
        assert "t-1" in screen
        assert "at first" in screen
        assert "Content" not in screen


async def test_what_it_came_to_stands_below_by_the_view_of_a_result(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    polled(tape, 11, state="completed")
    brought(tape, 12, {"content": [{"type": "text", "text": "all \x1b[2Jpainted"}]})
    pane = TaskPane()
    app = Showing(pane)
    async with app.run_test(size=(70, 40)) as pilot:
        await until(lambda: pane.is_ready, "it is laid out")
        pane.show(Staged(tape), task)
        await until(lambda: "all ␛[2Jpainted" in text(app), "the result stands there")
        await pilot.pause()
        pane.show(Staged(tape), None)
        await pilot.pause()
        assert "painted" not in text(app)


async def test_the_result_of_another_task_takes_its_place(tape: Tape) -> None:
    tape.initialized(CORE)
    tasks: list[Task] = []
    for number, said in ((20, "first"), (30, "second")):
        tasks.append(begun(tape, f"t-{number}", "paint", number))
        polled(tape, number + 1, f"t-{number}", "completed")
        brought(tape, number + 2, {"content": [{"type": "text", "text": f"the {said} word"}]}, f"t-{number}")
    pane = TaskPane()
    app = Showing(pane)
    async with app.run_test(size=(70, 40)):
        await until(lambda: pane.is_ready, "it is laid out")
        for task, said in zip(tasks, ("first", "second"), strict=True):
            pane.show(Staged(tape), task)
            await until(lambda words=f"the {said} word": words in text(app), "its own result stands there")  # type: ignore[misc]
        assert "the first word" not in text(app)
