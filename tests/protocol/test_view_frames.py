"""Frames between a View and its host, in the conversation of the session."""

from inspector.protocol import events
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.frames import Direction
from tests.protocol.wire import C2S, Wire

V2H, H2V = Direction.FROM_VIEW, Direction.TO_VIEW
CALL = {"name": "count", "arguments": {"by": 2}}


def test_ids_of_a_view_and_of_the_client_are_apart() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", CALL)
    wire.ask(1, "ui/initialize", {}, V2H)
    wire.answer(1, {"hostContext": {}}, H2V)
    server, view = wire.conversation.exchanges
    assert (server.state, view.state) == (ExchangeState.PENDING, ExchangeState.ANSWERED)
    assert (server.sender, view.sender) == (C2S, V2H)


def test_view_request_does_not_open_a_server_request() -> None:
    wire = Wire()
    found = wire.ask("teardown-1", "ui/resource-teardown", {"reason": "closed"}, H2V)
    assert [type(each) for each in found] == [events.RequestSent]
    assert not wire.conversation.server_requests
    wire.answer("teardown-1", {}, V2H)
    assert wire.conversation.exchanges[0].state is ExchangeState.ANSWERED


def test_forwarded_call_belongs_to_the_operation_of_the_view() -> None:
    wire = Wire()
    wire.ask(7, "tools/call", CALL, V2H)
    wire.ask(1, "tools/call", {**CALL, "_meta": {"progressToken": 1}})
    wire.answer(1, {"content": [], "isError": True})
    wire.answer(7, {"content": [], "isError": True}, H2V)
    view, server = wire.conversation.exchanges
    assert view.operation == server.operation
    assert (view.tool_error, server.tool_error) == (True, True)


def test_call_with_other_arguments_is_an_operation_of_its_own() -> None:
    wire = Wire()
    wire.ask(7, "tools/call", CALL, V2H)
    wire.ask(1, "tools/call", {"name": "count", "arguments": {"by": 3}})
    view, server = wire.conversation.exchanges
    assert view.operation != server.operation


def test_two_equal_calls_of_a_view_belong_to_one_forwarded_call_each() -> None:
    wire = Wire()
    for id_ in (7, 8):
        wire.ask(id_, "tools/call", CALL, V2H)
    for id_ in (1, 2):
        wire.ask(id_, "tools/call", CALL)
    one, two, first, second = (each.operation for each in wire.conversation.exchanges)
    assert (one, two) == (first, second)


def test_response_without_a_request_of_a_view_is_an_orphan() -> None:
    wire = Wire()
    wire.ask(5, "tools/call", CALL)
    assert [type(each) for each in wire.answer(5, {}, V2H)] == [events.Orphaned]
    assert wire.conversation.exchanges[0].is_open


def test_exchange_of_a_view_is_unpacked_with_its_sender() -> None:
    wire = Wire()
    wire.ask(1, "ui/initialize", {}, V2H)
    wire.answer(1, {}, H2V)
    wire.ask(1, "ui/resource-teardown", {}, H2V)
    wire.answer(1, {}, V2H)
    senders = [wire.conversation.exchanges[at].sender for at in range(2)]
    assert senders == [V2H, H2V]
