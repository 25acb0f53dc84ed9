"""Streams that are cut, polled or slow, or bring responses elsewhere: what is resumed and what is repeated."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, SseNote
from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.http_fixtures import Site, json_answer, serving, stream
from tests.servers.streams import (
    DONE,
    HELLO,
    AnswersOnGet,
    Polling,
    answer_to,
    cut,
    event,
    legacy,
    listened_to,
    modern,
    tools,
    torn,
    trickle,
)
from tests.stories.commands import Ran, mcp_inspect

CALL = ("call", "work", "--json")


def asked(site: Site, method: str) -> list[Any]:
    """The ids of all requests of a method, in order."""
    bodies = [json.loads(request.body) for request in site.requests if request.method == "POST"]
    return [body.get("id") for body in bodies if body["method"] == method]


def notes(ran: Ran) -> list[SseNote]:
    """The events without a message, and the comments, in the capture."""
    return [entry.what for entry in ran.seen.entries if isinstance(entry.what, SseNote)]


def renewals(ran: Ran) -> list[str]:
    """Why HTTP sessions were begun anew, as the capture has it."""
    whats = [entry.what for entry in ran.seen.entries]
    return [what.why for what in whats if isinstance(what, ConnectionFact) and what.event is ConnectionEvent.RENEW]


@pytest.mark.parametrize("visits", [1, 3])
async def test_a_server_that_lets_us_poll_is_visited_until_it_answers(tmp_path: Path, visits: int) -> None:
    polling = Polling(DONE, visits, retry_ms=60)
    async with serving(legacy(tools(), tools_call=polling.call, GET=polling.get)) as site:
        ran = await mcp_inspect(*CALL, site.url, place=tmp_path)
    assert (ran.status, ran.json["result"]) == (ExitStatus.OK, DONE)
    assert polling.seen == [f"wait-{number}" for number in range(visits)]
    assert [(note.id, note.retry) for note in notes(ran)] == [(each, 60) for each in polling.seen]
    assert len(asked(site, "tools/call")) == 1


async def test_an_answer_on_the_standalone_stream_is_an_answer(tmp_path: Path) -> None:
    elsewhere = AnswersOnGet(DONE)
    async with serving(legacy(tools(), tools_call=elsewhere.call, GET=elsewhere.get)) as site:
        ran = await mcp_inspect(*CALL, site.url, place=tmp_path)
    assert (ran.status, ran.json["result"]) == (ExitStatus.OK, DONE)


@pytest.mark.parametrize("server", [modern, legacy])
async def test_a_stream_that_trickles_in_single_bytes_is_read_and_its_keep_alives_are_shown(
    tmp_path: Path, server: Any
) -> None:
    async with serving(server(tools(), tools_call=trickle(DONE))) as site:
        ran = await mcp_inspect(*CALL, site.url, place=tmp_path)
    assert (ran.status, ran.json["result"]) == (ExitStatus.OK, DONE)
    assert [note.raw for note in notes(ran)] == [b": keep-alive"] * 2


@pytest.mark.parametrize("broken", [cut, torn])
async def test_cut_list_stream_is_requested_again_with_a_new_id(tmp_path: Path, broken: Any) -> None:
    async with serving(modern(None, tools_list=broken(2, tools()))) as site:
        ran = await mcp_inspect("list", "tools", "--json", site.url, place=tmp_path)
    assert (ran.status, ran.json["tools"]) == (ExitStatus.OK, tools()["tools"])
    ids = asked(site, "tools/list")
    assert len(ids) == len(set(ids)) == 3
    assert (
        ran.messages.count("the stream of tools/list was cut before its answer") == 1
    )  # the same notice is shown once


async def test_repeatedly_cut_stream_is_given_up_with_a_reason(tmp_path: Path) -> None:
    async with serving(modern(None, tools_list=cut(99, None))) as site:
        ran = await mcp_inspect("list", "tools", "--json", site.url, place=tmp_path)
    assert ran.status != ExitStatus.OK
    assert len(asked(site, "tools/list")) == 4
    assert "the server broke the connection off" in ran.messages


async def test_a_call_that_may_have_been_done_is_made_again_only_on_the_persons_word(tmp_path: Path) -> None:
    async with serving(modern(tools(), tools_call=cut(1, DONE))) as site:
        ran = await mcp_inspect(*CALL, site.url, place=tmp_path)
        assert ran.status == ExitStatus.UNREACHABLE
        assert "the server broke the connection off" in ran.error["message"]
        assert "--retry-calls" in ran.error["hint"]
        assert len(asked(site, "tools/call")) == 1
    async with serving(modern(tools(), tools_call=cut(1, DONE))) as site:
        ran = await mcp_inspect(*CALL, "--retry-calls", site.url, place=tmp_path)
    assert (ran.status, ran.json["result"], ran.json["rounds"]) == (ExitStatus.OK, DONE, 2)
    first, second = asked(site, "tools/call")
    assert first != second


@pytest.mark.parametrize("claim", ["readOnlyHint", "idempotentHint"])
async def test_repeatable_tool_is_called_again(tmp_path: Path, claim: str) -> None:
    async with serving(modern(tools(**{claim: True}), tools_call=cut(1, DONE))) as site:
        ran = await mcp_inspect(*CALL, site.url, place=tmp_path)
    assert (ran.status, ran.json["rounds"]) == (ExitStatus.OK, 2)


@pytest.mark.parametrize(("words", "calls"), [((), 1), (("--retry-calls",), 2)])
async def test_cut_call_in_the_handshake_era_is_repeated_only_on_request(
    tmp_path: Path, words: tuple[str, ...], calls: int
) -> None:
    async with serving(legacy(tools(readOnlyHint=True), tools_call=cut(1, DONE))) as site:
        ran = await mcp_inspect(*CALL, *words, site.url, place=tmp_path)
    assert ran.status == (ExitStatus.OK if words else ExitStatus.UNREACHABLE)
    assert len(asked(site, "tools/call")) == calls


class Forgetful:
    """A server of the handshake era that has forgotten its first session by the time it is called, or resumed."""

    def __init__(self, refusal: HttpResponse, *, when_resumed: bool = False) -> None:
        self._refusal = refusal
        self._when_resumed = when_resumed
        self._sessions = iter(("first", "second", "third"))

    def initialize(self, request: HttpRequest) -> HttpResponse:
        """Begin a session."""
        return json_answer(answer_to(request, HELLO), headers=(("Mcp-Session-Id", next(self._sessions)),))

    def call(self, request: HttpRequest) -> HttpResponse:
        """In the first session: forgotten, or a stream that ends after its priming event."""
        if request.header("mcp-session-id") != "first":
            return json_answer(answer_to(request, DONE))
        return stream(event(b"", id="1", retry="50")) if self._when_resumed else self._refusal

    def get(self, request: HttpRequest) -> HttpResponse:
        """No standalone stream, and no resumption."""
        return self._refusal if request.header("last-event-id") else HttpResponse(405)


GONE = HttpResponse(404)
SAYS_SO = json_answer(b'{"jsonrpc":"2.0","error":{"code":-32000,"message":"No valid session ID provided"}}', 400)


@pytest.mark.parametrize("refusal", [GONE, SAYS_SO])
async def test_a_lost_session_is_a_mark_in_the_traffic_and_the_call_goes_on_in_another(
    tmp_path: Path, refusal: HttpResponse
) -> None:
    server = Forgetful(refusal)
    async with serving(legacy(tools(), initialize=server.initialize, tools_call=server.call, GET=server.get)) as site:
        ran = await mcp_inspect(*CALL, site.url, place=tmp_path)
    assert (ran.status, ran.json["result"]) == (ExitStatus.OK, DONE)
    assert renewals(ran) == [f"the server has answered {refusal.status}, starting a new session"]
    assert len(asked(site, "initialize")) == 2


async def test_a_call_whose_session_is_lost_while_it_runs_is_not_made_a_second_time(tmp_path: Path) -> None:
    server = Forgetful(GONE, when_resumed=True)
    async with serving(legacy(tools(), initialize=server.initialize, tools_call=server.call, GET=server.get)) as site:
        ran = await mcp_inspect(*CALL, site.url, place=tmp_path)
    assert ran.status == ExitStatus.UNREACHABLE
    assert "HTTP 404" in ran.error["message"]
    assert len(asked(site, "tools/call")) == 1
    assert len(renewals(ran)) == 1


async def test_cut_subscription_stream_is_requested_again(tmp_path: Path) -> None:
    async def at_once(number: int) -> None:
        pass

    words = ("listen", "--tools", "--count", "2", "--json")
    async with serving(modern(tools(), subscriptions_listen=listened_to(at_once))) as site:
        ran = await mcp_inspect(*words, site.url, place=tmp_path)
    assert ran.status == ExitStatus.OK
    assert [json.loads(line)["method"] for line in ran.stdout.splitlines()] == ["notifications/tools/list_changed"] * 2
    first, second = asked(site, "subscriptions/listen")
    assert first != second
    assert "the subscription stream broke" in ran.messages
    assert "open again" in ran.messages
