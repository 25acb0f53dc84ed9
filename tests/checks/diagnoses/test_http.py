"""Where HTTP goes wrong before any message is looked at."""

from typing import Any

import pytest

from inspector.checks.findings import Severity
from inspector.protocol.facts import HttpEvent, HttpFact, SseNote
from inspector.protocol.revisions.table import ROWS
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, initialize, initialized

_REQUEST = HttpFact(HttpEvent.REQUEST, 1, "POST", "http://localhost:8000/mcp")


def _post(*, opened: bool = False, row: int = 4, probe: bool = False, **headers: str) -> Talk:
    """A POST on its way, with these headers."""
    talk = Talk(row, opened=False, transport="http")
    if opened:
        talk.ask("initialize", initialize(row)).answer(initialized(row)).inform("notifications/initialized")
    talk.http = 1
    sent = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    target = "http://localhost:8000/mcp"
    talk.fact(HttpFact(HttpEvent.REQUEST, 1, "POST", target, headers=sent, probe=probe))
    return talk.ask("tools/list" if opened else "initialize")


def _refused(status: int, body: bytes = b"", kind: str = "text/plain", **how: Any) -> Script:
    def talk() -> Talk:
        begun = _post(**how).head(status, kind)
        return (begun.frame(body) if body else begun).over()

    return talk


def _failed(why: str) -> Script:
    return lambda: _post().fact(HttpFact(HttpEvent.ERROR, 1, why=why))


def _endpoint(address: str, transport: str = "sse") -> Talk:
    talk = Talk(1, opened=False, transport=transport)
    talk.http = 1
    get = HttpFact(HttpEvent.REQUEST, 1, "GET", "http://localhost/sse")
    return talk.fact(get).fact(SseNote(1, f"event: endpoint\ndata: {address}".encode(), event="endpoint"))


def _posted_to_endpoint(status: int) -> Script:
    return lambda: _endpoint("/messages").post().head(status).over()


def _coded(code: int, message: str = "no", data: Any = None) -> Script:
    return lambda: Talk(5, transport="http").post().ask("tools/list").head(400).error(code, message, data)


_RESET = HttpFact(HttpEvent.ERROR, 2, why="localhost:8000 gave no HTTP response: the connection was reset.")
_HTML = b"<html><head><title>Log in</title></head></html>"
_SESSION: dict[str, Any] = {"opened": True, "Mcp_Session_Id": "a"}
_VERSION: dict[str, Any] = {"opened": True, "MCP_Protocol_Version": ROWS[3].date}


def _empty(status: int) -> Talk:
    return _post().head(status).fact(HttpFact(HttpEvent.END, 1, body_bytes=0))


