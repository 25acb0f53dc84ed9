"""What HTTP teaches the state."""

import pytest
from msgspec.structs import replace

from inspector.checks.runner import Inspection
from inspector.checks.state import ConnectionState, HttpExchangeState, TrackedRequest, is_loopback, row_of, value_of
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.frames import Direction
from inspector.protocol.revisions.table import ROWS
from tests.checks.talks import META, Talk

_ANSWER = b'{"jsonrpc":"2.0","id":%d,"result":{}}'


def _state(talk: Talk) -> Inspection:
    inspection = Inspection()
    inspection.take(talk.entries)
    return inspection


def test_a_stream_knows_what_came_on_it_and_when_it_was_answered() -> None:
    talk = Talk(4, transport="http").post().ask("ping").head(kind="text/event-stream").note(id="1", retry=5)
    http = _state(talk.event(_ANSWER % 2, id="2")).state.http.exchanges[1]
    assert (http.events, http.has_ids, http.was_primed, http.retry) == (1, True, True, 5)
    assert http.answered_ns == talk.now


def test_refusals_sessions_and_documents_are_remembered() -> None:
    talk = Talk(4, transport="http").post().ask("ping").head(200, Mcp_Session_Id="s").answer({})
    talk.post().ask("ping").head(401, WWW_Authenticate="Bearer").over()
    talk.fetch("https://a/.well-known/x", b'{"a":1}').fetch("https://a/.well-known/y", None, 404)
    state = _state(talk).state
    assert state.http.session_id == "s"
    assert [each[1:] for each in state.login.refusals] == [(401, "Bearer")]
    assert [(each.url[-1], each.value) for each in state.login.tried] == [("x", {"a": 1}), ("y", None)]


@pytest.mark.parametrize("document", [None, b"", b"[1]", b"<html>", b"\xff", b"{" * 5000])
def test_a_document_that_is_no_object_is_none(document: bytes | None) -> None:
    http = HttpExchangeState(response=HttpFact(HttpEvent.RESPONSE, 1, status=200))
    assert value_of(http, HttpFact(HttpEvent.END, 1, document=document)) is None


def test_addresses_of_this_machine_are_known() -> None:
    near = ["http://localhost:1/x", "http://127.0.0.1", "https://[::1]:8/", "http://a.localhost"]
    far = ["http://localhost.evil.example", "https://10.0.0.1", "http://[", "null", ""]
    assert all(map(is_loopback, near))
    assert not any(map(is_loopback, far))


def _asked(id_: int = 1, **params: object) -> TrackedRequest:
    return TrackedRequest(Direction.TO_SERVER, id_, "ping", params, 1, 0, None, 4)


def test_a_revision_that_is_not_in_the_table_counts_as_its_era_s_newest() -> None:
    assert [row_of(row) for row in ROWS] == [1, 2, 3, 4, 5]
    assert row_of(replace(ROWS[0], date="x")) == 4
    assert row_of(replace(ROWS[-1], date="x")) == 5


def test_done_request_drops_its_params() -> None:
    state, asked = ConnectionState(), _asked(a=1)
    state.requests.open[asked.sender, asked.id] = asked
    state.requests.finish(asked)
    assert not state.requests.open
    assert state.requests.done[asked.sender, asked.id].params is None
    assert asked.params == {"a": 1}


def test_not_all_that_is_over_is_remembered() -> None:
    state = ConnectionState()
    for id_ in range(10_050):
        state.requests.finish(_asked(id_))
    assert len(state.requests.done) == 10_000
    assert (Direction.TO_SERVER, 49) not in state.requests.done


def test_seldom_is_the_first_ones_and_then_one_of_many() -> None:
    state = ConnectionState()
    assert [state.is_sampled("a", 2, 5) for _ in range(11)].count(True) == 4


def test_abilities_come_from_the_request_where_requests_say_so() -> None:
    state = ConnectionState()
    assert state.offered(_asked(_meta={META + "clientCapabilities": {"roots": {}}}), "roots")
    assert not state.offered(None, "roots")


def test_the_server_s_abilities_are_those_it_declared() -> None:
    inspection = Inspection()
    inspection.take(Talk(capabilities={"tools": {"listChanged": False}, "logging": True}).entries)
    assert inspection.state.capable("tools")
    assert inspection.state.capable("logging")
    assert not inspection.state.capable("tools", "listChanged")
    assert not inspection.state.capable("prompts")
