"""Members of another revision."""

import pytest

from inspector.checks.rules import members
from tests.checks.both import assert_both, checks_of, of_one
from tests.checks.talks import Cases, Talk, asked

_TOOL = {"name": "a", "description": "d", "inputSchema": {"type": "object"}}


def _listed(row: int, **more: object) -> Talk:
    return Talk(row).ask("tools/list").answer({"tools": [_TOOL, _TOOL | {"name": "b"} | more]})


CASES: Cases = {
    "E25": (lambda: _listed(3, icons=[]), lambda: _listed(4, icons=[])),
}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(members)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)


@pytest.mark.parametrize(
    ("talk", "pointer", "words"),
    [
        (_listed(5, execution={"taskSupport": "forbidden"}), "/result/tools/1/execution", "execution was there until"),
        (_listed(2, outputSchema={"type": "object"}), "/result/tools/1/outputSchema", "outputSchema is there from"),
        (asked("tools/call", {"content": [], "structuredContent": {}}, 2)(), "/result/structuredContent", "from"),
        (Talk(3).demand("elicitation/create", {"message": "?", "mode": "form"}), "/params/mode", "mode is there from"),
    ],
)
def test_it_says_where_and_since_when(talk: Talk, pointer: str, words: str) -> None:
    (found,) = of_one(talk.findings(), "E25")
    assert found.pointer == pointer
    assert words in found.sentence
    assert found.severity == "hint"


def test_members_that_nobody_defines_and_those_of_meta_are_free() -> None:
    assert not of_one(_listed(2, ours=1, _meta={}).findings(), "E25")


def test_each_is_told_once_a_connection() -> None:
    talk = _listed(3, icons=[])
    talk.ask("tools/list").answer({"tools": [_TOOL | {"icons": []}]})
    assert len(of_one(talk.findings(), "E25")) == 1
