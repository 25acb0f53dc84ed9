"""Where references lead."""

from typing import Any

import pytest

from inspector.checks.surface.references import MOST_WRITTEN_OUT, reference_features, written_out
from inspector.forms.refs import Document


def _doubling(levels: int) -> dict[str, Any]:
    below = {f"d{at}": [{"$ref": f"#/$defs/d{at + 1}"}] * 2 for at in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": below | {f"d{levels}": {}}}


@pytest.mark.parametrize(
    ("schema", "is_recursive"),
    [
        ({"$defs": {"a": {"b": [1]}}}, False),
        ({"properties": {"a": {"$ref": "#"}}}, True),
        ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, True),
        ({"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}, "$defs": {"x": {}}}, False),
    ],
)
def test_it_is_known_whether_a_schema_refers_to_itself(schema: dict[str, Any], is_recursive: bool) -> None:
    assert written_out(schema, Document(schema))[1] is is_recursive


def test_references_that_multiply_are_counted_without_being_followed_one_by_one() -> None:
    few, many = _doubling(3), _doubling(200)
    assert written_out(few, Document(few))[0] < 100
    assert written_out(many, Document(many))[0] > MOST_WRITTEN_OUT


@pytest.mark.parametrize(
    ("ref", "kind"),
    [(7, "input-reference"), ("#/$defs/no", "input-reference"), ("#/$defs/a", "reference-loop"), ("#/$defs/c", "")],
)
def test_a_reference_that_leads_nowhere_or_in_a_circle_is_told(ref: Any, kind: str) -> None:
    loop = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}, "c": {}}
    schema = {"$ref": ref, "$defs": loop}
    found = [each[0] for each in reference_features(schema, [((), ref)], "input")]
    assert (kind in found) if kind else not {"input-reference", "reference-loop"} & set(found)
