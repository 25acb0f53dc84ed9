"""HTTP+SSE (2024-11-05): a GET stream for messages, and POST to the address in its first event.

The stream is the connection: when it ends, all is over, since this revision knows no resumption. The address
may be relative; one on another origin is refused before anything is sent there.
"""

import asyncio
from collections.abc import Callable

import httpx

from inspector.errors import AuthorizationNeeded, ConnectError, Disconnected
from inspector.protocol.frames import Channel
from inspector.transports.base import Delivery, Outgoing
from inspector.transports.http.endpoint import ACCEPT_ANSWER, ACCEPT_STREAM, JSON_CONTENT, Endpoint, address_text
from inspector.transports.http.reply import HttpReply, Trail, read_body, read_events
from inspector.transports.http.sse import SseEvent, SseItem, SseParser
from inspector.transports.http.tasks import TransportTasks

_EXCERPT = 200


class LegacySse:
    """The carriage of the first revision."""

    def __init__(self, endpoint: Endpoint, tasks: TransportTasks, lost: Callable[[str], None]) -> None:
        """`lost` is told why, once the stream has ended by itself."""
        self._endpoint = endpoint
        self._tasks = tasks
        self._lost = lost
        self._address: httpx.URL | None = None
        self.refusal: Delivery | None = None
        """What the server answered instead of a stream."""

    async def start(self) -> None:
        """Open the stream and wait for the address. Raises: ConnectError, AuthorizationNeeded."""
        address = asyncio.get_running_loop().create_future()
        pump = self._tasks.spawn(self._pump(address), "legacy SSE stream")
        limit = self._endpoint.options.connect_timeout
        try:
            await asyncio.wait({pump, address}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if pump.done():
                pump.result()
                raise self._no_endpoint("ended its stream")
            if address.done():
                self._address = self._endpoint.resolve(address.result())
            else:
                raise self._no_endpoint(f"has sent none within {limit:g} s")
        except BaseException:
            pump.cancel()
            raise

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Post it to the address; the answer, if it is a request, comes on the stream.

        Raises: Disconnected without a stream; ConnectError.
        """
        if self._address is None:
            raise Disconnected("The SSE stream is not open.", hint="Connect again.")
        headers = (ACCEPT_ANSWER, JSON_CONTENT, *outgoing.headers.items())
        body, probe = outgoing.payload, outgoing.probe
        request = self._endpoint.request("POST", headers, body=body, url=self._address, probe=probe)
        async with await request as reply:
            if reply.is_stream:
                await read_events(reply, Channel.SSE, Trail())
                return reply.delivery(answer_may_follow=reply.is_success)
            return reply.delivery(answer_may_follow=reply.is_success, body=await read_body(reply))

    def abandon(self, sending: asyncio.Task[Delivery]) -> None:
        """Stop posting; if it was posted already, the answer may still come on the stream."""
        sending.cancel()

    async def stop(self) -> None:
        """Forget the address; whoever owns the tasks ends the stream."""
        self._address = None

    async def _pump(self, address: "asyncio.Future[str]") -> None:
        async with await self._endpoint.request("GET", (ACCEPT_STREAM,)) as reply:
            if not (reply.is_success and reply.is_stream):
                self.refusal = reply.delivery(body=await read_body(reply))
                raise _refused(reply, self.refusal)
            await read_events(reply, Channel.GET, Trail(), _EndpointFirst(address))
        if self._address is not None:
            self._address = None
            self._lost(reply.cut or "the server ended the SSE stream")

    def _no_endpoint(self, what: str) -> ConnectError:
        address = address_text(self._endpoint.url)
        return ConnectError(
            f'{address} should be an event stream that begins with "endpoint", but the server {what}.',
            hint="Is this the address of the SSE stream? The log shows what came.",
        )


class _EndpointFirst(SseParser):
    """Takes the address out of the first event; what is left of that event is a note, since it is no message."""

    def __init__(self, address: "asyncio.Future[str]") -> None:
        super().__init__()
        self._address = address

    def feed(self, chunk: bytes) -> list[SseItem]:
        return [self._taken(item) for item in super().feed(chunk)]

    def _taken(self, item: SseItem) -> SseItem:
        if not isinstance(item, SseEvent) or item.event != "endpoint" or not item.data:
            return item
        if not self._address.done():
            self._address.set_result(item.data.decode(errors="replace").strip())
        return SseEvent(item.raw, None, item.event, item.id, item.retry)


def _refused(reply: HttpReply, delivery: Delivery) -> ConnectError:
    excerpt = delivery.body[:_EXCERPT].decode(errors="replace")
    said = f": {excerpt}" if excerpt else ""
    kind = delivery.content_type or "no content type"
    sentence = f"GET for an event stream was answered {reply.status}, {kind}{said}"
    if reply.status in (401, 403):
        return AuthorizationNeeded(sentence, hint="The server wants credentials: log in, or give a header with -H.")
    return ConnectError(sentence, hint="Is this the address of an MCP server? The log shows each attempt.")
