"""The tools of a page, looked at once."""

from inspector.checks.diagnoses.surface import called, flaws_of, is_later_page, is_paged, tools_seen
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
