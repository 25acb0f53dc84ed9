"""The tap of an HTTP server: what both ends receive, and what is recorded."""

import asyncio
import gzip
import json
import re
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from inspector.capture.format.verify import verify
from inspector.capture.journal import start_capture
from inspector.capture.store.load import load
from inspector.errors import UsageError
from inspector.features.tap import keeping, registry
from inspector.features.tap.client import TapClient
from inspector.features.tap.http import HttpTap, read_listen
from inspector.features.tap.rules import armed
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.frames import Frame
from inspector.transports.http.endpoint import HttpOptions
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse, Listener
from tests.entries import kept
from tests.features.tap.tapping import until as blocked_until
from tests.servers.http_fixtures import always
from tests.waiting import PATIENCE_S, until

JSON = (("Content-Type", "application/json"),)
STREAM = (("Content-Type", "text/event-stream"),)


class Upstream:
    """A server of the test; remembers the requests."""

    def __init__(self, reply: Callable[[HttpRequest], HttpResponse]) -> None:
        self._reply = reply
        self.requests: list[HttpRequest] = []
        self.listener = Listener(self._answer)

    async def _answer(self, request: HttpRequest) -> HttpResponse:
        self.requests.append(request)
        return self._reply(request)


@asynccontextmanager
async def tapped(
    reply: Callable[[HttpRequest], HttpResponse],
    capture: Path | None = None,
    *,
    rules: Sequence[dict[str, Any]] = (),
    host_timeout_s: float = 0,
    keep: int = 0,
    private: str = "",
    **options: Any,
) -> AsyncIterator[tuple[Upstream, HttpTap]]:
    """A server and the tap before it."""
    upstream, journal = Upstream(reply), start_capture(capture, mode="http-proxy")
    async with upstream.listener:
        url = f"{upstream.listener.url}/mcp"
        try:
            ready = [armed(rule) for rule in rules]
            settings = HttpOptions(**options)
            wishes: dict[str, Any] = {
                "rules": ready,
                "host_timeout_s": host_timeout_s,
                "keep": keep,
                "private": private,
            }
            tap = HttpTap(url, settings, journal, label="t", **wishes)
            async with tap:
                yield upstream, tap
        finally:
            journal.close()


def frames(capture: Path) -> list[tuple[str, bytes]]:
    """The recorded messages: channel and payload."""
    return [(each.channel.value, each.payload) for each in kept(capture, Frame)]


def facts(capture: Path) -> list[HttpFact]:
    """The recorded steps of HTTP exchanges."""
    return kept(capture, HttpFact)


async def test_both_ends_see_the_same_fields_and_bodies_in_order(tmp_path: Path) -> None:
    odd = (*JSON, ("X-Twice", "1"), ("x-twice", "2"), ("Mcp-Session-Id", "s1"))
    body = b' {"jsonrpc":"2.0","id":1,\r\n"result":{}}\n'
    capture = tmp_path / "a.mcpcap"
    async with tapped(lambda _: HttpResponse(200, odd, body, "Fine"), capture) as (upstream, tap):
        sent = [("Accept", "application/json"), ("X-A", "1"), ("x-a", "2"), ("Content-Type", "application/json")]
        async with httpx.AsyncClient() as client:
            request = httpx.Request("POST", f"{tap.url}?q=%2F", headers=sent, content=b'{"jsonrpc":"2.0","id":1}')
            answer = await client.send(request)
    (seen,) = upstream.requests
    assert seen.target == "/mcp?q=%2F"
    assert [each for each in seen.headers if each[0].lower() in ("accept", "x-a", "content-type")] == sent
    assert seen.header("host") == httpx.URL(upstream.listener.url).netloc.decode()
    assert (answer.status_code, answer.reason_phrase, answer.content) == (200, "Fine", body)
    assert [(n.decode(), v.decode()) for n, v in answer.headers.raw][: len(odd)] == list(odd)
    assert frames(capture) == [("post", b'{"jsonrpc":"2.0","id":1}'), ("reply", body)]


