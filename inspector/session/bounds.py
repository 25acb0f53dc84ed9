"""Bounds on answering: however much a server asks, its requests cost a bounded number of tasks.

Answers that need nobody are given in their order, a few on their way at a time. A question that waits for a person
takes no place among them. Beyond the bounds a request gets no answer and stands in the log; that is told once.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from inspector.protocol import jsonrpc
from inspector.protocol.questions import Question

AT_ONCE = 8
"""Answers on their way at the same time: over HTTP each takes a connection."""
WAITING = 1000
"""Requests that may wait for their answers to be taken, and questions that may wait for theirs."""

_SLOW = frozenset({"tasks/result"})
"""Requests that need nobody, and whose answers may take as long as somebody's."""

Send = Callable[[jsonrpc.Request, Question | None], Awaitable[None]]


class Bounds:
    """Requests of the server's in, answers out. `send` answers one and never raises; `overrun` is told once."""

    def __init__(self, send: Send, tasks: asyncio.TaskGroup, overrun: Callable[[str], None]) -> None:
        self._send = send
        self._tasks = tasks
        self._overrun = overrun
        self._asked: deque[jsonrpc.Request] = deque()
        self._busy = 0
        self._questions = 0
        self._told = False

    def take(self, request: jsonrpc.Request, question: Question | None = None) -> None:
        """The server asks. Returns at once."""
        if max(len(self._asked), self._questions) >= WAITING:
            self._leave_unanswered()
        elif question is not None or request.method in _SLOW:
            self._questions += 1
            self._tasks.create_task(self._put(request, question))
        else:
            self._asked.append(request)
            if self._busy < AT_ONCE:
                self._busy += 1
                self._tasks.create_task(self._work())

    async def _put(self, request: jsonrpc.Request, question: Question | None) -> None:
        try:
            await self._send(request, question)
        finally:
            self._questions -= 1

    async def _work(self) -> None:
        try:
            while self._asked:
                await self._send(self._asked.popleft(), None)
        finally:
            self._busy -= 1

    def _leave_unanswered(self) -> None:
        if not self._told:
            self._told = True
            self._overrun(f"The server takes no answers: beyond {WAITING:,} that wait, its requests get none.")
