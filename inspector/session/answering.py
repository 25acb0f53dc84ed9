"""How the server's own requests are answered as long as nobody has declared that more can be answered.

`ping` always gets its empty result, also before the conversation is open. Everything else gets the error that the
specification asks of a client without that capability, at once: silence would hang the server. A server that asks
without end and takes no answer gets none beyond a bound; its requests stand in the log, unanswered.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from inspector.protocol import jsonrpc
from inspector.protocol.revisions._shape import Revision

METHOD_NOT_FOUND = -32601

AT_ONCE = 8
"""Answers on their way at the same time: over HTTP each takes a connection."""
WAITING = 1000
"""Requests that may wait for their answers to be taken."""


def answer_to(request: jsonrpc.Request, revision: Revision | None) -> bytes:
    """The answer to a request of the server's, ready to be sent."""
    if request.method == "ping":
        return jsonrpc.write_answer(request.id, {})
    known = revision is not None and request.method in revision.server_requests
    why = "this client has not declared the capability for it" if known else "no such method in this revision"
    return jsonrpc.write_error(request.id, METHOD_NOT_FOUND, f"{request.method}: {why}")


class Answering:
    """Requests of the server's in, answers out, in their order and never more than the bounds allow.

    `send` answers one request and never raises; `overrun` is told once, when a request first gets no answer.
    """

    def __init__(
        self,
        send: Callable[[jsonrpc.Request], Awaitable[None]],
        tasks: asyncio.TaskGroup,
        overrun: Callable[[str], None],
    ) -> None:
        self._send = send
        self._tasks = tasks
        self._overrun = overrun
        self._asked: deque[jsonrpc.Request] = deque()
        self._busy = 0
        self._told = False

    def take(self, request: jsonrpc.Request) -> None:
        """The server asks. Returns at once."""
        if len(self._asked) >= WAITING:
            self._leave_unanswered()
            return
        self._asked.append(request)
        if self._busy < AT_ONCE:
            self._busy += 1
            self._tasks.create_task(self._work())

    async def _work(self) -> None:
        try:
            while self._asked:
                await self._send(self._asked.popleft())
        finally:
            self._busy -= 1

    def _leave_unanswered(self) -> None:
        if not self._told:
            self._told = True
            self._overrun(f"The server takes no answers: beyond {WAITING:,} that wait, its requests get none.")