CASES: Cases = {
    "http-server-error": (_refused(502), lambda: _post().head(500).error(-32603).over()),
    "html-response": (lambda: _refused(404, _HTML, "text/html")().close(), lambda: _refused(404, b"{}")().close()),
    "server-unreachable": (
        _failed("localhost:8000 refuses connections."),
        _failed("The TLS handshake with localhost failed."),
    ),
    "closed-without-response": (
        lambda: _refused(200)().post().inform("notifications/initialized").fact(_RESET),
        lambda: _post().fact(HttpFact(HttpEvent.ERROR, 1, why=_RESET.why)),
    ),
    "accept-header-rejected": (_refused(406), _refused(400)),
    "content-type-rejected": (_refused(415), _refused(400, b"Invalid Content")),
    "sse-transport": (lambda: _endpoint("/messages", "http"), lambda: _endpoint("/messages", "sse")),
    "http-redirect": (_refused(307), _refused(304)),
    "host-rejected": (_refused(403, b"Invalid Host header"), _refused(403, b"no such host in the database")),
    "session-expired": (_refused(404, **_SESSION), _refused(404, opened=True)),
    "session-id-not-issued": (
        _refused(400, b"Bad Request: missing session ID", opened=True),
        _refused(400, b"Bad Request: missing session ID"),
    ),
    "certificate-untrusted": (
        _failed("The TLS certificate of localhost:8000 is not trusted: self-signed certificate."),
        _failed("localhost:8000 refuses connections."),
    ),
    "proxy-failure": (_refused(407), _refused(403)),
    "wrong-endpoint-event": (_posted_to_endpoint(404), _posted_to_endpoint(202)),
    "header-body-mismatch": (_coded(-32020), _coded(-32602)),
    "client-capability-required": (_coded(-32021, data={"requiredCapabilities": {"sampling": {}}}), _coded(-32602)),
    "rate-limited": (_refused(429), _refused(409)),
    "version-header-rejected": (
        _refused(400, b"Bad Request: Unsupported protocol version", **_VERSION),
        _refused(400, b"Bad Request: Unsupported protocol version", opened=True, MCP_Protocol_Version="x"),
    ),
    "body-truncated": (
        lambda: _post().head(200).frame(b'{"jsonrpc":"2.0","id":1,"resu').over(),
        lambda: _post().head(200).frame(b'{"jsonrpc":"2.0" "id":1}').over(),
    ),
    "empty-body": (lambda: _empty(200), lambda: _empty(202)),
    "http-request-rejected": (
        lambda: _refused(400, b'{"detail":"no tenant"}')().close("refused"),
        lambda: _refused(400, b'{"detail":"no tenant"}')().answer(initialized(4), 1).close(),
    ),
    "body-encoding-invalid": (
        lambda: _post().head(200).over("the compressed body can't be decoded: bad header"),
        lambda: _post().head(200).over("the body is compressed (gzip) though identity was asked for"),
    ),
    "session-id-not-forwarded": (
        _refused(400, b"Bad Request: Mcp-Session-Id header is required", **_SESSION),
        _refused(400, b"Bad Request: no valid session", **_SESSION),
    ),
}


def test_a_web_page_is_no_fault_where_the_older_http_was_found_after_it() -> None:
    talk = _refused(404, _HTML, "text/html")()
    talk.fact(SseNote(2, b"event: endpoint\ndata: /messages", event="endpoint"))
    assert not of_one(talk.close().findings(), "html-response")


def test_a_stream_that_ends_without_a_message_is_an_empty_response_unless_it_can_be_resumed() -> None:
    def streamed(event: bytes) -> Talk:
        talk = _post().head(200, "text/event-stream")
        talk = talk.note(event, id="1") if event else talk
        return talk.fact(HttpFact(HttpEvent.END, 1, body_bytes=len(event) + 2)).wait(4000).close()

    (found,) = of_one(streamed(b"").findings(), "empty-body")
    assert found.sentence == "initialize was answered with HTTP 200 and an event stream without a message"
    assert not of_one(streamed(b"id: 1").findings(), "empty-body")


def test_html_response_quotes_the_title() -> None:
    (found,) = of_one(_refused(200, _HTML, "text/html")().close().findings(), "html-response")
    assert "“Log in”" in found.sentence


@pytest.mark.parametrize("status", [400, 401, 403, 405, 413])
def test_page_of_a_refusal_is_no_page_of_another_place(status: int) -> None:
    findings = _refused(status, _HTML, "text/html")().close().findings()
    assert not of_one(findings, "html-response")
    assert any(f"HTTP {status}" in each.sentence and "Log in" in each.sentence for each in findings) or status == 401


def test_page_is_quoted_with_the_status_that_it_came_with() -> None:
    talk = _refused(404, _HTML, "text/html")()
    talk = talk.post("GET").head(400, "text/html").frame(b"<html><title>Another page</title></html>").over()
    (found,) = of_one(talk.close().findings(), "html-response")
    assert "“Log in” (HTTP 404)" in found.sentence


def test_port_that_speaks_tls_has_the_advice_to_use_https() -> None:
    page = b"<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>"
    (found,) = of_one(_refused(400, page, "text/html")().close().findings(), "http-request-rejected")
    assert "the port expects TLS" in found.sentence
    assert found.fix == "Begin the URL with https://."


