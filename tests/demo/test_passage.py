"""The tool with the long form."""

from typing import Any

import jsonschema

from inspector.demo import passage
from tests.demo.driving import Here

PASSAGE: dict[str, Any] = {
    "ship": {"name": "Bold Limpet"},
    "sighted_at": "2026-01-01T05:32:00Z",
    "crew": [{"name": "Ada", "role": "captain", "on_watch": True}, {"name": "Tom", "role": "cat"}],
    "cargo": {"label": "crates", "tonnes": 1.5, "inside": [{"label": "cheese", "tonnes": 2}]},
    "bound_for": {"latitude": 54.5, "longitude": -3},
}


async def test_a_passage_is_entered_and_answered_as_text_and_as_data() -> None:
    here = Here()
    result = await here.call("log_passage", **PASSAGE)
    assert result["structuredContent"] == {
        "entry": 4,
        "ship": "Bold Limpet",
        "hands": 2,
        "tonnes": 3.5,
        "bound_for": "54.50, -3.00",
        "watch": ["Ada"],
    }
    jsonschema.validate(result["structuredContent"], passage.OUTPUT)
    assert "Bold Limpet" in result["content"][0]["text"]
    assert "Bold Limpet" in here.station.logbook()


async def test_a_passage_without_cargo_or_course_is_one_too() -> None:
    needed = {key: PASSAGE[key] for key in passage.SCHEMA["required"]}
    result = await Here().call("log_passage", **needed)
    jsonschema.validate(result["structuredContent"], passage.OUTPUT)


async def test_a_bad_passage_fails_and_is_not_entered() -> None:
    here = Here()
    result = await here.call("log_passage", ship={})
    assert result["isError"]
    assert "ship.name: is required" in result["content"][0]["text"]
    assert len(here.station.entries) == 3


def test_the_schema_holds_everything_that_a_form_has_to_draw() -> None:
    jsonschema.Draft202012Validator.check_schema(passage.SCHEMA)
    drawn = str(passage.SCHEMA)
    for keyword in ("oneOf", "anyOf", "const", "enum", "pattern", "format", "default", "$ref", "uniqueItems", "'null'"):
        assert keyword in drawn
