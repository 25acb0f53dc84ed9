"""Playing a script: over HTTP the heads are as recorded, processes get what the client's server inherited."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from inspector.config.targets import HttpTarget
from inspector.features.blame.play import ScriptPlayer
from inspector.features.blame.script import ClientScript, Step
from inspector.features.blame.search import Blame, BlameEnd, Search
from inspector.protocol.facts import InheritedState
from inspector.protocol.frames import Eol
from tests.features.blame.playing import processes, works
from tests.waiting import until

RESULTS = {"initialize": {"protocolVersion": "2025-06-18", "capabilities": {}}, "tools/list": {"tools": []}}


@asynccontextmanager
async def server(heads: list[str], refused: str) -> AsyncIterator[str]:
    """Serve MCP over HTTP; a request whose head contains `refused` gets 400."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        heads.append(head)
        lengths = [line.split(":")[1] for line in head.split("\r\n") if line.lower().startswith("content-length")]
        message = json.loads(await reader.readexactly(int(lengths[0])))
        status, body = "400 Bad Request", b"no"
        if refused not in head:
            answer = {"jsonrpc": "2.0", "id": message.get("id"), "result": RESULTS.get(message["method"])}
            status, body = ("200 OK", json.dumps(answer).encode()) if "id" in message else ("202 Accepted", b"")
        session = "Mcp-Session-Id: s1\r\n" if message["method"] == "initialize" else ""
        more = f"Content-Type: application/json\r\n{session}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(f"HTTP/1.1 {status}\r\n{more}".encode() + body)
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/mcp"


def script(*headers: tuple[str, str]) -> ClientScript:
    """A client that opens a session and lists tools with these headers."""
    opening = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
    listing = b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
    return ClientScript((Step("initialize", opening, headers=headers), Step("tools/list", listing, headers=headers)))


async def blamed(url: str, fails: ClientScript, works: ClientScript) -> Blame:
    player = ScriptPlayer(HttpTarget(url), {}, 10)
    return await Search(player, 60).blame(fails, works, {"initialize": "HTTP 400", "tools/list": "HTTP 400"})


async def test_play_over_http_sends_the_heads_as_recorded_and_the_session_of_the_server() -> None:
    heads: list[str] = []
    async with server(heads, "never") as url:
        player = ScriptPlayer(HttpTarget(url), {}, 10)
        played = await player.play(script(("ACCEPT", "application/json"), ("user-agent", "x")))
    assert played.outcome == {"initialize": "result", "tools/list": "0 items"}
    assert heads[0].index("ACCEPT: application/json\r\n") < heads[0].index("user-agent: x\r\n")
    assert "Mcp-Session-Id" not in heads[0]
    assert "Mcp-Session-Id: s1\r\n" in heads[1]


async def test_blame_over_http_names_the_header_that_is_refused() -> None:
    async with server([], "secret-client") as url:
        fails = script(("Accept", "*/*"), ("User-Agent", "secret-client"), ("X-One", "1"))
        works = script(("accept", "application/json"), ("User-Agent", "other"))
        found = await blamed(url, fails, works)
    assert found.end is BlameEnd.FOUND
    assert [each.label for each in found.edits] == ["the header user-agent is 'other'"]
    assert found.fails["initialize"] == "HTTP 400"


async def test_blame_over_http_names_the_case_of_header_names() -> None:
    async with server([], "X-Client-Id") as url:
        found = await blamed(url, script(("X-Client-Id", "1")), script(("x-client-id", "1")))
    assert [each.label for each in found.edits] == ["the header x-client-id is written x-client-id"]


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        ("umask", InheritedState(0o077)),
        ("blocked-signal", InheritedState(0o022, (15,))),
        ("ignored-signal", InheritedState(0o022, ignored=(1,))),
        ("descriptor", InheritedState(0o022, files=(7,))),
        ("terminal", InheritedState(0o022, terminal=True)),
    ],
)
async def test_play_starts_the_server_with_what_it_inherited(reason: str, state: InheritedState) -> None:
    player = processes(reason)
    script = works(environment=None, argv=())
    failed = await player.play(replace(script, inherited=state))
    assert failed.outcome["tools/list"] == "error -32000"
    assert (await player.play(script)).outcome["tools/list"] == "2 items: a, b"


async def test_play_sends_a_last_line_without_its_end_and_waits_for_the_response() -> None:
    script = works(environment=None, argv=())
    last = replace(script.steps[-1], eol=Eol.NONE)
    played = await processes("no-line-end").play(replace(script, steps=(*script.steps[:-1], last)))
    assert played.outcome["tools/list"] == "error -32000"


async def test_blame_over_http_of_a_refused_version_names_its_header() -> None:
    modern, legacy = (("Mcp-Protocol-Version", version) for version in ("2026-07-28", "2025-11-25"))
    discover = Step("server/discover", b'{"jsonrpc":"2.0","id":1,"method":"server/discover"}', headers=(modern,))
    listing = script(modern).steps[1]
    opening = replace(script().steps[0], headers=(("Accept", "*/*"),))
    async with server([], "2026-07-28") as url:
        fails = ClientScript((discover, listing))
        found = await blamed(url, fails, ClientScript((opening, replace(listing, headers=(legacy,)))))
    assert [each.label for each in found.edits] == ["the header mcp-protocol-version is '2025-11-25'"]
    assert found.works == {"tools/list": "0 items"}


