"""What is looked for in payloads, and what is never parsed for it."""

import pytest

from inspector.capture.filters.payloads import is_there, literal_of
from inspector.capture.filters.terms import Compare, Op, Ref
from inspector.protocol.jsonrpc import Message, read
from tests.capture.filters.test_program import found
from tests.viewmodels.tape import Tape


def test_only_messages_that_may_match_are_parsed(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        tape.call(number, "echo", {"city": f"town-{number}"})
    parsed: list[bytes] = []

    def reading(payload: bytes) -> tuple[Message, ...]:
        parsed.append(payload)
        return read(payload)

    monkeypatch.setattr("inspector.capture.filters.payloads.read", reading)
    assert found(tape.journal, "args.city == town-7") == [8]
    assert len(parsed) == 1
    assert found(tape.journal, "args.street == x") == []
    assert len(parsed) == 1


def test_a_name_that_is_written_in_escapes_is_found_all_the_same(tape: Tape) -> None:
    tape.to_server(b'{"jsonrpc":"2.0","method":"a","params":{"\\u0063ity":"x\\u0079"}}')
    tape.to_server(b'{"jsonrpc":"2.0","method":"a","params":{"city":"xy"}}')
    assert found(tape.journal, "params.city == xy") == [1, 2]


def test_deep_and_broken_payloads_match_nothing(tape: Tape) -> None:
    tape.from_server(b'{"jsonrpc":"2.0","method":"a","params":' + b"[" * 5000 + b"]" * 5000 + b"}")
    tape.from_server(b'{"jsonrpc":"2.0","method":"a","params":{"q":')
    tape.from_server(b"\xff\x00\x1b")
    assert found(tape.journal, "params.q") == []
    assert found(tape.journal, "not params.q") == [1, 2, 3]


def test_what_must_stand_in_the_line_is_the_longest_plain_part() -> None:
    ref = Ref("args", ("a", None, "street"))
    assert literal_of(ref, None) == b"street"
    assert literal_of(ref, Compare(ref, Op.EQ, ('"Unter den Linden"',))) == b"Unter den Linden"
    assert literal_of(ref, Compare(ref, Op.NE, ("Unter den Linden",))) == b"street"
    assert literal_of(Ref("args", ("é",)), None) is None


def test_null_and_false_are_not_there() -> None:
    assert not is_there(None)
    assert not is_there(False)
    assert is_there(0)
    assert is_there("")


def test_the_words_of_facts_and_states_are_found(tape: Tape) -> None:
    tape.stderr(b"rate limited")
    tape.call(2, "echo")
    tape.notify("notifications/progress", {"progressToken": 2, "progress": 1})
    tape.answer(2, {"content": [{"type": "text", "text": "BOOM"}], "isError": True})
    tape.request(3, "server/discover", probe=True)
    tape.answer(3, {"capabilities": {}})
    tape.died(code=3)
    expected = {
        "stderr": [1],
        "limited": [1],
        '"tools/CALL"': [2, 4],
        "echo": [2, 4],
        '"progress"': [2, 3],
        "boom": [4],
        '"tool error"': [2, 4],
        '"probe"': [5, 6],
        "server/discover": [5, 6],
        "ProcessFact": [7],
        "nowhere": [],
    }
    assert {text: found(tape.journal, text) for text in expected} == expected