async def test_pieces_of_a_stream_are_passed_on_as_they_arrive(tmp_path: Path) -> None:
    go_on = asyncio.Event()
    first, second = b": alive\n\n", b'data: {"jsonrpc":"2.0","method":"a"}\n\n'

    async def events() -> AsyncGenerator[bytes, None]:
        yield first
        await go_on.wait()
        yield second

    capture = tmp_path / "a.mcpcap"
    async with tapped(lambda _: HttpResponse(200, STREAM, events()), capture) as (_, tap):
        async with httpx.AsyncClient() as client, client.stream("POST", tap.url, json={}) as answer:
            pieces = answer.aiter_raw()
            assert await anext(pieces) == first
            go_on.set()
            assert [piece async for piece in pieces] == [second]
    assert frames(capture)[1:] == [("sse", b'{"jsonrpc":"2.0","method":"a"}')]


async def test_a_client_that_closes_the_stream_closes_the_connection_to_the_server(tmp_path: Path) -> None:
    closed = asyncio.Event()

    async def events() -> AsyncGenerator[bytes, None]:
        try:
            yield b"data: {}\n\n"
            await asyncio.Event().wait()
        finally:
            closed.set()

    capture = tmp_path / "a.mcpcap"
    async with tapped(lambda _: HttpResponse(200, STREAM, events()), capture) as (_, tap):
        async with httpx.AsyncClient() as client, client.stream("POST", tap.url, json={}) as answer:
            await anext(answer.aiter_raw())
        await until(closed.is_set, "the server's stream is closed")
    assert [fact.why for fact in facts(capture) if fact.event is HttpEvent.END] == ["the client closed the connection"]


async def test_a_server_that_breaks_off_is_seen_as_a_broken_connection(tmp_path: Path) -> None:
    async def events() -> AsyncGenerator[bytes, None]:
        yield b"data: {}\n\n"
        raise HangUp

    async with tapped(lambda _: HttpResponse(200, STREAM, events())) as (_, tap), httpx.AsyncClient() as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await client.post(tap.url, json={})


async def test_a_compressed_body_stays_compressed_and_is_recorded_readable(tmp_path: Path) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"result":{"text":"' + b"a" * 5000 + b'"}}'
    packed, capture = gzip.compress(body), tmp_path / "a.mcpcap"
    headers = (*JSON, ("Content-Encoding", "gzip"))
    async with tapped(lambda _: HttpResponse(200, headers, packed), capture) as (_, tap):
        async with httpx.AsyncClient() as client, client.stream("POST", tap.url, json={}) as answer:
            assert b"".join([piece async for piece in answer.aiter_raw()]) == packed
    assert frames(capture)[1] == ("reply", body)


@pytest.mark.parametrize("length", [True, False])
@pytest.mark.parametrize("kind", [JSON, STREAM])
async def test_a_response_is_in_the_capture_before_the_client_gets_its_end(
    kind: tuple[tuple[str, str], ...], length: bool, tmp_path: Path
) -> None:
    body, capture = b'{"jsonrpc":"2.0","id":1,"result":{}}', tmp_path / "a.mcpcap"
    written = body if kind is JSON else b"data: " + body + b"\n\n"

    async def pieces() -> AsyncGenerator[bytes, None]:
        yield written[:9]
        await asyncio.sleep(0)
        yield written[9:]

    headers = (*kind, ("Content-Length", str(len(written)))) if length else kind
    async with tapped(lambda _: HttpResponse(200, headers, pieces()), capture) as (_, tap):
        await post(tap, CALL)
        recorded = [json.loads(line) for line in capture.read_bytes().splitlines()]
        assert [each["raw"] for each in recorded if each["r"] == "frame"][-1] == body.decode()


