"""One task: what is known of it, how it came there, and what it came to, by the view of a tool's result."""

import asyncio

from textual import work
from textual.app import ComposeResult
from textual.message import Message
from textual.widget import Widget

from inspector.protocol.tracking.tasks import Task
from inspector.tui.panels.calls import Looked, look_at_task
from inspector.tui.panels.result import ResultPanel
from inspector.tui.panels.result_body import ResultWords
from inspector.tui.subject import Subject
from inspector.tui.widgets.log_list import LogList
from inspector.viewmodels.lines import Line, section_lines
from inspector.viewmodels.roles import Span
from inspector.viewmodels.rows import SpanRows
from inspector.viewmodels.spans import wrapped
from inspector.viewmodels.tasks import sections

_WORDS = ResultWords(nothing="No result yet", press="", history="A task's calls stand in the traffic")


class TaskPane(Widget):
    """Shows one task at a time."""

    DEFAULT_CSS = """
    TaskPane { layout: vertical; }
    TaskPane > .task--facts { height: 1fr; }
    TaskPane > ResultPanel { height: 1fr; display: none; border-top: solid $border-blurred; }
    TaskPane.-ended > ResultPanel { display: block; }
    """

    class Read(Message):
        """What a task came to has been read back."""

        def __init__(self, task: Task, looked: Looked) -> None:
            super().__init__()
            self.task = task
            self.looked = looked

    def __init__(self) -> None:
        super().__init__()
        self.task_shown: Task | None = None
        """None while there is none."""
        self._lines = SpanRows()
        self._shown: tuple[object, ...] = ()
        self._result_of: Task | None = None
        self.facts = LogList(self._lines, classes="task--facts")
        """What is known, line by line."""
        self.result = ResultPanel(_WORDS)

    def compose(self) -> ComposeResult:
        """The facts above the result."""
        yield self.facts
        yield self.result

    @property
    def is_ready(self) -> bool:
        """Whether all of it has been laid out."""
        return self.facts.is_mounted and self.result.is_mounted and self.result.body.is_mounted

    def show(self, subject: Subject, task: Task | None) -> None:
        """Show a task as it is now; nearly free while nothing of it has changed."""
        other = task is not self.task_shown
        self.task_shown = task
        if task is None:
            self._lay(())
            self.set_class(False, "-ended")
            return
        followed = task.by_server and task.id in subject.followed
        known = sections(subject.journal, task, subject.now_ns, followed=followed)
        self._lay(tuple(line for section in known for line in (*section_lines(section), ())))
        if other:
            self.facts.go_to(0)
        self.set_class(task.result_frame is not None, "-ended")
        if task.result_frame is not None and task is not self._result_of:
            self._result_of = task
            self.result.show_nothing()
            self._read(subject, task)

    def _lay(self, lines: tuple[Line, ...]) -> None:
        width = self.facts.line_width
        if (lines, width) == self._shown or width < 2:
            return
        self._shown = (lines, width)
        rows: list[list[Span]] = [row for line in lines for row in wrapped(line, width, 4)]
        self._lines.replace(rows)
        self.facts.sync()

    @work(exclusive=True, group="look")
    async def _read(self, subject: Subject, task: Task) -> None:
        tools = subject.journal.conversation.catalogue.tools
        schema = next((tool.output_schema for tool in tools if tool.name == task.target), None)
        looked = await asyncio.to_thread(look_at_task, subject.journal, task, schema)
        self.post_message(self.Read(task, looked))

    def on_task_pane_read(self, event: Read) -> None:
        """Show what it came to, if it is still the one."""
        event.stop()
        if event.task is self.task_shown:
            self.result.show(event.looked)

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Keep it: the tasks' list is another one."""
        event.stop()

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Nothing more is behind a fact."""
        event.stop()
