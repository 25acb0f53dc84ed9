"""Servers whose streams are peculiar, a function each: they poll, are cut, trickle, keep alive, or answer elsewhere.

`modern` and `legacy` are ordinary servers of each era around one peculiar answer.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse
from tests.servers.http_fixtures import JSON, STREAM, Handler, json_answer, pieces, stream

LEGACY, MODERN = newest_of(Era.LEGACY).date, newest_of(Era.MODERN).date
WHO = {"name": "streams", "version": "1"}
CAPABILITIES = {"tools": {"listChanged": True}}
HELLO = {"protocolVersion": LEGACY, "serverInfo": WHO, "capabilities": CAPABILITIES}
DISCOVERED = {"resultType": "complete", "supportedVersions": [MODERN], "capabilities": CAPABILITIES, "serverInfo": WHO}
DONE = {
    "resultType": "complete",
    "content": [{"type": "text", "text": "done"}],
    "_meta": {"io.modelcontextprotocol/serverInfo": WHO},
}

Peculiar = Callable[[HttpRequest], HttpResponse]
"""What a server answers to one method."""


def tools(**annotations: bool) -> dict[str, Any]:
    """A list of one tool, `work`, with these annotations."""
    tool: dict[str, Any] = {"name": "work", "inputSchema": {"type": "object"}}
    return {"resultType": "complete", "tools": [tool | ({"annotations": annotations} if annotations else {})]}


def answer_to(request: HttpRequest, result: Any) -> bytes:
    """The JSON-RPC answer to a request."""
    return json.dumps({"jsonrpc": "2.0", "id": json.loads(request.body)["id"], "result": result}).encode()


def event(payload: bytes, **fields: str) -> bytes:
    """One SSE event."""
    return "".join(f"{name}: {value}\n" for name, value in fields.items()).encode() + b"data: " + payload + b"\n\n"


def _ordinary(results: Mapping[str, Any], peculiar: Mapping[str, Peculiar]) -> Handler:
    async def handle(request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return peculiar[request.method](request) if request.method in peculiar else HttpResponse(405)
        message = json.loads(request.body)
        if message["method"] in peculiar:
            return peculiar[message["method"]](request)
        if "id" not in message:
            return HttpResponse(202)
        if message["method"] in results:
            return json_answer(answer_to(request, results[message["method"]]))
        return HttpResponse(400)

    return handle


def modern(tool_list: Any, **peculiar: Peculiar) -> Handler:
    """A server of the stateless era; `tools_call` names what it does to tools/call."""
    results = {"server/discover": DISCOVERED, "tools/list": tool_list, "tools/call": DONE}
    return _ordinary(results, _methods({"subscriptions_listen": granted} | peculiar))


def legacy(tool_list: Any, **peculiar: Peculiar) -> Handler:
    """A server of the handshake era, with `GET` for its standalone stream."""
    return _ordinary({"initialize": HELLO, "ping": {}, "tools/list": tool_list, "tools/call": DONE}, _methods(peculiar))


def _methods(peculiar: Mapping[str, Peculiar]) -> dict[str, Peculiar]:
    return {name.replace("_", "/"): answer for name, answer in peculiar.items()}


def cut(times: int, result: Any, before: bytes = b": one moment\n\n") -> Peculiar:
    """The first streams break before the answer; then it answers."""
    left = [None] * times

    def answer(request: HttpRequest) -> HttpResponse:
        if left:
            left.pop()
            return stream(before, HangUp())
        return json_answer(answer_to(request, result))

    return answer


def torn(times: int, result: Any) -> Peculiar:
    """The first bodies, which are no streams, break off in their middle; then it answers."""
    left = [None] * times

    def answer(request: HttpRequest) -> HttpResponse:
        body = answer_to(request, result)
        if left:
            left.pop()
            return HttpResponse(200, JSON, pieces((body[:-5], HangUp())))
        return json_answer(body)

    return answer


class Polling:
    """Sends a priming event, closes, and goes on by GET; the answer comes at the given visit."""

    def __init__(self, result: Any, visits: int, retry_ms: int) -> None:
        self.seen: list[str] = []
        """The Last-Event-ID of each visit."""
        self._result, self._visits, self._retry = result, visits, retry_ms
        self._asked: HttpRequest | None = None

    def call(self, request: HttpRequest) -> HttpResponse:
        """The POST."""
        self._asked = request
        return stream(self._primed())

    def get(self, request: HttpRequest) -> HttpResponse:
        """A visit; without Last-Event-ID it asks for the standalone stream, which there is none of."""
        last = request.header("last-event-id")
        if last is None or self._asked is None:
            return HttpResponse(405)
        self.seen.append(last)
        if len(self.seen) < self._visits:
            return stream(self._primed())
        return stream(event(answer_to(self._asked, self._result), id="last"))

    def _primed(self) -> bytes:
        return event(b"", id=f"wait-{len(self.seen)}", retry=str(self._retry))


class AnswersOnGet:
    """Accepts every request of a method with 202 and answers on the standalone stream."""

    def __init__(self, result: Any) -> None:
        self._result = result
        self._outbox: asyncio.Queue[bytes] = asyncio.Queue()

    def call(self, request: HttpRequest) -> HttpResponse:
        """The POST."""
        self._outbox.put_nowait(event(answer_to(request, self._result)))
        return HttpResponse(202)

    def get(self, request: HttpRequest) -> HttpResponse:
        """The standalone stream."""
        return HttpResponse(200, STREAM, self._events())

    async def _events(self) -> AsyncIterator[bytes]:
        yield b": open\n\n"
        while True:
            yield await self._outbox.get()


def trickle(result: Any) -> Peculiar:
    """Sends its stream byte by byte, each in a piece of its own, with comments within."""

    async def bytes_of(body: bytes) -> AsyncIterator[bytes]:
        for byte in body:
            yield bytes((byte,))
            await asyncio.sleep(0)

    def answer(request: HttpRequest) -> HttpResponse:
        body = b": keep-alive\n\n: keep-alive\r\n\r\n" + event(answer_to(request, result))
        return HttpResponse(200, STREAM, bytes_of(body))

    return answer


def listened_to(changes: Callable[[int], Awaitable[object]]) -> Peculiar:
    """Grants a stream of changes, waits for `changes` with the number of the stream, tells of one, and hangs up."""
    count = iter(range(1, 100))

    async def events(request: HttpRequest) -> AsyncIterator[bytes]:
        number, id_ = next(count), json.loads(request.body)["id"]
        meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": id_}}
        granted = {"method": "notifications/subscriptions/acknowledged"}
        yield _notice(**granted, params=meta | {"notifications": {"toolsListChanged": True}})
        await changes(number)
        yield _notice(method="notifications/tools/list_changed", params=meta)
        raise HangUp

    return lambda request: HttpResponse(200, STREAM, events(request))


def granted_to(request: HttpRequest) -> bytes:
    """The first event of a stream of changes."""
    params = {"_meta": _subscription(request), "notifications": {"toolsListChanged": True}}
    return _notice(method="notifications/subscriptions/acknowledged", params=params)


def granted(request: HttpRequest) -> HttpResponse:
    """Grants a stream of changes, and ends it, for nothing will ever change."""
    over = {"resultType": "complete", "_meta": _subscription(request) | {"io.modelcontextprotocol/serverInfo": WHO}}
    return stream(granted_to(request), event(answer_to(request, over)), headers=(("X-Accel-Buffering", "no"),))


def _subscription(request: HttpRequest) -> dict[str, Any]:
    return {"io.modelcontextprotocol/subscriptionId": json.loads(request.body)["id"]}


def _notice(**members: Any) -> bytes:
    return event(json.dumps({"jsonrpc": "2.0", **members}).encode())
