"""How much is listed, in what order, on how many pages."""

from collections.abc import Sequence
from typing import Any

import pytest

from inspector.checks.diagnoses import surface_size
from tests.checks.both import assert_both, checks_of, of_one
from tests.checks.talks import Cases, Script, Talk


def _tools(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "description": "d", "inputSchema": {"type": "object"}} for name in names]


def _pages(*pages: Sequence[str], again: Sequence[str] = ()) -> Script:
    def talk() -> Talk:
        found = Talk()
        for at, names in enumerate(pages):
            more = {"nextCursor": str(at + 1)} if at + 1 < len(pages) else {}
            found.ask("tools/list", {"cursor": str(at)} if at else None).answer({"tools": _tools(*names)} | more)
        return found.ask("tools/list").answer({"tools": _tools(*again)}) if again else found

    return talk


_MANY = [f"t{at}" for at in range(81)]
CASES: Cases = {
    "S-16": (_pages(_MANY), _pages(_MANY[:80])),
    "S-17": (_pages("ab", again="ba"), _pages("ab", again="ab")),
    "S-18": (_pages("ab", "cd"), _pages("abcd")),
}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(surface_size)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)


def test_tools_are_counted_over_all_pages_and_more_than_a_hundred_and_twenty_eight_are_a_warning() -> None:
    names = [f"t{at}" for at in range(129)]
    (found,) = of_one(_pages(names[:100], names[100:])().findings(), "S-16")
    assert found.severity == "warning"
    assert "129 tools" in found.sentence
    assert found.hosts == ("vscode", "cursor")


@pytest.mark.parametrize(
    ("cursors", "said"),
    [
        ("aa", "returned the cursor that it was asked with, 'a': the same cursor comes back for ever"),
        ("aba", "returned an earlier cursor again, 'a': the same cursors come back for ever"),
    ],
)
@pytest.mark.parametrize("kind", ["tools", "prompts", "resources"])
def test_a_list_without_an_end_is_one_error_that_says_where_it_is_cut(cursors: str, said: str, kind: str) -> None:
    talk = Talk()
    for at, cursor in enumerate(cursors):
        item = {"name": f"n{at}", "uri": f"a:{at}", "description": "d", "inputSchema": {"type": "object"}}
        asked = {"cursor": cursors[at - 1]} if at else None
        talk.ask(f"{kind}/list", asked).answer({kind: [item], "nextCursor": cursor})
    found = [each for each in talk.close().findings() if each.id in ("S-18", "A02")]
    assert [(each.id, each.severity) for each in found] == [("S-18" if kind == "tools" else "A02", "error")]
    assert said in found[0].sentence
    assert "never ends and is cut at this page" in found[0].sentence


def test_a_page_that_repeats_the_one_before_is_a_warning() -> None:
    found = of_one(_pages("ab", "ab")().findings(), "S-18")
    assert [(each.severity, each.pointer) for each in found] == [
        ("hint", "/result/nextCursor"),
        ("warning", "/result/tools"),
    ]


def test_a_page_that_came_before_is_one_fault_and_none_where_it_was_asked_for_again() -> None:
    led = _pages("ab", "ab")().findings()
    assert [each.id for each in led if each.severity == "warning"] == ["S-18"]
    asked = Talk().ask("tools/list").answer({"tools": _tools("a"), "nextCursor": "1"})
    for _ in range(2):
        asked.ask("tools/list", {"cursor": "1"}).answer({"tools": _tools("b", "c"), "nextCursor": "2"})
    asked.ask("tools/list", {"cursor": "2"}).answer({"tools": _tools("d")})
    assert [each.severity for each in asked.findings()] == ["hint"]


def test_a_tool_on_two_pages_is_told_by_what_is_the_same_about_it() -> None:
    (same,) = of_one(_pages("ab", "bc")().findings(), "T07")
    assert same.sentence == "the tool 'b' is listed twice"
    other = {"name": "b", "description": "another", "inputSchema": {"type": "object"}}
    talk = Talk().ask("tools/list").answer({"tools": _tools("a", "b"), "nextCursor": "1"})
    (differs,) = of_one(talk.ask("tools/list", {"cursor": "1"}).answer({"tools": [other]}).findings(), "T07")
    assert differs.sentence == "another tool is called 'b', too"
