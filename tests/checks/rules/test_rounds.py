"""Rounds of questions."""

import base64
from typing import Any

import pytest

from inspector.checks.rules import rounds
from tests.checks.both import assert_both, checks_of, of_one
from tests.checks.talks import Cases, Script, Talk, ids

_ASKS = {"name": {"method": "roots/list"}}
_CALL = {"name": "a", "arguments": {"b": 1}}


def _asking(state: str) -> Script:
    return lambda: Talk(5).ask("tools/call", _CALL).answer({"resultType": "input_required", "requestState": state})


def _again(answer: Any, times: int = 1, then: Any = _ASKS) -> Script:
    """A call is answered with a question, retried with an answer, and answered with another one."""

    def script() -> Talk:
        talk = Talk(5).ask("tools/call", _CALL).answer({"resultType": "input_required", "inputRequests": _ASKS})
        for _ in range(times):
            _retry(talk, answer).answer({"resultType": "input_required", "inputRequests": then})
        return talk

    return script


def _retry(talk: Talk, answer: Any) -> Talk:
    return talk.ask("tools/call", _CALL | {"inputResponses": {"name": answer}})


def _packed(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


CASES: Cases = {
    "I06": (_asking('{"step":2}'), _asking('{"step":2,"sig":"c2ln"}')),
    "I07": (_again({"roots": []}), _again({"roots": []}, then={"other": {"method": "roots/list"}})),
}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(rounds)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)


@pytest.mark.parametrize("state", ["opaque", "", "12", _packed("[1]"), f"{_packed('{}')}.{_packed('{}')}.c2ln", "e30="])
def test_a_state_that_says_nothing_readable_is_left_alone(state: str) -> None:
    assert "I06" not in ids(_asking(state)())


def test_a_state_may_be_readable_as_base64() -> None:
    assert "I06" in ids(_asking(_packed('{"user":"me"}'))())


def test_who_declined_may_be_asked_again() -> None:
    assert "I07" not in ids(_again({"action": "decline"})())


def test_an_eleventh_round_is_told_once() -> None:
    found = of_one(_again({"action": "decline"}, times=12)().findings(), "I07")
    assert [each.sentence for each in found] == ["tools/call asks for the 11th time"]


def test_a_call_that_is_made_anew_begins_to_count_anew() -> None:
    talk = Talk(5)
    for _ in range(12):
        talk.ask("tools/call", _CALL).answer({"resultType": "input_required", "inputRequests": _ASKS})
        _retry(talk, {"roots": []}).answer({"content": [{"type": "text", "text": "done"}]})
    assert "I07" not in ids(talk)
