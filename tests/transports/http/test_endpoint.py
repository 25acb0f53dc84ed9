"""One address: what is sent and where to, how exchanges are numbered, and which redirects are followed."""

import asyncio

import msgspec
import pytest

from inspector import __version__
from inspector.errors import ConnectError, UsageError
from inspector.protocol.facts import HttpEvent, HttpFact, HttpTiming
from inspector.protocol.frames import Cause, Channel
from inspector.protocol.revisions._shape import Carriage
from inspector.transports.http.endpoint import (
    DOCUMENT_KEPT,
    Endpoint,
    HttpOptions,
    Stopwatch,
    origin_text,
    running,
    time_lookups,
)
from inspector.transports.http.listener import HttpRequest, HttpResponse
from inspector.transports.http.transport import HttpTransport
from tests.servers.http_fixtures import (
    ANSWER,
    REQUEST,
    always,
    by_method,
    connected,
    fact,
    json_answer,
    pieces,
    serving,
    steps,
    stream,
)


async def test_the_reported_headers_are_those_the_server_got_in_order_and_case() -> None:
    options = HttpOptions(headers=(("X-Odd-CASE", "1"), ("x-twice", "a"), ("X-Twice", "b")))
    async with serving(always(json_answer())) as site, connected(site.url, options=options) as (transport, seen):
        transport.common_headers["MCP-Protocol-Version"] = "v"
        await transport.send(REQUEST)
    (request,) = site.requests
    assert fact(seen, HttpEvent.REQUEST).headers == request.headers
    names = [name for name, _ in request.headers]
    assert [name for name in names if name.lower().startswith("x-")] == ["X-Odd-CASE", "x-twice", "X-Twice"]
    assert request.header("mcp-protocol-version") == "v"
    assert request.header("accept") == "application/json, text/event-stream"
    assert request.header("content-type") == "application/json"
    assert request.header("user-agent") == f"mcp-inspect/{__version__}"


async def test_request_headers_hide_and_reveal_nothing() -> None:
    async with serving(always(json_answer())) as site, connected(site.url) as (transport, _):
        await transport.send(REQUEST)
    (request,) = site.requests
    assert request.header("accept-encoding") == "identity"
    assert request.header("origin") is None
    assert request.header("cookie") is None


async def test_a_cookie_that_the_server_sets_is_not_sent_back() -> None:
    answer = json_answer(headers=(("Set-Cookie", "a=b"),))
    async with serving(always(answer)) as site, connected(site.url) as (transport, _):
        await transport.send(REQUEST)
        await transport.send(REQUEST)
    assert [request.header("cookie") for request in site.requests] == [None, None]


async def test_the_headers_of_the_user_win_over_all_others_whatever_their_case() -> None:
    options = HttpOptions(headers=(("accept", "text/plain"), ("authorization", "Bearer mine")))
    async with serving(always(json_answer())) as site, connected(site.url, options=options) as (transport, _):
        transport.common_headers = {"Authorization": "Bearer another"}
        await transport.send(REQUEST)
    (request,) = site.requests
    assert [value for name, value in request.headers if name.lower() == "accept"] == ["text/plain"]
    assert [value for name, value in request.headers if name.lower() == "authorization"] == ["Bearer mine"]


async def test_a_name_and_password_in_the_url_travel_as_a_header_and_are_not_shown_in_it() -> None:
    async with serving(always(json_answer())) as site:
        url = site.url.replace("http://", "http://me:p%40ss@")
        async with connected(url) as (transport, seen):
            await transport.send(REQUEST)
            assert transport.url == site.url
    assert site.requests[0].header("authorization") == "Basic bWU6cEBzcw=="
    assert fact(seen, HttpEvent.REQUEST).target == site.url


