"""Tasks of one HTTP transport, ended together.

An `asyncio.TaskGroup` must be entered and left by the same task, but a transport is opened by one task and closed by
another. So this gives the guarantees of a TaskGroup: no task is lost, no error is silent, and none outlives `close`.
"""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from inspector.errors import InspectError

logger = logging.getLogger(__name__)

_T = TypeVar("_T")


class TransportTasks:
    """A group of tasks on one event loop."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, _T], name: str) -> asyncio.Task[_T]:
        """Start a task.

        Awaiting the task raises its error. An error other than InspectError is logged as well.
        """
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._done)
        return task

    async def close(self) -> None:
        """Cancel all tasks and wait until the last has ended; the caller's own task is not cancelled."""
        while others := self._running - {asyncio.current_task()}:
            for task in others:
                task.cancel()
            await asyncio.wait(others)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, InspectError):
            logger.error("the task %s failed", task.get_name(), exc_info=error)
