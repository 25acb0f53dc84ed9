"""Tasks screen: work that outlives the call that created it. Leaving the screen does not affect a task.

A wide terminal shows the list beside the task. A narrow one shows the list, and on Enter the task. In a recording,
tasks are read-only.
"""

from collections.abc import Awaitable, Callable, Sequence

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from inspector.errors import InspectError
from inspector.present.calls import CompletedCall, view_task
from inspector.present.rows import RowSource, RowView, SpanRows
from inspector.present.spans import Line, Span, section_lines, wrapped
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Replied
from inspector.protocol.flows.tasks import why_no_list
from inspector.protocol.jsonrpc import ErrorResponse
from inspector.protocol.tracking.tasks import Task
from inspector.session.tasks import SessionTasks
from inspector.text import counted
from inspector.tui import keys
from inspector.tui.conversation import OpenConversation, why_silent
from inspector.tui.panels import Panel
from inspector.tui.results.panel import ResultPanel
from inspector.tui.results.views import ResultWords
from inspector.tui.screens.tasks.model import row, sections, titles
from inspector.tui.theme import glyphs
from inspector.tui.threads import read_on_thread
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.divider import Divider
from inspector.tui.widgets.list_detail import ListDetail
from inspector.tui.widgets.virtual_list import LogList

_WORDS = ResultWords(nothing="No result yet", press="", history="Calls of tasks are in Traffic", buttons=("copy",))
_NARROW = 120


class TaskPane(Widget):
    """Shows one task at a time."""

    DEFAULT_CSS = """
    TaskPane { layout: vertical; }
    TaskPane > .task--facts { height: 1fr; }
    TaskPane > ResultPanel { height: 1fr; display: none; border-top: solid $border-blurred; }
    TaskPane.-ended > ResultPanel { display: block; }
    """

    class Read(Message):
        """The result of a task has been read back."""

        def __init__(self, task: Task, looked: CompletedCall) -> None:
            super().__init__()
            self.task = task
            self.looked = looked

    def __init__(self) -> None:
        super().__init__()
        self.task_shown: Task | None = None
        """Shown task; None if there is none."""
        self._lines = SpanRows()
        self._shown: tuple[object, ...] = ()
        self._result_of: Task | None = None
        self.facts = LogList(self._lines, classes="task--facts")
        """Facts about the task, line by line."""
        self.result = ResultPanel(_WORDS)

    def compose(self) -> ComposeResult:
        yield self.facts
        yield self.result

    @property
    def is_ready(self) -> bool:
        return self.facts.is_mounted and self.result.is_mounted and self.result.body.is_mounted

    def show(self, conversation: OpenConversation, task: Task | None) -> None:
        """Show the current state of a task. Cheap while nothing has changed."""
        other = task is not self.task_shown
        self.task_shown = task
        if task is None:
            self._set_lines(())
            self.set_class(False, "-ended")
            return
        followed = task.by_server and task.id in conversation.tasks.followed
        known = sections(conversation.journal, task, conversation.now_ns, followed=followed)
        self._set_lines(tuple(line for section in known for line in (*section_lines(section), ())))
        if other:
            self.facts.go_to(0)
        self.set_class(task.result_frame is not None, "-ended")
        if task.result_frame is not None and task is not self._result_of:
            self._result_of = task
            self.result.show_nothing()
            self._read(conversation, task)

    def _set_lines(self, lines: tuple[Line, ...]) -> None:
        width = self.facts.line_width
        if (lines, width) == self._shown or width < 2:
            return
        self._shown = (lines, width)
        rows: list[list[Span]] = [row for line in lines for row in wrapped(line, width, 4)]
        self._lines.replace(rows)
        self.facts.sync()

    @work(exclusive=True, group="look")
    async def _read(self, conversation: OpenConversation, task: Task) -> None:
        tools = conversation.journal.conversation.catalogue.tools
        schema = next((tool.output_schema for tool in tools if tool.name == task.target), None)
        looked = await read_on_thread(view_task, conversation.journal, task, schema)
        self.post_message(self.Read(task, looked))

    def on_task_pane_read(self, event: Read) -> None:
        """Show the result if its task is still shown."""
        event.stop()
        if event.task is self.task_shown:
            self.result.show(event.looked)

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Stop the message, which the panel would take for one of the task list."""
        event.stop()

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Stop the message: a fact has no details to open."""
        event.stop()


