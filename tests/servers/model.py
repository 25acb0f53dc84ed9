"""An OpenAI-compatible endpoint on loopback: answers what a test wants, and keeps what it was asked."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener

KEY = "sk-not-for-eyes-7"


def completion(text: str | None = "Rivers.", *, reason: str = "stop", **message: Any) -> dict[str, Any]:
    """A chat completion as such endpoints send it."""
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": text} | message}
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    return {"id": "c1", "object": "chat.completion", "model": "tide-1", "choices": [choice], "usage": usage}


def call(name: str, arguments: str, id_: str = "call_7") -> dict[str, Any]:
    """A function that the model wants called."""
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


class Endpoint:
    """What stands behind the address."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.answer: Callable[[Any], HttpResponse] = lambda body: as_json(completion())
        self.hold: asyncio.Event | None = None
        """While it is there and not set, nothing is answered."""
        self.gone = 0
        """How many went away while they waited."""

    async def handle(self, request: HttpRequest) -> HttpResponse:
        self.asked.append(json.loads(request.body))
        self.headers.append({name.lower(): value for name, value in request.headers})
        self.paths.append(request.target)
        if self.hold is not None:
            try:
                await self.hold.wait()
            except asyncio.CancelledError:
                self.gone += 1
                raise
        return self.answer(self.asked[-1])


def as_json(value: Any, status: int = 200, *headers: tuple[str, str]) -> HttpResponse:
    """A response with a JSON body."""
    return HttpResponse(status, (("Content-Type", "application/json"), *headers), json.dumps(value).encode())


@asynccontextmanager
async def endpoint() -> AsyncIterator[Endpoint]:
    """An endpoint that listens."""
    made = Endpoint()
    async with Listener(made.handle) as listener:
        made.url = f"{listener.url}/v1"
        yield made
