"""How a conversation comes about, or does not."""

import pytest

from inspector.checks.findings import Severity
from inspector.checks.verdict import EXPLAINS, verdicts
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessActivity, ProcessEvent, ProcessFact
from inspector.protocol.frames import Cause, Direction
from inspector.protocol.jsonrpc import encode
from inspector.protocol.probes import METHOD
from inspector.protocol.revisions.table import ROWS
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, ids, initialize, initialized

UNSENDABLE = (
    "Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.",
    "Server-to-client requests are not available on protocol revision 2026-07-28: 'elicitation/create' cannot be sent "
    "while serving a request on that revision. Return inputRequired({ ... }) from the handler instead",
    '"elicitation/create" cannot be sent while serving a request on protocol version 2026-07-28: return an '
    "InputRequests map instead",
    "elicitation via server-initiated requests is unavailable on 2026-07-28 connections.",
)
"""How the SDKs for Python, TypeScript and Go, and fastmcp, word it."""


def _waited(seconds: float, delayed_s: float = 0.0) -> Script:
    late = ProcessFact(ProcessEvent.LATE, 1, state=ProcessActivity(delayed_s=delayed_s))
    return lambda: Talk(opened=False).ask("initialize", initialize(4)).wait(seconds).fact(late).answer(initialized(4))


def _again(*kinds: str) -> Script:
    def talk() -> Talk:
        begun = Talk().ask("prompts/list").answer({"prompts": [{"name": "a"}]})
        for kind in kinds:
            begun.tell(f"notifications/{kind}/list_changed")
        return begun.ask("prompts/list").answer({"prompts": [{"name": "b"}]})

    return talk


def _listed_and_told(*names: str, between: str = "ping") -> Script:
    """Each list is followed by a notification."""

    def talk() -> Talk:
        begun = Talk()
        for name in names:
            begun.ask("tools/list").answer({"tools": [{"name": name, "inputSchema": {"type": "object"}}]})
            begun.ask(between, {"name": name} if between == "tools/call" else None).answer({"content": []})
            begun.tell("notifications/tools/list_changed")
        return begun

    return talk


def _probed(*, answered: bool) -> Script:
    def talk() -> Talk:
        begun = Talk(opened=False).ask("server/discover")
        begun = begun.error(-32601) if answered else begun.wait(2)
        return begun.ask("initialize", initialize(4)).answer(initialized(4))

    return talk


def _discovered(*missing: str) -> Script:
    whole = {"supportedVersions": [ROWS[-1].date], "capabilities": {}, "resultType": "complete", "ttlMs": 0}
    result = {name: value for name, value in (whole | {"cacheScope": "public"}).items() if name not in missing}
    return lambda: Talk(5, opened=False).ask("server/discover").answer(result, bare=True)


_ERROR_WITHOUT_ID = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}'
_PARSE_ERROR = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'


def _anonymous(_: bytes, response: bytes) -> Script:
    """A response without an id, while nothing is asked."""
    return lambda: Talk().inform("notifications/cancelled").frame(response)


def _other_id(*, answered: bool) -> Script:
    """What was asked first is answered twice; the request that is open is answered, or never."""

    def talk() -> Talk:
        begun = Talk().ask("ping", id_=8).answer({}, 8).ask("tools/list", id_=9).answer({"tools": []}, 8)
        return (begun.answer({"tools": []}, 9) if answered else begun.wait(3)).close()

    return talk


