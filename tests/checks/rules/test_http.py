"""Rules for the HTTP transports."""

from typing import Any

import pytest

from inspector.checks.findings import Severity
from inspector.protocol.facts import BROKEN_OFF, CLOSED_HERE, HttpEvent, HttpFact
from inspector.protocol.frames import Channel
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, ids, initialize, initialized

_ANSWER = b'{"jsonrpc":"2.0","id":%d,"result":{}}'
_REFUSAL = b'{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"no"}}'


def _posted(row: int = 3, **head: object) -> Script:
    """A request over HTTP, with this head of a response."""
    return lambda: Talk(row, transport="http").post().ask("ping").head(**head)  # type: ignore[arg-type]


def _informed(status: int) -> Script:
    return lambda: Talk(3, transport="http").post().inform("notifications/initialized").head(status)


def _got(status: int, row: int = 3) -> Script:
    return lambda: Talk(row, transport="http").post("GET").head(status)


def _deleted(status: int, session: str = "a") -> Script:
    sent = {"Mcp_Session_Id": session} if session else {}
    return lambda: Talk(3, transport="http").post("DELETE", **sent).head(status)


def _refused(code: int, status: int) -> Script:
    return lambda: Talk(5, transport="http").post().ask("tools/list").head(status).error(code)


def _streamed(*ids: str, row: int = 3) -> Script:
    def talk() -> Talk:
        begun = Talk(row, transport="http").post().ask("ping").head(kind="text/event-stream")
        for id_ in ids:
            begun.event(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}', id=id_)
        return begun

    return talk


def _older(endpoint: bytes) -> Talk:
    talk = Talk(1, transport="sse").post("GET", "http://host/sse").head(kind="text/event-stream")
    return talk.note(endpoint, event="endpoint")


CASES: Cases = {
    "notification-not-accepted": (_informed(200), _informed(202)),
    "response-type-unsupported": (_posted(status=202), _posted(status=200)),
    "get-response-invalid": (_got(200), _got(405)),
    "get-stream-ends": (
        lambda: Talk(transport="http").post("GET").head(200, "text/event-stream").over(),
        lambda: Talk(transport="http").post("GET").head(200, "text/event-stream").wait(60).over(),
    ),
    "delete-response-invalid": (_deleted(501), _deleted(405)),
    "session-id-characters": (_posted(Mcp_Session_Id="a b"), _posted(Mcp_Session_Id="a-b")),
    "event-id-reused": (_streamed("1", "1"), _streamed("1", "2")),
    "unknown-method-status": (_refused(-32601, 200), _refused(-32601, 404)),
    "protocol-error-status": (_refused(-32020, 200), _refused(-32020, 400)),
    "stateless-session-id": (_posted(5, Mcp_Session_Id="a"), _posted(5)),
    "buffering-header-missing": (
        _posted(5, kind="text/event-stream"),
        _posted(5, kind="text/event-stream", X_Accel_Buffering="no"),
    ),
    "response-on-wrong-post": (
        lambda: Talk(3, transport="http").ask("ping").post().ask("ping").head().frame(_ANSWER % 2),
        lambda: Talk(3, transport="http").ask("ping").post().ask("ping").head().frame(_ANSWER % 3),
    ),
    "header-repeated": (_posted(CONTENT_TYPE="application/json"), _posted(Set_Cookie="a=1", SET_COOKIE="b=1")),
    "result-status-invalid": (
        lambda: Talk(4, transport="http").post().ask("ping").head(500).frame(_ANSWER % 2),
        lambda: Talk(4, transport="http").post().ask("ping").head(500).frame(_REFUSAL % 2),
    ),
    "endpoint-event-not-first": (
        lambda: _older(b"data: /messages").ask("ping").event(_ANSWER % 2, event="answer"),
        lambda: _older(b"data: /messages").ask("ping").event(_ANSWER % 2, event="message"),
    ),
}


def test_the_json_body_of_a_get_is_no_message_and_no_response() -> None:
    talk = Talk(4, transport="http").post().ask("tools/list").post("GET").head(200).frame(b'{"info": "hello"}')
    assert ids(talk.over()) == {"get-response-invalid"}