async def test_a_held_request_is_in_the_capture_while_it_waits(tmp_path: Path) -> None:
    capture = tmp_path / "a.mcpcap"
    rule = {"name": "h", "when": "tool == add", "side": "request", "action": "hold"}
    async with tapped(answering({}), capture, rules=[rule]) as (_, tap):
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(post(tap, CALL))
            await until(lambda: tap._rule_queue.held.all, "it is held")
            assert b'"act":"hold"' in capture.read_bytes()
            tap._rule_queue.held.release_all("user")


@pytest.mark.parametrize("is_followed", [True, False])
async def test_messages_stay_in_memory_only_for_what_follows_them(is_followed: bool, tmp_path: Path) -> None:
    capture, seen = tmp_path / "a.mcpcap", list[bytes]()
    journal = start_capture(capture, mode="http-proxy")
    if is_followed:
        journal.listen(lambda entry, _: seen.append(entry.what.payload) if isinstance(entry.what, Frame) else None)
    async with Listener(always(HttpResponse(200, JSON, b'{"jsonrpc":"2.0","id":1,"result":{}}'))) as server:
        async with HttpTap(f"{server.url}/mcp", HttpOptions(), journal) as tap:
            await post(tap, CALL)
    assert (len(seen), journal.count > 0) == ((2, True) if is_followed else (0, False))
    journal.close()
    assert [channel for channel, _ in frames(capture)] == ["post", "reply"]
    assert not verify(capture).faults


async def test_redirects_are_not_followed_and_lead_to_the_tap(tmp_path: Path) -> None:
    upstream_url: list[str] = []

    def reply(request: HttpRequest) -> HttpResponse:
        return HttpResponse(307, (("Location", f"{upstream_url[0]}/other"),))

    async with tapped(reply) as (upstream, tap):
        upstream_url.append(upstream.listener.url)
        async with httpx.AsyncClient() as client:
            answer = await client.post(tap.url, json={})
        assert answer.headers["location"] == tap.url.replace("/mcp", "/other")


async def test_the_endpoint_of_http_with_sse_leads_to_the_tap() -> None:
    upstream_url: list[str] = []

    async def events() -> AsyncGenerator[bytes, None]:
        yield f"event: endpoint\ndata: {upstream_url[0]}/messages?s=1\n\n".encode()

    async with tapped(lambda _: HttpResponse(200, STREAM, events())) as (upstream, tap):
        upstream_url.append(upstream.listener.url)
        async with httpx.AsyncClient() as client:
            text = (await client.get(tap.url)).text
    assert f"data: {tap.url.removesuffix('/mcp')}/messages?s=1" in text


async def test_a_server_that_is_not_there_is_a_502_with_the_reason(tmp_path: Path) -> None:
    journal = start_capture(None, mode="http-proxy")
    async with HttpTap("http://127.0.0.1:9/mcp", HttpOptions(), journal) as tap, httpx.AsyncClient() as client:
        answer = await client.post(tap.url, json={})
    journal.close()
    assert (answer.status_code, "127.0.0.1:9" in answer.text) == (502, True)


@pytest.mark.parametrize(
    ("name", "value", "status"), [("Host", "evil.example", 421), ("Origin", "http://evil.example", 403)]
)
async def test_web_pages_of_others_do_not_get_through(name: str, value: str, status: int) -> None:
    async with tapped(lambda _: HttpResponse(200, JSON, b"{}")) as (upstream, tap), httpx.AsyncClient() as client:
        answer = await client.post(tap.url, json={}, headers={name: value})
        assert (answer.status_code, upstream.requests) == (status, [])


_PRIVATE = "/" + "5e" * 16
_OWN = (("Authorization", "Bearer of-the-user"),)