@pytest.mark.parametrize(("body", "faulty"), [(b"invalid method x/y", False), (b"no session with that id", True)])
def test_404_after_a_success_is_no_wrong_endpoint_unless_the_session_is_unknown(body: bytes, *, faulty: bool) -> None:
    talk = _endpoint("/messages").post().head(202).over()
    talk = talk.post().head(404, "text/plain").frame(body).over()
    assert bool(of_one(talk.findings(), "wrong-endpoint-event")) is faulty


@pytest.mark.parametrize(
    ("opened", "said"), [(False, "so this is the URL of HTTP+SSE"), (True, "so clients ignore it")]
)
def test_endpoint_event_on_a_stream_of_streamable_http_names_the_other_transport(opened: bool, said: str) -> None:
    talk = Talk(3, opened=opened, transport="http").ask("ping" if opened else "initialize", initialize(3)).post("GET")
    talk = talk.head(200, "text/event-stream").event(b"http://h/mcp?sessionId=1", event="endpoint")
    (found,) = of_one(talk.findings(), "invalid-json-rpc")
    assert said in found.sentence
    assert "--transport sse" in found.fix


@pytest.mark.parametrize(("address", "faulty"), [("http://elsewhere/messages", True), ("/messages", False)])
def test_an_endpoint_of_another_origin_is_a_fault(address: str, *, faulty: bool) -> None:
    talk = Talk(1, transport="sse")
    where = talk.entries[0].what
    talk.entries[0] = type(talk.entries[0])(1, talk.now, type(where)(where.event, "sse", url="http://host/sse"))  # type: ignore[union-attr, call-arg, arg-type]
    talk.post("GET").fact(SseNote(1, f"event: endpoint\ndata: {address}".encode(), event="endpoint"))
    assert bool(of_one(talk.findings(), "wrong-endpoint-event")) is faulty


@pytest.mark.parametrize(("status", "body"), [(404, b""), (421, b""), (403, b"Invalid Host header"), (415, b"")])
def test_response_to_a_probe_has_no_http_finding(status: int, body: bytes) -> None:
    found = _refused(status, body, probe=True, opened=True, Mcp_Session_Id="none")().findings()
    assert not [each for each in found if each.id.startswith("H-")]


@pytest.mark.parametrize(
    ("status", "word"),
    [(503, "a gateway returned HTTP 503"), (500, "with HTTP 500"), (501, "Declare nothing that needs it")],
)
def test_http_server_error_distinguishes_gateways(status: int, word: str) -> None:
    (found,) = of_one(_refused(status)().findings(), "http-server-error")
    assert word in found.sentence + found.fix


@pytest.mark.parametrize(
    ("body", "names"), [(b'{"error":"no API key"}', True), (b"cannot read the token bucket", False)]
)
def test_a_5xx_that_is_about_credentials_names_401(body: bytes, *, names: bool) -> None:
    (found,) = of_one(_refused(500, body)().over().findings(), "http-server-error")
    assert ("401" in found.sentence) is names


@pytest.mark.parametrize(("status", "size", "names"), [(500, 0, True), (500, 9, False), (503, 0, False)])
def test_500_with_an_empty_body_names_the_transport_that_serves_one_request(
    status: int, size: int, *, names: bool
) -> None:
    talk = _post().head(status)
    (found,) = of_one(talk.fact(HttpFact(HttpEvent.END, talk.http, body_bytes=size)).findings(), "http-server-error")
    assert ("empty body" in found.sentence, "one request" in found.fix) == (names, names)


@pytest.mark.parametrize(("method", "is_found"), [("POST", True), ("GET", False)])
def test_a_stream_that_wants_a_session_proves_nothing(method: str, *, is_found: bool) -> None:
    talk = Talk(4, transport="http").post(method)
    talk = talk.ask("tools/list") if method == "POST" else talk
    found = talk.head(400).frame(b'{"error":"No session"}').over().findings()
    assert bool(of_one(found, "session-id-not-issued")) is is_found


