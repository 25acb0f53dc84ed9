"""A schema without its references, or a sentence."""

import pytest

from inspector.forms.refs import Document
from inspector.forms.resolve import Budget, Unreadable, resolve
from tests.forms.schemas import doubling


def test_references_and_parts_become_one_schema_that_remembers_its_references() -> None:
    root = {
        "$defs": {"a": {"$ref": "#/$defs/b", "title": "A"}, "b": {"type": "object", "required": ["x"]}},
        "allOf": [{"$ref": "#/$defs/a"}, {"required": ["y"]}, True],
    }
    resolved = resolve(Document(root), root)
    assert resolved.schema["title"] == "A"
    assert resolved.schema["required"] == ["x", "y"]
    assert resolved.refs == {"#/$defs/a", "#/$defs/b"}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (5, "its schema is a number, not an object"),
        (None, "its schema is null, not an object"),
        ([], "its schema is a list, not an object"),
        (object(), "its schema is no JSON, not an object"),
        ({"$ref": 5}, "its \\$ref is not a string"),
        ({"$ref": "#"}, "refers to nothing but itself"),
        ({"allOf": [False]}, "allows nothing"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "differ in type"),
        ({"$ref": "https://example.org/"}, "never fetched"),
        (doubling("allOf"), "more parts than a form can show"),
    ],
)
def test_what_has_no_field_says_why(schema: object, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        resolve(Document(schema), schema)


def test_a_budget_gives_what_it_has_and_then_nothing() -> None:
    budget = Budget(1)
    assert [budget.spend(), budget.spend()] == [True, False]
