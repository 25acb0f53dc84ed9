"""What a glance at a frame tells."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.capture.store.load import load
from inspector.checks import runner as inspection_module
from inspector.checks.findings import Severity
from inspector.checks.runner import (
    LEARNING,
    MOST_OF_ONE,
    Inspection,
    is_for_a_probe,
    is_no_response,
    is_odd,
    is_plain_refusal,
    record_failure,
)
from inspector.checks.state import ConnectionState, HttpExchangeState
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact
from inspector.protocol.frames import Cause, Direction, Eol, Frame
from inspector.protocol.jsonrpc import encode, read
from tests.captures.record import sample
from tests.checks.broken import break_check
from tests.checks.talks import Talk, ids, initialize, initialized


@pytest.mark.parametrize(
    ("payload", "odd"),
    [
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":1}}', False),
        ('{"jsonrpc":"2.0","id":1,"result":{"a":"—"}}'.encode(), False),
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":"\x97"}}', True),
        (b' {"jsonrpc":"2.0","id":1,"result":{}}', True),
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":99999999999999999}}', True),
        (b"hello", True),
    ],
)
def test_most_frames_need_no_closer_look(payload: bytes, *, odd: bool) -> None:
    assert is_odd(Frame(1, 1, 1, Direction.FROM_SERVER, Talk().entries[1].what.channel, payload), read(payload)) is odd  # type: ignore[union-attr]


_ERROR = b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}'


@pytest.mark.parametrize(
    ("status", "body", "plain"), [(401, b"<html>", True), (200, b"<html>", False), (400, _ERROR, False)]
)
def test_an_error_of_http_may_be_nothing_of_the_protocol(status: int, body: bytes, *, plain: bool) -> None:
    http = HttpExchangeState(response=HttpFact(HttpEvent.RESPONSE, 1, status=status), asked=[])
    assert is_plain_refusal(http, read(body)) is plain


@pytest.mark.parametrize(("method", "judged"), [("GET", False), ("DELETE", False), ("POST", True)])
def test_the_body_of_an_exchange_without_a_request_is_no_response(method: str, *, judged: bool) -> None:
    sent = HttpFact(HttpEvent.REQUEST, 1, method=method)
    assert is_no_response(HttpExchangeState(request=sent, asked=[])) is not judged


def test_the_body_of_an_exchange_made_on_purpose_is_not_judged() -> None:
    probe = HttpExchangeState(request=HttpFact(HttpEvent.REQUEST, 1, probe=True), asked=[])
    assert is_for_a_probe(ConnectionState(), probe, 1)
    assert not is_for_a_probe(ConnectionState(), HttpExchangeState(request=HttpFact(HttpEvent.REQUEST, 1), asked=[]), 1)


_TOOLS = {"tools": [{"name": "a b", "description": "d", "inputSchema": {"type": "object"}}]}
_LIST = b'{"jsonrpc":"2.0","id":50,"method":"tools/list"}'


@pytest.mark.parametrize(
    ("cause", "count"), [(Cause.USER, 2), (Cause.UNKNOWN, 2), (Cause.CHECK, 1), (Cause.RETRY, 1), (Cause.PROBE, 1)]
)
def test_fault_of_a_repeated_list_counts_once_unless_the_user_repeats_it(cause: Cause, count: int) -> None:
    talk = Talk().ask("tools/list").answer(_TOOLS)
    talk.frame(_LIST, Direction.TO_SERVER, cause=cause).answer(_TOOLS, 50)
    assert [each.id for each in talk.findings()].count("tool-name-not-portable") == count


def test_list_that_fails_when_check_repeats_it_is_a_fault() -> None:
    talk = Talk().ask("tools/list").answer(_TOOLS)
    talk.frame(_LIST, Direction.TO_SERVER, cause=Cause.CHECK)
    talk.frame(b'{"jsonrpc":"2.0","id":50,"error":{"code":-32603,"message":"gone"}}')
    assert "list-failed" in ids(talk)


def test_response_in_place_of_the_server_is_not_judged_and_ends_the_wait() -> None:
    talk = Talk().ask("resources/list", id_=50)
    talk.frame(b' {"jsonrpc":"2.0","id":50,"result":{"resources":3}}', cause=Cause.IN_PLACE, eol=Eol.NONE)
    assert ids(talk.wait(60).ask("ping").answer({})) == set()


_BAD = b'{"jsonrpc":"2.0","id":99,"result":{}}'


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_size_of_a_batch_makes_no_difference(size: int) -> None:
    entries = Talk().frame(b"hello").ask("tools/call", {"name": "a"}).answer({}).frame(_BAD).said("x").exit(1).entries
    inspection, found = Inspection(), []
    for first in range(0, len(entries), size):
        found += inspection.take(entries[first : first + size])
    found += inspection.finish()
    names = [each.id for each in found]
    assert [
        name
        for name in names
        if name in ("stdout-not-json", "content-missing", "unexpected-response", "unexpected-exit")
    ] == ["stdout-not-json", "content-missing", "unexpected-response", "unexpected-exit"]
    at_once = Inspection()
    assert names == [each.id for each in at_once.take(entries) + at_once.finish()]


def test_a_journal_s_entries_are_what_it_takes() -> None:
    journal = load(sample("wreck"))
    inspection = Inspection()
    found = inspection.take(journal.store.entry(n) for n in range(1, journal.count + 1))
    journal.close()
    assert [(each.id, each.frames) for each in found if each.severity is Severity.ERROR] == [
        ("server-killed", (29, 16))
    ]
    assert ("unexpected-exit", (29, 16)) in [(each.id, each.frames) for each in found]
    assert {each.id for each in inspection.finish() if each.severity is Severity.ERROR} == {"hidden-text"}


def test_new_connection_ends_the_one_before() -> None:
    talk = Talk(opened=False).exit(3)
    talk.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio")).ask("ping", id_=1).answer({}).exit(4)
    assert [each.frames for each in talk.findings()] == [(2,), (7,)]


def test_findings_of_one_check_are_limited_and_counted() -> None:
    talk = Talk()
    for _ in range(MOST_OF_ONE + 50):
        talk.frame(_BAD)
    inspection = Inspection()
    assert len(inspection.take(talk.entries)) == MOST_OF_ONE
    assert inspection.counts["unexpected-response"] == MOST_OF_ONE + 50


def test_heavy_checks_wait_for_judge_pending() -> None:
    tool = {"name": "a", "description": "d", "inputSchema": {"type": "objcet"}}
    inspection = Inspection()
    quick = inspection.take(Talk().ask("tools/list").answer({"tools": [tool]}).entries)
    assert [each.id for each in quick] == ["input-schema-not-object"]
    assert inspection.waiting
    assert "invalid-schema" in [each.id for each in inspection.judge_pending()]
    assert inspection.waiting == 0


def test_an_error_without_an_id_belongs_to_the_request_that_its_response_answers() -> None:
    talk = Talk(3, transport="http").post().ask("completion/complete").head(400)
    assert not ids(talk.frame(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}'))


_NAMES = [
    "content", "type", "text", "tools", "name", "inputSchema", "outputSchema", "structuredContent", "nextCursor",
    "_meta", "resultType", "inputRequests", "method", "params", "requestedSchema", "properties", "messages", "code",
    "data", "supported", "capabilities", "protocolVersion", "progressToken", "progress", "task", "taskId", "status",
    "inputResponses", "requestState", "contents", "uri", "text", "blob", "mimeType", "size", "ui", "resourceUri",
    "result", "error", "statusMessage", "ttlMs", "properties", "icons", "src", "authorization_servers", "issuer",
]  # fmt: skip
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_NAMES) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
_METHODS = ["tools/list", "tools/call", "initialize", "server/discover", "prompts/get", "resources/read", "tasks/get"]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([1, 3, 4, 5]),
    st.lists(st.tuples(st.sampled_from(_METHODS), _JSON), max_size=4),
    st.binary(max_size=30),
)
def test_nothing_that_a_server_sends_makes_it_fail(row: int, answers: list[tuple[str, object]], noise: bytes) -> None:
    talk = Talk(row).frame(noise)
    for method, value in answers:
        talk.ask(method).answer(value).ask(method).error(value, value, value)
        talk.tell("notifications/progress", value).demand("elicitation/create", value).demand(
            "sampling/createMessage", value
        )
        talk.tell("notifications/subscriptions/acknowledged", value).tell("notifications/message", value)
        talk.tell("notifications/tasks", value).tell("notifications/tools/list_changed", value)
        talk.fetch("http://host/.well-known/oauth-protected-resource", encode(value))
        talk.fetch("http://host/.well-known/oauth-authorization-server", encode(value)).note(encode(value), id="1")
    talk.exit(1).findings()


@pytest.mark.parametrize("id_", ["result-too-long", "tool-name-length"])
def test_a_check_that_fails_is_set_aside_and_the_others_go_on(id_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk().frame(b"hello")
    for _ in range(3):
        talk.ask("tools/call", {"name": "a"}).answer({})
        talk.ask("tools/list").answer({"tools": [{"name": "a", "inputSchema": {"type": "array"}}]})
    others = [each.id for each in talk.findings() if each.id != id_]
    asked = break_check(monkeypatch, id_)
    inspection = Inspection()
    found = inspection.take(talk.entries) + inspection.finish()
    assert [each.id for each in found if each.id != id_] == others
    assert [each.sentence for each in found if each.id == id_] == ["found before it failed"]
    assert (len(asked), list(inspection.disabled_checks)) == (1, [id_])
    said = inspection.disabled_checks[id_].sentence
    assert said.startswith(f"check {id_} failed with an internal error at #")
    assert "KeyError" in said
    assert "broken.py:" in said
    assert "please report it" in said


def test_an_entry_that_nothing_can_be_learned_of_is_lost_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(*_: object) -> None:
        raise RecursionError("too deep")

    talk = Talk().frame(b"hello").ask("tools/list").answer({"tools": 7}).frame(b"bye")
    inspection = Inspection()
    inspection.take(talk.entries[:-2])
    monkeypatch.setattr(inspection_module, "learn_response", raises)
    inspection.take(talk.entries[-2:-1])
    assert list(inspection.disabled_checks) == [LEARNING]
    assert "the analysis of entries failed with an internal error" in inspection.disabled_checks[LEARNING].sentence
    assert [each.id for each in inspection.take(talk.entries[-1:])] == ["stdout-not-json"]


def test_renewed_session_keeps_open_requests() -> None:
    talk = Talk(3, transport="http").ask("prompts/list").fact(ConnectionFact(ConnectionEvent.RENEW, "http"))
    assert not ids(talk.answer({"prompts": []}))


def test_a_long_message_is_judged_by_its_length_alone() -> None:
    talk = Talk().ask("tools/call", {"name": "a"}, id_=7)
    inspection = Inspection()
    inspection.take(talk.entries)
    assert [each.id for each in inspection.take_unread(50, 10**10, 17 << 20, 7)] == ["message-too-long"]
    assert inspection.take_unread(51, 10**10, 3 << 20, 8, "roots/list") == []
    assert [each.method for each in inspection.state.requests.open.values()] == ["roots/list"]


def test_others_have_their_turn_while_a_long_list_is_looked_at() -> None:
    tools = [{"name": f"tool_{n}", "inputSchema": {"type": "object"}} for n in range(1000)]
    turns: list[int] = []
    inspection = Inspection(rest=lambda: turns.append(1))
    inspection.take(Talk().ask("tools/list").answer({"tools": tools[:3]}).entries)
    few = len(turns)
    inspection = Inspection(rest=lambda: turns.append(1))
    inspection.take(Talk().ask("tools/list").answer({"tools": tools}).entries)
    inspection.judge_pending(100)
    assert len(turns) - few > 10 * few


def test_the_place_of_the_mistake_is_named_and_the_words_are_short() -> None:
    try:
        raise ValueError("x" * 1000)
    except ValueError as error:
        failed = record_failure("stderr-flood", 12, error)
    assert failed.where.startswith("test_runner.py:")
    assert failed.sentence.startswith("check stderr-flood failed with an internal error at #12: ValueError: xxx")
    assert len(failed.sentence) < 450
    assert record_failure("stderr-flood", 12, ValueError()).where == "nowhere"


def test_a_finding_about_a_refusal_quotes_the_server_once() -> None:
    def said(*words: str) -> list[str]:
        talk = Talk()
        for each in words:
            talk.ask("ping").error(-32000, each)
        return [each.sentence for each in talk.findings() if each.id == "invalid-ping-response"]

    assert said("the pool has no free connection") == [
        "ping is rejected with -32000; the server says “the pool has no free connection”"
    ]
    (cut,) = said("x" * 400)
    assert len(cut) < 300
    assert said("") == ["ping is rejected with -32000"]
    listed = Talk().ask("tools/list").error(-32000, "the pool has no free connection").findings()
    assert not [each for each in listed if "the server says" in each.sentence]


@pytest.mark.parametrize("sign", ["session", "connection"])
def test_clients_of_one_server_are_judged_each_by_its_own_session(sign: str) -> None:
    """As a tap records them: both use the same ids, and so does the server in each session."""
    talk = Talk(4, transport="http", opened=False).wait(60)
    for client in (1, 2):
        headers = {"Mcp_Session_Id": f"s{client}"} if sign == "session" else {}
        for sent, answer in (("initialize", initialized(4)), ("notifications/initialized", None), ("ping", {})):
            is_open = sent == "initialize"
            talk.through = client
            talk.post(**({} if is_open else headers))
            if answer is None:
                talk.inform(sent).head(202).over()
                continue
            talk.ask(sent, initialize(4) if is_open else None, id_=int(not is_open))
            talk.head(200, "text/event-stream", **(headers if is_open else {}))
            if not is_open:
                talk.event(encode({"jsonrpc": "2.0", "id": 0, "method": "roots/list"}))
            talk.event(encode({"jsonrpc": "2.0", "id": int(not is_open), "result": answer})).over()
    assert ids(talk.close()) == set()