def test_404_to_a_get_or_for_an_unknown_method_ends_no_session() -> None:
    talk = Talk(4, transport="http").post("GET", Mcp_Session_Id="a").head(404).over()
    talk.post(Mcp_Session_Id="a").ask("prompts/list").head(404).error(-32601).over()
    assert not of_one(
        talk.post(Mcp_Session_Id="a").ask("tools/list").head().answer({"tools": []}).findings(), "session-expired"
    )
    talk.post(Mcp_Session_Id="a").ask("tools/list").head(404).error(-32001, "Session not found").over()
    (found,) = of_one(talk.findings(), "session-expired")
    stated = "tools/list was answered with HTTP 404: the server no longer knows the session"
    young = ", which has just begun: another instance may have it"
    assert found.sentence == f"{stated}{young}; the server says “Session not found”"


def test_refusal_with_a_challenge_is_no_finding() -> None:
    def refused(**headers: str) -> Talk:
        return _post().head(403, **headers).frame(b'{"error":"a token is required"}').over().close("refused")

    assert of_one(refused().findings(), "http-request-rejected")
    assert not of_one(refused(WWW_Authenticate='Bearer realm="x"').findings(), "http-request-rejected")


@pytest.mark.parametrize(("opened", "severity"), [(False, Severity.ERROR), (True, Severity.WARNING)])
def test_redirect_that_loses_a_post_is_an_error_before_the_session_is_open(opened: bool, severity: Severity) -> None:
    (found,) = of_one(_refused(301, opened=opened)().findings(), "http-redirect")
    assert found.severity is severity


@pytest.mark.parametrize(("times", "worst"), [(1, Severity.HINT), (2, Severity.ERROR), (3, Severity.ERROR)])
def test_redirect_of_a_url_to_itself_is_an_error_the_second_time(times: int, worst: Severity) -> None:
    talk = _post().head(307, Location="/mcp").over()
    for number in range(2, times + 1):
        talk.http = number
        talk.fact(HttpFact(HttpEvent.REQUEST, number, "POST", "http://localhost:8000/mcp"))
        talk.head(307, Location="/mcp").over()
    found = of_one(talk.findings(), "http-redirect")
    assert [each.severity for each in found if each.severity is Severity.ERROR] == [Severity.ERROR] * (times > 1)
    assert worst in {each.severity for each in found}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("2026-07-28. Supported versions: 2025-06-18", "names 2026-07-28, which was not sent with the request"),
        ("2025-03-26", "names 2025-03-26, which servers assume without the header"),
        ("{}, {}", "a proxy adds the header again"),
        ("{}", "which initialize negotiated"),
        ("none (supported versions: 2025-03-26)", "which initialize negotiated"),
    ],
)
def test_refused_version_that_was_not_sent_is_the_fault_of_a_proxy(said: str, why: str) -> None:
    body = f"Bad Request: Unsupported protocol version: {said.replace('{}', ROWS[3].date)}".encode()
    (found,) = of_one(_refused(400, body, **_VERSION)().findings(), "version-header-rejected")
    assert (
        found.sentence.partition("; the server says")[0].endswith(why)
        or f"{why}: a proxy or gateway " in found.sentence
    )


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"Method not found: undefined", 1),
        (b"", 1),
        (b"Unsupported protocol version", 0),
        (b"Missing session id", 0),
        (b"Invalid Host header", 0),
    ],
)
def test_a_refused_notification_is_reported_unless_a_header_is_the_reason(body: bytes, found: int) -> None:
    talk = Talk(4, opened=False, transport="http").ask("initialize", initialize(4)).answer(initialized(4))
    for _ in range(2):
        talk.post().inform("notifications/initialized").head(400)
        (talk.frame(body) if body else talk).over()
    assert len(of_one(talk.findings(), "http-request-rejected")) == found