async def test_tap_that_adds_credentials_serves_only_clients_that_know_its_path() -> None:
    async with tapped(lambda _: HttpResponse(200, JSON, b"{}"), headers=_OWN, private=_PRIVATE) as (upstream, tap):
        base = tap.url.removesuffix(f"{_PRIVATE}/mcp")
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            for path in (
                "/mcp",
                "/",
                "/5e",
                f"{_PRIVATE}x/mcp",
                f"/x{_PRIVATE}/mcp",
                "/" + "5E" * 16 + "/mcp",
                "/\u0436",
            ):
                assert (await client.post(base + path, json={})).status_code == 403
            assert upstream.requests == []
            assert (await client.post(tap.url, json={})).status_code == 200
    (seen,) = upstream.requests
    assert (seen.target, seen.header("authorization")) == ("/mcp", "Bearer of-the-user")


def test_tap_that_adds_credentials_does_not_start_without_a_private_path() -> None:
    journal = start_capture(None, mode="http-proxy")
    with pytest.raises(UsageError, match="private path"):
        HttpTap("http://127.0.0.1:1/mcp", HttpOptions(headers=_OWN), journal)


async def test_tap_without_credentials_takes_the_private_path_too() -> None:
    async with tapped(lambda _: HttpResponse(200, JSON, b"{}"), private=_PRIVATE) as (upstream, tap):
        base = tap.url.removesuffix("/mcp")
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            for path in ("/mcp", f"{_PRIVATE}/mcp", f"{_PRIVATE}?a=b"):
                assert (await client.post(base + path, json={})).status_code == 200
    assert [each.target for each in upstream.requests] == ["/mcp", "/mcp", "/?a=b"]


