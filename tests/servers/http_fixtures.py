"""Servers over HTTP for the tests: a handler behind a listener, and the answers that most of them give."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.revisions._shape import Carriage
from inspector.transports.base import Expects, Outgoing
from inspector.transports.http.endpoint import HttpOptions
from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener, Pairs
from inspector.transports.http.transport import HttpTransport
from tests.transports.recording import Recorder

Handler = Callable[[HttpRequest], Awaitable[HttpResponse]]

JSON = (("Content-Type", "application/json"),)
STREAM = (("Content-Type", "text/event-stream"),)
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{}}'
REQUEST = Outgoing(b'{"jsonrpc":"2.0","id":1,"method":"ping"}', Expects.ANSWER)
NOTIFICATION = Outgoing(b'{"jsonrpc":"2.0","method":"notifications/initialized"}', Expects.NOTHING)
INITIALIZE = Outgoing(b'{"jsonrpc":"2.0","id":0,"method":"initialize"}', Expects.ANSWER, opens_session=True)


@dataclass
class Site:
    """A server that runs, and what it was asked so far."""

    listener: Listener
    requests: list[HttpRequest] = field(default_factory=list)
    hang_up: Callable[[], None] = lambda: None
    """Ends the stream of a legacy server; others have none."""

    @property
    def url(self) -> str:
        """The address of its MCP endpoint."""
        return f"{self.listener.url}/mcp"

    def methods(self) -> list[str]:
        """The methods it was asked, in order."""
        return [request.method for request in self.requests]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[Site]:
    """Run a server with this handler."""

    async def keep(request: HttpRequest) -> HttpResponse:
        site.requests.append(request)
        return await handler(request)

    site = Site(Listener(keep))
    async with site.listener:
        yield site


@asynccontextmanager
async def connected(
    url: str, carriage: Carriage = Carriage.STATELESS, options: HttpOptions | None = None
) -> AsyncIterator[tuple[HttpTransport, Recorder]]:
    """Open a transport to it, with a recorder."""
    transport, recorder = HttpTransport(url, options=options, carriage=carriage), Recorder()
    try:
        await transport.open(recorder)
        yield transport, recorder
    finally:
        await transport.close()


def always(response: HttpResponse) -> Handler:
    """Return a handler that gives this answer to everything; its body must be bytes."""

    async def handler(_: HttpRequest) -> HttpResponse:
        return response

    return handler


def by_method(**answers: HttpResponse | Callable[[HttpRequest], HttpResponse]) -> Handler:
    """Return a handler that answers by the HTTP method, and 405 to those without an answer."""

    async def handler(request: HttpRequest) -> HttpResponse:
        answer = answers.get(request.method, HttpResponse(405))
        return answer if isinstance(answer, HttpResponse) else answer(request)

    return handler


def json_answer(body: bytes = ANSWER, status: int = 200, headers: Pairs = ()) -> HttpResponse:
    """Return a response with a JSON body."""
    return HttpResponse(status, JSON + headers, body)


async def pieces(parts: Iterable[bytes | Exception | Callable[[], Awaitable[object]]]) -> AsyncIterator[bytes]:
    """Give a body piece by piece: raises an exception where it meets one, and waits where it meets a function."""
    for part in parts:
        if isinstance(part, bytes):
            yield part
        elif isinstance(part, Exception):
            raise part
        else:
            await part()


def stream(*parts: bytes | Exception | Callable[[], Awaitable[object]], headers: Pairs = ()) -> HttpResponse:
    """Return a response with a stream of events."""
    return HttpResponse(200, STREAM + headers, pieces(parts))


def echo(request: HttpRequest) -> HttpResponse:
    """Answer a JSON-RPC request with its params, a notification with 202."""
    return HttpResponse(202) if (answer := echo_payload(request.body)) is None else json_answer(answer)


def echo_payload(payload: bytes) -> bytes | None:
    """Return the answer to a request that repeats its params; None to a notification."""
    message = json.loads(payload)
    if "id" not in message:
        return None
    result = message.get("params", {})
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()


@asynccontextmanager
async def legacy_server(endpoint: Callable[[Site], str], accepted: HttpResponse | None = None) -> AsyncIterator[Site]:
    """A server as the first SDKs wrote it: accepts a POST with a word, and answers on the stream."""
    outbox: asyncio.Queue[bytes | None] = asyncio.Queue()

    async def events() -> AsyncIterator[bytes]:
        yield f"event: endpoint\ndata: {endpoint(site)}\n\n".encode()
        while (payload := await outbox.get()) is not None:
            yield b"event: message\ndata: " + payload + b"\n\n"

    async def answer(request: HttpRequest) -> HttpResponse:
        if request.method == "GET":
            return HttpResponse(200, STREAM, events())
        if (payload := echo_payload(request.body)) is not None:
            outbox.put_nowait(payload)
        return accepted or HttpResponse(202, (), b"Accepted")

    async with serving(answer) as site:
        site.hang_up = lambda: outbox.put_nowait(None)
        yield site


def steps(recorder: Recorder, number: int = 1) -> list[HttpEvent]:
    """Return the steps of one exchange, in order."""
    return [each.event for each in recorder.of(HttpFact) if each.http == number]


def fact(recorder: Recorder, event: HttpEvent, number: int = 1) -> HttpFact:
    """Return the fact of this step of one exchange."""
    found = [each for each in recorder.of(HttpFact) if each.http == number and each.event is event]
    assert len(found) == 1, f"{len(found)} facts {event} of exchange {number}"
    return found[0]
