"""Members that a revision does not have and another has."""

from inspector.checks.shapes.strangers import strangers


def test_members_of_other_rows_are_found_with_their_place_and_their_rows() -> None:
    (found,) = strangers(2, "Tools", {"tools": [{"title": "t"}, {"title": "u"}]})
    assert (found.type, found.member, found.pointer, found.rows) == ("Tool", "title", "/tools/0/title", (3, 4, 5))


def test_a_member_whose_kind_changed_is_no_stranger() -> None:
    assert not strangers(5, "Tools", {"tools": [{"outputSchema": {"type": "string"}}]})


def test_schemas_have_the_keywords_that_they_like() -> None:
    assert not strangers(5, "Tools", {"tools": [{"inputSchema": {"type": "object", "properties": {}}}]})
    assert not strangers(1, "Tools", {"tools": [{"inputSchema": {"$schema": "x", "properties": {}}}]})


def test_blocks_are_told_apart_by_their_type() -> None:
    blocks = [{"type": "resource_link", "uri": "a:b", "name": "n", "icons": []}, {"type": "text", "icons": []}]
    assert [each.pointer for each in strangers(3, "Called", {"content": blocks})] == ["/content/0/icons"]


def test_values_of_any_kind_are_taken() -> None:
    for value in (None, 1, "a", [], [[1]], {"tools": {"a": 1}}, {"tools": [None, [{"title": 1}]]}):
        assert strangers(1, "Tools", value) in ([], strangers(1, "Tools", value))


def test_a_long_list_is_not_looked_at_to_its_end() -> None:
    tools: list[object] = [{"name": "a"}] * 10_000 + [{"icons": []}]
    assert not strangers(3, "Tools", {"tools": tools})
