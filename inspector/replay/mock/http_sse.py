"""The mock over HTTP+SSE, the first carriage over HTTP: one stream to hear, and an address to speak to.

The stream's first event tells the address. Answers come on the stream; what is sent is only acknowledged. When the
stream ends, so does the session (2024-11-05, basic/transports).
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any
from urllib.parse import parse_qs, urlsplit

from inspector.protocol.frames import Channel
from inspector.replay.mock.actor import Actor
from inspector.replay.mock.http_tape import HttpTape
from inspector.replay.mock.outbox import Outbox, event
from inspector.replay.mock.stage import Stage
from inspector.replay.mock.streams import Stream
from inspector.transports.http.listener import HttpRequest, HttpResponse, Pairs

MESSAGES = "/messages"
STREAM: Pairs = (("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"))
_TEXT: Pairs = (("Content-Type", "text/plain; charset=utf-8"),)

Spawn = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


class OldSite:
    """Answers the requests of clients that know no other carriage."""

    def __init__(self, stage: Stage, tape: HttpTape, spawn: Spawn, outbox: Callable[[], Outbox]) -> None:
        self._stage, self._tape, self._spawn, self._outbox = stage, tape, spawn, outbox
        self._sessions: dict[str, tuple[Actor, Outbox]] = {}

    def open(self, number: int) -> HttpResponse:
        """A client wants to hear."""
        self._tape.answered(number, 200, STREAM)
        return HttpResponse(200, STREAM, self._heard(number))

    def take(self, request: HttpRequest, number: int, entry: int) -> HttpResponse:
        """A client speaks."""
        name = parse_qs(urlsplit(request.target).query).get("session_id", [""])[0]
        session = self._sessions.get(name)
        if session is None:
            return self._said(number, 404, "There is no such session; open the stream again")
        actor, common = session
        self._spawn(actor.take(request.body, common, entry))
        return self._said(number, 202, "Accepted")

    async def _heard(self, number: int) -> AsyncIterator[bytes]:
        name, common = secrets.token_hex(16), self._outbox()
        actor = Actor(self._stage, common, self._spawn)
        self._sessions[name] = actor, common
        try:
            yield event(f"{MESSAGES}?session_id={name}".encode(), name="endpoint")
            async for piece in Stream(common).flow(self._tape, number, Channel.SSE):
                yield piece
        finally:
            del self._sessions[name]
            actor.close()
            self._tape.ended(number)

    def _said(self, number: int, status: int, words: str) -> HttpResponse:
        self._tape.answered(number, status, _TEXT)
        self._tape.ended(number)
        return HttpResponse(status, _TEXT, words.encode())