async def test_a_name_and_password_that_a_redirect_brings_are_not_sent() -> None:
    async def answer(request: HttpRequest) -> HttpResponse:
        if request.target == "/mcp":
            return HttpResponse(307, (("Location", site.url.replace("http://", "http://me:pass@") + "/2"),))
        return json_answer()

    async with serving(answer) as site, connected(site.url) as (transport, _):
        await transport.send(REQUEST)
    assert [(request.target, request.header("authorization")) for request in site.requests] == [
        ("/mcp", None),
        ("/mcp/2", None),
    ]


async def test_a_header_value_that_is_no_utf_8_goes_out_as_the_bytes_it_was() -> None:
    options = HttpOptions(headers=(("X-Odd", "\udce9"), ("X-Wide", "é")))
    async with serving(always(json_answer())) as site, connected(site.url, options=options) as (transport, seen):
        await transport.send(REQUEST)
    assert site.requests[0].header("x-odd") == b"\xe9".decode("latin-1")
    assert site.requests[0].header("x-wide") == "é".encode().decode("latin-1")
    assert {("X-Odd", "é"), ("X-Wide", "é")} < set(fact(seen, HttpEvent.REQUEST).headers)


async def test_response_headers_keep_order_case_and_duplicates() -> None:
    odd = (("x-B", "1"), ("X-a", "2"), ("x-b", "3"))
    async with serving(always(json_answer(headers=odd))) as site, connected(site.url) as (transport, seen):
        await transport.send(REQUEST)
    response = fact(seen, HttpEvent.RESPONSE)
    assert tuple(pair for pair in response.headers if pair[0].lower().startswith("x-")) == odd
    assert (response.status, response.version) == (200, "HTTP/1.1")


@pytest.mark.parametrize("status", [307, 308])
async def test_a_redirect_within_the_origin_is_followed_in_exchanges_that_can_be_seen(status: int) -> None:
    async def answer(request: HttpRequest) -> HttpResponse:
        if request.target == "/mcp":
            return HttpResponse(status, (("Location", "/mcp/?x=1"),), b"moved")
        return json_answer()

    options = HttpOptions(headers=(("Authorization", "Bearer secret"),))
    async with serving(answer) as site, connected(site.url, options=options) as (transport, seen):
        delivery = await transport.send(REQUEST)
    assert delivery.body == ANSWER
    assert [request.target for request in site.requests] == ["/mcp", "/mcp/?x=1"]
    assert [request.header("authorization") for request in site.requests] == ["Bearer secret"] * 2
    assert [(frame.http, frame.channel, frame.payload) for frame in seen.frames] == [
        (1, Channel.POST, REQUEST.payload),
        (1, Channel.REPLY, b"moved"),
        (2, Channel.POST, REQUEST.payload),
        (2, Channel.REPLY, ANSWER),
    ]
    assert fact(seen, HttpEvent.RESPONSE).status == status


@pytest.mark.parametrize("status", [301, 302, 303])
async def test_a_redirect_that_would_turn_a_post_into_a_get_is_shown_and_not_followed(status: int) -> None:
    moved = HttpResponse(status, (("Location", "/elsewhere"),))
    async with serving(always(moved)) as site, connected(site.url) as (transport, _):
        delivery = await transport.send(REQUEST)
    assert delivery.status == status
    assert len(site.requests) == 1


async def test_a_get_is_redirected_by_the_older_statuses_too() -> None:
    async def answer(request: HttpRequest) -> HttpResponse:
        if request.target == "/mcp":
            return HttpResponse(302, (("Location", "/stream"),))
        return stream(b"data: {}\n\n") if request.method == "GET" else HttpResponse(202)

    async with serving(answer) as site, connected(site.url, Carriage.SESSIONS) as (transport, seen):
        delivery = await transport.open_stream()
        await seen.until(lambda _: seen.received(), "the stream has brought its event")
    assert delivery.status == 200


