"""Every shape of shapes.json through the reader of typed values, without an app."""

import json
from typing import Any

import pytest

from inspector.forms.fields import UNSET
from inspector.forms.interpret import interpret
from inspector.forms.read_schema import read_schema
from inspector.forms.typed import json_text, parse_json, same
from inspector.forms.validate import validate
from inspector.forms.values import from_json, initial_value, to_json
from tests.schemas.page import field_of, needing_json
from tests.schemas.shapes import Shape, shapes
from tests.schemas.values import (
    TEXTS,
    Typist,
    accepted_values,
    as_tool,
    is_valid,
    is_valid_by_rust,
    refused_values,
    text_for,
)

COMMON = [shape for shape in shapes() if len(shape.packages) >= 2]
RARE = [shape for shape in shapes() if len(shape.packages) < 2]


def batches(found: list[Shape], size: int = 50) -> list[list[Shape]]:
    """Return the shapes in batches, one for each test."""
    return [found[start : start + size] for start in range(0, len(found), size)]


in_batches = pytest.mark.parametrize(
    "batch",
    [
        *(pytest.param(each, id=f"common-{at}") for at, each in enumerate(batches(COMMON))),
        *(pytest.param(each, id=f"rare-{at}", marks=pytest.mark.slow) for at, each in enumerate(batches(RARE))),
    ],
)


def verdict(schema: Any, value: Any) -> bool | None:
    """Return the verdict of the form."""
    return validate(as_tool(schema), {"value": value}).ok


@in_batches
def test_accepted_values_of_a_shape_can_be_typed_and_are_valid(batch: list[Shape]) -> None:
    wrong = []
    for shape in batch:
        values = accepted_values(shape.schema)
        assert values, shape.text
        for value in values:
            typed = Typist().type(field_of(shape.schema), value)
            if not same(typed, value) or verdict(shape.schema, typed) is not True:
                wrong.append((shape.text, value, typed, validate(as_tool(shape.schema), {"value": typed}).problems))
    assert not wrong, wrong[:5]


@in_batches
def test_interpret_text_that_a_shape_accepts_becomes_a_valid_value(batch: list[Shape]) -> None:
    """A text is acceptable if it is valid as a string or as JSON. Others may be, too: 012 is the number 12.

    A JSON object or array that is begun, or has no valid members yet, is one, also where any string is valid.
    """
    wrong = []
    for shape in batch:
        field = field_of(shape.schema)
        for text in (*TEXTS, *map(text_for, accepted_values(shape.schema))):
            parsed = parse_json(text)
            meant = [text, *([] if parsed.problem or parsed.value is UNSET else [parsed.value])]
            if not text.strip() or not any(is_valid_by_rust(shape.schema, each) for each in meant):
                continue
            reading = interpret(field, text)
            if isinstance(reading.value, dict | list) or text == "{":
                continue
            if reading.problem or not is_valid_by_rust(shape.schema, reading.value):
                wrong.append((shape.text, text, reading))
    assert not wrong, wrong[:5]


@in_batches
def test_verdict_of_the_form_equals_that_of_two_libraries(batch: list[Shape]) -> None:
    wrong = []
    for shape in batch:
        bare = json.loads(shape.text.replace('"format":', '"x-format":'))
        for value in [*accepted_values(shape.schema), *refused_values(shape.schema)]:
            ours = verdict(shape.schema, value)
            without = ours if bare == shape.schema else verdict(bare, value)
            if ours is not is_valid_by_rust(shape.schema, value) or without is not is_valid(shape.schema, value):
                wrong.append((shape.text, value, ours, without, is_valid(shape.schema, value)))
    assert not wrong, wrong[:5]


@in_batches
def test_unset_argument_is_absent_and_null_is_null(batch: list[Shape]) -> None:
    for shape in batch:
        field, root = field_of(shape.schema), read_schema(as_tool(shape.schema))
        default = shape.schema.get("default", UNSET)
        sent = {} if default is UNSET or (default is None and not is_valid(shape.schema, None)) else {"value": default}
        assert to_json(initial_value(root)) == sent, shape.text
        assert to_json({"value": UNSET}) == {}
        if verdict(shape.schema, None) and not verdict(shape.schema, "null"):
            assert interpret(field, "null").value is None, shape.text


@in_batches
def test_json_of_a_form_and_back_loses_nothing(batch: list[Shape]) -> None:
    for shape in batch:
        root = read_schema(as_tool(shape.schema))
        for value in [*accepted_values(shape.schema), *refused_values(shape.schema)]:
            arguments = {"value": value}
            again = to_json(from_json(root, parse_json(json_text(arguments)).value))
            assert json.dumps(again) == json.dumps(arguments), shape.text


def test_shapes_of_two_packages_or_more_are_filled_by_typing_alone() -> None:
    """Weighted by frequency, 100 %."""
    fields = sum(shape.fields for shape in COMMON)
    unfilled = {shape.text: reasons for shape, reasons in needing_json() if shape in COMMON}
    filled = fields - sum(shape.fields for shape in COMMON if shape.text in unfilled)
    assert filled == fields > 1000, unfilled