@pytest.mark.parametrize(
    ("status", "session", "found"),
    [(404, "", 1), (500, "", 1), (503, "s1", 1), (302, "", 1), (400, "", 0), (404, "s1", 0)],
)
def test_a_notification_that_is_not_found_ends_the_session_of_strict_clients(
    status: int, session: str, found: int
) -> None:
    talk = Talk(4, transport="http").post().ask("initialize").head().answer(initialized(4))
    sent = {"Mcp_Session_Id": session} if session else {}
    for _ in range(2):
        talk.post(**sent).inform("notifications/initialized").head(status).over()
    flaws = of_one(talk.findings(), "notification-not-accepted")
    assert [each.severity for each in flaws] == [Severity.WARNING] * found


@pytest.mark.parametrize(("size", "transport", "found"), [(8, "http", 1), (0, "http", 0), (8, "sse", 0)])
def test_body_of_an_accepted_notification_is_a_warning(size: int, transport: str, found: int) -> None:
    talk = Talk(3, transport=transport).post().inform("notifications/initialized").head(202, kind="text/plain")
    talk.fact(HttpFact(HttpEvent.END, talk.http, body_bytes=size))
    flaws = of_one(talk.findings(), "notification-not-accepted")
    assert [each.severity for each in flaws] == [Severity.WARNING] * found
    assert all("8 bytes" in each.sentence and "text/plain" in each.sentence for each in flaws)


def test_the_older_http_accepts_requests_and_answers_elsewhere() -> None:
    assert not Talk(3, transport="sse").post().ask("ping").head(202).findings()


@pytest.mark.parametrize("body", [b'{"error":"invalid_token"}', b"<html>", b"no"])
def test_http_error_body_without_json_rpc_is_no_message(body: bytes) -> None:
    assert not Talk(3, transport="http").post().ask("ping").head(500).frame(body).findings()


@pytest.mark.parametrize(
    ("endpoint", "found"),
    [
        (b"data: http://host/messages?id=1", False),
        (b"event: endpoint\ndata: messages", False),
        (b"data: http://elsewhere/messages", True),
        (b"data: https://host/messages", True),
        (b"data: http://[", True),
    ],
)
def test_the_endpoint_is_of_the_stream_s_own_origin(endpoint: bytes, *, found: bool) -> None:
    assert ("endpoint-event-not-first" in ids(_older(endpoint))) is found


def test_a_message_before_the_endpoint_is_a_hint() -> None:
    talk = Talk(1, transport="sse").post("GET").head(kind="text/event-stream").ask("ping").event(_ANSWER % 2)
    assert [each.severity for each in of_one(talk.findings(), "endpoint-event-not-first")] == ["hint"]


def test_protocol_error_status_of_missing_meta_is_400() -> None:
    bare = Talk(5, transport="http").post().ask("tools/list", {"_meta": {}}).head(200).error(-32602)
    assert "protocol-error-status" in ids(bare)
    assert "protocol-error-status" not in ids(
        Talk(5, transport="http").post().ask("tools/list").head(200).error(-32602)
    )


_STREAM = "text/event-stream"
_PING = b'{"jsonrpc":"2.0","id":900,"method":"ping"}'
_ERROR = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"%s"}}'


def _talk(row: int = 4, **how: Any) -> Talk:
    return Talk(row, transport="http", **how)


def _session(first: str, then: str) -> Script:
    """A session id with the response to initialize, and one with that to another request."""

    def script() -> Talk:
        talk = _talk(opened=False).post().ask("initialize", initialize(4))
        _head(talk, first).answer(initialized(4))
        return _head(talk.post().ask("ping"), then).answer({})

    return script


def _head(talk: Talk, session: str) -> Talk:
    return talk.head(Mcp_Session_Id=session) if session else talk.head()


def _answered_on_get(**headers: str) -> Talk:
    talk = _talk().post("GET", **headers).head(kind=_STREAM).post().ask("ping")
    return talk.frame(_ANSWER % 2, channel=Channel.GET, http=1)


