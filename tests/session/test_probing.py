"""Trying on purpose what a server should refuse."""

import asyncio
import json
from typing import Any

import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.checks.runner import Inspection
from inspector.errors import InspectError
from inspector.protocol import probes
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.flows.connect import ConnectOptions
from inspector.protocol.frames import Cause, Direction
from inspector.protocol.revisions._shape import Era
from inspector.session.probing import addresses, probe, probe_unopened
from inspector.session.session import Session
from inspector.transports.http.listener import HttpRequest, HttpResponse
from inspector.transports.http.transport import HttpTransport
from tests.entries import frames_to, kept
from tests.servers.http_fixtures import serving
from tests.session.talking import DISCOVERED, HELLO, WISH, answering, options, session
from tests.waiting import PATIENCE_S

_TOOLS = {"tools": [{"name": "wipe", "inputSchema": {"type": "object"}}]}


def _sent(journal: Journal) -> list[tuple[Any, bool]]:
    """What was sent, and whether it is tagged."""
    return [(json.loads(each.payload), each.cause is Cause.PROBE) for each in frames_to(journal, Direction.TO_SERVER)]


def _knocks(journal: Journal) -> list[HttpFact]:
    return [each for each in kept(journal, HttpFact) if each.event is HttpEvent.REQUEST and each.probe]


async def test_every_frame_of_a_probe_is_tagged_and_no_other() -> None:
    told: list[str] = []
    async with session(answering({"tools/list": _TOOLS})) as live:
        await live.list_all("tools")
        before = len(_sent(live.journal))
        await probe(live, told.append)
        sent = _sent(live.journal)
    assert not any(tagged for _, tagged in sent[:before])
    assert all(tagged for _, tagged in sent[before:])
    assert len(told) == len(sent) - before
    called = [message["params"].get("name") for message, _ in sent if message.get("method") == "tools/call"]
    assert called == [probes.TOOL, None]


@pytest.mark.parametrize("older", [HELLO, None], ids=["of both eras", "of the newer one"])
async def test_handshake_probe_is_last_and_changes_nothing(older: Any) -> None:
    told: list[str] = []
    connect_options = ConnectOptions(WISH.client, era=Era.MODERN)
    async with session(
        answering({"server/discover": DISCOVERED, "initialize": older}), options(connect_options)
    ) as live:
        await probe(live, told.append)
        assert told[-1] == "a handshake, as older clients begin"
        message, tagged = _sent(live.journal)[-1]
        assert (message["method"], tagged) == ("initialize", True)
        assert live.revision is not None
        assert live.revision.era is Era.MODERN
        assert live.journal.conversation.opening == live.opening
        entries = (live.journal.store.entry(n) for n in range(1, live.journal.count + 1))
        found = [each.id for each in Inspection().take(entries)]
    assert ("handshake-error-without-versions" in found) is (older is None)


async def test_a_server_that_goes_away_ends_it() -> None:
    told: list[str] = []
    async with session(answering({"tools/list": "the end"})) as live:
        await probe(live, told.append)
        await asyncio.wait_for(live.ended.wait(), PATIENCE_S)
    assert told[-1] == "tools/list, which is not declared" or len(told) < 8


def _serve(hello: Any, *, status_of_get: int = 405) -> Any:
    async def handle(request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return HttpResponse(status_of_get)
        message = json.loads(request.body)
        if "id" not in message:
            return HttpResponse(202)
        result = hello if message["method"] in ("initialize", "server/discover") else {}
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        session_id = (("Mcp-Session-Id", "mine"),) if message["method"] == "initialize" else ()
        return HttpResponse(200, (("Content-Type", "application/json"), *session_id), body)

    return handle


@pytest.mark.parametrize("era", list(Era))
async def test_over_http_one_thing_is_wrong_with_each(era: Era) -> None:
    hello = HELLO | {"capabilities": {}} if era is Era.LEGACY else DISCOVERED | {"capabilities": {}}
    modern = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
    connect_options = ConnectOptions(WISH.client, era=era, over_http=True)
    journal = start_capture(None)
    try:
        async with serving(_serve(hello if era is Era.LEGACY else hello | modern)) as site:
            async with Session(HttpTransport(site.url), journal, options(connect_options)) as live:
                await live.connect()
                await probe(live, lambda what: None)
        knocks = _knocks(journal)
    finally:
        journal.close()
    headers = [{name.lower(): value for name, value in each.headers} for each in knocks]
    wrong = [each.get("origin") or each.get("mcp-protocol-version") for each in headers]
    assert probes.ORIGIN in wrong
    assert probes.VERSION in wrong
    assert probes.HOST in [each["host"] for each in headers]
    assert (probes.SESSION in [each.get("mcp-session-id") for each in headers]) is (era is Era.LEGACY)
    assert ("GET" in [each.method for each in knocks]) is (era is Era.MODERN)
    assert [each.target.split("/")[2].split(":")[0] for each in knocks[-2:]] == ["127.0.0.1", "["]


async def test_unreachable_localhost_is_tried_over_ipv4_and_ipv6() -> None:
    async with serving(_serve(HELLO)) as site:
        port = site.listener.url.rpartition(":")[2]
    journal = start_capture(None)
    transport = HttpTransport(f"http://localhost:{port}/mcp")
    async with Session(transport, journal, options(ConnectOptions(WISH.client, over_http=True))) as live:
        with pytest.raises(InspectError):
            await live.connect()
        await probe_unopened(live, lambda what: None)
    assert [each.target for each in _knocks(journal)] == [
        f"http://127.0.0.1:{port}/mcp",
        f"http://[::1]:{port}/mcp",
    ]


@pytest.mark.parametrize("url", ["http://example.com/mcp", "https://localhost/mcp"])
def test_other_addresses_have_no_second_number(url: str) -> None:
    assert not list(addresses(url))
