"""Driving the demo from a test: as a process with JSON lines, or in this process message by message.

Nothing of the client's is used here, so a test says what is on the wire.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from inspector.demo import call
from inspector.demo.call import META, DemoOptions
from inspector.demo.methods import DemoServer
from inspector.demo.state import DemoState
from tests.waiting import PATIENCE_S, until

MODERN = call.NEWEST_MODERN.name
LEGACY = call.NEWEST_LEGACY.name


def meta(**more: Any) -> dict[str, Any]:
    """What every stateless request carries; `logLevel="debug"` and the like are added under the prefix."""
    carried = {"protocolVersion": MODERN, "clientCapabilities": {}, **more}
    return {META + key: value for key, value in carried.items()}


def request(request_id: int | str, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def stateless(request_id: int | str, method: str, **params: Any) -> dict[str, Any]:
    return request(request_id, method, **{"_meta": meta(), **params})


def opening(version: str = LEGACY, **capabilities: Any) -> dict[str, Any]:
    """An `initialize` with id 0, of a client with these capabilities."""
    who = {"name": "test", "version": "0"}
    return request(0, "initialize", protocolVersion=version, capabilities=capabilities, clientInfo=who)


class Here:
    """A DemoServer in this process, with everything that it sent in `sent`."""

    def __init__(self, **options: Any) -> None:
        self.sent: list[Any] = []
        self.station = DemoState()
        self.server = DemoServer(self.station, DemoOptions(**options), self._keep)

    async def _keep(self, message: Any) -> None:
        self.sent.append(json.loads(json.dumps(message)))

    async def send(self, message: Any) -> None:
        """Have one message handled to its end."""
        await self.server.handle(message, self._keep)

    async def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Have one request handled and return its answer, which is the last thing that was sent."""
        await self.send(message)
        answer: dict[str, Any] = self.sent[-1]
        assert answer["id"] == message["id"]
        return answer

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool in the stateless era and return its result."""
        answer = await self.ask(stateless(1, "tools/call", name=name, arguments=arguments))
        result: dict[str, Any] = answer["result"]
        return result

    async def converse(self, message: dict[str, Any], *replies: dict[str, Any]) -> list[dict[str, Any]]:
        """Have one request of the handshake era handled, and each request that the server makes meanwhile replied to.

        A reply is `{"result": …}` or `{"error": …}`. Returns the server's requests, in order.
        """
        before = len(self.sent)
        async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
            tasks.create_task(self.send(message))
            for number, reply in enumerate(replies, 1):
                await until(lambda number=number: len(self._asked(before)) >= number, "the server asked")  # type: ignore[misc]
                await self.send({"jsonrpc": "2.0", "id": self._asked(before)[number - 1]["id"], **reply})
        return self._asked(before)

    def _asked(self, start: int) -> list[dict[str, Any]]:
        return [message for message in self.sent[start:] if "method" in message and "id" in message]

    @property
    def notifications(self) -> list[tuple[str, dict[str, Any]]]:
        """Method and params of the notifications sent so far."""
        return [(sent["method"], sent["params"]) for sent in self.sent if "method" in sent and "id" not in sent]


class Child:
    """The demo as a process that is spoken to line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    def write(self, *messages: Any) -> None:
        """Write messages, or bytes as they are, a line each."""
        assert self.process.stdin
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(line + b"\n")

    async def read(self) -> Any:
        assert self.process.stdout
        line = await asyncio.wait_for(self.process.stdout.readline(), PATIENCE_S)
        assert line.endswith(b"\n"), f"the demo ended in the middle of {line!r}"
        return json.loads(line)

    async def ask(self, message: dict[str, Any]) -> Any:
        """Write a request and return the next message, which must be its answer."""
        self.write(message)
        answer = await self.read()
        assert answer["id"] == message["id"]
        return answer

    async def leave(self) -> int:
        """Close stdin and return the exit status."""
        assert self.process.stdin
        self.process.stdin.close()
        return await asyncio.wait_for(self.process.wait(), PATIENCE_S)


@asynccontextmanager
async def child(*flags: str) -> AsyncIterator[Child]:
    """Run `python -m inspector.demo` with these flags; it is gone afterwards."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "inspector.demo", *flags),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=1 << 24,
    )
    try:
        yield Child(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
