"""What answers to probes show."""

import pytest

from inspector.checks.findings import Severity
from inspector.protocol import probes
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact
from inspector.protocol.frames import Cause, Direction
from inspector.protocol.jsonrpc import encode
from tests.checks.both import of_one
from tests.checks.talks import Cases, Entry, Script, Talk, initialize

_GONE = "127.0.0.1:34243 gave no HTTP response: Server disconnected without sending a response"
_PROMPT = {"name": "greet", "arguments": [{"name": "who", "required": True}]}
_LOCAL = "http://localhost:8000/mcp"


def _asked(method: str, params: object = None, row: int = 4, *, probe: bool = True, talk: Talk | None = None) -> Talk:
    body = {"jsonrpc": "2.0", "id": 77, "method": method} | ({} if params is None else {"params": params})
    return (talk or Talk(row)).frame(encode(body), Direction.TO_SERVER, cause=Cause.PROBE if probe else Cause.UNKNOWN)


def _taken(method: str, result: object, params: object = None, row: int = 4, *, probe: bool = True) -> Script:
    return lambda: _asked(method, params, row, probe=probe).answer(result, 77, bare=True)


def _refused(method: str, code: int, params: object = None, row: int = 4) -> Script:
    return lambda: _asked(method, params, row).error(code, id=77)


def _prompt(code: int) -> Script:
    params = {"name": "greet", "arguments": {}}
    return lambda: _asked("prompts/get", params, talk=Talk().ask("prompts/list").answer({"prompts": [_PROMPT]})).error(
        code, id=77
    )


def _knocked(
    status: int, method: str = "POST", target: str = _LOCAL, *, head: tuple[tuple[str, str], ...] = (), **sent: str
) -> Script:
    headers = tuple((name.replace("_", "-"), value) for name, value in sent.items())

    def talk() -> Talk:
        begun = Talk(4, transport="http")
        begun.http = 1
        begun.fact(HttpFact(HttpEvent.REQUEST, 1, method, target, headers=headers, probe=True))
        return begun.fact(HttpFact(HttpEvent.RESPONSE, 1, status=status, headers=head))

    return talk


def _ended(status: int, sent: Script) -> Script:
    return lambda: sent().fact(HttpFact(HttpEvent.END, 1, status=status))


def _not_here(status: int) -> Script:
    """The URL gets 404; then the same server is asked for the stream of the older transport."""

    def talk() -> Talk:
        begun = Talk(4, opened=False, transport="http")
        begun.http = 1
        begun.fact(HttpFact(HttpEvent.REQUEST, 1, "POST", _LOCAL))
        asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize(4)}
        begun.frame(encode(asked), Direction.TO_SERVER)
        begun.fact(HttpFact(HttpEvent.RESPONSE, 1, status=404)).fact(HttpFact(HttpEvent.END, 1, status=404))
        begun.fact(HttpFact(HttpEvent.REQUEST, 2, "GET", "http://localhost:8000/sse", probe=True))
        kind = (("Content-Type", "text/event-stream"),)
        return begun.fact(HttpFact(HttpEvent.RESPONSE, 2, status=status, headers=kind))

    return talk


def _addresses(*answering: bool) -> Script:
    def talk() -> Talk:
        begun = Talk(4, opened=False, transport="http")
        for host, answers in zip(("127.0.0.1", "[::1]"), answering, strict=True):
            begun.http += 1
            begun.fact(HttpFact(HttpEvent.REQUEST, begun.http, "OPTIONS", f"http://{host}:8000/mcp", probe=True))
            event = HttpEvent.RESPONSE if answers else HttpEvent.ERROR
            begun.fact(HttpFact(event, begun.http, status=405 if answers else 0, why="" if answers else "refused"))
        return begun.close()

    return talk