def _twice(*payloads: bytes) -> Script:
    def script() -> Talk:
        talk = _talk()
        for payload in payloads:
            talk.post("GET").head(kind=_STREAM).event(payload)
        return talk

    return script


def _ended(after: float, why: str = "", row: int = 4) -> Script:
    """A stream that ends so many seconds after its answer."""
    return lambda: _talk(row).post().ask("ping").head(kind=_STREAM).event(_ANSWER % 2).wait(after).over(why)


def _dropped(**last: Any) -> Script:
    return lambda: _talk().post().ask("ping").head(kind=_STREAM).note(id="1").note(**last).over()


def _told_progress(token: str) -> Talk:
    begun = _talk(5).post().ask("tools/call", {"name": "a"}, progressToken="a").head(kind=_STREAM)
    begun.post().ask("tools/call", {"name": "b"}, progressToken="b").head(kind=_STREAM)
    return begun.tell("notifications/progress", {"progressToken": token, "progress": 1}, channel=Channel.SSE)


def _versioned(version: str, status: int = 200) -> Script:
    return lambda: _talk().post(MCP_Protocol_Version=version).ask("ping").head(status)


def _streams_refused(status: int, said: bytes = b"Session not found", **sent: str) -> Script:
    return lambda: _talk().post(**(sent or {"Mcp_Session_Id": "s"})).ask("ping").head(status).frame(_ERROR % said)


def _in_a_stream(payload: bytes) -> Script:
    return lambda: _talk().post(Mcp_Session_Id="s").ask("ping").head(kind=_STREAM).event(payload)


def _from(origin: str, target: str = "http://127.0.0.1:8000/mcp", status: int = 200) -> Script:
    return lambda: _talk().post(target=target, Origin=origin).ask("ping").head(status)


