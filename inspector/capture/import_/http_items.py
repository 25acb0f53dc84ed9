"""An HTTP exchange that somebody wrote down, as the facts and frames that it was."""

from collections.abc import Iterator

import msgspec

from inspector.capture.import_.items import Item
from inspector.protocol.facts import Headers, HttpEvent, HttpFact, HttpTiming
from inspector.protocol.frames import Channel, Direction, Frame, SseFacts
from inspector.protocol.jsonrpc import NotJsonRpc, read


class Recorded(msgspec.Struct, frozen=True):
    """What is known of it."""

    method: str
    url: str
    sent_headers: Headers = ()
    sent: bytes = b""
    status: int = 0
    reason: str = ""
    version: str = ""
    headers: Headers = ()
    came: bytes = b""
    began_ns: int | None = None
    waited_ns: int = 0
    """Until the response's head."""
    lasted_ns: int = 0
    timing: HttpTiming | None = None
    error: str = ""

    @property
    def is_stream(self) -> bool:
        """Whether events came back."""
        return any(name.lower() == "content-type" and "event-stream" in value for name, value in self.headers)

    @property
    def is_mcp(self) -> bool:
        """Whether it carries the protocol, as far as that can be told."""
        named = (name.lower() for name, _ in (*self.sent_headers, *self.headers))
        return any(name.startswith("mcp-") for name in named) or is_rpc(self.sent) or is_rpc(self.came)


def is_rpc(body: bytes) -> bool:
    """Whether a body is JSON-RPC."""
    return b'"jsonrpc"' in body[:100_000] and not any(isinstance(each, NotJsonRpc) for each in read(body))


def items(each: Recorded, http: int) -> Iterator[Item]:
    """The exchange under a number, in the order in which it happened."""
    began, headed, ended = each.began_ns, _plus(each.began_ns, each.waited_ns), _plus(each.began_ns, each.lasted_ns)
    request = HttpFact(HttpEvent.REQUEST, http, method=each.method, target=each.url, headers=each.sent_headers)
    yield Item(began, request)
    if each.sent:
        yield Item(began, Frame(0, 0, 0, Direction.TO_SERVER, Channel.POST, each.sent, http=http))
    if each.status:
        yield Item(
            headed,
            HttpFact(
                HttpEvent.RESPONSE,
                http,
                status=each.status,
                reason=each.reason,
                version=each.version,
                headers=each.headers,
                timing=each.timing,
            ),
        )
    if each.came and each.is_stream:
        channel = Channel.GET if each.method == "GET" else Channel.SSE
        for payload, facts in events(each.came):
            yield Item(ended, Frame(0, 0, 0, Direction.FROM_SERVER, channel, payload, http=http, sse=facts))
    elif each.came:
        yield Item(ended, Frame(0, 0, 0, Direction.FROM_SERVER, Channel.REPLY, each.came, http=http))
    if each.error:
        yield Item(ended, HttpFact(HttpEvent.ERROR, http, why=each.error[:300]))
    elif each.status:
        yield Item(ended, HttpFact(HttpEvent.END, http, body_bytes=len(each.came)))


def events(body: bytes) -> Iterator[tuple[bytes, SseFacts]]:
    """The events of a stream that carry data; the last counts without the blank line that ends it, too."""
    for block in body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n\n"):
        data: list[bytes] = []
        event, id_, retry = None, None, None
        for line in block.split(b"\n"):
            name, _, rest = line.partition(b":")
            rest = rest.removeprefix(b" ")
            if name == b"data":
                data.append(rest)
            elif name == b"event":
                event = rest.decode("utf-8", "replace")
            elif name == b"id":
                id_ = rest.decode("utf-8", "replace")
            elif name == b"retry" and rest.isdigit() and len(rest) < 10:
                retry = int(rest)
        if data:
            yield b"\n".join(data), SseFacts(event, id_, retry)


def _plus(began_ns: int | None, more_ns: int) -> int | None:
    return None if began_ns is None else began_ns + more_ns
