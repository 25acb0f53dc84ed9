"""The tools of a page, looked at once."""

from collections import Counter

from inspector.checks.diagnoses.surface import MOST_WITH, called, flaws_of, is_later_page, is_paged, tools_seen
from inspector.checks.diagnoses.surface_schemas import label_is_current
from inspector.checks.inspection import MOST_FLAWS
from inspector.checks.scene import Asked, Case, Scene
from inspector.protocol.frames import Direction


def _case(value: object, params: object = None) -> Case:
    case = Case(Scene(), 1, 0, 4)
    case.value = value
    case.asked = Asked(Direction.TO_SERVER, 1, "tools/list", params, 1, 0, None, 4)
    return case


def test_each_tool_that_is_an_object_is_seen_with_its_place() -> None:
    case = _case({"tools": [7, {"name": "a", "inputSchema": {}}, {"inputSchema": None}]})
    seen = tools_seen(case)
    assert [(each.place, each.name) for each in seen] == [("/result/tools/1", "a"), ("/result/tools/2", "number 3")]
    assert tools_seen(case) is seen
    assert [flaw.pointer for flaw in flaws_of(case, "input-root")] == [f"{each.place}/inputSchema" for each in seen]


def test_a_page_is_known_by_its_cursor_or_by_the_one_it_was_asked_with() -> None:
    assert not is_paged(_case({}))
    assert is_paged(_case({"nextCursor": "b"}))
    assert is_later_page(_case({}, {"cursor": "b"}))
    assert called({"name": "x" * 200}, 0) == "x" * 80


def test_of_what_all_tools_have_some_places_are_kept() -> None:
    """A hundred thousand wrong defaults in one page are as many traits that no finding is made of."""
    property_ = {"type": "string", "default": 7, "enum": ["a"]}
    wrong = {"type": "object", "properties": {f"p{n}": property_ for n in range(10)}}
    case = _case({"tools": [{"name": f"t{n}", "inputSchema": wrong} for n in range(500)]})
    seen = tools_seen(case)
    assert len(seen) == 500
    by_kind = Counter(trait.kind for each in seen for trait in each.traits)
    assert by_kind["default-wrong"] == MOST_WITH * 10, "each kept tool has all of its places"
    assert max(by_kind.values()) <= MOST_WITH * 10
    assert len([*flaws_of(case, "default-wrong", most=1)]) == MOST_WITH >= MOST_FLAWS


def test_every_labelled_schema_is_counted() -> None:
    old = {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"}
    case = _case({"tools": [{"name": f"t{n}", "inputSchema": old} for n in range(MOST_WITH + 5)]})
    (flaw,) = label_is_current(case)
    assert f"{MOST_WITH + 4} more tools" in flaw.sentence


def test_a_kind_that_many_have_does_not_hide_another_at_the_same_keyword() -> None:
    many = {"type": "object", "properties": {"p": {"type": "array"}}}
    last = {"type": "object", "properties": {"p": {"type": ["string", "integer"]}}}
    tools = [{"name": f"t{n}", "inputSchema": many} for n in range(MOST_WITH + 5)]
    case = _case({"tools": [*tools, {"name": "last", "inputSchema": last}]})
    assert [each.kind for each in tools_seen(case)[-1].traits if each.pointer.endswith("/type")] == ["several-types"]
