"""Servers over HTTP that refuse, forget, redirect, cut off or are no MCP servers: what a person is told of each."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.http_fixtures import JSON, Site, always, json_answer, serving
from tests.stories.commands import Ran, mcp_inspect

Answer = HttpResponse | Callable[[HttpRequest], HttpResponse]
LEGACY = newest_of(Era.LEGACY).date
HELLO = {"protocolVersion": LEGACY, "serverInfo": {"name": "odd", "version": "1"}, "capabilities": {"tools": {}}}
TOOLS = {"tools": [{"name": "one", "inputSchema": {"type": "object"}}]}
BELL = b"\x07\x1b]0;stolen\x07\x1b[31m"


def answer(request: HttpRequest, result: Any, **headers: str) -> HttpResponse:
    """The answer to a request."""
    body = {"jsonrpc": "2.0", "id": json.loads(request.body)["id"], "result": result}
    return json_answer(json.dumps(body).encode(), headers=tuple(headers.items()))


def server(**answers: Answer) -> Callable[[HttpRequest], Awaitable[HttpResponse]]:
    """A server of the handshake era; "tools_list" answers tools/list, and so on."""

    async def handle(request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return HttpResponse(405)
        message = json.loads(request.body)
        known = answers.get(message["method"].replace("/", "_"))
        if known is not None:
            return known if isinstance(known, HttpResponse) else known(request)
        if "id" not in message:
            return HttpResponse(202)
        results = {"initialize": HELLO, "tools/list": TOOLS}
        return answer(request, results[message["method"]]) if message["method"] in results else HttpResponse(400)

    return handle


async def ask(site: Site, place: Path, *words: str) -> Ran:
    """`mcp-inspect list tools --json`, or other words, with this server."""
    return await mcp_inspect(*(words or ("list", "tools")), "--json", site.url, place=place)


def statuses(ran: Ran) -> list[int]:
    """The HTTP statuses in the log."""
    whats = [entry.what for entry in ran.seen.entries]
    return [what.status for what in whats if isinstance(what, HttpFact) and what.event is HttpEvent.RESPONSE]


NOBODY = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Unauthorized"}}'


@pytest.mark.parametrize("body", [b"", b"go away", NOBODY, NOBODY.replace(b"null", b"1")])
@pytest.mark.parametrize("status", [401, 403])
async def test_a_server_that_wants_credentials_is_no_verdict_on_its_era(
    tmp_path: Path, status: int, body: bytes
) -> None:
    refusal = HttpResponse(status, (*JSON, ("WWW-Authenticate", "Bearer realm=bay")), body)
    async with serving(always(refusal)) as site:
        ran = await ask(site, tmp_path)
    assert ran.status == ExitStatus.AUTHORIZATION
    assert ran.error["code"] == "authorization_needed"
    assert f"HTTP {status} (Bearer realm=bay)" in ran.error["message"]
    assert "-H" in ran.error["hint"]
    assert len(site.requests) == 1
    assert ran.came() == ([body] if body else [])


async def test_a_session_that_the_server_has_forgotten_is_begun_anew_in_sight(tmp_path: Path) -> None:
    begun: list[str] = []

    def begin(request: HttpRequest) -> HttpResponse:
        begun.append(f"session-{len(begun) + 1}")
        return answer(request, HELLO, **{"Mcp-Session-Id": begun[-1]})

    def tools(request: HttpRequest) -> HttpResponse:
        if request.header("mcp-session-id") == "session-1":
            return json_answer(NOBODY.replace(b"Unauthorized", b"Session not found"), status=404)
        return answer(request, TOOLS)

    async with serving(server(initialize=begin, tools_list=tools)) as site:
        ran = await ask(site, tmp_path)
    assert (ran.status, ran.json["tools"]) == (ExitStatus.OK, TOOLS["tools"])
    assert ran.seen.methods() == ["server/discover", "initialize", "tools/list", "initialize", "tools/list"]
    assert [each.state for each in ran.seen.exchanges][2:] == [
        ExchangeState.ERROR,
        ExchangeState.ANSWERED,
        ExchangeState.ANSWERED,
    ]
