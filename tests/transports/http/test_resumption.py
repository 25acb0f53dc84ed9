"""Session ids, the standalone stream, and streams that are resumed."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from msgspec.structs import replace

from inspector.errors import ConnectError, Disconnected
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact, SseNote
from inspector.protocol.frames import Cause, Channel
from inspector.protocol.revisions._shape import Carriage
from inspector.transports.base import Delivery
from inspector.transports.http import resumption
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse
from inspector.transports.http.reply import Trail
from inspector.transports.http.resumption import _pause
from tests.servers.http_fixtures import (
    ANSWER,
    INITIALIZE,
    NOTIFICATION,
    REQUEST,
    by_method,
    connected,
    fact,
    json_answer,
    serving,
    steps,
    stream,
)
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("impatient")

BY_SESSIONS = Carriage.SESSIONS
SESSION = (("mcp-session-id", "s-1"),)
PRIMING = b"id: 1\ndata:\n\n"
SOON = b"retry: 1\n\n"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that says `retry: 1` is taken at its word, so that no test waits for a pause it does not test."""
    monkeypatch.setattr(resumption, "_RETRY_FLOOR", 1)


async def forever() -> None:
    await asyncio.Event().wait()


def in_turn(*answers: Callable[[], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Return an answer for each call; the last one for all that follow."""
    left = list(answers)
    return lambda _: (left.pop(0) if len(left) > 1 else left[0])()


def by_session() -> Callable[[HttpRequest], HttpResponse]:
    """A server with one session: gives its id to `initialize` and wants it ever after."""

    def answer(request: HttpRequest) -> HttpResponse:
        if b"initialize" in request.body and b"notifications" not in request.body:
            return json_answer(headers=SESSION)
        if request.header("mcp-session-id") != "s-1":
            return json_answer(b'{"error":"no session"}', status=404)
        return json_answer() if b'"id"' in request.body else HttpResponse(202)

    return answer


async def test_the_session_id_of_the_first_response_is_sent_from_then_on_and_deleted_at_the_end() -> None:
    answers = by_method(POST=by_session(), DELETE=HttpResponse(200))
    async with serving(answers) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, _):
            await transport.send(INITIALIZE)
            assert transport.mcp_session_id == "s-1"
            transport.common_headers["MCP-Protocol-Version"] = "v"
            assert (await transport.send(NOTIFICATION)).status == 202
            assert (await transport.send(REQUEST)).status == 200
    assert site.methods() == ["POST", "POST", "POST", "DELETE"]
    assert [request.header("mcp-session-id") for request in site.requests] == [None, "s-1", "s-1", "s-1"]
    assert site.requests[-1].header("mcp-protocol-version") == "v"


async def test_without_a_session_nothing_is_deleted() -> None:
    async with serving(by_method(POST=json_answer())) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, _):
            await transport.send(INITIALIZE)
    assert site.methods() == ["POST"]


async def test_a_delete_that_is_refused_is_shown_and_is_no_error() -> None:
    async with serving(by_method(POST=by_session())) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, seen):
            await transport.send(INITIALIZE)
    assert fact(seen, HttpEvent.RESPONSE, 2).status == 405


async def test_unanswered_delete_does_not_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resumption, "_DELETE_WAIT", 0.05)

    async def answer(request: HttpRequest) -> HttpResponse:
        if request.method == "DELETE":
            await forever()
        return json_answer(headers=SESSION)

    async with serving(answer) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, seen):
            await transport.send(INITIALIZE)
    assert steps(seen, 2) == [HttpEvent.REQUEST, HttpEvent.ERROR]


async def test_an_id_on_a_later_response_or_on_a_failure_is_not_taken_up() -> None:
    later = in_turn(lambda: json_answer(status=400, headers=SESSION), lambda: json_answer(headers=SESSION))
    async with serving(by_method(POST=later)) as site, connected(site.url, BY_SESSIONS) as (transport, _):
        await transport.send(INITIALIZE)
        assert transport.mcp_session_id is None
        await transport.send(REQUEST)
        assert transport.mcp_session_id is None


@pytest.mark.parametrize("bad", ["a b", "é", "a\tb"])
async def test_a_session_id_outside_visible_ascii_is_named_and_not_sent_back(bad: str) -> None:
    answer = json_answer(headers=(("Mcp-Session-Id", bad),))
    async with serving(by_method(POST=answer)) as site, connected(site.url, BY_SESSIONS) as (transport, _):
        delivery = await transport.send(INITIALIZE)
        assert transport.mcp_session_id is None
    assert "visible ASCII" in delivery.why


async def test_lost_session_can_be_renewed() -> None:
    async with serving(by_method(POST=by_session(), DELETE=HttpResponse(200))) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, recorder):
            await transport.send(INITIALIZE)
            transport.forget_session()
            assert (await transport.send(REQUEST)).status == 404
            await transport.send(INITIALIZE)
            assert (await transport.send(REQUEST)).status == 200
    assert [fact.event for fact in recorder.of(ConnectionFact)] == [
        ConnectionEvent.OPEN,
        ConnectionEvent.RENEW,
        ConnectionEvent.CLOSE,
    ]


async def test_initialize_is_sent_without_the_old_session_id() -> None:
    async with serving(by_method(POST=by_session())) as site, connected(site.url, BY_SESSIONS) as (transport, _):
        await transport.send(INITIALIZE)
        await transport.send(INITIALIZE)
    assert [request.header("mcp-session-id") for request in site.requests[:2]] == [None, None]


async def test_an_answer_to_an_accepted_request_may_come_another_way() -> None:
    async with serving(by_method(POST=HttpResponse(202))) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, _):
            assert (await transport.send(REQUEST)).answer_may_follow


async def test_the_standalone_stream_brings_frames_in_the_background() -> None:
    answers = by_method(POST=by_session(), GET=lambda _: stream(b": hello\n\ndata: {}\n\n", forever))
    async with serving(answers) as site, connected(site.url, BY_SESSIONS) as (transport, seen):
        await transport.send(INITIALIZE)
        delivery = await transport.open_stream({"X-Revision": "v"})
        await seen.until(lambda _: len(seen.received()) == 2, "the event has come")
    assert (delivery.status, delivery.answer_may_follow) == (200, True)
    assert seen.frames[-1].channel is Channel.GET
    get = site.requests[1]
    assert (get.method, get.header("accept")) == ("GET", "text/event-stream")
    assert (get.header("mcp-session-id"), get.header("x-revision")) == ("s-1", "v")
    assert fact(seen, HttpEvent.END, 2).why == "closed by this side"


@pytest.mark.parametrize("status", [400, 401, 404, 405, 409, 500])
async def test_refused_standalone_stream_is_not_requested_again(status: int) -> None:
    answers = by_method(GET=json_answer(b'{"why":"not"}', status=status))
    async with serving(answers) as site, connected(site.url, BY_SESSIONS) as (transport, seen):
        delivery = await transport.open_stream()
        await until(lambda: not transport._tasks._running, "nothing is under way")
    assert (delivery.status, delivery.body, delivery.answer_may_follow) == (status, b'{"why":"not"}', False)
    assert site.methods() == ["GET"]
    assert seen.received() == [b'{"why":"not"}']


async def test_a_standalone_stream_that_broke_is_resumed_after_its_last_event() -> None:
    gets = in_turn(
        lambda: stream(SOON + b"id: a\ndata: 1\n\n", b"id: b\ndata: 2\n\n", HangUp()),
        lambda: stream(b"data: 3\n\n", forever),
    )
    async with serving(by_method(GET=gets)) as site, connected(site.url, BY_SESSIONS) as (transport, seen):
        await transport.open_stream()
        await seen.until(lambda _: seen.received() == [b"1", b"2", b"3"], "the stream has gone on")
    assert [request.header("last-event-id") for request in site.requests] == [None, "b"]


async def test_a_standalone_stream_without_ids_is_opened_again_and_given_up_when_refused() -> None:
    gets = in_turn(lambda: stream(SOON), lambda: HttpResponse(503), lambda: stream(), lambda: HttpResponse(404))
    async with serving(by_method(GET=gets)) as site, connected(site.url, BY_SESSIONS) as (transport, seen):
        await transport.open_stream()
        await until(lambda: not transport._tasks._running, "the stream is given up")
    assert [each.status for each in seen.of(HttpFact) if each.status] == [200, 503, 200, 404]
    assert len(site.requests) == 4


async def test_a_standalone_stream_that_brings_nothing_is_given_up_after_five_times() -> None:
    gets = in_turn(lambda: stream(SOON), stream)
    async with serving(by_method(GET=gets)) as site, connected(site.url, BY_SESSIONS) as (transport, _):
        await transport.open_stream()
        await until(lambda: not transport._tasks._running, "the stream is given up")
    assert len(site.requests) == 6


async def test_a_head_that_does_not_come_is_awaited_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resumption, "_HEAD_WAIT", 0.05)
    go_on = asyncio.Event()

    async def answer(_: HttpRequest) -> HttpResponse:
        await go_on.wait()
        return stream(b"data: {}\n\n", forever)

    async with serving(answer) as site, connected(site.url, BY_SESSIONS) as (transport, seen):
        delivery = await transport.open_stream()
        go_on.set()
        await seen.until(lambda _: seen.received(), "the stream has come after all")
    assert (delivery.status, delivery.answer_may_follow) == (None, True)
    assert "background" in delivery.why


async def test_a_server_that_is_gone_is_an_error_of_opening_the_stream() -> None:
    async with serving(by_method()) as site:
        url = site.url
    async with connected(url, BY_SESSIONS) as (transport, _):
        with pytest.raises(ConnectError, match="refuses"):
            await transport.open_stream()


async def test_opening_the_stream_again_closes_the_first() -> None:
    async with serving(by_method(GET=lambda _: stream(forever))) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, seen):
            await transport.open_stream()
            await transport.open_stream()
            assert fact(seen, HttpEvent.END, 1).why == "closed by this side"
            assert HttpEvent.END not in steps(seen, 2)


@pytest.mark.parametrize("cut", [(), (HangUp(),)], ids=["closed on purpose", "broken off"])
async def test_a_stream_that_ends_after_an_event_id_goes_on_by_get_until_the_answer(cut: tuple[Exception, ...]) -> None:
    answers = by_method(
        POST=lambda _: stream(PRIMING, SOON, *cut), GET=lambda _: stream(b"id: 2\ndata: " + ANSWER + b"\n\n", forever)
    )
    async with serving(answers) as site, connected(site.url, BY_SESSIONS) as (transport, seen):
        transport.common_headers["MCP-Protocol-Version"] = "v"
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(transport.send(REQUEST))
            await seen.until(lambda _: seen.received(), "the answer has come")
            sending.cancel()
        await until(lambda: HttpEvent.END in steps(seen, 2), "the resumed stream is closed")
    assert seen.received() == [ANSWER]
    assert seen.frames[-1].channel is Channel.GET
    priming = seen.of(SseNote)[0]
    assert (priming.id, priming.http) == ("1", 1)
    get = site.requests[1]
    assert (get.header("last-event-id"), get.header("mcp-protocol-version")) == ("1", "v")


async def test_each_resumption_begins_after_the_last_id_seen() -> None:
    gets = in_turn(
        lambda: stream(b"id: 2\ndata: {}\n\n", HangUp()),
        lambda: stream(b"data: {}\n\n"),
        lambda: stream(b"id:\ndata: " + ANSWER + b"\n\n"),
    )
    async with serving(by_method(POST=lambda _: stream(PRIMING, SOON), GET=gets)) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, _):
            delivery = await transport.send(REQUEST)
    assert not delivery.answer_may_follow, "an empty id takes the last one back"
    assert [request.header("last-event-id") for request in site.requests] == [None, "1", "2", "2"]


async def test_retry_field_delays_the_resumption() -> None:
    clock = asyncio.get_running_loop().time
    asked: list[float] = []

    def get(_: HttpRequest) -> HttpResponse:
        asked.append(clock())
        return HttpResponse(404)

    async with serving(by_method(POST=lambda _: stream(PRIMING, b"retry: 300\n\n"), GET=get)) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, _):
            began = clock()
            await transport.send(REQUEST)
    assert asked[0] - began >= 0.3


@pytest.mark.parametrize(
    ("retry", "failures", "seconds"),
    [(None, 0, 1), (0, 0, 0.001), (500, 0, 0.5), (500, 2, 2), (None, 9, 30), (90_000, 4, 90)],
)
def test_pause_grows_with_failures(retry: int | None, failures: int, seconds: float) -> None:
    assert _pause(Trail(retry=retry), failures) == seconds


@pytest.mark.parametrize("status", [400, 404, 405])
async def test_a_refused_resumption_ends_the_exchange_with_the_refusal(status: int) -> None:
    answers = by_method(POST=lambda _: stream(PRIMING, SOON), GET=json_answer(b"{}", status=status))
    async with serving(answers) as site, connected(site.url, BY_SESSIONS) as (transport, _):
        delivery = await transport.send(REQUEST)
    assert (delivery.status, delivery.answer_may_follow) == (status, False)
    assert delivery.begun, "the server had taken the request before it refused to go on with its stream"


@pytest.mark.parametrize("status", [200, 409, 503])
async def test_resumptions_that_bring_nothing_are_given_up_after_five(status: int) -> None:
    def get(_: HttpRequest) -> HttpResponse:
        return stream() if status == 200 else HttpResponse(status)

    async with serving(by_method(POST=lambda _: stream(PRIMING, SOON), GET=get)) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, _):
            delivery = await transport.send(REQUEST)
    assert site.methods() == ["POST", *["GET"] * 5]
    assert not delivery.answer_may_follow
    assert "5 attempts" in delivery.why


async def test_unreachable_server_is_given_up_after_several_resumptions() -> None:
    went = asyncio.Event()

    async def wait() -> None:
        await went.wait()

    async with serving(by_method(POST=lambda _: stream(PRIMING, SOON, wait))) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, seen):
            async with asyncio.TaskGroup() as group:
                sending = group.create_task(transport.send(REQUEST))
                await seen.until(lambda _: seen.of(SseNote), "the stream has begun")
                await site.listener.close()
            assert "5 attempts" in sending.result().why
    errors = [each for each in seen.of(HttpFact) if each.event is HttpEvent.ERROR]
    assert len(errors) == 5


@pytest.mark.parametrize("end", [(), (HangUp(),)], ids=["ended", "broken"])
async def test_a_stream_without_an_event_id_is_over_when_it_ends(end: tuple[Exception, ...]) -> None:
    async with serving(by_method(POST=lambda _: stream(b"data: {}\n\n", *end))) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, _):
            delivery = await transport.send(REQUEST)
    assert site.methods() == ["POST"]
    assert not delivery.answer_may_follow
    assert bool(delivery.why) == bool(end)


async def test_a_stream_that_answers_a_notification_is_not_resumed() -> None:
    async with serving(by_method(POST=lambda _: stream(PRIMING, SOON))) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, _):
            await transport.send(NOTIFICATION)
    assert site.methods() == ["POST"]


async def _send_and_cancel_at_the_answer(site_url: str, then: Callable[[], None]) -> list[HttpFact]:
    async with connected(site_url, BY_SESSIONS) as (transport, seen):
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(transport.send(REQUEST))
            await seen.until(lambda _: seen.received(), "the answer has come")
            sending.cancel()
        then()
        await until(lambda: not transport._tasks._running, "nothing is under way")
        return seen.of(HttpFact)


async def test_an_abandoned_stream_may_end_by_itself_and_is_not_resumed() -> None:
    end = asyncio.Event()
    body = (PRIMING, SOON, b"id: 2\ndata: " + ANSWER + b"\n\n", end.wait)
    async with serving(by_method(POST=lambda _: stream(*body), GET=HttpResponse(500))) as site:
        facts = await _send_and_cancel_at_the_answer(site.url, end.set)
    assert site.methods() == ["POST"]
    assert facts[-1].event is HttpEvent.END
    assert facts[-1].why == ""


async def test_an_abandoned_stream_that_does_not_end_is_closed_after_a_moment() -> None:
    async with serving(by_method(POST=lambda _: stream(b"data: " + ANSWER + b"\n\n", forever))) as site:
        facts = await _send_and_cancel_at_the_answer(site.url, lambda: None)
    assert facts[-1].why == "closed by this side"


async def test_closing_ends_a_send_under_way_with_a_disconnect() -> None:
    async with serving(by_method(POST=lambda _: stream(PRIMING, forever))) as site:
        async with connected(site.url, BY_SESSIONS) as (transport, seen):
            async with asyncio.TaskGroup() as group:
                sending = group.create_task(_disconnected(transport.send(replace(REQUEST, cause=Cause.PROBE))))
                await seen.until(lambda _: seen.of(SseNote), "the stream has begun")
                await transport.close()
            assert sending.result().hint
    assert fact(seen, HttpEvent.END).why == "closed by this side"


async def _disconnected(sending: Awaitable[Delivery]) -> Disconnected:
    with pytest.raises(Disconnected) as caught:
        await sending
    return caught.value
