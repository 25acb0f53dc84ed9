"""A session in memory with a server that answers by a table."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from msgspec.structs import replace

from inspector.capture.journal import start_capture
from inspector.protocol.capabilities import ALL
from inspector.protocol.flows.connect import ConnectOptions
from inspector.protocol.request_meta import ClientIdentity
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from inspector.session.inbox import Inbox
from inspector.session.options import Timeouts
from inspector.session.session import Session, SessionOptions
from tests.transports.memory import Peer, served_by

Server = Callable[[Peer], Awaitable[None]]

LEGACY, MODERN = newest_of(Era.LEGACY).date, newest_of(Era.MODERN).date
HELLO = {"protocolVersion": LEGACY, "serverInfo": {"name": "talking", "version": "1"}, "capabilities": {"tools": {}}}
DISCOVERED = {"supportedVersions": [MODERN], "capabilities": {"tools": {}}, "serverInfo": {"name": "talking"}}
WISH = ConnectOptions(ClientIdentity({"name": "test", "version": "0"}), era=Era.LEGACY)


def options(
    connect_options: ConnectOptions = WISH,
    *,
    idle_s: float | None = 20,
    total_s: float | None = 20,
    inbox: Inbox | None = None,
) -> SessionOptions:
    """What a test sets about a session. With a desk it offers to answer everything."""
    if inbox is None:
        return SessionOptions(connect_options, Timeouts(idle_s, total_s))
    client = ClientIdentity(connect_options.client.info, frozenset(ALL))
    return SessionOptions(replace(connect_options, client=client), Timeouts(idle_s, total_s), inbox=inbox)


def answering(answers: Mapping[str, Any]) -> Server:
    """A server of the handshake era. An answer is a value, a function that gives bytes, or "the end"."""

    async def serve(peer: Peer) -> None:
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            if "id" not in message or "method" not in message:
                continue
            answer = ({"initialize": HELLO} | dict(answers)).get(message["method"])
            if answer == "the end":
                return
            reply(peer, message, answer)

    return serve


def reply(peer: Peer, message: Any, answer: Any) -> None:
    """Answer a request; None is the error for a method that does not exist."""
    head = b'{"jsonrpc":"2.0","id":' + json.dumps(message["id"]).encode()
    if answer is None:
        peer.send(head + b',"error":{"code":-32601,"message":"no such method"}}')
    else:
        raw = answer() if callable(answer) else json.dumps(answer).encode()
        peer.send(head + b',"result":' + raw + b"}")


async def hear(peer: Peer, method: str) -> Any:
    """Read until a message of this method comes; that message."""
    while (payload := await peer.receive()) is not None:
        message = json.loads(payload)
        if message.get("method") == method:
            return message
    raise AssertionError(f"the client left without {method}")


@asynccontextmanager
async def session(server: Server, given: SessionOptions | None = None) -> AsyncIterator[Session]:
    """An open session with this server. Its timeouts begin after the opening, which may take long on a busy machine."""
    journal = start_capture(None)
    try:
        async with served_by(server) as transport:
            async with Session(transport, journal, given or options()) as live:
                clocks, live._driver._clocks = live._driver._clocks, Timeouts()
                await live.connect()
                live._driver._clocks = clocks
                yield live
    finally:
        journal.close()
