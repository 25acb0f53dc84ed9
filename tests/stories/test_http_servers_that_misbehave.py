"""HTTP servers that reject, lose sessions, redirect, disconnect or don't speak MCP: what the user sees."""

import asyncio
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
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse
from tests.servers.http_fixtures import JSON, Site, always, json_answer, legacy_server, serving, stream
from tests.stories.commands import Ran, mcp_inspect
from tests.waiting import PATIENCE_S

ResultResponse = HttpResponse | Callable[[HttpRequest], HttpResponse]
LEGACY = newest_of(Era.LEGACY).date
HELLO = {"protocolVersion": LEGACY, "serverInfo": {"name": "odd", "version": "1"}, "capabilities": {"tools": {}}}
TOOLS = {"tools": [{"name": "one", "inputSchema": {"type": "object"}}]}
BELL = b"\x07\x1b]0;stolen\x07\x1b[31m"


def answer(request: HttpRequest, result: Any, **headers: str) -> HttpResponse:
    body = {"jsonrpc": "2.0", "id": json.loads(request.body)["id"], "result": result}
    return json_answer(json.dumps(body).encode(), headers=tuple(headers.items()))


def server(**answers: ResultResponse) -> Callable[[HttpRequest], Awaitable[HttpResponse]]:
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
    assert [request.method for request in site.requests].count("POST") == 1
    assert ran.received() == ([body] if body else [])


async def test_expired_session_is_renewed_visibly(tmp_path: Path) -> None:
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


PAGE = b"<!doctype html><title>Welcome</title><script>alert(1)</script>" + BELL
HTML = (("Content-Type", "text/html; charset=utf-8"),)


@pytest.mark.parametrize("status", [200, 404, 405])
async def test_a_web_page_is_no_server_and_its_beginning_is_quoted(tmp_path: Path, status: int) -> None:
    async with serving(always(HttpResponse(status, HTML, PAGE))) as site:
        ran = await ask(site, tmp_path)
    assert (ran.status, ran.stdout) == (ExitStatus.UNREACHABLE, b"")
    assert f"HTTP {status} (text/html; charset=utf-8): Welcome" in ran.error["message"]
    assert "URL" in ran.error["hint"]
    assert PAGE in ran.received()
    assert not any(piece in ran.stderr for piece in (b"\x1b", b"\x07"))


@pytest.mark.parametrize("status", [500, 502, 503, 504, 429, 408])
async def test_an_outage_is_reported_after_both_ways_of_opening_were_tried(tmp_path: Path, status: int) -> None:
    async with serving(always(HttpResponse(status, HTML, b"try again"))) as site:
        ran = await ask(site, tmp_path)
    assert ran.status == ExitStatus.UNREACHABLE
    assert f"HTTP {status}" in ran.error["message"]
    assert "try again" in ran.error["message"]
    assert ran.seen.methods() == ["server/discover", "initialize"]
    assert statuses(ran) == [status] * 2


INSTEAD = "! Opened with initialize: server/discover"


@pytest.mark.parametrize("words", [("list", "tools"), ("call", "one"), ("info",), ("check",), ("doctor",)])
async def test_a_legacy_server_that_answers_the_probe_with_500_is_used(tmp_path: Path, words: tuple[str, ...]) -> None:
    async with serving(server(server_discover=HttpResponse(500, HTML, b"oops"), tools_call=done)) as site:
        ran = await ask(site, tmp_path, *words)
    assert ran.status == (ExitStatus.OK if words != ("doctor",) else ran.status)
    assert ran.status != ExitStatus.UNREACHABLE
    assert ran.seen.methods()[:2] == ["server/discover", "initialize"]
    assert ran.messages.count(f"{INSTEAD} was answered with HTTP 500.") == 1


def done(request: HttpRequest) -> HttpResponse:
    return answer(request, {"content": [{"type": "text", "text": "3"}]})


async def test_a_connection_that_is_closed_at_the_probe_is_no_verdict(tmp_path: Path) -> None:
    def hang_up(request: HttpRequest) -> HttpResponse:
        raise HangUp

    async with serving(server(server_discover=hang_up)) as site:
        ran = await ask(site, tmp_path)
    assert (ran.status, ran.json["era"]) == (ExitStatus.OK, "legacy")
    assert INSTEAD in ran.messages


