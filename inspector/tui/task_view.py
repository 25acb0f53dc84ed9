"""What a subject says of tasks beside what its journal knows, and how something is done about them.

A recording can do nothing; a live conversation does it on the engine's loop. What is known of the tasks themselves
stands in `journal.conversation.tasks`, for both.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from inspector.session.engine import Live
from inspector.session.tasks import SessionTasks

if TYPE_CHECKING:
    from inspector.session.session import Session

T = TypeVar("T")


class TaskView:
    """Nothing can be done."""

    @property
    def followed(self) -> frozenset[str]:
        """The ids of the server's tasks that are being followed to their ends now."""
        return frozenset()

    async def on_tasks(self, work: Callable[[SessionTasks], Awaitable[T]]) -> T:
        """Do something about tasks, on the loop where they are followed. What it raises is raised here."""
        raise NotImplementedError("a recorded conversation can't be continued")


class LiveTaskView(TaskView):
    """What the session does about tasks."""

    _live: Live

    @property
    def followed(self) -> frozenset[str]:
        """The ids of the tasks that are being followed now."""
        return self._live.session.tasks.followed if self._live.session else frozenset()

    async def on_tasks(self, work: Callable[[SessionTasks], Awaitable[T]]) -> T:
        """Do something about tasks, on the engine's loop."""

        async def on_engine(session: "Session") -> T:
            return await work(session.tasks)

        return await asyncio.wrap_future(self._live.run(on_engine))
