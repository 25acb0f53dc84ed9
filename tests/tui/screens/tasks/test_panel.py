"""One task in full."""

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from textual.binding import BindingType

from inspector.errors import UsageError
from inspector.present.spans import plain
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Replied
from inspector.protocol.flows.tasks import TaskList
from inspector.protocol.jsonrpc import ErrorResponse, read
from inspector.protocol.tracking.tasks import Task
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage, TaskView
from inspector.tui.screens.tasks.panel import TaskPane, TaskRows, TasksPanel
from tests.present.errands import CORE, begun, brought, polled
from tests.present.tape import Tape
from tests.tui.screen_text import shown, text
from tests.tui.staging import Staged
from tests.tui.widgets.showing import Showing
from tests.waiting import until


async def test_a_task_that_runs_has_facts_and_no_result(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    async with (app := Showing(pane := TaskPane())).run_test(size=(70, 30)) as pilot:
        await until(lambda: pane.is_ready, "it is laid out")
        pane.show(Staged(tape), task)
        await pilot.pause()
        screen = text(app)
        assert "t-1" in screen
        assert "start" in screen
        assert "Content" not in screen


async def test_task_outcome_is_shown_as_a_result(tape: Tape) -> None:
    task = begun(tape.initialized(CORE))
    polled(tape, 11, state="completed")
    brought(tape, 12, {"content": [{"type": "text", "text": "all \x1b[2Jpainted"}]})
    async with (app := Showing(pane := TaskPane())).run_test(size=(70, 40)) as pilot:
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
    async with (app := Showing(pane := TaskPane())).run_test(size=(70, 40)):
        await until(lambda: pane.is_ready, "it is laid out")
        for task, said in zip(tasks, ("first", "second"), strict=True):
            pane.show(Staged(tape), task)
            await until(lambda words=f"the {said} word": words in text(app), "its own result stands there")  # type: ignore[misc]
        assert "the first word" not in text(app)


def test_tasks_stand_in_the_order_in_which_they_became_known(tape: Tape) -> None:
    begun(tape.initialized(CORE), "a", "paint", 10)
    begun(tape, "b", "order", 11)
    rows = TaskRows(Staged(tape))
    assert rows.count == 2
    assert [plain(rows.row(at, 80).spans).split()[2] for at in range(2)] == ["paint", "order"]
    assert rows.row(0, 80).live
    assert plain(rows.header(80)).split()[0] == "State"


def test_task_rows_update_on_news_only(tape: Tape) -> None:
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


WIDE, NARROW = (160, 45), (80, 24)


class Errands:
    """In the place of a session's tasks: notes what is asked for."""

    def __init__(self) -> None:
        self.done: list[tuple[str, str]] = []
        self.answer: Any = None

    async def _note(self, action: str, id_: str) -> Any:
        self.done.append((action, id_))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def cancel(self, id_: str) -> Any:
        return await self._note("cancel", id_)

    async def fetch(self, id_: str) -> Any:
        return await self._note("fetch", id_)

    async def follow(self, id_: str) -> Any:
        return await self._note("follow", id_)

    def leave(self, id_: str) -> None:
        self.done.append(("leave", id_))

    async def list(self) -> Any:
        return await self._note("list", "")


class Working(Staged):
    """A conversation in which something can be done about tasks."""

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape)
        self.can_act = True
        self.errands = Errands()
        self.tasks: FollowedTasks = FollowedTasks(self.errands)


class FollowedTasks(TaskView):
    """Notes what is done about tasks."""

    followed: frozenset[str] = frozenset()

    def __init__(self, errands: Errands) -> None:
        super().__init__()
        self._errands = errands

    async def perform(self, work: Callable[[Any], Awaitable[Any]]) -> Any:
        return await work(self._errands)


