"""What could be typed next."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.filters.suggest import suggest

_SEEN = {"tool": ["search", "echo", "my tool"], "method": ["tools/call", "tools/list"], "error.code": ["-32602"]}


def proposed(before: str) -> list[str]:
    found = suggest(before, lambda name: _SEEN.get(name, ()), ("slow", "mine"))
    return [before[: found.start] + item.text for item in found.items]


@pytest.mark.parametrize(
    ("before", "first"),
    [
        ("to", "tool"),
        ("tool == se", "tool == search"),
        ('tool == "se', "tool == search"),
        ("tool == ", "tool == search"),
        ("tool == my", 'tool == "my tool"'),
        ("method == to", "method == tools/call"),
        ("a and kind == n", "a and kind == notification"),
        ("kind in {error, r", "kind in {error, request"),
        ("any.er", "any.error.code"),
        ("error.code == ", "error.code == -32602"),
        ("-pen", "-pending"),
        ("(pro", "(prompt"),
        ("tool ", "tool =="),
        ("dur ", "dur >"),
        ("x @s", "x @slow"),
        ("is:pe", "is:pending"),
        ("a an", "a and"),
    ],
)
def test_what_goes_on_is_proposed(before: str, first: str) -> None:
    assert proposed(before)[0] == first


@pytest.mark.parametrize("before", ["xyzzy", '"to', "pending ", "tool == zzz", 'text ~ "to'])
def test_where_nothing_is_known_nothing_is_proposed(before: str) -> None:
    assert proposed(before) == []


@given(st.text(max_size=30))
def test_any_beginning_can_be_asked_about(before: str) -> None:
    assert 0 <= suggest(before, lambda name: ()).start <= len(before)
