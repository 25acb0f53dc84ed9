"""Captures made of a few messages, and a client that talks with the connection that plays them."""

import asyncio
import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from inspector.capture.journal import Journal, start_capture
from inspector.capture.store.load import load
from inspector.features.mock.connection import MockConnection
from inspector.features.mock.running import read_script
from inspector.features.mock.script import Script
from inspector.features.mock.shared import MockSettings, MockShared
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import Channel, Direction, Eol
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from inspector.protocol.tracking.opening import CLIENT_CAPABILITIES, PROTOCOL_VERSION
from tests.waiting import until

LEGACY, MODERN = newest_of(Era.LEGACY).date, newest_of(Era.MODERN).date
INSTANT = MockSettings(speed=math.inf)
HELLO = {"protocolVersion": LEGACY, "serverInfo": {"name": "made"}, "capabilities": {"tools": {}, "resources": {}}}
FORM = {"message": "Which berth?", "requestedSchema": {"type": "object", "properties": {}}}


def meta(**more: Any) -> dict[str, Any]:
    """What a stateless request says about its sender."""
    return {"_meta": {PROTOCOL_VERSION: MODERN, CLIENT_CAPABILITIES: {"elicitation": {}, "roots": {}}, **more}}


def request(id_: int | str, method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method} | ({} if params is None else {"params": params})


def note(method: str, params: Any = None) -> dict[str, Any]:
    """A notification."""
    return {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})


def answer(id_: int | str, result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def refusal(id_: int | str, code: int, message: str = "no") -> dict[str, Any]:
    """An error."""
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}


def call(id_: int | str, name: str, **arguments: Any) -> dict[str, Any]:
    """A request for a tool, which wants to hear of progress."""
    return request(id_, "tools/call", {"name": name, "arguments": arguments, "_meta": {"progressToken": id_}})


def text(words: str) -> dict[str, Any]:
    """What a tool says."""
    return {"content": [{"type": "text", "text": words}]}


HANDSHAKE: tuple[Any, ...] = (
    ">",
    request(0, "initialize", {"protocolVersion": LEGACY, "capabilities": {"elicitation": {}}, "clientInfo": {}}),
    "<",
    answer(0, HELLO),
    ">",
    note("notifications/initialized"),
)


class _Clock:
    """A clock that somebody sets."""

    def __init__(self) -> None:
        self.now = 1_000_000_000

    def __call__(self) -> int:
        return self.now


def record(path: Path, *said: Any) -> Path:
    """A capture on stdio: ">" the client speaks from now on, "<" the server; a number: so many ms pass; bytes: as is.

    "|" ends the connection and begins another.
    """
    clock = _Clock()
    journal = start_capture(path, clock=clock, wall=clock)
    journal.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("made",)))
    direction, channel = Direction.TO_SERVER, Channel.STDIN
    for each in said:
        if each == ">":
            direction, channel = Direction.TO_SERVER, Channel.STDIN
        elif each == "<":
            direction, channel = Direction.FROM_SERVER, Channel.STDOUT
        elif each == "|":
            journal.fact(ConnectionFact(ConnectionEvent.CLOSE, "stdio"))
            journal.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("made",)))
        elif isinstance(each, int):
            clock.now += each * 1_000_000
        else:
            payload = each if isinstance(each, bytes) else json.dumps(each).encode()
            journal.frame(direction, channel, payload, eol=Eol.LF)
    journal.close()
    return path


_OPEN: list[Journal] = []
"""Those that scripts are read from."""


def scripted(path: Path, *said: Any) -> Script:
    """The script of such a capture, which is open until the end of the test."""
    _OPEN.append(load(record(path, *said)))
    return read_script(_OPEN[-1])


def close_scripts() -> None:
    while _OPEN:
        _OPEN.pop().close()


class Heard:
    """An outlet that keeps what went out."""

    def __init__(self) -> None:
        self.payloads: list[bytes] = []
        self.junk: list[bytes] = []
        self.broken: list[bytes] = []

    async def send(self, payload: bytes) -> None:
        self.payloads.append(payload)

    async def write(self, payload: bytes) -> None:
        self.junk.append(payload)

    async def cut(self, payload: bytes) -> None:
        self.broken.append(payload)

    @property
    def messages(self) -> list[Any]:
        """What went out, as JSON."""
        return [json.loads(payload) for payload in self.payloads]


class Client:
    """Talks with a connection: what it says goes in, and what comes back is heard on one outlet or the other."""

    def __init__(self, shared: MockShared, told: list[str], tasks: asyncio.TaskGroup) -> None:
        self.shared, self.told = shared, told
        self.own, self.common = Heard(), Heard()
        self.tasks = tasks
        self.running: list[asyncio.Task[None]] = []
        self.connection = MockConnection(shared, self.common, self._spawn)

    def _spawn(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = self.tasks.create_task(work)
        self.running.append(task)
        return task

    async def say(self, *messages: Any) -> list[Any]:
        """Say this, wait until it is answered, and return what came on its own stream since."""
        before = len(self.own.payloads)
        for message in messages:
            await self.connection.take(json.dumps(message).encode(), self.own)
        return self.own.messages[before:]

    def begin(self, message: Any) -> asyncio.Task[None]:
        """Say this, and wait for nothing."""
        return self._spawn(self.connection.take(json.dumps(message).encode(), self.own))

    async def hears(self, method: str) -> Any:
        """Wait for a message of this method; the last of them."""

        def found() -> list[Any]:
            return [each for each in (*self.own.messages, *self.common.messages) if each.get("method") == method]

        await until(found, f"{method} comes")
        return found()[-1]

    async def hello(self, **capabilities: Any) -> Any:
        """Open a conversation as a client with a handshake; the answer."""
        params = {"protocolVersion": LEGACY, "capabilities": capabilities, "clientInfo": {}}
        came = await self.say(request(100, "initialize", params), note("notifications/initialized"))
        return came[-1]


@asynccontextmanager
async def client_of(
    script: Script, settings: MockSettings = INSTANT, tape: Journal | None = None
) -> AsyncIterator[Client]:
    """A client of a mock that plays this script."""
    told: list[str] = []
    async with asyncio.TaskGroup() as tasks:
        client = Client(MockShared(script, settings, tell=told.append, tape=tape), told, tasks)
        yield client
        client.connection.close()
        for task in client.running:
            task.cancel()