_ALLOWED = "content-type, authorization, mcp-session-id, mcp-protocol-version"
_CORS = (("Access-Control-Allow-Origin", "*"), ("Access-Control-Allow-Headers", _ALLOWED))
CASES: Cases = {
    "unknown-method-error-code": (_refused(probes.METHOD, -32600), _refused(probes.METHOD, -32601)),
    "invalid-ping-response": (_refused("ping", -32601), _taken("ping", {})),
    "invalid-params-error-code": (
        _refused("tools/call", -32603, {"arguments": {}}),
        _refused("tools/call", -32602, {"arguments": {}}),
    ),
    "unknown-task-error-code": (
        _taken("tasks/get", {"taskId": probes.TASK, "status": "working"}, {"taskId": probes.TASK}, row=4),
        _refused("tasks/get", -32602, {"taskId": probes.TASK}, row=4),
    ),
    "probe-unanswered": (
        lambda: _asked(probes.METHOD).wait(5).close(),
        lambda: _refused(probes.METHOD, -32601)().close(),
    ),
    "unissued-cursor-accepted": (
        _taken("tools/list", {"tools": []}, {"cursor": probes.CURSOR}),
        _taken("tools/list", {"tools": []}, {"cursor": "a person's own"}),
    ),
    "missing-argument-accepted": (_prompt(-32000), _prompt(-32602)),
    "undeclared-version-accepted": (_taken("tools/list", {"tools": []}, row=5), _refused("tools/list", -32602, row=5)),
    "unknown-session-status": (
        _knocked(200, Mcp_Session_Id=probes.SESSION),
        _knocked(404, Mcp_Session_Id=probes.SESSION),
    ),
    "second-packet-not-read": (
        _ended(400, _knocked(400, mcp_inspect_body="in a second packet")),
        _ended(200, _knocked(200, mcp_inspect_body="in a second packet")),
    ),
    "request-form-refused": (
        _ended(415, _knocked(415, content_type=f"application/json; {probes.CHARSET}")),
        _ended(200, _knocked(200, transfer_encoding=probes.CHUNKED)),
    ),
    "endpoint-elsewhere": (_not_here(200), _not_here(404)),
    "cors-session-hidden": (
        _knocked(200, head=(*_CORS, ("Mcp-Session-Id", "7f"))),
        _knocked(200, head=(*_CORS, ("Mcp-Session-Id", "7f"), ("Access-Control-Expose-Headers", "mcp-session-id"))),
    ),
    "cors-missing": (
        _knocked(405, "OPTIONS", Origin=probes.ORIGIN),
        _knocked(204, "OPTIONS", head=_CORS, Origin=probes.ORIGIN),
    ),
    "loopback-address-family": (_addresses(False, True), _addresses(True, True)),
    "host-not-validated": (_knocked(200, Host=probes.HOST), _knocked(421, Host=probes.HOST)),
}


@pytest.mark.parametrize(
    ("id_", "method", "params"),
    [("invalid-params-error-code", "tools/call", {"arguments": {}}), ("undeclared-version-accepted", "tools/list", {})],
)
def test_a_probe_without_what_a_header_repeats_may_be_rejected_for_its_headers(
    id_: str, method: str, params: object
) -> None:
    def rejected(code: int, *, http: bool = True) -> set[str]:
        talk = Talk(5, transport="http" if http else "stdio")
        if http:
            talk.post()
        _asked(method, params, talk=talk)
        if http:
            talk.head(400)
        return {each.id for each in talk.error(code, id=77).findings()}

    assert not rejected(-32020)
    assert id_ in rejected(-32020, http=False)
    assert id_ in rejected(-32000)


@pytest.mark.parametrize("versions", [["2026-07-28"], ["2026-07-28", "2025-11-25"]])
def test_a_server_of_both_eras_may_take_requests_without_meta_and_refuse_a_second_opening(versions: list[str]) -> None:
    talk = Talk(5, opened=False).ask("server/discover").answer({"supportedVersions": versions, "capabilities": {}})
    _asked("tools/list", {}, talk=talk).answer({"tools": []}, 77)
    talk.ask("initialize", initialize(4)).error(0, "duplicate initialize received")
    found = {each.id for each in talk.close("done").findings()}
    assert found & {"undeclared-version-accepted", "handshake-error-without-versions"} == (
        {"undeclared-version-accepted", "handshake-error-without-versions"} if len(versions) == 1 else set()
    )


