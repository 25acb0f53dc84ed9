"""Playing a script over HTTP: heads are as recorded."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from inspector.config.targets import HttpTarget
from inspector.features.blame.play import ScriptPlayer
from inspector.features.blame.script import ClientScript, Step
from inspector.features.blame.search import Blame, BlameEnd, Search

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
    return ClientScript((Step("initialize", opening, headers=headers), Step("tools/list", listing, 1, headers=headers)))


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
    assert [each.label for each in found.edits] == ["header names are written in another case"]