@pytest.mark.parametrize("origin", ["", "http://own"])
async def test_addresses_of_the_server_lead_below_the_private_path(origin: str) -> None:
    def reply(request: HttpRequest) -> HttpResponse:
        own = origin and f"http://{request.header('host')}"
        if request.method == "POST":
            return HttpResponse(307, (("Location", f"{own}/other"),))
        event = f"event: endpoint\ndata: {own}/messages?id=1\n\n".encode()

        async def events() -> AsyncGenerator[bytes, None]:
            yield event

        return HttpResponse(200, STREAM, events())

    async with tapped(reply, headers=_OWN, private=_PRIVATE) as (_, tap):
        base = tap.url.removesuffix("/mcp")
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            moved = await client.post(tap.url, json={})
            stream = await client.get(tap.url)
    assert str(httpx.URL(tap.url).join(moved.headers["location"])) == f"{base}/other"
    assert f"data: {base}/messages?id=1\n" in stream.text


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("POST http://127.0.0.1:PORT/mcp?a=b", 200),
        ("POST HTTP://localhost:PORT/mcp?a=b", 200),
        ("GET http://127.0.0.1:PORT", 200),
        ("OPTIONS *", 400),
        ("CONNECT 127.0.0.1:PORT", 400),
        ("CONNECT http://127.0.0.1:PORT/", 400),
        ("GET nonsense", 400),
        ("GET ?a", 400),
        ("GET http://", 400),
        ("GET http://[::1/mcp", 400),
        ("GET http://evil.example/mcp", 421),
        ("GET ftp://127.0.0.1/mcp", 400),
        ("GET /a#b", 400),
    ],
)
@pytest.mark.parametrize("version", ["1.1", "1.0"])
async def test_request_line_with_an_unusual_target_is_served_or_refused(
    line: str, status: int, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with tapped(lambda _: HttpResponse(200, JSON, b"{}")) as (upstream, tap):
        port = httpx.URL(tap.url).port
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        own = line.replace("PORT", str(port))
        writer.write(f"{own} HTTP/{version}\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n".encode())
        said = await asyncio.wait_for(reader.readline(), PATIENCE_S)
        writer.close()
    assert int(said.split()[1]) == status
    assert len(upstream.requests) == (status == 200)
    assert all(each.target in ("/mcp?a=b", "/") for each in upstream.requests)
    assert not caplog.records


async def test_http_tap_is_listed_while_it_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = tempfile.TemporaryDirectory(dir="/tmp")  # the path of a socket has at most 103 bytes
    monkeypatch.setenv("MCP_INSPECT_HOME", short.name)
    capture = tmp_path / "a.mcpcap"
    async with tapped(lambda _: HttpResponse(200, JSON, b"{}"), capture) as (_, tap):
        (entry,) = registry.live()
        assert (entry["label"], entry["url"], entry["capture"]) == ("t", tap.url, str(capture))
    assert registry.live() == []
    short.cleanup()


async def test_added_header_is_sent_and_masked_in_the_capture(tmp_path: Path) -> None:
    capture = tmp_path / "a.mcpcap"
    headers = (("Authorization", "Bearer abcdef123456"),)
    reply = HttpResponse(200, JSON, b"{}")
    async with tapped(lambda _: reply, capture, headers=headers, private=_PRIVATE) as (upstream, tap):
        async with httpx.AsyncClient() as client:
            await client.post(tap.url, json={}, headers={"Authorization": "Bearer of-the-client"})
    assert [v for n, v in upstream.requests[0].headers if n == "Authorization"] == ["Bearer abcdef123456"]
    assert b"abcdef123456" not in capture.read_bytes()


async def test_only_the_newest_messages_are_kept_with_the_opening(tmp_path: Path) -> None:
    capture = tmp_path / "a.mcpcap"
    edit = {"name": "e", "action": "edit", "side": "request", "when": "method == m250", "merge": {"params": {"x": 1}}}
    async with tapped(lambda sent: HttpResponse(200, JSON, sent.body), capture, keep=200_000, rules=[edit]) as (_, tap):
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            for number in range(300):
                body = {"jsonrpc": "2.0", "id": number, "method": f"m{number}", "params": {"pad": "x" * 1000}}
                await client.post(tap.url, json=body)
    earlier, newest = keeping.parts(capture)
    assert newest == capture
    for part in (earlier, newest):
        assert part.stat().st_size < 130_000
        (fault,) = verify(part).faults
        assert "is a gap" in fault
        assert b'"m0"' in frames(part)[0][1]
        journal = load(part)
        assert any("--keep leaves out" in notice for notice in journal.notices)
        edits = [(each.act, journal.store.method(n)) for n, found in journal.edits.items() for each in found]
        assert edits in ([], [("modify", "m250")])
        journal.close()
    kept = earlier.read_bytes() + newest.read_bytes()
    assert kept.count(b'"r":"edit"') == 1
    assert b'"m299"' in b"".join(body for _, body in frames(newest))
    assert b'"m50"' not in b"".join(body for part in (earlier, newest) for _, body in frames(part))


async def test_many_streams_are_open_at_once() -> None:
    go_on, waiting = asyncio.Event(), [0]

    async def events() -> AsyncGenerator[bytes, None]:
        waiting[0] += 1
        yield b": open\n\n"
        await go_on.wait()
        yield b'data: {"done":1}\n\n'

    async with tapped(lambda _: HttpResponse(200, STREAM, events())) as (_, tap):
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(timeout=PATIENCE_S, limits=limits) as client:
            async with asyncio.TaskGroup() as group:
                calls = [group.create_task(client.post(tap.url, json={})) for _ in range(200)]
                await until(lambda: waiting[0] == 200, "200 streams are open")
                go_on.set()
    assert {call.result().text for call in calls} == {': open\n\ndata: {"done":1}\n\n'}


@pytest.mark.parametrize("text", ["0.0.0.0:80", "example.com:1", "127.0.0.1:x", "127.0.0.1:70000", "127.0.0.1:"])
def test_read_listen_refuses_other_machines(text: str) -> None:
    with pytest.raises(UsageError, match=re.escape(text)):
        read_listen(text)


def test_a_port_alone_is_enough() -> None:
    assert (read_listen("8080"), read_listen("127.0.0.1:0"), read_listen("[::1]:1")) == (8080, 0, 1)


async def test_a_message_in_a_body_that_is_not_json_is_passed_on_all_the_same(tmp_path: Path) -> None:
    capture = tmp_path / "a.mcpcap"
    async with tapped(lambda _: HttpResponse(400, (("Content-Type", "text/html"),), b"<p>no"), capture) as (
        upstream,
        tap,
    ):
        async with httpx.AsyncClient() as client:
            answer = await client.post(tap.url, content=b"\xff\x00", headers={"Content-Type": "application/json"})
    assert (answer.content, upstream.requests[0].body) == (b"<p>no", b"\xff\x00")
    assert json.dumps([fact.status for fact in facts(capture) if fact.event is HttpEvent.RESPONSE]) == "[400]"


# Rules

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1}}}
TOOLS = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "add"}, {"name": "wipe"}]}}


