"""From messages to the body of an HTTP response: one JSON object, or an event stream.

An answer that comes at once goes out as JSON. As soon as something else comes first, or nothing comes for a
moment, the response becomes a stream: its head tells the client that the server is alive.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from inspector.demo.call import Json, Refusal, dump
from inspector.transports.http.listener import HttpResponse

PATIENCE = 0.25
"""Seconds that an answer may take and still be no stream."""
KEEP_ALIVE = 15.0
"""Seconds of silence after which a stream says that it is still there."""
STILL_HERE = b": the lamp is still lit\n\n"
EVENT_STREAM = (("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"))


class Outbox:
    """Messages that wait for the stream that carries them."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[Any] = asyncio.Queue()

    async def put(self, message: Any) -> None:
        """Add a message; it never waits."""
        self._waiting.put_nowait(message)

    def end(self) -> None:
        """Nothing follows."""
        self._waiting.put_nowait(None)

    async def take(self, seconds: float) -> Any:
        """Return the next message, or None at the end. Raises: TimeoutError, if nothing comes for so long."""
        async with asyncio.timeout(seconds):
            return await self._waiting.get()

    async def events(self) -> AsyncIterator[bytes]:
        """Yield each message as an event until the end; a comment now and then where nothing is said."""
        while True:
            try:
                message = await self.take(KEEP_ALIVE)
            except TimeoutError:
                yield STILL_HERE
                continue
            if message is None:
                return
            yield event(message)


def event(message: Any) -> bytes:
    """A message as an event of a stream."""
    return b"event: message\ndata: " + dump(message) + b"\n\n"


def as_json(message: Any, status: int = 200, *headers: tuple[str, str]) -> HttpResponse:
    """A message as the whole body of a response."""
    return HttpResponse(status, (("Content-Type", "application/json"), *headers), dump(message))


def refused(status: int, refusal: Refusal, request_id: object = None) -> HttpResponse:
    """A refusal as the whole body of a response; without an id if the request could not be told."""
    answer: Json = {"jsonrpc": "2.0"}
    if isinstance(request_id, (str, int)) and not isinstance(request_id, bool):
        answer["id"] = request_id
    return as_json({**answer, "error": refusal.as_error()}, status)


def is_last(message: Any) -> bool:
    """Whether it is the answer of a POST (or the answers, if it was a batch), so that nothing follows it."""
    return not (isinstance(message, dict) and "method" in message)


async def respond(
    tasks: asyncio.TaskGroup, work: Coroutine[Any, Any, None], outbox: Outbox, *, ends_with_stream: bool
) -> HttpResponse:
    """Run `work`, which fills the outbox, and return the response that carries what it says.

    `ends_with_stream`: a client that goes away ends the work (stateless era); else it runs on unheard.
    """
    task = tasks.create_task(_run(work, outbox))
    try:
        first = await outbox.take(PATIENCE)
    except TimeoutError:
        return HttpResponse(200, EVENT_STREAM, _stream(task, outbox, ends_with_stream))
    except asyncio.CancelledError:
        if ends_with_stream:
            task.cancel()
        raise
    if first is not None and is_last(first):
        return as_json(first)
    if first is not None:
        return HttpResponse(200, EVENT_STREAM, _stream(task, outbox, ends_with_stream, event(first)))
    return HttpResponse(200, EVENT_STREAM, b"")


async def _run(work: Coroutine[Any, Any, None], outbox: Outbox) -> None:
    try:
        await work
    finally:
        outbox.end()


async def _stream(
    task: asyncio.Task[None], outbox: Outbox, ends_with_stream: bool, first: bytes = b""
) -> AsyncIterator[bytes]:
    try:
        yield first or STILL_HERE
        async for piece in outbox.events():
            yield piece
    finally:
        if ends_with_stream:
            task.cancel()
