"""Resources, prompts and completions."""

import pytest

from inspector.checks.rules import resources
from tests.checks.both import assert_both, checks_of
from tests.checks.talks import Cases, Talk, asked, told

_A = {"uri": "a:b", "name": "b"}
_RESOURCE = {"type": "resource", "resource": {"uri": "a:b", "text": ""}}


def _prompt(**more: object) -> object:
    resource = {"uri": "a:b", "text": ""} | more
    return {"messages": [{"role": "user", "content": {"type": "resource", "resource": resource}}]}


def _values(count: int) -> object:
    return {"completion": {"values": ["a"] * count}}


CASES: Cases = {
    "R03": (
        asked("resources/list", {"resources": [_A, _A]}),
        asked("resources/list", {"resources": [_A, _A | {"uri": "a:c"}]}),
    ),
    "R04": (
        asked("resources/read", {"contents": [{"uri": "a:b", "text": "", "blob": ""}]}),
        asked("resources/read", {"contents": [{"uri": "a:b", "text": ""}]}),
    ),
    "R05": (
        asked("resources/read", {"contents": []}),
        asked("resources/read", {"contents": [{"uri": "a:b", "blob": ""}]}),
    ),
    "R08": (
        told("notifications/resources/updated", {"uri": "a:b"}),
        lambda: (
            Talk()
            .ask("resources/subscribe", {"uri": "a:b"})
            .answer({})
            .tell("notifications/resources/updated", {"uri": "a:b/part"})
        ),
    ),
    "P05": (asked("prompts/get", _prompt()), asked("prompts/get", _prompt(mimeType="text/plain"))),
    "Q01": (asked("completion/complete", _values(101)), asked("completion/complete", _values(100))),
}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(resources)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)