def answering(value: object) -> Callable[[HttpRequest], HttpResponse]:
    """A server that answers everything alike."""
    return lambda request: HttpResponse(200, JSON, json.dumps(value).encode())


async def post(tap: HttpTap, message: object, headers: dict[str, str] | None = None) -> httpx.Response:
    async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
        return await client.post(tap.url, json=message, headers=headers)


async def test_a_rule_answers_without_the_server(tmp_path: Path) -> None:
    rule = {"name": "a", "when": "tool == add", "action": "answer", "result": {"content": []}}
    async with tapped(answering({}), rules=[rule]) as (upstream, tap):
        answer = await post(tap, CALL)
    assert (answer.json()["result"], answer.json()["id"], upstream.requests) == ({"content": []}, 1, [])


async def test_a_rule_edits_a_request_and_the_capture_holds_both_versions(tmp_path: Path) -> None:
    patch = [{"op": "replace", "path": "/params/arguments/a", "value": 2}]
    rule = {"name": "two", "when": "tool == add", "side": "request", "action": "edit", "patch": patch}
    capture = tmp_path / "a.mcpcap"
    async with tapped(answering({"jsonrpc": "2.0", "id": 1, "result": {}}), capture, rules=[rule]) as (upstream, tap):
        await post(tap, CALL)
    (seen,) = upstream.requests
    assert json.loads(seen.body)["params"]["arguments"] == {"a": 2}
    assert seen.header("content-length") == str(len(seen.body))
    assert json.loads(frames(capture)[0][1]) == CALL
    journal = load(capture)
    (edits,) = journal.edits.values()
    journal.close()
    assert [(each.act, each.by) for each in edits] == [("modify", "rule:two")]
    assert json.loads(edits[0].raw or "")["params"]["arguments"] == {"a": 2}


