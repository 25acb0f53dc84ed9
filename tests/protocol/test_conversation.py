"""The fold of a conversation: its events and its state."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol import events
from inspector.protocol.conversation import target_of
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.frames import Channel
from inspector.protocol.revisions._shape import Era
from tests.protocol.test_peek import JSON
from tests.protocol.wire import C2S, INITIALIZE, INITIALIZED, S2C, Wire, meta


def kinds(found: list[events.Event]) -> list[str]:
    return [type(event).__name__ for event in found]


def test_a_request_and_its_answer_are_one_exchange() -> None:
    wire = Wire()
    assert kinds(wire.ask(1, "tools/call", {"name": "add"})) == ["RequestSent"]
    assert kinds(wire.answer(1, {"content": []})) == ["Closed"]
    (exchange,) = wire.conversation.exchanges
    assert (exchange.target, exchange.state, exchange.duration_ns) == ("add", ExchangeState.ANSWERED, 10**9)
    assert (exchange.request_frame, exchange.answer_frame) == (1, 2)


def test_ids_are_distinguished_by_type_and_direction() -> None:
    wire = Wire()
    wire.ask(1, "a")
    wire.ask("1", "b")
    wire.ask(1, "c", direction=S2C)
    wire.answer("1", {})
    wire.answer(1, {}, direction=C2S)
    states = {exchange.method: exchange.state for exchange in wire.conversation.exchanges}
    assert states == {"a": ExchangeState.PENDING, "b": ExchangeState.ANSWERED, "c": ExchangeState.ANSWERED}


def test_an_answer_to_nothing_is_an_orphan_and_a_second_answer_is_late() -> None:
    wire = Wire()
    assert kinds(wire.answer(7, {})) == ["Orphaned"]
    wire.ask(1, "m")
    wire.answer(1, {})
    assert kinds(wire.answer(1, {})) == ["LateResponse"]


def test_error_without_an_id_ends_the_only_open_request_unless_a_notification_may_be_meant() -> None:
    wire = Wire()
    wire.ask(1, "m")
    wire.notify("notifications/roots/list_changed", direction=C2S)
    assert kinds(wire.fail(None, -32603)) == ["Orphaned"]
    assert kinds(wire.fail(None, -32603)) == ["Orphaned", "Cut"]
    (lost,) = wire.conversation.exchanges
    assert (lost.state, lost.why.split(" of ")[0]) == (ExchangeState.LOST, "the server sent an error without the id")
    wire.ask(2, "m")
    wire.ask(3, "m")
    assert kinds(wire.fail(None, -32603)) == ["Orphaned"]


def test_an_answer_after_a_cancel_is_late_and_shown_so() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "slow"})
    assert kinds(wire.notify("notifications/cancelled", {"requestId": 1, "reason": "bored"}, C2S)) == ["Cancelled"]
    (exchange,) = wire.conversation.exchanges
    assert (exchange.state, exchange.why) == (ExchangeState.CANCELLED, "bored")
    assert kinds(wire.answer(1, {})) == ["LateResponse"]
    assert (exchange.state, exchange.answer_frame) == (ExchangeState.LATE, 3)


def test_a_cancellation_names_its_request_in_any_spelling_of_the_number() -> None:
    wire = Wire()
    wire.ask(1, "roots/list", direction=S2C)
    assert kinds(wire.notify("notifications/cancelled", {"requestId": 1.0}, S2C)) == ["Cancelled"]


def test_cancelled_of_the_server_for_a_client_request_ends_it_with_the_reason() -> None:
    wire = Wire()
    wire.ask(1, "m")
    params = {"requestId": 1, "reason": "backend is shutting down"}
    assert kinds(wire.notify("notifications/cancelled", params, S2C)) == ["Cancelled"]
    ended = wire.conversation.exchanges[0]
    assert (ended.state, ended.why) == (ExchangeState.LOST, "the server cancelled it: backend is shutting down")


def test_cancelled_of_the_server_for_an_id_that_it_used_itself_keeps_the_client_request_open() -> None:
    wire = Wire()
    wire.ask(1, "m")
    wire.ask(1, "roots/list", direction=S2C)
    wire.notify("notifications/cancelled", {"requestId": 1}, S2C)
    assert kinds(wire.notify("notifications/cancelled", {"requestId": 1}, S2C)) == ["Notified"]
    assert wire.conversation.exchanges[0].is_open


def test_an_error_without_an_id_goes_to_the_request_of_its_http_exchange() -> None:
    wire = Wire()
    wire.ask(1, "a", http=1)
    wire.ask(2, "b", http=2)
    wire.fail(None, -32000, http=2)
    first, second = wire.conversation.exchanges
    assert first.is_open
    assert second.error_code == -32000
    assert kinds(wire.fail(None, -32000, http=3, channel=Channel.SSE)) == ["Orphaned"], "it is about another POST"
    assert kinds(wire.fail(None, -32000, http=4, channel=Channel.GET)) == ["Orphaned", "Cut"], (
        "all responses come there"
    )


def test_progress_finds_its_request_by_token_and_type() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "slow", "_meta": {"progressToken": 5}})
    found = wire.notify("notifications/progress", {"progressToken": 5, "progress": 1, "total": 4, "message": "on"})
    assert kinds(found) == ["Progressed"]
    assert kinds(wire.notify("notifications/progress", {"progressToken": "5", "progress": 2})) == ["Notified"]
    progress = wire.conversation.exchanges[0].progress
    assert progress is not None
    assert (progress.progress, progress.total, progress.message, progress.count) == (1, 4, "on", 1)


def test_a_handshake_settles_the_revision_the_server_chose() -> None:
    wire = Wire()
    wire.ask(1, "initialize", INITIALIZE)
    assert kinds(wire.answer(1, INITIALIZED)) == ["Closed", "Settled"]
    opening = wire.conversation.opening
    assert opening is not None
    assert (opening.revision.date, opening.era, opening.offered) == ("2025-06-18", Era.LEGACY, "2025-11-25")
    assert (opening.server["name"], opening.instructions, opening.warnings) == ("s", "be nice", ())


def test_an_unknown_newer_revision_runs_on_the_newest_row_with_a_warning() -> None:
    wire = Wire()
    wire.ask(1, "initialize", INITIALIZE)
    wire.answer(1, INITIALIZED | {"protocolVersion": "2031-01-01"})
    opening = wire.conversation.opening
    assert opening is not None
    assert opening.revision.date == "2031-01-01"
    assert "2025-11-25" in opening.warnings[0]


def test_a_discover_result_settles_the_revision_the_request_declared() -> None:
    wire = Wire()
    wire.ask(1, "server/discover", meta(), probe=True)
    result = {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    result["_meta"] = {"io.modelcontextprotocol/serverInfo": {"name": "m"}}
    wire.answer(1, result)
    opening = wire.conversation.opening
    assert opening is not None
    assert (opening.revision.date, opening.era, opening.server) == ("2026-07-28", Era.MODERN, {"name": "m"})
    assert wire.conversation.exchanges[0].probe


def test_initialize_that_was_sent_before_a_late_discover_result_is_a_probe_when_it_is_rejected() -> None:
    wire = Wire()
    wire.ask(1, "server/discover", meta(), probe=True)
    wire.ask(2, "initialize", INITIALIZE)
    wire.answer(1, {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}})
    wire.fail(2, -32022)
    wire.ask(3, "initialize", INITIALIZE)
    wire.fail(3, -32022)
    assert [exchange.probe for exchange in wire.conversation.exchanges] == [True, True, False]
    assert [*wire.conversation.exchanges.failures] == [0, 0, 0, 1]


def test_each_stateless_request_declares_its_own_revision() -> None:
    wire = Wire()
    wire.ask(1, "initialize", INITIALIZE)
    wire.answer(1, INITIALIZED)
    wire.ask(2, "tools/list")
    wire.ask(3, "tools/list", meta())
    assert [exchange.revision for exchange in wire.conversation.exchanges] == [None, "2025-06-18", "2026-07-28"]


def test_the_pages_of_a_list_are_one_operation_and_one_catalogue() -> None:
    wire = Wire()
    wire.ask(1, "tools/list")
    assert "Catalogued" in kinds(wire.answer(1, {"tools": [{"name": "a"}, 7], "nextCursor": "p2"}))
    wire.ask(2, "tools/list", {"cursor": "p2"})
    wire.answer(2, {"tools": [{"name": "b", "inputSchema": {}}]})
    assert [tool.name for tool in wire.conversation.catalogue.tools] == ["a", "", "b"]
    assert [bool(tool.flaw) for tool in wire.conversation.catalogue.tools] == [True, True, False]
    (operation,) = wire.conversation.operations.operations
    assert operation.exchanges == (1, 2)


def test_first_page_replaces_the_old_list() -> None:
    wire = Wire()
    for id_, name in ((1, "a"), (2, "b")):
        wire.ask(id_, "tools/list")
        wire.answer(id_, {"tools": [{"name": name}]})
    assert [tool.name for tool in wire.conversation.catalogue.tools] == ["b"]


def test_changed_list_is_outdated_until_listed_again() -> None:
    wire = Wire()
    assert kinds(wire.notify("notifications/resources/list_changed")) == ["Notified", "Outdated", "Outdated"]
    listings = wire.conversation.catalogue.listings
    assert listings["resources"].outdated
    assert listings["templates"].outdated
    wire.ask(1, "resources/list")
    wire.answer(1, {"resources": []})
    assert not wire.conversation.catalogue.listings["resources"].outdated


def test_a_tools_own_error_is_no_protocol_error() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "x"})
    wire.answer(1, {"content": [], "isError": True})
    exchange = wire.conversation.exchanges[0]
    assert (exchange.state, exchange.tool_error, exchange.error_code) == (ExchangeState.ANSWERED, True, None)


def test_open_requests_are_lost_at_the_end() -> None:
    wire = Wire()
    wire.ask(1, "a")
    wire.ask(2, "b")
    wire.answer(2, {})
    (lost,) = wire.conversation.end(9 * 10**9, "the server exited")
    assert (lost.method, lost.state, lost.why) == ("a", ExchangeState.LOST, "the server exited")
    assert wire.conversation.pairs.pending == []


def test_null_where_an_object_belongs_is_ordinary_input() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": None, "_meta": None})
    wire.answer(1, None)
    wire.ask(2, "tools/list", {"_meta": None, "cursor": None})
    wire.answer(2, {"tools": None, "nextCursor": None})
    assert [exchange.state for exchange in wire.conversation.exchanges] == [ExchangeState.ANSWERED] * 2


def test_a_banner_is_garbled_and_changes_nothing() -> None:
    wire = Wire()
    (event,) = wire.say(S2C, b"Listening...")
    assert isinstance(event, events.Garbled)
    assert len(wire.conversation.exchanges) == 0


METHODS = st.sampled_from(
    [
        *("initialize", "server/discover", "tools/list", "tools/call", "resources/templates/list", "ping", ""),
        *("notifications/progress", "notifications/cancelled", "notifications/tools/list_changed"),
    ]
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "1.0", 2]),
        "id": st.integers(0, 3) | st.sampled_from(["1", None, True, 1.5]),
        "method": METHODS | st.none(),
        "params": JSON
        | st.fixed_dictionaries({"requestId": st.integers(0, 3)})
        | st.fixed_dictionaries({"_meta": JSON, "cursor": JSON, "progressToken": st.integers(0, 3), "progress": JSON}),
        "result": JSON | st.fixed_dictionaries({"tools": JSON, "nextCursor": JSON, "protocolVersion": JSON}),
        "error": JSON,
    },
)


@given(st.lists(st.tuples(st.sampled_from([C2S, S2C]), MESSAGES | st.lists(MESSAGES) | JSON), max_size=12))
def test_no_traffic_makes_the_fold_raise(traffic: list[tuple[Any, Any]]) -> None:
    wire = Wire()
    for direction, message in traffic:
        wire.say(direction, json.dumps(message).encode())
    pending = {exchange.number for exchange in wire.conversation.pairs.pending}
    assert pending <= {exchange.number for exchange in wire.conversation.exchanges if exchange.is_open}


def test_target_of_a_request_depends_on_its_method() -> None:
    assert target_of("tools/call", {"name": "add"}) == "add"
    assert target_of("resources/read", {"uri": "file:///a"}) == "file:///a"
    assert target_of("completion/complete", {"ref": {"type": "ref/prompt", "name": "p"}}) == "p"
    assert target_of("tools/list", {"cursor": "2"}) == ""


ASKS = {"resultType": "input_required", "inputRequests": {"who": {"method": "elicitation/create"}}}


def asked(found: list[events.Event]) -> list[tuple[str, int, int | None, str]]:
    server_requests = [event.server_request for event in found if isinstance(event, events.ServerRequested)]
    return [
        (server_request.kind.value, server_request.exchange, server_request.cause, server_request.key)
        for server_request in server_requests
    ]


def test_a_request_of_the_server_s_own_is_a_question_with_the_one_open_call_as_its_cause() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "book"})
    found = wire.ask("q", "elicitation/create", {"message": "Who?"}, S2C)
    assert kinds(found) == ["RequestSent", "ServerRequested"]
    assert asked(found) == [("elicitation", 2, 1, "")]
    assert [server_request.message for server_request in wire.conversation.server_requests] == ["Who?"]


def test_server_request_on_stdio_with_two_open_calls_has_no_cause() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "book"})
    wire.ask(2, "tools/call", {"name": "cook"})
    assert asked(wire.ask("q", "sampling/createMessage", {}, S2C)) == [("sampling", 3, None, "")]


def test_server_request_over_http_belongs_to_the_call_of_its_stream() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "book"}, http=7)
    wire.ask(2, "tools/call", {"name": "cook"}, http=8)
    assert asked(wire.ask("q", "elicitation/create", {}, S2C, http=8)) == [("elicitation", 3, 2, "")]
    assert asked(wire.ask("r", "roots/list", None, S2C, http=9)) == [("roots", 4, None, "")]


def test_client_request_and_ping_are_no_server_requests() -> None:
    wire = Wire()
    assert asked(wire.ask(1, "elicitation/create", {})) == []
    assert asked(wire.ask("p", "ping", None, S2C)) == []


def test_a_result_that_asks_for_input_is_questions_and_its_retry_the_same_operation() -> None:
    wire = Wire()
    book = {"name": "book", **meta()}
    wire.ask(1, "tools/call", book)
    found = wire.answer(1, ASKS)
    assert kinds(found)[:2] == ["Closed", "ServerRequested"]
    assert asked(found) == [("elicitation", 1, 1, "who")]
    wire.ask(2, "tools/call", book | {"inputResponses": {"who": {"action": "decline"}}})
    (operation,) = wire.conversation.operations.operations
    assert operation.exchanges == (1, 2)


def test_only_the_methods_that_may_ask_are_believed() -> None:
    wire = Wire()
    wire.ask(1, "tools/list", meta())
    assert asked(wire.answer(1, ASKS)) == []


def test_every_question_of_a_batch_is_one() -> None:
    wire = Wire()
    batch = [{"jsonrpc": "2.0", "id": n, "method": "roots/list"} for n in (1, 2)]
    assert asked(wire.say(S2C, batch)) == [("roots", 1, None, ""), ("roots", 2, None, "")]