def _dialled(url: str, *, answered: bool, answering: tuple[bool, bool]) -> Script:
    """A session at this address, and then what each of the machine's two addresses gives."""

    def talk() -> Talk:
        connection = ConnectionFact(ConnectionEvent.OPEN, "http", url=url)
        begun = Talk(4, opened=False, transport="http", connection=connection).post(target=url)
        begun = begun.head(401) if answered else begun.fact(HttpFact(HttpEvent.ERROR, 1, why="refused"))
        begun.entries += _addresses(*answering)().entries[1:-1]
        for n, each in enumerate(begun.entries, 1):
            begun.entries[n - 1] = Entry(n, each.time_ns, each.what)
        return begun.close("no session")

    return talk


@pytest.mark.parametrize(
    ("url", "answered", "answering", "severity"),
    [
        ("http://127.0.0.1:8000/mcp", True, (True, False), None),
        ("http://[::1]:8000/mcp", True, (False, True), None),
        ("http://localhost:8000/mcp", True, (True, False), Severity.HINT),
        ("http://localhost:8000/mcp", True, (True, True), None),
        ("http://127.0.0.1:8000/mcp", False, (False, True), Severity.ERROR),
        ("http://127.0.0.1:8000/mcp", False, (False, False), None),
    ],
)
def test_an_address_that_was_dialled_and_answered_is_all_that_is_needed(
    url: str, answered: bool, answering: tuple[bool, bool], severity: Severity | None
) -> None:
    found = of_one(_dialled(url, answered=answered, answering=answering)().findings(), "loopback-address-family")
    assert [each.severity for each in found] == ([] if severity is None else [severity])


@pytest.mark.parametrize(
    ("method", "params"), [("tools/list", {"cursor": probes.CURSOR}), ("tools/call", {"arguments": {}})]
)
def test_ordinary_request_is_not_judged_as_probe(method: str, params: object) -> None:
    found = _taken(method, {"tools": [], "content": []}, params, probe=False)().findings()
    assert not {each.id for each in found} & set(CASES)


def test_a_preflight_names_what_it_does_not_allow() -> None:
    head = (("Access-Control-Allow-Origin", "*"), ("Access-Control-Allow-Headers", "*"))
    (found,) = of_one(_knocked(204, "OPTIONS", head=head, Origin=probes.ORIGIN)().findings(), "cors-missing")
    assert found.sentence == "Access-Control-Allow-Headers of a preflight does not let web clients send authorization"


@pytest.mark.parametrize(
    ("status", "severity"), [(200, Severity.WARNING), (400, Severity.HINT), (503, Severity.WARNING)]
)
def test_unknown_session_severity_depends_on_the_status(status: int, severity: Severity) -> None:
    (found,) = of_one(_knocked(status, Mcp_Session_Id=probes.SESSION)().findings(), "unknown-session-status")
    assert found.severity is severity


def test_the_body_of_such_an_exchange_is_no_message_of_the_conversation() -> None:
    talk = _knocked(400, Mcp_Session_Id=probes.SESSION)()
    talk.frame(b'{"jsonrpc":"2.0","id":null,"error":{"code":"no"}}', cause=Cause.PROBE)
    assert {each.id for each in talk.findings()} <= {"unknown-session-status"}


def test_faults_caused_by_probes_are_not_the_servers() -> None:
    tool = {"name": "a b", "description": "d", "inputSchema": {"type": "object"}}
    talk = Talk().ask("tools/list").answer({"tools": [tool]})
    for params in ({}, {"cursor": probes.CURSOR}):
        _asked("tools/list", params, talk=talk).answer({"tools": [tool]}, 77)
    _asked("tools/call", {"arguments": {}}, talk=talk).error(-32603, id=77)
    _asked("prompts/list", talk=talk).answer({}, 77)
    found = [each.id for each in talk.findings()]
    assert found.count("tool-name-not-portable") == 1
    assert not {
        "duplicate-tool-name",
        "pagination-incomplete",
        "tool-failure-as-protocol-error",
        "prompt-name-missing",
    } & set(found)
    assert {"unissued-cursor-accepted", "invalid-params-error-code"} <= set(found)


def test_a_preflight_and_a_session_given_to_a_probe_break_no_rule() -> None:
    talk = _knocked(200, "OPTIONS", head=(("Mcp-Session-Id", "new"), *_CORS), Origin=probes.ORIGIN)()
    assert not {each.id for each in talk.findings()} & {
        "session-id-changed",
        "origin-not-validated",
        "stateless-session-id",
    }
    assert "origin-not-validated" in {each.id for each in _knocked(200, Origin=probes.ORIGIN)().findings()}