class Tasks(Showing):
    """An app with the tasks alone, with the app's own keys."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.ActionScope.EVERYWHERE)


def two(tape: Tape) -> Tape:
    begun(tape.initialized(CORE), "a", "paint", 10)
    begun(tape, "b", "order", 11)
    return tape


async def test_a_wide_screen_shows_the_list_beside_the_task(tape: Tape) -> None:
    async with Tasks(panel := TasksPanel(Staged(two(tape)))).run_test(size=WIDE) as pilot:
        panel.take_focus()
        screen = await shown(pilot, panel)
        assert "2 running" in screen
        assert "⋯ Working" in screen
        assert "paint" in screen
        assert "start" in screen
        await pilot.press("j")
        screen = await shown(pilot, panel)
    assert "call order" in " ".join(screen.split())


async def test_a_narrow_screen_shows_one_at_a_time(tape: Tape) -> None:
    async with Tasks(panel := TasksPanel(Staged(two(tape)))).run_test(size=NARROW) as pilot:
        panel.take_focus()
        assert "History" not in await shown(pilot, panel)
        await pilot.press("enter")
        screen = await shown(pilot, panel)
        assert "History" in screen
        assert "order" not in screen
        assert panel.go_back()
        assert "order" in await shown(pilot, panel)
        assert not panel.go_back()


async def test_a_word_that_comes_changes_the_row_and_the_task(tape: Tape) -> None:
    async with Tasks(panel := TasksPanel(Staged(two(tape)))).run_test(size=WIDE) as pilot:
        await shown(pilot, panel)
        polled(tape, 12, "a", "completed", "dry")
        brought(tape, 13, {"content": [{"type": "text", "text": "the tower is red"}]}, "a")
        screen = await shown(pilot, panel)
        assert "✓ Completed" in screen
        assert "1 running" in screen
        await until(lambda: "the tower is red" in text(pilot.app), "the result stands there")


async def test_keys_ask_for_its_end_for_its_state_and_follow_or_leave_it(tape: Tape) -> None:
    async with Tasks(panel := TasksPanel(subject := Working(two(tape)))).run_test(size=NARROW) as pilot:
        panel.take_focus()
        await shown(pilot, panel)
        await pilot.press("x c", "r", "x f")
        subject.tasks.followed = frozenset({"a"})
        await pilot.press("x f", "j")
        await shown(pilot, panel)
        await pilot.press("x c")
        expected = [("cancel", "a"), ("fetch", "a"), ("follow", "a"), ("leave", "a"), ("cancel", "b")]
        await until(lambda: subject.errands.done == expected, f"all was asked for: {subject.errands.done}")


async def test_refused_cancellation_shows_the_servers_words(tape: Tape) -> None:
    subject = Working(two(tape))
    tape.request(20, "tasks/cancel", {"taskId": "a"})
    n = tape.error(20, -32602, "no \x1b[2Jway")
    (message,) = read(tape.journal.store.entry(n).what.payload)  # type: ignore[union-attr]
    assert isinstance(message, ErrorResponse)
    subject.errands.answer = Called(Replied(message, tape.journal.conversation.exchanges[-1]), 1)
    async with Tasks(panel := TasksPanel(subject)).run_test(size=NARROW, notifications=True) as pilot:
        panel.take_focus()
        await shown(pilot, panel)
        await pilot.press("x c")
        await until(lambda: "no ␛[2Jway" in text(pilot.app), "the refusal stands there")


async def test_task_list_is_requested_with_reported_faults(tape: Tape) -> None:
    subject = Working(tape.initialized(CORE))
    subject.errands.answer = TaskList(("a", "b"), 1)
    async with Tasks(panel := TasksPanel(subject)).run_test(size=NARROW, notifications=True) as pilot:
        panel.take_focus()
        assert "No tasks." in await shown(pilot, panel)
        await pilot.press("x L")
        await until(lambda: "lists 2 tasks" in text(pilot.app), "it says how many")
        subject.errands.answer = UsageError("the server does not declare tasks.list")
        await pilot.press("x L")
        await until(lambda: "does not declare" in text(pilot.app), "it says why not")


async def test_a_key_shows_the_call_in_the_traffic(tape: Tape) -> None:
    subject = Working(two(tape))
    async with (app := Tasks(panel := TasksPanel(subject))).run_test(size=NARROW) as pilot:
        panel.take_focus()
        await shown(pilot, panel)
        await pilot.press("o")
        request = subject.journal.conversation.exchanges[1].request_frame
        await until(lambda: app.entries_wanted == [request], "it is wanted")


async def test_a_recording_shows_its_tasks_and_does_nothing(tape: Tape) -> None:
    panel = TasksPanel(Staged(two(tape), stage=ConversationStage.RECORDED))
    async with Tasks(panel).run_test(size=NARROW, notifications=True) as pilot:
        panel.take_focus()
        assert "paint" in await shown(pilot, panel)
        await pilot.press("x c")
        await until(lambda: "This is a recording" in text(pilot.app), "it says so")


async def test_a_task_of_this_side_can_not_be_cancelled_from_here(tape: Tape) -> None:
    tape.initialized(CORE)
    tape.server_request(1, "sampling/createMessage", {"messages": [], "maxTokens": 1, "task": {}})
    said = {"taskId": "ours", "status": "working", "createdAt": "x", "lastUpdatedAt": "x", "ttl": None}
    tape.client_answer(1, {"task": said})
    subject = Working(tape)
    async with Tasks(panel := TasksPanel(subject)).run_test(size=(100, 24), notifications=True) as pilot:
        panel.take_focus()
        assert "client" in await shown(pilot, panel)
        await pilot.press("x c")
        await until(lambda: "The client runs this task" in text(pilot.app), "it says so")
    assert subject.errands.done == []


async def test_a_new_connection_has_its_own_tasks(tape: Tape) -> None:
    panel = TasksPanel(Staged(two(tape)))
    other = Tape()
    async with Tasks(panel).run_test(size=NARROW) as pilot:
        await shown(pilot, panel)
        panel.rebind(Staged(other.initialized(CORE)))
        assert "No tasks." in await shown(pilot, panel)