@pytest.mark.parametrize("streams", [False, True])
async def test_a_rule_hides_a_tool_from_the_client(streams: bool) -> None:
    def reply(request: HttpRequest) -> HttpResponse:
        body = json.dumps(TOOLS).encode()
        return (
            HttpResponse(200, STREAM, b"id: 7\ndata: " + body + b"\n\n") if streams else HttpResponse(200, JSON, body)
        )

    rule = {"name": "h", "action": "hide", "names": ["wi*"]}
    async with tapped(reply, rules=[rule]) as (_, tap):
        answer = await post(tap, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    text = answer.text.partition("data: ")[2] if streams else answer.text
    assert [tool["name"] for tool in json.loads(text)["result"]["tools"]] == ["add"]
    assert not streams or answer.text.startswith("id: 7\n")


async def test_a_held_request_goes_on_before_the_client_gives_up(tmp_path: Path) -> None:
    capture = tmp_path / "a.mcpcap"
    rule = {"name": "h", "when": "tool == add", "side": "request", "action": "hold"}
    async with tapped(answering({}), capture, rules=[rule], host_timeout_s=0.2) as (upstream, tap):
        await post(tap, CALL)
    assert [json.loads(each.body) for each in upstream.requests] == [CALL]
    journal = load(capture)
    acts = [(each.act, each.by) for edits in journal.edits.values() for each in edits]
    journal.close()
    assert acts == [("hold", "rule:h"), ("release", "deadline")]


async def test_a_dropped_notification_is_accepted_and_does_not_reach_the_server() -> None:
    rule = {"name": "d", "when": "method == notifications/initialized", "action": "drop"}
    async with tapped(answering({}), rules=[rule]) as (upstream, tap):
        answer = await post(tap, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (answer.status_code, upstream.requests) == (202, [])


async def test_kill_rule_breaks_the_connection() -> None:
    rule = {"name": "k", "when": "tool == add", "side": "request", "action": "fault", "fault": "kill"}
    async with tapped(answering({}), rules=[rule]) as (_, tap):
        with pytest.raises(httpx.RemoteProtocolError):
            await post(tap, CALL)


async def test_a_status_instead_of_a_response() -> None:
    rule = {"name": "s", "when": "tool == add", "action": "fault", "fault": "status", "status": 429}
    async with tapped(answering({}), rules=[rule]) as (upstream, tap):
        assert (await post(tap, CALL)).status_code == 429
    assert upstream.requests == []


# Decisions of an interface

HOLD = {"name": "h", "when": "tool == add", "side": "request", "action": "hold"}


class Interface:
    """A client of the control socket, which blocks, in threads."""

    def __init__(self, client: TapClient) -> None:
        self.client = client

    async def ask(self, what: str, **members: Any) -> dict[str, Any]:
        return await asyncio.to_thread(lambda: self.client.ask(what, **members))

    async def told(self, what: str, holds: Callable[[dict[str, Any]], object], **members: Any) -> dict[str, Any]:
        """The answer, once it is as wanted."""
        await asyncio.to_thread(lambda: blocked_until(lambda: holds(self.client.ask(what, **members)), what))
        return await self.ask(what, **members)

    async def held(self) -> dict[str, Any]:
        return dict((await self.told("status", lambda status: status["held"]))["held"][0])


@asynccontextmanager
async def attached(*rules: dict[str, Any]) -> AsyncIterator[Interface]:
    """An interface that controls the tap."""
    found = Interface(await asyncio.to_thread(lambda: TapClient(registry.live()[0]["socket"])))
    try:
        await found.ask("control")
        for rule in rules:
            await found.ask("set_rule", rule=rule)
        yield found
    finally:
        found.client.close()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry of the test's own."""
    monkeypatch.setenv("MCP_INSPECT_HOME", str(tmp_path / "own"))
    return tmp_path / "a.mcpcap"


async def test_a_held_request_is_edited_by_an_interface(own: Path) -> None:
    async with tapped(answering({"jsonrpc": "2.0", "id": 1, "result": {}}), own) as (upstream, tap):
        async with attached(HOLD) as interface, asyncio.TaskGroup() as group:
            named = {"Mcp-Method": "tools/call", "Mcp-Name": "add"}
            calling = group.create_task(post(tap, CALL, named))
            held = await interface.held()
            assert (held["method"], held["target"], held["n"]) == ("tools/call", "add", 3)
            edited = json.dumps(CALL).replace('"add"', '"subtract"')
            await interface.ask("release", held=held["held"], payload=edited)
            assert (await calling).json()["result"] == {}
    (seen,) = upstream.requests
    assert seen.body.decode() == edited
    assert (seen.header("content-length"), seen.header("mcp-name")) == (str(len(edited)), "subtract")
    journal = load(own)
    (edits,) = journal.edits.values()
    journal.close()
    assert [(each.act, each.by) for each in edits] == [("hold", "rule:h"), ("modify", "user")]


async def test_a_held_request_is_answered_by_an_interface(own: Path) -> None:
    async with tapped(answering({}), own) as (upstream, tap):
        async with attached(HOLD) as interface, asyncio.TaskGroup() as group:
            calling = group.create_task(post(tap, CALL))
            held = await interface.held()
            await interface.ask("respond", held=held["held"], result={"content": []})
            assert (await calling).json() == {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
    assert upstream.requests == []


async def test_a_call_whose_client_closes_the_connection_is_not_forwarded(own: Path) -> None:
    async with tapped(answering({}), own) as (upstream, tap), attached(HOLD) as interface:
        async with asyncio.TaskGroup() as group:
            calling = group.create_task(post(tap, CALL))
            await interface.held()
            calling.cancel()
        await interface.told("status", lambda status: not status["held"])
        await interface.ask("remove_rule", name="h")
        await post(tap, CALL | {"id": 2})
    assert [json.loads(each.body)["id"] for each in upstream.requests] == [2]


async def test_a_call_that_its_client_cancels_is_not_forwarded(own: Path) -> None:
    async with tapped(answering({}), own) as (upstream, tap), attached(HOLD) as interface:
        async with asyncio.TaskGroup() as group:
            calling = group.create_task(post(tap, CALL))
            await interface.held()
            params = {"requestId": 1, "reason": "Request timed out"}
            cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
            assert (await post(tap, cancel)).status_code == 202
            status = await interface.ask("status")
            assert (status["held"], status["timeout_by"]) == ([], "observed")
            calling.cancel()
    assert upstream.requests == []


async def test_an_interface_that_leaves_releases_what_it_held(own: Path) -> None:
    async with tapped(answering({}), own) as (upstream, tap), asyncio.TaskGroup() as group:
        async with attached(HOLD) as interface:
            calling = group.create_task(post(tap, CALL))
            await interface.held()
            assert upstream.requests == []
        assert (await calling).status_code == 200
        assert (await post(tap, CALL)).status_code == 200
    assert len(upstream.requests) == 2


@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n"])
async def test_a_rule_that_is_set_while_a_stream_is_open_acts_from_the_next_event_on(own: Path, end: bytes) -> None:
    pieces: asyncio.Queue[bytes] = asyncio.Queue()
    log = b'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"%d"}}'

    async def body() -> AsyncGenerator[bytes, None]:
        while True:
            yield await pieces.get()

    async with tapped(lambda _: HttpResponse(200, STREAM, body()), own) as (_, tap):
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client, client.stream("GET", tap.url) as answer:
            got = answer.aiter_raw()
            pieces.put_nowait(log % 1 + end + (log % 2)[:20])
            assert await anext(got) == log % 1 + end + (log % 2)[:20]
            async with attached(
                {"name": "d", "action": "drop", "when": 'text ~ "3"'}, {"name": "x", "action": "hide", "names": ["a"]}
            ):
                pieces.put_nowait((log % 2)[20:] + end + log % 3 + end + log % 4 + end)
                seen = b""
                while seen.count(b"list_changed") < 3 or b'"4"' not in seen:
                    seen += await anext(got)
    assert seen.startswith((log % 2)[20:] + end)
    assert b'"3"' not in seen


async def test_an_interface_sends_a_request_of_its_own(own: Path) -> None:
    def reply(request: HttpRequest) -> HttpResponse:
        asked = json.loads(request.body)
        body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"method": asked["method"]}}).encode()
        return HttpResponse(200, STREAM, b"data: " + body + b"\n\n")

    async with tapped(reply, own) as (upstream, tap):
        await post(tap, CALL, {"Mcp-Session-Id": "s1", "Mcp-Method": "tools/call", "Mcp-Name": "add"})
        async with attached() as interface:
            id_ = (await interface.ask("send", method="tools/list"))["request"]
            told = await interface.told("response", lambda told: told["response"], request=id_)
    assert json.loads(told["response"])["result"] == {"method": "tools/list"}
    seen = upstream.requests[1]
    assert (seen.header("mcp-session-id"), seen.header("mcp-method")) == ("s1", "tools/list")
    assert [json.loads(payload)["id"] for channel, payload in frames(own) if channel == "post"] == [1, id_]