_TOLD = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d}}'
STREAMS_CASES: Cases = {
    "session-id-changed": (_session("a", "b"), _session("a", "a")),
    "response-on-get-stream": (lambda: _answered_on_get(), lambda: _answered_on_get(Last_Event_ID="1")),
    "message-on-two-streams": (_twice(_PING, _PING), _twice(_PING, _PING.replace(b"900", b"901"))),
    "stream-not-closed": (_ended(2), _ended(0.05)),
    "stream-not-resumable": (_dropped(), _dropped(retry=100)),
    "progress-on-wrong-stream": (lambda: _told_progress("a"), lambda: _told_progress("b")),
    "unsupported-version-accepted": (_versioned("1999-01-01"), _versioned("1999-01-01", 400)),
    "expired-session-status": (_streams_refused(400), _streams_refused(404)),
    "origin-not-validated": (_from("https://evil.example"), _from("http://localhost:6274")),
}


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        ("session-id-changed", _session("", "b")),
        ("message-on-two-streams", _twice(_TOLD % 1, _TOLD % 1)),
        ("stream-not-closed", _ended(0.3, CLOSED_HERE)),
        ("stream-not-closed", lambda: _talk().post().ask("ping").head(kind=_STREAM).event(_ANSWER % 2).wait(3).close()),
        ("stream-not-resumable", lambda: _talk().post().ask("ping").head(kind=_STREAM).event(_ANSWER % 2, id="1")),
        ("expired-session-status", _streams_refused(503, b"No valid session ID provided")),
        ("expired-session-status", _in_a_stream(b'{"error":"Session not found"}')),
    ],
)
def test_other_ways_to_break_the_rule_are_found(id_: str, script: Script) -> None:
    assert id_ in ids(script())


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        ("session-id-changed", _session("a", "")),
        ("session-id-changed", lambda: _session("a", "a")().post("GET").head(400, Mcp_Session_Id="b")),
        ("get-response-invalid", lambda: _session("a", "a")().post("GET").head(400)),
        ("get-response-invalid", lambda: _talk().post("GET", "http://host/.well-known/openid-configuration").head(404)),
        ("get-response-invalid", lambda: _talk().post("GET").head(200, _STREAM).wait(60).over(BROKEN_OFF)),
        ("get-response-invalid", lambda: _talk().post("GET").head(200, _STREAM).wait(9).over().post("GET").head(404)),
        (
            "response-on-get-stream",
            lambda: Talk(1, transport="sse").post("GET").ask("ping").frame(_ANSWER % 2, channel=Channel.GET),
        ),
        ("message-on-two-streams", _twice(_TOLD % 1, _TOLD % 2)),
        ("message-on-two-streams", _twice(*2 * (b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',))),
        ("stream-not-closed", _ended(0.05, CLOSED_HERE)),
        (
            "stream-not-resumable",
            lambda: _talk().post().ask("ping").head(kind=_STREAM).note(id="1").event(_ANSWER % 2, id="2").over(),
        ),
        ("stream-not-resumable", lambda: _talk().post().ask("ping").head(kind=_STREAM).event(_ANSWER % 2).over()),
        ("unsupported-version-accepted", _versioned("2024-11-05")),
        ("expired-session-status", _streams_refused(400, b"Missing session", Accept="x")),
        ("expired-session-status", _streams_refused(400, b"unknown tool")),
        ("expired-session-status", _in_a_stream(_ERROR % b"Session not found")),
        ("expired-session-status", _in_a_stream(b'{"error":"Quota exceeded"}')),
        ("origin-not-validated", _from("https://evil.example", status=403)),
        ("origin-not-validated", _from("https://claude.example", "https://host.example/mcp")),
        ("origin-not-validated", _from("null")),
    ],
)
def test_http_rule_accepts_legal_neighbour(id_: str, script: Script) -> None:
    assert id_ not in ids(script())


def test_a_stream_that_this_side_closes_soon_is_only_a_hint() -> None:
    (found,) = of_one(_ended(0.3, CLOSED_HERE)().findings(), "stream-not-closed")
    assert found.severity is Severity.HINT


@pytest.mark.parametrize(
    ("why", "sentence"),
    [
        ("Server disconnected without sending a response", "Server disconnected without sending a response"),
        ("illegal status line: bytearray(b'event: ping')", "it begins with 'event: ping' instead of a status line"),
    ],
)
def test_get_without_a_response_is_not_an_unreachable_server(why: str, sentence: str) -> None:
    talk = Talk(4, transport="http")
    for _ in range(2):
        talk.post("GET").fact(HttpFact(HttpEvent.ERROR, talk.http, why=f"host:1 gave no HTTP response: {why}"))
    (found,) = (each for each in talk.findings() if each.severity is not Severity.HINT)
    assert (found.id, found.sentence.split(";")[0]) == ("get-response-invalid", f"GET got no HTTP response: {sentence}")


def test_body_of_a_202_is_not_judged_once_the_older_transport_is_found() -> None:
    talk = Talk(4, opened=False, transport="http").post("GET").head(200, "text/event-stream")
    talk.note(b"event: endpoint\ndata: /messages", event="endpoint").ask("initialize", initialize(4))
    talk.answer(initialized(4)).post().inform("notifications/initialized").head(202)
    talk.fact(HttpFact(HttpEvent.END, talk.http, body_bytes=23))
    assert not of_one(talk.findings(), "notification-not-accepted")


@pytest.mark.parametrize("status", [200, 202, 204, 401, 403, 404, 405, 429])
def test_delete_response_invalid_statuses_that_clients_expect_are_no_fault(status: int) -> None:
    assert not of_one(_deleted(status)().findings(), "delete-response-invalid")
    assert not of_one(_deleted(500, session="")().findings(), "delete-response-invalid")


@pytest.mark.parametrize(
    ("why", "size", "found"), [(BROKEN_OFF, 0, 1), (BROKEN_OFF, 60, 0), ("", 0, 0), (CLOSED_HERE, 0, 0)]
)
def test_get_response_invalid_a_stream_that_breaks_off_at_once_is_found(why: str, size: int, found: int) -> None:
    talk = Talk(3, transport="http").post("GET").head(200, "text/event-stream")
    talk.fact(HttpFact(HttpEvent.END, talk.http, "GET", "http://host/mcp", why=why, body_bytes=size))
    assert len(of_one(talk.findings(), "get-response-invalid")) == found