CASES: Cases = {
    "meta-rejected": (
        lambda: Talk().ask("tools/list", progressToken=1).error(-32602, "Unrecognized key(s) in object: '_meta'"),
        lambda: Talk().ask("tools/list").error(-32602, "Unrecognized key(s) in object: '_meta'"),
    ),
    "server-object-shared": (
        lambda: Talk().ask("tools/list").error(-32603, "Already connected to a transport. Call close() before"),
        lambda: Talk().ask("tools/list").error(-32603, "Already connected to the database"),
    ),
    "response-id-counted": (
        lambda: Talk(opened=False).ask("initialize", initialize(4)).answer(initialized(4), 0),
        lambda: Talk().ask("ping").answer({}, 0),  # the opening was answered with its id
    ),
    "id-type-changed": (lambda: Talk().ask("ping").answer({}, "2"), lambda: Talk().ask("ping").answer({}, 2)),
    "server-silent": (
        lambda: Talk(opened=False).ask("initialize", initialize(4)).wait(3).close("given up"),
        lambda: Talk(opened=False).ask("initialize", initialize(4)).exit(1),
    ),
    "slow-handshake": (_waited(11), _waited(15, 6.0)),
    "rejected-as-uninitialized": (
        lambda: Talk().ask("tools/list").error(-32602, "Received request before initialization was complete"),
        lambda: Talk().ask("tools/list").error(-32602, "the database is not ready"),
    ),
    "no-common-version": (
        lambda: Talk(opened=False).ask("initialize", initialize(4)).error(-32602, "Unsupported protocol version"),
        lambda: Talk(opened=False).ask("initialize", initialize(4)).error(-32602, "Unsupported client"),
    ),
    "modern-version-in-handshake": (
        lambda: Talk(opened=False).ask("initialize", initialize(4)).answer(initialized(5)),
        lambda: Talk(opened=False).ask("initialize", initialize(4)).answer(initialized(3)),
    ),
    "incomplete-modern-support": (_discovered("ttlMs"), _discovered()),
    "unknown-method-unanswered": (_probed(answered=False), _probed(answered=True)),
    "list-changed-silently": (_again(), _again("prompts")),
    "list-changed-by-list": (_listed_and_told("a", "a"), _listed_and_told("a")),
    "handshake-rejected": (
        lambda: Talk(opened=False).ask("initialize", initialize(4)).error(-32603, "licence expired"),
        lambda: Talk(opened=False).ask("initialize", initialize(4)).error(-32022, "no initialize"),
    ),
    "handshake-demanded": (
        lambda: Talk(5).ask("tools/call").error(-32600, "initialize is required"),
        lambda: Talk(5).ask("tools/call").error(-32600, "the model is not loaded: call load first"),
    ),
    "request-unanswered": (
        lambda: Talk().ask("tools/list").wait(3).inform("notifications/cancelled", {"requestId": 2}).close(),
        lambda: Talk().ask("tools/call").wait(3).inform("notifications/cancelled", {"requestId": 2}).close(),
    ),
    "list-failed": (
        lambda: Talk().ask("tools/list").error(-32603, "'NoneType' object is not iterable"),
        lambda: (
            Talk().ask("ping").answer({}).ask("ping").answer({}).ask("tools/list").error(-32600, "Rate limit exceeded")
        ),
    ),
    "message-before-handshake": (
        lambda: Talk(opened=False).ask("initialize", initialize(4)).tell("server.initialized"),
        lambda: Talk(opened=False).ask("initialize", initialize(4)).tell("notifications/message", {"level": "info"}),
    ),
    "notification-answered": (_anonymous(b"", _ERROR_WITHOUT_ID), _anonymous(b"", _PARSE_ERROR)),
    "json-rpc-envelope-missing": (
        lambda: Talk(opened=False).ask("initialize", initialize(4)).frame(encode(initialized(4))),
        lambda: Talk(opened=False).ask("initialize", initialize(4)).frame(b'{"level":"info","msg":"up"}'),
    ),
    "response-id-mismatch": (_other_id(answered=False), _other_id(answered=True)),
    "silent-after-handshake": (
        lambda: Talk().ask("tools/list").wait(3).close(),
        lambda: Talk().ask("ping").answer({}).ask("tools/list").wait(3).close(),
    ),
    "no-server-capabilities": (lambda: Talk(capabilities={}), lambda: Talk(capabilities={"logging": {}})),
    "request-not-sendable": (
        lambda: Talk(5).ask("tools/call", {"name": "a"}).error(-32600, UNSENDABLE[0]),
        lambda: Talk(5).ask("tools/call", {"name": "a"}).error(-32600, "elicitation failed: no back-channel"),
    ),
    "call-rejected": (
        lambda: Talk().ask("tools/call", {"name": "a"}).error(-32602, "no", {"reason": "too long"}),
        lambda: Talk().ask("tools/call", {"name": "a"}).answer({"content": [], "isError": True}),
    ),
}


