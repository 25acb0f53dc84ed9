"""Messages of a journal are found by entry, and by the exchange that they belong to."""

import pytest

from inspector.capture.messages import exchange_at, messages_at, request_of, response_of, result_response_of
from inspector.protocol.jsonrpc import ErrorResponse, Notification, ResultResponse
from tests.present.tape import Tape


@pytest.fixture
def tape() -> Tape:
    tape = Tape().started()
    tape.call(1, "plan")
    tape.answer(1, {"content": []})
    tape.call(2, "fail")
    tape.error(2, -32603, "no")
    tape.call(3, "wait")
    tape.notify("notifications/message", {"data": "x"})
    return tape


def test_entry_without_a_frame_or_beyond_the_journal_has_no_messages_and_no_exchange(tape: Tape) -> None:
    count = tape.journal.count
    assert [messages_at(tape.journal, n) for n in (None, 0, 1, count + 1)] == [()] * 4
    assert [exchange_at(tape.journal, n) for n in (0, 1, count, count + 1)] == [None] * 4
    assert isinstance(messages_at(tape.journal, count)[0], Notification)


def test_exchange_has_its_request_and_its_response(tape: Tape) -> None:
    good, bad, pending = tape.journal.conversation.exchanges
    assert exchange_at(tape.journal, good.request_frame) == exchange_at(tape.journal, good.answer_frame or 0) == good
    asked = request_of(tape.journal, good)
    assert asked is not None
    assert asked.params["name"] == "plan"
    assert isinstance(response_of(tape.journal, good), ResultResponse)
    assert isinstance(response_of(tape.journal, bad), ErrorResponse)
    assert response_of(tape.journal, pending) is None
    assert [result_response_of(tape.journal, each) is None for each in (good, bad, pending)] == [False, True, True]


def test_request_of_a_batch_is_found_by_its_id() -> None:
    tape = Tape().started()
    tape.to_server(
        [{"jsonrpc": "2.0", "id": id_, "method": method} for id_, method in ((1, "ping"), (2, "tools/list"))]
    )
    found = [request_of(tape.journal, each) for each in tape.journal.conversation.exchanges]
    assert [each.method for each in found if each is not None] == ["ping", "tools/list"]
