"""Every schema in a schema, within a budget."""

from typing import Any

from inspector.checks.surface.walk import DEEPEST, MOST_OF_ONE, Budget, schemas_in


def _places(schema: Any) -> list[str]:
    budget = Budget()
    budget.begin()
    return ["/".join(map(str, path)) for path, _, _ in schemas_in(schema, budget)]


def test_schemas_are_found_where_keywords_have_them_and_data_is_left_alone() -> None:
    schema = {
        "properties": {"default": {"items": {}}, "enum": True},
        "default": {"properties": {"a": {}}},
        "anyOf": [{"not": {}}],
        "items": [{}],
        "additionalProperties": {},
        "const": {"items": {}},
    }
    assert _places(schema) == [
        *("", "properties/default", "properties/default/items", "anyOf/0", "anyOf/0/not"),
        *("items/0", "additionalProperties"),
    ]


def test_what_stands_in_a_branch_is_marked_as_one() -> None:
    budget = Budget()
    budget.begin()
    schema = {"anyOf": [{"properties": {"a": {}}}], "properties": {"b": {}}}
    assert [is_branch for _, _, is_branch in schemas_in(schema, budget)] == [False, True, True, False]


def test_a_schema_without_end_is_left_when_the_budget_is_spent() -> None:
    wide = {"properties": {str(at): dict[str, Any]() for at in range(MOST_OF_ONE * 2)}}
    deep: dict[str, Any] = {}
    inner = deep
    for _ in range(DEEPEST * 3):
        inner["items"] = inner = {}
    budget = Budget(MOST_OF_ONE + 100)
    assert budget.begin()
    assert len(list(schemas_in(wide, budget))) == MOST_OF_ONE
    assert budget.is_spent
    assert budget.begin()
    assert len(list(schemas_in(deep, budget))) == 100
    assert not budget.begin()


def test_the_first_place_that_is_too_deep_is_kept() -> None:
    deep: dict[str, Any] = {}
    inner = deep
    for _ in range(DEEPEST * 3):
        inner["items"] = inner = {}
    budget = Budget()
    budget.begin()
    list(schemas_in(deep, budget))
    assert budget.too_deep is not None
    assert len(budget.too_deep) == DEEPEST * 2