async def test_a_server_that_never_answers_the_probe_costs_no_timeout(tmp_path: Path) -> None:
    legacy, asked_for = server(), asyncio.Event()

    async def handle(request: HttpRequest) -> HttpResponse:
        if b"server/discover" in request.body:
            await asyncio.wait_for(asked_for.wait(), PATIENCE_S)  # longer than any test waits
        return await legacy(request)

    async with serving(handle) as site:
        ran = await ask(site, tmp_path)
        asked_for.set()
    assert (ran.status, ran.json["era"], ran.json["tools"]) == (ExitStatus.OK, "legacy", TOOLS["tools"])
    assert f"{INSTEAD} was not answered within 2 s." in ran.messages
    (probe,) = [each for each in ran.seen.exchanges if each.method == "server/discover"]
    assert probe.state is ExchangeState.CANCELLED


async def test_a_late_answer_to_the_probe_still_counts(tmp_path: Path) -> None:
    asked, answered = asyncio.Event(), asyncio.Event()

    async def slow(request: HttpRequest) -> HttpResponse:
        match json.loads(request.body)["method"] if request.method == "POST" else "":
            case "server/discover":
                await asked.wait()
                answered.set()
                return answer(request, {"supportedVersions": [MODERN], "capabilities": {"tools": {}}} | ABOUT)
            case "initialize":
                asked.set()
                await answered.wait()
                return refusal(request, -32022, 400, NAMING)
            case "tools/list":
                return answer(request, TOOLS | ABOUT)
            case _:
                return HttpResponse(405)

    async with serving(slow) as site:
        ran = await ask(site, tmp_path)
    assert (ran.status, ran.json["era"], ran.json["tools"]) == (ExitStatus.OK, "modern", TOOLS["tools"])
    assert "Opened with" not in ran.messages


MODERN = newest_of(Era.MODERN).date
ABOUT = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
NAMING = {"supported": ["2099-01-01", MODERN], "requested": LEGACY}


def refusal(request: HttpRequest, code: int, status: int, data: Any = None) -> HttpResponse:
    """A JSON-RPC error."""
    error = {"code": code, "message": "no"} | ({"data": data} if data else {})
    body = json.dumps({"jsonrpc": "2.0", "id": json.loads(request.body)["id"], "error": error}).encode()
    return HttpResponse(status, JSON, body)


def without_discovery(*, at_once: bool) -> Callable[[HttpRequest], Awaitable[HttpResponse]]:
    """A stateless server without server/discover; it names its versions `at_once`, or when initialize is refused."""

    async def handle(request: HttpRequest) -> HttpResponse:
        method = json.loads(request.body)["method"] if request.method == "POST" else ""
        match method:
            case "server/discover":
                return refusal(request, -32601, 404, NAMING if at_once else None)
            case "initialize":
                return refusal(request, -32022, 400, NAMING)
            case "tools/list":
                return answer(request, TOOLS | ABOUT)
            case "tools/call":
                return answer(request, {"content": [{"type": "text", "text": "3"}]} | ABOUT)
            case "":
                return HttpResponse(405)
            case _:
                return refusal(request, -32601, 404)

    return handle


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_stateless_server_without_discovery_is_used_in_a_version_that_it_names(
    tmp_path: Path, at_once: bool
) -> None:
    async with serving(without_discovery(at_once=at_once)) as site:
        ran = await ask(site, tmp_path, "call", "one")
        assert (ran.status, ran.json.get("isError", False)) == (ExitStatus.OK, False)
        assert all(
            dict(request.headers).get("MCP-Protocol-Version") == MODERN
            for request in site.requests
            if b"initialize" not in request.body
        )
        judged = await mcp_inspect("check", "--json", site.url, place=tmp_path)
    assert f"Using {MODERN}, which the server names: it does not know server/discover." in ran.messages
    assert [each["id"] for each in judged.json["findings"] if each["severity"] == "error"] == [
        "discover-not-implemented"
    ]


