"""The server over HTTP on this machine, for clients with a token."""

import asyncio
import hmac
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

import uvicorn

from inspector.serve.server import server_of
from inspector.serve.sessions import Sessions

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

_PACE_S = 30.0
"""Seconds between two looks for sessions that no call names."""


def new_token() -> str:
    """Return a token that can't be guessed."""
    return secrets.token_urlsafe(32)


def guarded(app: App, token: str) -> App:
    """Return an app that answers requests without the token with 401. It is in a header, or begins the path."""
    header, prefix = f"Bearer {token}".encode(), f"/{token}".encode()

    async def check(scope: Message, receive: Receive, send: Send) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        path = scope.get("path", "").encode("utf-8", "replace")
        if hmac.compare_digest(path[: len(prefix)], prefix):
            rest = path[len(prefix) :]
            await app({**scope, "path": rest.decode("utf-8", "replace"), "raw_path": rest}, receive, send)
            return
        if scope["type"] != "http" or hmac.compare_digest(given, header):
            await app(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b"The token is in the output of mcp-inspect serve.\n"})

    return check


async def serve_http(sessions: Sessions, port: int, token: str, narrate: Callable[[str], object]) -> None:
    """Listen on 127.0.0.1 until it is interrupted. Port 0 is any free port."""
    app = guarded(server_of(sessions).streamable_http_app(), token)
    with socket.create_server(("127.0.0.1", port)) as listener:
        origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
        narrate(f"{origin}/{token}/mcp (or {origin}/mcp with Authorization: Bearer {token})")
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
        try:
            async with asyncio.TaskGroup() as group:
                idle = group.create_task(_close_idle(sessions))
                await server.serve(sockets=[listener])
                idle.cancel()
        finally:
            await sessions.close_all()


async def _close_idle(sessions: Sessions) -> None:
    with suppress(asyncio.CancelledError):
        while True:
            await asyncio.sleep(_PACE_S)
            await sessions.close_idle()