def test_a_status_after_mixed_up_responses_is_not_judged() -> None:
    talk = Talk(4, transport="http").post().ask("ping", id_=13).head(200).answer({}, 12)
    assert of_one(talk.findings(), "response-on-wrong-post")
    talk.http = 9
    headers = (("Origin", probes.ORIGIN),)
    talk.fact(HttpFact(HttpEvent.REQUEST, 9, "POST", _LOCAL, headers=headers, probe=True)).head(200)
    assert not of_one(talk.findings(), "origin-not-validated")
    talk = Talk(5, transport="http").post().ask("ping", id_=13).head(200).answer({}, 12)
    talk.http = 9
    talk.fact(HttpFact(HttpEvent.REQUEST, 9, "GET", _LOCAL, probe=True)).head(200).over()
    assert not of_one(talk.findings(), "stateless-session-id")


@pytest.mark.parametrize(
    ("status", "body", "found"),
    [(400, b"no", ["hint"]), (200, b"<p>", ["warning"]), (200, b'{"jsonrpc":"2.0","id":1,"result":{}}', [])],
)
def test_a_get_is_judged_by_its_own_response(status: int, body: bytes, found: list[str]) -> None:
    talk = Talk(5, transport="http")
    talk.http = 1
    talk.fact(HttpFact(HttpEvent.REQUEST, 1, "GET", _LOCAL, probe=True)).head(status).frame(body).over()
    said = of_one(talk.findings(), "stateless-session-id")
    assert [each.severity for each in said if each.fix.startswith("Return 405")] == found


def test_a_cursor_that_was_never_given_is_a_warning_only_where_cursors_are_given() -> None:
    params = {"cursor": probes.CURSOR}
    (plain,) = of_one(_taken("tools/list", {"tools": []}, params)().findings(), "unissued-cursor-accepted")
    assert plain.severity is Severity.HINT
    paged = Talk().ask("tools/list").answer({"tools": [], "nextCursor": "a"})
    (found,) = of_one(
        _asked("tools/list", params, talk=paged).answer({"tools": []}, 77).findings(), "unissued-cursor-accepted"
    )
    assert found.severity is Severity.WARNING


def test_a_host_that_is_not_looked_at_is_a_warning_only_where_origins_are_not_either() -> None:
    (found,) = of_one(_knocked(200, Host=probes.HOST)().findings(), "host-not-validated")
    assert found.severity is Severity.HINT
    talk = _knocked(200, Origin=probes.ORIGIN)()
    talk.http = 2
    headers = (("Host", probes.HOST),)
    talk.fact(HttpFact(HttpEvent.REQUEST, 2, "POST", _LOCAL, headers=headers, probe=True)).head(200)
    (found,) = of_one(talk.findings(), "host-not-validated")
    assert found.severity is Severity.WARNING


def test_a_cancelled_call_of_an_existing_tool_is_not_an_unanswered_probe() -> None:
    talk = _asked("tools/call", {"name": "wait", "arguments": {}})
    talk.wait(10).inform("notifications/cancelled", {"requestId": 77}).close()
    assert "probe-unanswered" not in {finding.id for finding in talk.findings()}


def _dropped(params: object, *, probe: bool = True) -> dict[str, Severity]:
    """The findings if the connection is closed instead of an HTTP response to a call."""
    talk = Talk(4, transport="http", connection=ConnectionFact(ConnectionEvent.OPEN, "http", url=_LOCAL))
    _asked("tools/call", params, probe=probe, talk=talk.post(target=_LOCAL))
    talk.fact(HttpFact(HttpEvent.ERROR, talk.http, why=_GONE))
    return {each.id: each.severity for each in talk.findings() if "without sending" in each.sentence}


def test_probe_that_gets_no_http_response_does_not_make_the_server_unreachable() -> None:
    assert _dropped({"arguments": {}}) == {"probe-unanswered": Severity.WARNING}
    assert _dropped({"name": "add", "arguments": {}}) == {}, "the probing of tools reports it"
    assert _dropped({"name": "add", "arguments": {}}, probe=False) == {"server-unreachable": Severity.ERROR}