@pytest.mark.parametrize("date", ["2025-06-18", LEGACY, MODERN, "2099-01-01"])
async def test_after_initialize_the_header_carries_the_version_that_was_agreed_on(tmp_path: Path, date: str) -> None:
    async with serving(server(initialize=lambda request: answer(request, HELLO | {"protocolVersion": date}))) as site:
        await ask(site, tmp_path, "list", "tools", "--era", "legacy")
        later = [each for each in site.requests if b'"initialize"' not in each.body]
    assert {"POST"} <= {each.method for each in later}
    assert {dict(each.headers).get("MCP-Protocol-Version") for each in later} == {date}


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream", "", "text/html"])
async def test_an_answer_of_the_wrong_content_type_is_an_answer(tmp_path: Path, kind: str) -> None:
    headers = (("Content-Type", kind),) if kind else ()

    def odd(request: HttpRequest) -> HttpResponse:
        return HttpResponse(200, headers, answer(request, TOOLS).body)

    async with serving(server(tools_list=odd)) as site:
        ran = await ask(site, tmp_path)
    assert (ran.status, ran.json["tools"]) == (ExitStatus.OK, TOOLS["tools"])


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (HttpResponse(200, JSON, b"<html>"), "HTTP 200"),
        (HttpResponse(200, JSON, b""), "HTTP 200"),
        (HttpResponse(200, JSON, b'{"jsonrpc":"2.0","id":99,"result":{}}'), "HTTP 200"),
        (HttpResponse(200, JSON, b'{"jsonrpc":"2.0","id":'), "HTTP 200"),
        (HttpResponse(204), "HTTP 204"),
        (HttpResponse(400, HTML, b"bad request"), "HTTP 400"),
        (HttpResponse(500, HTML, b"oops"), "HTTP 500"),
    ],
)
async def test_call_without_a_response_reports_what_was_received(
    tmp_path: Path, broken: HttpResponse, said: str
) -> None:
    async with serving(server(tools_call=broken)) as site:
        ran = await ask(site, tmp_path, "call", "one")
    assert (ran.status, ran.stdout) == (ExitStatus.UNREACHABLE, b"")
    assert ran.error["code"] == "request_failed"
    assert said in ran.error["message"]
    (call,) = [each for each in ran.seen.exchanges if each.method == "tools/call"]
    assert call.state is ExchangeState.LOST
    if broken.body:
        assert broken.body in ran.received()


def event(message: bytes, *, id_: str = "") -> bytes:
    return (f"id: {id_}\n".encode() if id_ else b"") + b"data: " + message + b"\n\n"


def cut(*, id_: str = "") -> Callable[[HttpRequest], HttpResponse]:
    """A stream that brings one word of progress and breaks off."""

    def respond(request: HttpRequest) -> HttpResponse:
        token = json.loads(request.body)["params"]["_meta"]["progressToken"]
        far = {"progressToken": token, "progress": 1}
        note = json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": far}).encode()
        return stream(event(note, id_=id_), HangUp())

    return respond


async def test_cut_stream_loses_its_call_with_a_reason(tmp_path: Path) -> None:
    async with serving(server(tools_call=cut())) as site:
        ran = await ask(site, tmp_path, "call", "one")
    assert ran.status == ExitStatus.UNREACHABLE
    assert "broke the connection off" in ran.error["message"]
    (call,) = [each for each in ran.seen.exchanges if each.method == "tools/call"]
    assert (call.state, call.progress is not None) == (ExchangeState.LOST, True)
    assert "broke the connection off" in call.why


async def test_a_stream_that_is_cut_and_can_be_resumed_brings_its_answer(tmp_path: Path) -> None:
    handle = server(tools_call=cut(id_="7"))

    async def with_resumption(request: HttpRequest) -> HttpResponse:
        if request.method == "GET" and request.header("last-event-id") == "7":
            (call,) = [each for each in site.requests if b"tools/call" in each.body]
            return stream(event(bytes(answer(call, {"content": []}).body), id_="8"))  # type: ignore[arg-type]
        return await handle(request)

    async with serving(with_resumption) as site:
        ran = await ask(site, tmp_path, "call", "one")
    assert (ran.status, ran.json["result"]) == (ExitStatus.OK, {"content": []})
    (call,) = [each for each in ran.seen.exchanges if each.method == "tools/call"]
    assert (call.state, call.why) == (ExchangeState.ANSWERED, "")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_to_another_origin_is_not_followed(tmp_path: Path, status: int) -> None:
    async with serving(server()) as elsewhere:
        onward = HttpResponse(status, (("Location", elsewhere.url),))
        async with serving(always(onward)) as site:
            ran = await ask(site, tmp_path)
    assert ran.status == ExitStatus.UNREACHABLE
    assert elsewhere.requests == []
    if status in (307, 308):
        assert elsewhere.url in ran.error["hint"]
        assert "another origin" in ran.error["message"]
    else:
        assert f"HTTP {status}" in ran.error["message"]