@pytest.mark.parametrize(
    ("ready", "fix"), [(True, "Accept notifications/initialized"), (False, "Send notifications/initialized")]
)
def test_rejected_as_uninitialized_fix_depends_on_the_client(ready: bool, fix: str) -> None:
    talk = Talk(ready=ready).ask("tools/list").error(-32602, "Server not initialized")
    (found,) = of_one(talk.findings(), "rejected-as-uninitialized")
    assert found.fix.startswith(fix)


def test_session_whose_id_did_not_arrive_is_rejected_because_of_a_proxy() -> None:
    talk = Talk(3, transport="http").post().ask("tools/list").head(400).error(-32000, "Server not initialized").over()
    (found,) = of_one(talk.findings(), "rejected-as-uninitialized")
    assert found.fix == "Check whether a proxy removes Mcp-Session-Id: the response to initialize had none."


def test_handshake_rejected_when_discover_wants_keys_without_prefix_names_the_prefix() -> None:
    talk = Talk(5, opened=False).ask("server/discover").error(-32602, "params._meta.protocolVersion must be a string")
    talk.ask("initialize", initialize(4)).error(-32602, "Missing required '_meta' block")
    (found,) = of_one(talk.findings(), "handshake-rejected")
    assert "io.modelcontextprotocol/protocolVersion" in found.fix


def test_initialize_that_is_unknown_as_invalid_params_is_not_implemented() -> None:
    talk = Talk(opened=False).ask("initialize", initialize(4)).error(-32602, "Unknown method: 'initialize'").close()
    (found,) = of_one(talk.findings(), "handshake-rejected")
    assert found.fix.startswith("Implement initialize")


def test_server_silent_when_the_event_stream_is_open_names_a_server_of_one_thread() -> None:
    talk = Talk(opened=False, transport="sse").post("GET").note(b"event: endpoint\ndata: /messages", event="endpoint")
    talk.post().ask("initialize", initialize(4)).wait(30)
    (found,) = of_one(talk.close("given up").findings(), "server-silent")
    assert "in threads" in found.fix


def test_a_report_in_json_that_has_meta_does_not_reject_it() -> None:
    text = '{"items": [{"error": "invalid variant"}], "_meta": {"next": []}}'
    failed = {"content": [{"type": "text", "text": text}], "isError": True}
    talk = Talk().ask("tools/call", {"name": "look", "arguments": {}}, progressToken=1).answer(failed)
    assert not of_one(talk.findings(), "meta-rejected")


def test_a_version_that_both_speak_is_no_fault() -> None:
    supported = {"supported": [ROWS[3].date], "requested": ROWS[4].date}
    body = b'{"jsonrpc":"2.0","id":1,"method":"server/discover"}'
    talk = Talk(opened=False).frame(body, Direction.TO_SERVER, cause=Cause.PROBE).error(-32022, "no", supported, id=1)
    assert not of_one(talk.findings(), "no-common-version")
    refused = Talk(opened=False).ask("initialize", initialize(4))
    refused.error(-32602, f"Unsupported protocol version: {ROWS[3].date}. Supported: {ROWS[2].date}")
    (found,) = of_one(refused.findings(), "no-common-version")
    assert found.fix == f"Connect with --revision {ROWS[2].date}."


def test_a_probe_that_was_refused_over_http_was_not_met_with_silence() -> None:
    talk = Talk(opened=False, transport="http").post().ask("server/discover").head(400, "text/plain").over()
    talk.post().ask("initialize", initialize(4)).head().answer(initialized(4)).over()
    assert "unknown-method-unanswered" not in {each.id for each in talk.findings()}


def test_handshake_refused_after_discover_is_no_version_problem() -> None:
    """It was slow: discover and initialize were both on their way when it answered the first."""
    talk = Talk(5, opened=False).ask("server/discover", id_=1)
    talk.ask("initialize", initialize(4), id_=2)
    talk.answer({"supportedVersions": [ROWS[4].date], "capabilities": {}}, 1)
    talk.error(-32022, "the initialize handshake is not accepted", {"supported": [ROWS[4].date]})
    assert not of_one(talk.findings(), "no-common-version")


@pytest.mark.parametrize("status", [None, 200])
def test_silence_over_http_has_no_stdio_terms(status: int | None) -> None:
    talk = Talk(opened=False, transport="http").post().ask("initialize", initialize(4))
    if status is not None:
        talk.head(status, "text/event-stream")
    (found,) = of_one(talk.wait(3).close("given up").findings(), "server-silent")
    assert ("no HTTP response" in found.sentence) is (status is None)
    assert ("only the headers of an event stream came (HTTP 200)" in found.sentence) is (status == 200)
    assert not {"stderr", "stdin", "subcommand", "output"} & set(f"{found.sentence} {found.fix}".lower().split())


