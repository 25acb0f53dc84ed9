"""The tasks of a conversation as rows, oldest first. Rows of what runs are asked for again at each look."""

from collections.abc import Sequence

from inspector.protocol.tracking.tasks import Task
from inspector.tui.subject import Subject
from inspector.viewmodels.roles import Span
from inspector.viewmodels.rows import RowSource, RowView
from inspector.viewmodels.tasks import row, titles


class TaskRows(RowSource):
    """Rows of tasks. A task's row stays where it is; `take` looks whether a word has come."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._seen: tuple[object, ...] = ()
        self._generation = 0

    @property
    def tasks(self) -> Sequence[Task]:
        """All of them, oldest first."""
        return self._subject.journal.conversation.tasks.all

    def take(self) -> bool:
        """Look again; whether anything can have changed."""
        seen = (self._subject.journal.count, self._subject.followed, self._subject.stage)
        if seen == self._seen:
            return False
        self._seen = seen
        self._generation += 1
        return True

    @property
    def running(self) -> int:
        """How many have not ended."""
        return sum(not task.ended for task in self.tasks)

    @property
    def count(self) -> int:
        return len(self.tasks)

    @property
    def generation(self) -> int:
        return self._generation

    def row(self, index: int, width: int) -> RowView:
        task, subject = self.tasks[index], self._subject
        spans = row(task, subject.now_ns, width, followed=task.by_server and task.id in subject.followed)
        return RowView(spans, live=subject.journal.live)

    def header(self, width: int) -> Sequence[Span]:
        return titles(width)
