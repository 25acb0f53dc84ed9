"""The demo server without a transport: a message in, messages out.

One DemoServer serves one connection: a process on stdio, a session on HTTP, a single POST in the stateless era. Each
message is handled in a task of its own, so that a slow tool blocks no other request. The era is determined for each
request, so both can be used on one connection.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

from inspector.demo import methods
from inspector.demo import methods as opening
from inspector.demo.call import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    DemoConnection,
    DemoError,
    DemoOptions,
    DemoRequest,
    Json,
    Send,
    dump,
    mutter,
)
from inspector.demo.state import Station


@dataclass(slots=True)
class _Running:
    task: asyncio.Task[Any] | None
    given_up: bool = False


class DemoServer:
    """The server's side of one connection.

    `notify` sends messages that belong to no request. `close` must be called after the last message.
    """

    def __init__(self, station: Station, options: DemoOptions, notify: Send) -> None:
        self.link = DemoConnection(notify)
        self._station = station
        self._options = options
        self._running: dict[bytes, _Running] = {}

    def close(self) -> None:
        """Stop sending change notifications on this connection; safe to call twice."""
        self._station.listeners.discard(self.link.hear)
        for waiting in self.link.waiting.values():
            waiting.cancel()

    async def handle(self, message: Any, reply: Send) -> None:
        """Handle one parsed message to its end.

        `reply` is called with the request's notifications and then its response. There is none for a notification or
        a cancelled request. Never raises because of a message's content.
        """
        if isinstance(message, list):
            await self._batch(message, reply)
        elif not isinstance(message, dict):
            await reply(self.error_without_id(DemoError(INVALID_REQUEST, "A message must be an object")))
        elif "method" in message and "id" in message:
            await self._request(message, reply)
        elif "method" in message:
            self._notification(message)
        elif "result" in message or "error" in message:
            self._answered(message)
        else:
            await reply(
                self.error_without_id(DemoError(INVALID_REQUEST, "A message needs a method, a result or an error"))
            )

    def _answered(self, message: Json) -> None:
        """Process the response to one of our own requests."""
        waiting = self.link.waiting.get(str(message.get("id")))
        if waiting is None or waiting.done():
            mutter("received a response to an unknown request")
        else:
            waiting.set_result(message)

    def error_without_id(self, refusal: DemoError) -> Json:
        """Return the error for a message whose id could not be read."""
        answer: Json = {"jsonrpc": "2.0"}
        if self.link.era is not None and not self.link.era.has("error without id"):
            answer["id"] = None
        return {**answer, "error": refusal.as_error()}

    async def _batch(self, messages: list[Any], reply: Send) -> None:
        if self.link.era is None or not self.link.era.has("batches") or not messages:
            await reply(self.error_without_id(DemoError(INVALID_REQUEST, "Batches are not supported")))
            return
        answers: list[Json] = []

        async def collect(answer: Json) -> None:
            if "method" in answer:
                await reply(answer)
            else:
                answers.append(answer)

        async with asyncio.TaskGroup() as tasks:
            for message in messages:
                tasks.create_task(self.handle(message, collect))
        if answers:
            await reply(answers)

    def _notification(self, message: Json) -> None:
        params = message.get("params")
        if message["method"] == "notifications/cancelled" and isinstance(params, dict):
            self.cancel(params.get("requestId"))

    def cancel(self, request_id: object) -> None:
        """Cancel a running request: it gets no response. Do nothing if the id is unknown."""
        running = self._running.get(dump(request_id))
        if running is not None and running.task is not None:
            running.given_up = True
            running.task.cancel()

    async def _request(self, message: Json, reply: Send) -> None:
        request_id = message["id"]
        if isinstance(request_id, bool) or not isinstance(request_id, (str, int)):
            await reply(self.error_without_id(DemoError(INVALID_REQUEST, "id must be a string or an integer")))
            return
        key = dump(request_id)
        if key in self._running:
            answer = _failed(request_id, DemoError(INVALID_REQUEST, "This id is already in use"))
            await reply(answer)
            return
        running = self._running[key] = _Running(asyncio.current_task())
        try:
            await reply(await self._answer(message, reply))
        except asyncio.CancelledError:
            if not running.given_up or running.task is None:
                raise
            running.task.uncancel()
        finally:
            del self._running[key]

    async def _answer(self, message: Json, reply: Send) -> Json:
        try:
            call = self._call(message, reply)
            made = methods.finish(call, await self._handler(call)(call))
        except DemoError as refusal:
            return _failed(message["id"], refusal)
        return {"jsonrpc": "2.0", "id": message["id"], "result": made}

    def _call(self, message: Json, reply: Send) -> DemoRequest:
        method, params = message["method"], message.get("params", {})
        if not isinstance(method, str):
            raise DemoError(INVALID_REQUEST, "method must be a string")
        if not isinstance(params, dict):
            raise DemoError(INVALID_PARAMS, "params must be an object")
        era = opening.era_of(method, params, self.link, self._options)
        return DemoRequest(message["id"], method, params, era, self.link, reply, self._station, self._options)

    def _handler(self, call: DemoRequest) -> methods.Handler:
        table = methods.MODERN if call.era.stateless else methods.LEGACY
        if call.method not in table:
            raise DemoError(METHOD_NOT_FOUND, f"Method not found: {call.method}")
        return table[call.method]


def _failed(request_id: str | int, refusal: DemoError) -> Json:
    return {"jsonrpc": "2.0", "id": request_id, "error": refusal.as_error()}
