"""Operations are described completely, and only with messages that certainly belong to them."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from inspector.capture.compare.operations import Operations, accounts, read_operations
from inspector.capture.store import fold_fast_path as rows_module
from inspector.capture.store.load import load
from inspector.errors import CaptureError
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.jsonrpc import Part
from tests.capture.compare.talk import asks, calls, gives, says, tells, told
from tests.capture.conversations import HAPPENINGS, tell
from tests.capture.recording import recorded
from tests.captures.record import sample


def _read(name: str) -> Operations:
    journal = load(sample(name))
    try:
        return accounts(journal)
    finally:
        journal.close()


def test_progress_logs_and_server_requests_belong_to_their_call() -> None:
    found = told(
        calls(1, "plan"),
        tells("notifications/progress", {"progressToken": 1, "progress": 1}),
        tells("notifications/message", {"level": "info", "data": "so far"}),
        ("<", {"id": 1, "method": "elicitation/create", "params": {"message": "Which?"}}),
        (">", {"id": 1, "result": {"action": "accept", "content": {"city": "Oslo"}}}),
        says(1, "done"),
        http=5,
    )
    (call,) = found.operations
    assert (call.method, call.target, call.frame, call.state) == ("tools/call", "plan", 1, ExchangeState.ANSWERED)
    assert call.progress == [{"progress": 1}]
    assert call.logs == [{"level": "info", "data": "so far"}]
    assert [(each.params, each.answer) for each in call.asked] == [
        ({"message": "Which?"}, {"action": "accept", "content": {"city": "Oslo"}})
    ]
    assert found.loose == []


def test_log_message_on_stdio_is_loose_and_server_request_belongs_to_the_call() -> None:
    asked = ("<", {"id": 1, "method": "elicitation/create", "params": {"message": "Which?"}})
    found = told(calls(1, "plan"), tells("notifications/message", {"data": "by the way"}), asked, says(1, "done"))
    assert [(len(each.logs), len(each.asked)) for each in found.operations] == [(0, 1)]
    assert [each.method for each in found.loose] == ["notifications/message"]


def test_message_that_fits_two_calls_belongs_to_none() -> None:
    found = told(
        calls(1, "a"), calls(2, "b"), tells("notifications/message", {"data": "whose?"}), says(2, ""), says(1, "")
    )
    assert not any(each.logs for each in found.operations)
    assert [(each.method, each.frame) for each in found.loose] == [("notifications/message", 3)]


def test_the_pages_of_a_list_are_one_operation_with_one_result() -> None:
    (listed,) = told(
        asks(1, "tools/list"),
        gives(1, {"tools": [{"name": "a"}], "nextCursor": "p2"}),
        asks(2, "tools/list", {"cursor": "p2"}),
        gives(2, {"tools": [{"name": "b"}]}),
    ).operations
    assert listed.answer == {"tools": [{"name": "a"}, {"name": "b"}]}
    assert [each.frame for each in listed.sent] == [1, 3]


def test_pings_are_left_out_and_what_never_came_is_pending() -> None:
    (call,) = told(asks(1, "ping"), gives(1, {}), calls(2, "hang")).operations
    assert (call.target, call.state, call.answer) == ("hang", ExchangeState.PENDING, None)


def test_a_question_in_a_result_and_its_retry_are_one_operation_with_the_answer() -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    params = {"name": "plan", "arguments": {}, "_meta": meta}
    question = {"method": "elicitation/create", "params": {"message": "Which?"}}
    answered = {"inputResponses": {"city": {"action": "accept"}}, "requestState": "s"}
    (call,) = told(
        asks(1, "tools/call", params),
        gives(1, {"resultType": "input_required", "inputRequests": {"city": question}, "requestState": "s"}),
        asks(2, "tools/call", params | answered),
        says(2, "done"),
    ).operations
    assert [(each.method, each.params, each.answer) for each in call.asked] == [
        ("elicitation/create", {"message": "Which?"}, {"action": "accept"})
    ]
    assert call.answer == {"content": [{"type": "text", "text": "done"}]}


def test_broken_conversation_has_the_state_of_each_operation() -> None:
    assert ExchangeState.LOST in {each.state for each in _read("wreck").operations}


_NAMES = ("evening", "handshake", "harbour", "lighthouse", "shipyard", "stateless", "torn", "wreck")


def _seen(value: Any) -> Any:
    """All of it as plain values, parts as what they hold."""
    if isinstance(value, Part):
        return value.raw
    if isinstance(value, list | tuple):
        return [_seen(each) for each in value]
    fields = getattr(value, "__struct_fields__", ())
    return {name: _seen(getattr(value, name)) for name in fields} if fields else value


def _one_by_one(path: Path) -> Operations:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "LONGEST", -1)
        return read_operations(path).accounts


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(HAPPENINGS)
def test_plain_messages_come_to_what_all_others_do(tmp_path_factory: Any, happenings: list[Any]) -> None:
    path = tmp_path_factory.mktemp("reading") / "x.mcpcap"
    journal = recorded(path)
    tell(journal, happenings)
    journal.close()
    assert _seen(read_operations(path).accounts) == _seen(_one_by_one(path))


@pytest.mark.parametrize("name", _NAMES)
def test_a_capture_comes_to_the_same_while_it_is_read_and_afterwards(name: str) -> None:
    journal = load(sample(name))
    told, notices = _seen(accounts(journal)), journal.notices
    journal.close()
    read = read_operations(sample(name))
    assert _seen(read.accounts) == told
    assert read.notices == notices


def test_read_operations_refuses_other_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n")
    with pytest.raises(CaptureError):
        read_operations(tmp_path / "a.txt")
