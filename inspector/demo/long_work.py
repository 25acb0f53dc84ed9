"""Work that takes its time, told by the clock: what it has come to follows from how long ago it began.

Nothing runs in the background, so there is nothing to be stopped, and whoever asks gets the same answer.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]

ENDED = ("completed", "failed", "cancelled")
KEPT = 500
INTERNAL_ERROR = -32603


@dataclass(frozen=True, slots=True)
class Work:
    """What a task does, told by the clock."""

    steps: tuple[str, ...]
    """What is said of each."""
    seconds: float
    """How long a step takes."""
    finish: Callable[[Json], Json]
    """The result, from the answer to the question (empty without one)."""
    fails: str = ""
    """Why it fails in the end; "" if it does not."""
    question: Json | None = None
    """`{method, params}`, asked after the first step; None for a task that asks nothing."""
    endless: bool = False
    """Whether it begins again after its last step."""


@dataclass(slots=True)
class Task:
    """Work that was begun."""

    id: str
    work: Work
    started: float
    """Monotonic, seconds; put off by the time that a question took."""
    created: datetime
    ttl_ms: int
    state: str = "working"
    message: str = ""
    updated: datetime | None = None
    answer: Json | None = None
    result: Json | None = None
    error: Json | None = None
    asking: bool = False
    """Whether somebody is being asked on a stream (2025-11-25)."""

    def look(self, now: float) -> None:
        """Find out how far it is."""
        if self.state in ENDED:
            return
        step = int((now - self.started) / self.work.seconds) if self.work.seconds else len(self.work.steps)
        if self.work.question is not None and self.answer is None and step >= 1:
            self.started = now - self.work.seconds
            self._move("input_required", "somebody must say how to go on")
        elif self.work.endless:
            self._move("working", f"{self.work.steps[step % len(self.work.steps)]} ({step + 1})")
        elif step < len(self.work.steps):
            self._move("working", f"{self.work.steps[step]} ({step + 1} of {len(self.work.steps)})")
        else:
            self._end()

    def cancel(self) -> None:
        """End it, wherever it is."""
        self._move("cancelled", "called off")

    def _end(self) -> None:
        if why := self.work.fails:
            self.result = {"content": [{"type": "text", "text": why}], "isError": True}
            self.error = {"code": INTERNAL_ERROR, "message": why}
            self._move("failed", why)
        else:
            self.result = self.work.finish(self.answer or {})
            self._move("completed", "done")

    def _move(self, state: str, message: str) -> None:
        if (state, message) != (self.state, self.message):
            self.state, self.message, self.updated = state, message, datetime.now(UTC)


@dataclass(slots=True)
class Tasks:
    """All tasks of a process."""

    all: dict[str, Task] = field(default_factory=dict)

    def begin(self, work: Work, ttl_ms: int) -> Task:
        """A new one. The oldest of too many is forgotten."""
        self._forget()
        while len(self.all) >= KEPT:
            del self.all[next(iter(self.all))]
        task = Task(secrets.token_hex(8), work, time.monotonic(), datetime.now(UTC), ttl_ms)
        self.all[task.id] = task
        task.look(task.started)
        return task

    def listed(self) -> list[Task]:
        """Those that are kept, looked at."""
        self._forget()
        for task in self.all.values():
            task.look(time.monotonic())
        return list(self.all.values())

    def find(self, id_: str) -> Task | None:
        """The one of an id, looked at; None if there is none (any more)."""
        self._forget()
        task = self.all.get(id_)
        if task is not None:
            task.look(time.monotonic())
        return task

    def _forget(self) -> None:
        now = datetime.now(UTC)
        for task in list(self.all.values()):
            if now > task.created + timedelta(milliseconds=task.ttl_ms):
                del self.all[task.id]
