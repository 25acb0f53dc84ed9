"""The demo's argument validation, compared with jsonschema's."""

import base64
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.demo.state import DemoState
from inspector.demo.toolkit import complaints, encode, icons
from inspector.demo.tools import catalogue
from inspector.demo.tools_content import TOOL

GOOD: dict[str, Any] = {
    "ship": {"name": "Merry Puffin", "callsign": "GRL7", "kind": "mail", "home_port": None},
    "sighted_at": "05:32",
    "crew": [{"name": "Ada", "role": "captain", "on_watch": True}],
    "cargo": {"label": "crate", "tonnes": 2, "inside": [{"label": "cheese", "inside": []}]},
    "bound_for": {"harbour": "Teal Bay"},
    "flags": ["A", "Q"],
    "wind": {"knots": 12.5, "from_degrees": 270},
    "remarks": None,
    "form": "GR-12",
}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"ship": {"name": ""}}, "ship.name: must have at least 1 characters"),
        ({"ship": {"name": "A", "callsign": "x"}}, "ship.callsign: does not match the pattern ^[A-Z]{2,4}[0-9]{1,3}$"),
        ({"ship": {"name": "A", "home_port": 1}}, "ship.home_port: must be a string or null"),
        ({"ship": {"name": "A", "kind": "raft"}}, "ship.kind: matches 0 of 4 alternatives"),
        ({"crew": []}, "crew: must have at least 1 items"),
        ({"crew": [{"name": "A", "role": "gull"}]}, "crew[0].role: must be one of captain, mate, cook, deckhand, cat"),
        ({"cargo": {"label": "a", "inside": [{"tonnes": 1}]}}, "cargo.inside[0].label: is required"),
        ({"bound_for": {}}, "bound_for: matches 0 of 2 alternatives"),
        ({"flags": ["A", "A"]}, "flags: has a duplicate item"),
        ({"wind": {"knots": 1.3}}, "wind.knots: must be a multiple of 0.5"),
        ({"wind": {"from_degrees": 360}}, "wind.from_degrees: must be at most 359"),
        ({"wind": {"from_degrees": True}}, "wind.from_degrees: must be an integer"),
        ({"form": "GR-13"}, "form: must be GR-12"),
        ({"gull": 1}, "gull: is not allowed"),
    ],
)
def test_complaint_names_place_and_fault(change: dict[str, Any], complaint: str) -> None:
    assert complaints(TOOL.input_schema, GOOD) == []
    assert complaints(TOOL.input_schema, GOOD | change) == [complaint]


def test_a_hold_within_a_hold_without_end_is_refused_without_a_crash() -> None:
    hold: dict[str, Any] = {"label": "x"}
    for _ in range(500):
        hold = {"label": "x", "inside": [hold]}
    assert "nested too deeply" in complaints(TOOL.input_schema, GOOD | {"cargo": hold})[0]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
SCHEMAS = [tool.input_schema for tool in catalogue(DemoState())]
NAMES = sorted({name for schema in SCHEMAS for name in schema.get("properties", {})})


@given(st.sampled_from(SCHEMAS), st.dictionaries(st.sampled_from(NAMES), ANYTHING | st.sampled_from([GOOD["ship"]])))
def test_complaints_agree_with_a_full_validator(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    assert (not complaints(schema, arguments)) == jsonschema.Draft202012Validator(schema).is_valid(arguments)


def test_an_icon_carries_its_picture_with_it() -> None:
    (icon,) = icons("<svg/>")
    assert base64.b64decode(icon["src"].partition(",")[2]) == b"<svg/>"
    assert encode(b"\0") == "AA=="