async def test_a_redirect_to_another_origin_is_refused_and_nothing_is_sent_there() -> None:
    async with serving(always(json_answer())) as other:
        moved = HttpResponse(307, (("Location", other.url),))
        options = HttpOptions(headers=(("Authorization", "Bearer secret"),))
        async with serving(always(moved)) as site, connected(site.url, options=options) as (transport, seen):
            with pytest.raises(ConnectError) as caught:
                await transport.send(REQUEST)
    assert other.requests == []
    assert site.listener.url in str(caught.value)
    assert other.listener.url in str(caught.value)
    assert other.url in caught.value.hint
    assert fact(seen, HttpEvent.END).http == 1


@pytest.mark.parametrize("location", ["https://127.0.0.1:{port}/mcp", "//localhost:{port}/mcp", "http://127.0.0.1/"])
async def test_another_scheme_host_or_port_is_another_origin(location: str) -> None:
    async with serving(by_method()) as site:
        with pytest.raises(ConnectError, match="another origin"):
            Endpoint(site.url, HttpOptions()).resolve(location.format(port=site.listener.port))


async def test_a_circle_of_redirects_is_left_after_five() -> None:
    async with serving(always(HttpResponse(307, (("Location", "/mcp"),)))) as site:
        async with connected(site.url) as (transport, seen):
            with pytest.raises(ConnectError, match="more than 5 times"):
                await transport.send(REQUEST)
    assert len(site.requests) == 6
    assert {each.http for each in seen.of(HttpFact)} == {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize("location", ["http://[", "http://a:99999/", "\x7f"])
async def test_invalid_location_is_a_connect_error(location: str) -> None:
    moved = HttpResponse(307, (("Location", location),))
    async with serving(always(moved)) as site, connected(site.url) as (transport, _):
        with pytest.raises(ConnectError):
            await transport.send(REQUEST)


@pytest.mark.parametrize("url", ["", "localhost:3000", "ftp://a/b", "http://", "http://a:99999/", "file:///etc/passwd"])
def test_invalid_server_url_is_refused_at_once(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        HttpTransport(url)
    assert caught.value.hint


async def test_a_header_that_http_does_not_allow_is_named_as_the_cause() -> None:
    options = HttpOptions(headers=(("X-Bad", "a\r\nX-Injected: b"),))
    async with serving(always(json_answer())) as site, connected(site.url, options=options) as (transport, seen):
        with pytest.raises(ConnectError) as caught:
            await transport.send(REQUEST)
    assert "-H" in caught.value.hint
    assert site.requests == []
    assert fact(seen, HttpEvent.ERROR).why


async def test_exchanges_at_the_same_time_have_numbers_and_answers_of_their_own() -> None:
    async with serving(always(json_answer())) as site, connected(site.url) as (transport, seen):
        for _ in range(3):
            await transport.send(REQUEST)
    assert [frame.http for frame in seen.frames] == [1, 1, 2, 2, 3, 3]
    assert [each.http for each in seen.of(HttpFact) if each.event is HttpEvent.END] == [1, 2, 3]


def test_an_origin_is_written_as_a_person_would() -> None:
    assert origin_text(Endpoint("http://localhost:80/x", HttpOptions()).url) == "http://localhost"
    assert origin_text(Endpoint("https://[::1]:8443/x", HttpOptions()).url) == "https://[::1]:8443"


@pytest.mark.parametrize("location", ["/mcp?key=abc123", "http://[", "http://elsewhere.invalid/?key=abc123"])
async def test_redirect_error_omits_queries(location: str) -> None:
    async with serving(always(HttpResponse(307, (("Location", location),)))) as site:
        async with connected(site.url + "?token=abc123") as (transport, _):
            with pytest.raises(ConnectError) as refused:
                await transport.send(REQUEST)
    assert "abc123" not in str(refused.value) + refused.value.hint


@pytest.mark.parametrize("silent", ["head", "body"])
async def test_an_exchange_of_a_login_that_is_never_answered_ends_in_time(silent: str) -> None:
    gone = asyncio.Event()

    async def handler(request: HttpRequest) -> HttpResponse:
        if silent == "head":
            await gone.wait()
        return HttpResponse(200, (), pieces([b"{", gone.wait]))

    options = HttpOptions(aside_timeout=0.2)
    async with serving(handler) as site, connected(site.url, options=options) as (transport, seen):
        with pytest.raises(ConnectError, match=r"no complete response within 0\.2 s"):
            await transport.ask_aside("POST", site.url, (), b"x", 100)
        gone.set()
    assert HttpEvent.REQUEST in steps(seen)
    assert steps(seen)[-1] in (HttpEvent.ERROR, HttpEvent.END)


async def test_an_event_stream_in_place_of_metadata_is_not_waited_for() -> None:
    gone = asyncio.Event()
    endless = HttpResponse(200, (("Content-Type", "text/event-stream"),), pieces([b": hello\n\n", gone.wait]))
    async with serving(always(endless)) as site, connected(site.url) as (transport, _):
        heard = await transport.ask_aside("GET", f"{site.url}/.well-known/oauth-protected-resource", (), None, 100)
        gone.set()
    assert (heard.status, heard.body) == (200, b"")


@pytest.mark.parametrize(
    ("method", "path", "body", "kept"),
    [
        ("GET", "/.well-known/oauth-protected-resource", b'{"resource": "r"}', True),
        ("GET", "/.well-known/oauth-protected-resource", b"<html>", False),
        ("GET", "/.well-known/oauth-protected-resource", b'{"resource": "\xff"}', False),
        ("GET", "/.well-known/oauth-protected-resource", b"{" + b" " * DOCUMENT_KEPT + b"}", False),
        ("POST", "/token", b'{"access_token": "secret"}', False),
        ("POST", "/.well-known/token", b'{"access_token": "secret"}', False),
    ],
)
async def test_only_public_login_metadata_is_recorded(method: str, path: str, body: bytes, *, kept: bool) -> None:
    async with serving(always(HttpResponse(200, (), body))) as site, connected(site.url) as (transport, seen):
        heard = await transport.ask_aside(
            method, str(Endpoint(site.url, HttpOptions()).url.join(path)), (), None, 1 << 20
        )
    assert heard.body == body
    assert [each.document for each in seen.of(HttpFact) if each.event is HttpEvent.END] == [body if kept else None]
    assert not seen.frames


async def test_a_probe_is_sent_with_just_its_headers_and_is_tagged_both_ways() -> None:
    options = HttpOptions(headers=(("Authorization", "Bearer mine"), ("X-Mine", "1")))
    async with (
        serving(always(HttpResponse(400, (), b"no"))) as site,
        connected(site.url, options=options) as (wire, seen),
    ):
        heard = await wire.probe("POST", (("Mcp-Session-Id", "none"), ("x-mine", "2")), REQUEST.payload)
    (request,) = site.requests
    assert (heard.status, heard.body) == (400, b"no")
    assert request.header("mcp-session-id") == "none"
    assert request.header("authorization") == "Bearer mine"
    assert [value for name, value in request.headers if name.lower() == "x-mine"] == ["2"]
    assert fact(seen, HttpEvent.REQUEST).probe
    assert [(frame.payload, frame.cause) for frame in seen.frames] == [
        (REQUEST.payload, Cause.PROBE),
        (b"no", Cause.PROBE),
    ]


async def test_a_probe_of_another_address_takes_nothing_of_the_users_along_and_follows_nothing() -> None:
    options = HttpOptions(headers=(("Authorization", "Bearer mine"),))
    away = HttpResponse(307, (("Location", "/elsewhere"),))
    async with serving(always(json_answer())) as site, serving(always(away)) as other:
        async with connected(site.url, options=options) as (wire, _):
            heard = await wire.probe("OPTIONS", (), None, other.url)
    assert heard.status == 307
    assert site.requests == []
    assert [request.header("authorization") for request in other.requests] == [None]


async def test_an_ordinary_request_is_no_probe_of_http_even_if_it_asks_for_the_era() -> None:
    async with serving(always(json_answer())) as site, connected(site.url) as (transport, seen):
        await transport.send(msgspec.structs.replace(REQUEST, cause=Cause.PROBE))
    assert not fact(seen, HttpEvent.REQUEST).probe
    assert [frame.cause for frame in seen.frames] == [Cause.PROBE, Cause.PROBE]


async def test_a_connection_that_is_over_makes_no_client_for_a_probe() -> None:
    async with serving(always(json_answer())) as site, connected(site.url) as (wire, _):
        await wire.close()
        with pytest.raises(ConnectError, match="not open"):
            await wire.probe("OPTIONS", (), None, "http://127.0.0.1:9/")


CONNECT, TLS = "connection.connect_tcp", "connection.start_tls"
HEADERS, BODY, HEAD = "http11.send_request_headers", "http11.send_request_body", "http11.receive_response_headers"


async def watched(*steps: tuple[str, int]) -> Stopwatch:
    """A stopwatch that was told of these steps at these moments."""
    moments = iter([moment for _, moment in steps])
    watch = Stopwatch(lambda: next(moments))
    for event, _ in steps:
        await watch.trace(event, {})
    return watch


def step(name: str, began: int, ended: int) -> tuple[tuple[str, int], tuple[str, int]]:
    return (f"{name}.started", began), (f"{name}.complete", ended)


async def test_each_step_has_its_own_time_and_the_look_up_is_no_part_of_the_connecting() -> None:
    watch = await watched(
        *step(CONNECT, 0, 100),
        *step(TLS, 110, 150),
        *step(HEADERS, 160, 170),
        *step(BODY, 171, 180),
        *step(HEAD, 181, 480),
    )
    watch.looked_up(60)
    assert watch.timing() == HttpTiming(lookup=60, connect=40, tls=40, send=20, wait=300)


async def test_a_kept_connection_needs_neither_look_up_nor_connecting() -> None:
    watch = await watched(*step(HEADERS, 0, 10), *step(HEAD, 11, 50))
    assert watch.timing() == HttpTiming(send=10, wait=40)


async def test_a_step_that_was_not_finished_has_no_time() -> None:
    watch = await watched((f"{CONNECT}.started", 0), (f"{CONNECT}.failed", 5))
    assert watch.timing() == HttpTiming()


async def test_lookup_timing_is_installed_once() -> None:
    time_lookups()
    time_lookups()
    watch = Stopwatch()
    running.set(watch)
    await asyncio.get_running_loop().getaddrinfo("localhost", 80)
    first = watch.timing().lookup
    assert first is not None
    await asyncio.get_running_loop().getaddrinfo("127.0.0.1", 80)
    assert (watch.timing().lookup or 0) > first


async def test_response_timing_has_connection_phases_once() -> None:
    async with serving(always(json_answer())) as site:
        async with connected(site.url.replace("127.0.0.1", "localhost")) as (transport, recorder):
            await transport.send(REQUEST)
            await transport.send(REQUEST)
    first, second = (fact(recorder, HttpEvent.RESPONSE, number).timing for number in (1, 2))
    assert first is not None
    assert None not in (first.lookup, first.connect, first.send, first.wait)
    assert first.tls is None
    assert second is not None
    assert (second.lookup, second.connect) == (None, None)
    assert second.wait is not None


async def test_a_stream_has_its_first_byte_when_its_head_is_there() -> None:
    async with serving(always(stream(b": hello\n\n"))) as site:
        async with connected(site.url) as (transport, recorder):
            await transport.send(REQUEST)
    timing = fact(recorder, HttpEvent.RESPONSE).timing
    assert timing is not None
    assert timing.wait is not None