class Wire(msgspec.Struct):
    """What a server knows of a request when it decides how to respond."""

    method: str
    head: str
    at: int
    """Number of the request on its TCP connection, from 1."""
    listens: bool
    """Whether the session has a stream opened with GET."""
    rpc: str
    """Method of the message."""
    id: Any


Refuses = Callable[[Wire], bool]


@asynccontextmanager
async def sessions(refuses: Refuses) -> AsyncIterator[str]:
    """Serve sessions over HTTP with connections that can be used again; what is refused gets 400."""
    listening: set[str] = set()
    connections: set[asyncio.StreamWriter] = set()
    count = iter(range(1, 10_000))

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(writer)
        await serve(reader, writer)
        writer.close()
        connections.remove(writer)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        at = 0
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := (await reader.readuntil(b"\r\n\r\n")).decode():
                at += 1
                fields = {
                    name.lower(): value.strip()
                    for name, _, value in (line.partition(":") for line in head.split("\r\n"))
                }
                body = await reader.readexactly(int(fields.get("content-length", 0)))
                message = json.loads(body) if body else {}
                session, method = fields.get("mcp-session-id", ""), head.partition(" ")[0]
                if method == "GET":
                    listening.add(session)
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: open\n\n")
                    await reader.read()
                    return
                rpc = message.get("method", "")
                wire = Wire(method, head, at, session in listening, rpc, message.get("id"))
                status, answer, more = "202 Accepted", b"", ""
                if refuses(wire):
                    status, answer = "400 Bad Request", b"no"
                elif "id" in message:
                    result = {"jsonrpc": "2.0", "id": message["id"], "result": RESULTS.get(rpc, {})}
                    status, answer = "200 OK", json.dumps(result).encode()
                    more = f"Mcp-Session-Id: s{next(count)}\r\n" if rpc == "initialize" else ""
                heads = f"Content-Type: application/json\r\n{more}Content-Length: {len(answer)}\r\n\r\n"
                writer.write(f"HTTP/1.1 {status}\r\n{heads}".encode() + answer)

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
        await until(lambda: not connections, "the client has closed its connections")


ONE, TWO = ("X-One", "1"), ("X-Two", "2")
PINGED = Step("ping", b'{"jsonrpc":"2.0","id":9,"method":"ping"}')


def visit(*headers: tuple[str, str], ids: tuple[Any, Any] = (1, 2)) -> ClientScript:
    """A client that opens a session, sends a ping and lists tools."""
    opening, listing = (replace(each, headers=headers) for each in script().steps)
    first = replace(opening, payload=opening.payload.replace(b'"id":1', b'"id":' + json.dumps(ids[0]).encode()))
    last = replace(listing, payload=listing.payload.replace(b'"id":2', b'"id":' + json.dumps(ids[1]).encode()))
    return ClientScript((first, replace(PINGED, headers=headers), last))


def _swapped(wire: Wire) -> bool:
    return wire.rpc == "tools/list" and wire.head.index("X-Two") < wire.head.index("X-One")


WIRE_CASES: list[tuple[str, Refuses, ClientScript, ClientScript, str]] = [
    (
        "a new connection",
        lambda wire: wire.rpc == "tools/list" and wire.at == 1,
        replace(visit(ONE), reuses=False),
        replace(visit(TWO), reuses=True),
        "the client uses one connection for several requests",
    ),
    (
        "a used connection",
        lambda wire: wire.rpc == "tools/list" and wire.at > 1,
        replace(visit(ONE), reuses=True),
        replace(visit(TWO), reuses=False),
        "the client opens a connection for each request",
    ),
    (
        "no stream",
        lambda wire: wire.rpc == "tools/list" and not wire.listens,
        visit(ONE),
        replace(visit(TWO), listens=True),
        "the client opens the stream with GET",
    ),
    (
        "a stream",
        lambda wire: wire.rpc == "tools/list" and wire.listens,
        replace(visit(ONE), listens=True, deletes=True),
        visit(TWO),
        "the client does not open the stream with GET",
    ),
    (
        "the end of the session",
        lambda wire: wire.method == "DELETE",
        replace(visit(ONE), deletes=True),
        visit(TWO),
        "the client does not end the session with DELETE",
    ),
    (
        "the order of headers",
        _swapped,
        visit(TWO, ONE),
        replace(visit(ONE, TWO), listens=True),
        "the headers come in another order",
    ),
    (
        "ids that are floats",
        lambda wire: wire.rpc == "tools/list" and isinstance(wire.id, float),
        visit(ONE, ids=(1.0, 2.0)),
        visit(TWO),
        "the id of tools/list is 2",
    ),
    (
        "ids that are strings",
        lambda wire: wire.rpc == "tools/list" and not isinstance(wire.id, str),
        visit(ONE),
        visit(TWO, ids=("a", "b")),
        'the id of tools/list is "b"',
    ),
]


@pytest.mark.parametrize(
    ("refuses", "fails", "works", "label"), [each[1:] for each in WIRE_CASES], ids=[each[0] for each in WIRE_CASES]
)
async def test_blame_over_http_names_what_decides_on_the_wire(
    refuses: Refuses, fails: ClientScript, works: ClientScript, label: str
) -> None:
    async with sessions(refuses) as url:
        player = ScriptPlayer(HttpTarget(url), {}, 10)
        recorded = (await player.play(fails)).outcome
        found = await Search(player, 60).blame(fails, works, recorded)
    assert found.end is BlameEnd.FOUND
    assert [each.label for each in found.edits] == [label]
    assert not found.instead
