"""A case has ready what the server was told when it asked, however that travelled."""

from collections.abc import Iterator
from typing import Any

import pytest

from inspector.protocol.exchanges import Exchange
from inspector.replay.cases.answers import answers_in, first_params, message_in
from inspector.replay.cases.making import case_of, seen
from inspector.replay.cases.running import read_answers
from tests.viewmodels.tape import Tape

_CITY = {"action": "accept", "content": {"city": "Oslo"}}
_SAID = {"role": "assistant", "content": {"type": "text", "text": "Aye"}, "model": "m"}
_ROOTS = {"roots": [{"uri": "file:///srv"}]}
_ENTRIES = (
    {"kind": "elicitation", "malformed": _CITY},
    {"kind": "sampling", "malformed": _SAID},
    {"kind": "roots", "malformed": _ROOTS},
)


@pytest.fixture
def tape() -> Iterator[Tape]:
    tape = Tape()
    yield tape
    tape.journal.close()


def exchanges(tape: Tape) -> list[Exchange]:
    return [*tape.journal.conversation.exchanges]


def test_answers_to_requests_of_the_servers_own_are_those_of_the_call_that_was_open(tape: Tape) -> None:
    tape.call(1, "plan")
    for id_, method, answer in (("a", "elicitation/create", _CITY), ("b", "sampling/createMessage", _SAID)):
        tape.server_request(id_, method, {"message": "Which?"})
        tape.client_answer(id_, answer)
    tape.server_request("c", "roots/list")
    tape.client_answer("c", _ROOTS)
    tape.server_request("d", "elicitation/create", {"message": "And?"})
    tape.to_server({"jsonrpc": "2.0", "id": "d", "error": {"code": -1, "message": "not now"}})
    tape.server_request("e", "elicitation/create", {"message": "Still there?"})
    tape.answer(1, {"content": []})
    tape.call(2, "other")
    tape.answer(2, {"content": []})
    first, *_, last = exchanges(tape)
    refused = {"kind": "elicitation", "answer": "error", "code": -1, "text": "not now"}
    assert answers_in(tape.journal, first) == (*_ENTRIES, refused)
    assert answers_in(tape.journal, last) == ()
    assert len(read_answers(case_of("tools/call", {}, answers=answers_in(tape.journal, first)))) == 4


def test_answers_that_a_retry_brought_stand_in_the_case_and_the_retry_does_not(tape: Tape) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    params: dict[str, Any] = {"name": "plan", "arguments": {"days": 2}, "_meta": meta}
    methods = ("elicitation/create", "sampling/createMessage", "roots/list")
    questions = {method: {"method": method, "params": {}} for method in methods}
    tape.request(1, "tools/call", params)
    tape.answer(1, {"resultType": "input_required", "inputRequests": questions, "requestState": "s"})
    brought = dict(zip(questions, (_CITY, _SAID, _ROOTS), strict=True))
    tape.request(2, "tools/call", params | {"inputResponses": brought, "requestState": "s"})
    tape.answer(2, {"resultType": "complete", "content": []})
    asked, retry = exchanges(tape)
    assert asked.asks
    assert answers_in(tape.journal, retry) == _ENTRIES
    assert first_params(tape.journal, retry) == params
    came = seen(tape.journal, retry)
    assert came is not None
    assert case_of(came.method, came.params, (), came.answers).params == {"name": "plan", "arguments": {"days": 2}}
    assert came.answers == _ENTRIES


def test_a_message_is_found_by_its_id(tape: Tape) -> None:
    tape.call(1, "plan")
    assert message_in(tape.journal, 1, 1) is not None
    assert message_in(tape.journal, 1, 2) is None