async def test_redirects_in_a_circle_end_and_each_is_shown(tmp_path: Path) -> None:
    async with serving(always(HttpResponse(307, (("Location", "/mcp"),)))) as site:
        ran = await ask(site, tmp_path)
    assert ran.status == ExitStatus.UNREACHABLE
    assert "redirects more than" in ran.error["message"]
    assert statuses(ran) == [307] * len(site.requests)
    assert not any(each.is_open for each in ran.seen.exchanges)


async def test_a_redirect_within_the_origin_is_followed_in_sight(tmp_path: Path) -> None:
    handle = server()

    async def moved(request: HttpRequest) -> HttpResponse:
        return await handle(request) if request.target == "/new" else HttpResponse(308, (("Location", "/new"),))

    async with serving(moved) as site:
        ran = await ask(site, tmp_path)
    assert (ran.status, ran.json["tools"]) == (ExitStatus.OK, TOOLS["tools"])
    assert 308 in statuses(ran)


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}/mcp", "https://127.0.0.1:{port}/mcp"])
async def test_refused_connection_is_reported(tmp_path: Path, url: str) -> None:
    async with serving(server()) as site:
        port = site.listener.port
    ran = await mcp_inspect("info", "--json", url.format(port=port), place=tmp_path)
    assert (ran.status, ran.error["code"]) == (ExitStatus.UNREACHABLE, "connect_error")
    assert f"127.0.0.1:{port} refuses connections" in ran.error["message"]
    assert "running" in ran.error["hint"]


async def test_disconnect_without_response_is_reported(tmp_path: Path) -> None:
    async def hang_up(request: HttpRequest) -> HttpResponse:
        raise HangUp

    async with serving(hang_up) as site:
        ran = await ask(site, tmp_path)
    assert ran.status == ExitStatus.UNREACHABLE
    assert "gave no HTTP response" in ran.error["message"]


async def test_silent_http_server_times_out(tmp_path: Path) -> None:
    silence = asyncio.Event()

    async def wait(request: HttpRequest) -> HttpResponse:
        await silence.wait()
        return HttpResponse(200)

    async with serving(wait) as site:
        ran = await ask(site, tmp_path, "info", "--timeout", "0.3")
        silence.set()
    assert (ran.status, ran.error["code"]) == (ExitStatus.TIMEOUT, "request_timeout")
    assert "--timeout" in ran.error["hint"]
    states = {each.method: each.state for each in ran.seen.exchanges}
    assert states == {"server/discover": ExchangeState.CANCELLED, "initialize": ExchangeState.LOST}
    assert len(site.requests) == 2


async def test_a_server_that_takes_in_nothing_any_more_does_not_keep_us(tmp_path: Path) -> None:
    silence = asyncio.Event()
    handle = server()

    async def wait(request: HttpRequest) -> HttpResponse:
        if b"tools/call" in request.body or b"cancelled" in request.body or request.method == "DELETE":
            await silence.wait()
        return await handle(request)

    async with serving(wait) as site:
        ran = await ask(site, tmp_path, "call", "one", "--timeout", "0.3")
        silence.set()
    assert (ran.status, ran.error["code"]) == (ExitStatus.TIMEOUT, "request_timeout")
    assert ran.seen.methods() == ["server/discover", "initialize", "tools/list", "tools/call", "tools/list"]
    call = ran.seen.exchanges[-2]  # behind it the look whether the call blocks other requests
    assert call.state is ExchangeState.CANCELLED
    assert ran.seen.sent("notifications/cancelled")[0]["params"]["requestId"] == call.id


async def test_tls_where_there_is_none_is_explained(tmp_path: Path) -> None:
    async with serving(server()) as site:
        ran = await mcp_inspect("info", "--json", site.url.replace("http:", "https:"), place=tmp_path)
    assert ran.status == ExitStatus.UNREACHABLE
    assert "http://" in ran.error["hint"]


async def test_an_old_server_may_name_no_other_origin_to_post_to(tmp_path: Path) -> None:
    async with serving(server()) as elsewhere:
        async with legacy_server(lambda site: f"{elsewhere.url}/steal") as site:
            ran = await mcp_inspect("info", "--json", "--transport", "sse", site.url, place=tmp_path)
    assert ran.status == ExitStatus.UNREACHABLE
    assert "another origin" in ran.error["message"]
    assert elsewhere.requests == []