@pytest.mark.parametrize("transport", ["http", "sse"])
@pytest.mark.parametrize("method", ["initialize", "tools/list"])
def test_an_error_over_http_is_looked_up_in_a_log(transport: str, method: str) -> None:
    talk = Talk(opened=method != "initialize", transport=transport).ask(method).error(-32603)
    (found,) = (each for each in talk.findings() if each.id in ("handshake-rejected", "list-failed"))
    assert "stderr" not in found.fix


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b'{"jsonrpc": "2.0", "id": 2, "resu', 0),
        (b'\x1b[32m{"jsonrpc": "2.0", "id": 2, "result": {}}\x1b[0m', 0),
        (b'{"jsonrpc": "2.0", "id": 2, "results": {}}', 0),
        (b"Handling the request", 1),
    ],
)
def test_a_request_whose_response_cannot_be_read_is_not_called_unanswered(line: bytes, found: int) -> None:
    talk = Talk().ask("tools/list").frame(line).wait(3).inform("notifications/cancelled", {"requestId": 2}).close()
    assert [each.id for each in talk.findings()].count("request-unanswered") == found


def test_a_method_of_ours_without_a_response_is_no_unanswered_request() -> None:
    talk = Talk().ask(METHOD).wait(3).inform("notifications/cancelled", {"requestId": 2}).close()
    assert "request-unanswered" not in [each.id for each in talk.findings()]


@pytest.mark.parametrize(
    ("cause", "severity"), [(Cause.USER, Severity.ERROR), (Cause.UNKNOWN, Severity.ERROR), (Cause.CHECK, Severity.HINT)]
)
def test_read_without_response_is_a_hint_where_check_does_not_wait_longer(cause: Cause, severity: Severity) -> None:
    body = b'{"jsonrpc":"2.0","id":50,"method":"resources/read","params":{"uri":"a://b"}}'
    talk = Talk().frame(body, Direction.TO_SERVER, cause=cause).wait(6).ask("ping").answer({})
    (found,) = of_one(talk.findings(), "request-unanswered")
    assert found.severity is severity


@pytest.mark.parametrize("talk", [_listed_and_told("a", "b"), _listed_and_told("a", "a", between="tools/call")])
def test_list_changed_after_a_change_or_a_call_is_not_reported(talk: Script) -> None:
    assert not of_one(talk().findings(), "list-changed-by-list")


def test_list_changed_after_each_list_is_reported_once() -> None:
    assert len(of_one(_listed_and_told(*"aaaaa")().findings(), "list-changed-by-list")) == 1


def test_an_initialize_without_a_response_after_an_answered_discover_is_reported_unless_something_came_since() -> None:
    def begun() -> Talk:
        return Talk(opened=False).ask("server/discover").error(-32601).ask("initialize", initialize(4))

    (found,) = of_one(begun().wait(3).close("given up").findings(), "server-silent")
    assert "although server/discover had one" in found.sentence
    for talk in (begun().wait(1), begun().tell("notifications/message", {"level": "info", "data": "x"}).wait(3)):
        assert not of_one(talk.close("given up").findings(), "server-silent")


def test_a_call_whose_own_result_the_server_rejects_is_not_blamed_on_the_arguments() -> None:
    text = 'MCP error -32602: Invalid tools/call result: [{"expected": "array", "path": ["content"]}]'
    talk = Talk().ask("tools/call", {"name": "a"}).error(-32602, text)
    (found,) = of_one(talk.findings(), "call-rejected")
    assert found.sentence.startswith("a: the server rejects its own result with -32602")
    assert found.fix.startswith("Return an object with content")