# The list of tasks, oldest first


class TaskRows(RowSource):
    """Rows of tasks in a fixed order; `take` checks for changes."""

    def __init__(self, conversation: OpenConversation) -> None:
        self._conversation = conversation
        self._seen: tuple[object, ...] = ()

    @property
    def tasks(self) -> Sequence[Task]:
        """All tasks, oldest first."""
        return self._conversation.journal.conversation.tasks.all

    def take(self) -> bool:
        """Check for changes; return whether anything may have changed."""
        seen = (self._conversation.journal.count, self._conversation.tasks.followed, self._conversation.stage)
        if seen == self._seen:
            return False
        self._seen = seen
        self._generation += 1
        return True

    @property
    def running(self) -> int:
        """Number of tasks that have not ended."""
        return sum(not task.ended for task in self.tasks)

    @property
    def count(self) -> int:
        return len(self.tasks)

    def row(self, index: int, width: int) -> RowView:
        task, conversation = self.tasks[index], self._conversation
        spans = row(
            task, conversation.now_ns, width, followed=task.by_server and task.id in conversation.tasks.followed
        )
        return RowView(spans, live=conversation.journal.live)

    def header(self, width: int) -> Sequence[Span]:
        return titles(width)


class TasksPanel(Panel):
    """Panel of the tasks of a conversation and the actions on them."""

    places = keys.SCREENS["tasks"].places
    BINDINGS = keys.bindings("Tasks")
    DEFAULT_CSS = """
    TasksPanel > Vertical { width: 3fr; height: 1fr; }
    TasksPanel > TaskPane { width: 2fr; height: 1fr; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self.conversation = conversation
        self._rows = TaskRows(conversation)
        self._line = StatusLine()
        self.title_rows = (self._line,)
        self._list = self.row_list = LogList(self._rows)
        self.pane = TaskPane()
        self.pane.add_class("panel--detail")
        self.frame: ListDetail = ListDetail(
            self, lambda: self._list, lambda: self.pane, narrow=_NARROW, focus_detail=self.pane.facts.focus
        )

    def compose(self) -> ComposeResult:
        self.frame.arrange(self.app.size.width)
        with Vertical(classes="panel--list"):
            yield self._line
            yield self._list
        yield Divider("tasks")
        yield self.pane

    # Interface for the app

    def sync(self) -> None:
        if not (self._list.is_mounted and self.pane.is_ready):
            return
        if self._rows.take():
            self._list.empty = _empty(self.conversation)
            self._line.show(*_head(self._rows, self.conversation))
        self._list.sync()
        self.pane.show(self.conversation, self.task_chosen)

    def rebind(self, conversation: OpenConversation) -> None:
        self.conversation = conversation
        self._rows = TaskRows(conversation)
        self._list.source = self._rows
        self.frame.close()

    ROW_ACTIONS = frozenset(("cancel_task", "fetch", "follow_task", "open_call"))

    @property
    def task_chosen(self) -> Task | None:
        """Task under the cursor; None if there is none."""
        tasks, at = self._rows.tasks, self._list.view.cursor
        return tasks[at] if 0 <= at < len(tasks) else None

    # Keys

    def action_cancel_task(self) -> None:
        task = self._mine("cancelled")
        if task is not None:
            self._do(lambda tasks: tasks.cancel(task.id), "cancelled")

    def action_fetch(self) -> None:
        """Request the state of the task now."""
        task = self._mine("requested")
        if task is not None:
            self._do(lambda tasks: tasks.fetch(task.id), "requested")

    def action_follow_task(self) -> None:
        """Start or stop polling the task until it ends."""
        task = self._mine("followed")
        if task is None:
            return
        if task.id in self.conversation.tasks.followed:
            self._do(_leaving(task.id), "no longer polled")
        else:
            self._do(lambda tasks: tasks.follow(task.id), "polled")

    def action_list_tasks(self) -> None:
        """Request the server's list of tasks."""
        if self._can_act():
            self.run_worker(self._list_them(), group="tasks")

    def action_open_call(self) -> None:
        """Show the call that created the task in Traffic."""
        task = self.task_chosen
        if task is None:
            return
        exchanges = self.conversation.journal.conversation.exchanges
        began = exchanges[task.exchange - 1].request_frame if task.exchange is not None else task.seen_frame
        self.post_message(self.EntryWanted(began))

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        event.stop()
        self.frame.open()
        self.call_after_refresh(self.frame.focus_detail)

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        event.stop()
        if self.pane.is_ready:
            self.pane.show(self.conversation, self.task_chosen)

    # Actions on tasks

    def _can_act(self) -> bool:
        if why := why_silent(self.conversation):
            self.app.notify(why, severity="warning")
        return not why

    def _mine(self, done: str) -> Task | None:
        """Return the task under the cursor; if no action on it is possible, notify the user why and return None."""
        task = self.task_chosen
        if task is None or not self._can_act():
            return None
        if not task.by_server:
            self.app.notify(f"The client runs this task; it cannot be {done} from here.")
            return None
        return task

    def _do(self, action: Callable[[SessionTasks], Awaitable[Called | None]], done: str) -> None:
        async def work() -> None:
            try:
                called = await self.conversation.tasks.perform(action)
            except InspectError as error:
                self.app.notify(str(error), severity="warning")
                return
            reply = called.reply if called is not None else None
            if isinstance(reply, Replied) and isinstance(reply.message, ErrorResponse):
                self.app.notify(f"Server error: {reply.message.message or reply.message.code}", severity="warning")
            else:
                self.app.notify(f"Task {done}.", timeout=3)

        self.run_worker(work(), group="tasks")

    async def _list_them(self) -> None:
        try:
            listed = await self.conversation.tasks.perform(lambda tasks: tasks.list())
        except InspectError as error:
            self.app.notify(str(error), severity="warning")
            return
        count = len(listed.ids)
        why = f" {listed.stopped}" if listed.stopped else ""
        self.app.notify(f"The server lists {counted(count, 'task')}.{why}")


def _leaving(id_: str) -> Callable[[SessionTasks], Awaitable[None]]:
    async def leave(tasks: SessionTasks) -> None:
        tasks.leave(id_)

    return leave


def _head(rows: TaskRows, conversation: OpenConversation) -> tuple[list[Span], list[Span]]:
    """Return the line above the list: the number of tasks, and the number of faults that belong to no task."""
    left: list[Span] = [("Tasks", "title"), (f"  {rows.running} running", "pending" if rows.running else "faint")]
    if wrong := len(conversation.journal.conversation.tasks.faults):
        left.append((f"  {glyphs().warning} {counted(wrong, 'invalid message')} about unknown tasks", "warning"))
    return left, [(counted(rows.count, "task"), "muted")]


def _empty(conversation: OpenConversation) -> list[list[Span]]:
    """Return the text of an empty list: why it is empty and what to do."""
    opening = conversation.journal.conversation.opening
    lines: list[list[Span]] = [[("No tasks.", "muted")]]
    if not conversation.can_act or opening is None:
        return lines
    if why_no_list(opening):
        return [*lines, [("Call a tool as a task to see it here.", "faint")]]
    return [*lines, [(f"{keys.shown_key('tasks.list')} lists the server's tasks", "faint")]]
