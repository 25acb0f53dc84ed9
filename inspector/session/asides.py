"""What flows wait for beside answers to requests: questions that go on being asked between two polls, news of tasks.

A flow that polls can't wait for a person as long as he takes. It asks with patience, gets StillAsked, polls, and
asks the same again: here the asking has gone on meanwhile.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from inspector.protocol.flows.steps import Ask, StillAsked, Watch, Withdraw
from inspector.protocol.questions import Question, Reply
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.tracking.tasks import Task
from inspector.session.answering import Answering

_Key = tuple[tuple[int, str], ...]
Replies = tuple[Reply, ...] | None
_LULL_S = 0.05
"""After news: where one comes, more may, and they are to cost one poll and not many."""


class Asides:
    """Of one session, on its event loop."""

    def __init__(self, answering: Answering, tasks: asyncio.TaskGroup, find: Callable[[str], Task | None]) -> None:
        """`find` looks up what the fold knows of a task."""
        self._answering = answering
        self._tasks = tasks
        self._find = find
        self._asking: dict[_Key, asyncio.Task[Replies]] = {}
        self._watching: dict[str, set[asyncio.Event]] = {}

    async def ask(self, step: Ask, revision: Revision) -> Replies | StillAsked:
        """Have questions answered, or go on having it."""
        if step.patience_s is None:
            return await self._answering.to_questions(step.questions, revision)
        key = _key(step.questions)
        if key not in self._asking:
            self._asking[key] = self._tasks.create_task(self._answering.to_questions(step.questions, revision))
        work = self._asking[key]
        await asyncio.wait({work}, timeout=step.patience_s)
        if not work.done():
            return StillAsked()
        del self._asking[key]
        return None if work.cancelled() else work.result()

    def withdraw(self, step: Withdraw) -> None:
        """Nobody wants these answers any more."""
        for exchange in {question.exchange for question in step.questions}:
            self._answering.desk.withdraw(step.why, exchange=exchange)
        self._asking.pop(_key(step.questions), None)

    async def watch(self, step: Watch) -> Task | None:
        """Wait for news of a task, but not for long."""
        news = asyncio.Event()
        there = self._watching.setdefault(step.task, set())
        there.add(news)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(step.seconds):
                    await news.wait()
                    await asyncio.sleep(_LULL_S)
        finally:
            there.discard(news)
            if not there:
                self._watching.pop(step.task, None)
        return self._find(step.task)

    def told(self, task: Task) -> None:
        """There is news of a task."""
        for news in self._watching.get(task.id, ()) if task.by_server else ():
            news.set()

    def wake(self) -> None:
        """The connection is gone: whoever watches finds out by the next poll."""
        for there in self._watching.values():
            for news in there:
                news.set()


def _key(questions: tuple[Question, ...]) -> _Key:
    return tuple((question.exchange, question.key) for question in questions)