@pytest.mark.parametrize("words", UNSENDABLE)
def test_a_request_that_an_sdk_cannot_send_names_the_era_instead_of_a_wrong_call(words: str) -> None:
    refused = Talk(5).ask("tools/call", {"name": "a"}).error(-32600, words)
    failed = Talk(5).ask("tools/call", {"name": "a"})
    failed.answer({"content": [{"type": "text", "text": f"Error: {words}"}], "isError": True})
    for found in (refused.findings(), failed.findings()):
        (one,) = of_one(found, "request-not-sendable")
        assert one.sentence.startswith("a wanted to send elicitation")
        assert f"a request of the legacy era: {ROWS[-1].date} has no requests from servers" in one.sentence
        assert "--era legacy" in one.fix
        (judged,) = verdicts(found)
        assert "call-rejected" not in {each.id for each in judged.others}


def test_a_request_that_a_stateless_server_cannot_send_is_not_blamed_on_the_era() -> None:
    (found,) = of_one(
        Talk().ask("tools/call", {"name": "a"}).error(-32600, UNSENDABLE[0]).findings(), "request-not-sendable"
    )
    assert "stateless" in found.sentence
    assert "--era" not in found.fix


def test_a_call_that_needs_a_client_capability_is_a_hint_about_the_client_and_not_a_rejection() -> None:
    talk = Talk(5).ask("tools/call", {"name": "ask", "arguments": {}})
    found = talk.error(-32021, "needs it", {"requiredCapabilities": {"elicitation": {}}}).findings()
    (one,) = (each for each in found if each.id in ("client-capability-required", "call-rejected"))
    assert (one.id, one.severity) == ("client-capability-required", Severity.HINT)


def test_initialize_rejected_for_its_headers_points_to_the_discovery_and_not_to_a_mismatch() -> None:
    talk = Talk(opened=False).ask("server/discover").answer(None, bare=True).ask("initialize", initialize(4))
    found = talk.error(-32020, "Mcp-Method").findings()
    assert "header-body-mismatch" not in {each.id for each in found}
    (rejected,) = of_one(found, "handshake-rejected")
    assert "server/discover had no usable result" in rejected.sentence


def test_a_version_that_is_none_is_the_cause_of_a_rejected_header() -> None:
    assert "version-header-rejected" in EXPLAINS["unknown-protocol-version"]


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        (
            b'{"jsonrpc":"2.0","id":90,"error":{"code":-32601,"message":"Unknown: notifications/initialized"}}',
            "notifications/initialized was answered with an error with the id 90: ",
        ),
        (
            b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
            "notifications/initialized was answered with an error without an id: Parse error",
        ),
    ],
)
def test_notification_answered_names_the_notification(payload: bytes, sentence: str) -> None:
    (found,) = of_one(Talk().frame(payload).ask("ping").answer({}).close().findings(), "notification-answered")
    assert found.sentence.startswith(sentence)
    late = Talk().ask("ping").answer({}).frame(payload).close().findings()
    assert bool(of_one(late, "notification-answered")) is (b"Unknown" in payload)


def test_a_silent_interpreter_without_a_program_is_named_in_place_of_its_output() -> None:
    opened = ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("/usr/bin/python3", "-u"), cwd="/srv")
    talk = Talk(4, opened=False, connection=opened).ask("initialize", {}).wait(5).close()
    (found,) = of_one(talk.findings(), "server-silent")
    assert "/usr/bin/python3 has no program to run" in found.sentence


@pytest.mark.parametrize(("status", "found"), [(200, 1), (404, 0)])
def test_a_request_that_http_refused_has_not_been_left_in_silence(status: int, found: int) -> None:
    talk = Talk(transport="http").post().ask("tools/list").head(status).wait(4).close()
    assert len(of_one(talk.findings(), "silent-after-handshake")) == found


def test_the_failure_that_a_silent_server_reports_last_is_quoted() -> None:
    line = (
        "ERROR | fastembed.model:746 - Could not download the model from any source, sleeping for 27 s, 0 retries left."
    )
    talk = Talk(opened=False).ask("initialize", initialize(4)).said("loading", line).wait(3).close("given up")
    (found,) = of_one(talk.findings(), "server-silent")
    assert f"; stderr has: {line}" in found.sentence
    assert (found.fix or "").startswith("Correct what stderr reports")


def test_a_request_with_a_response_that_has_neither_result_nor_error_has_not_been_left_in_silence() -> None:
    talk = Talk().ask("tools/list").frame(b'{"jsonrpc": "2.0", "id": 2}').wait(3).close()
    assert ids(talk) & {"silent-after-handshake", "result-and-error"} == {"result-and-error"}
