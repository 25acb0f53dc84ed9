"""Limits of what a schema may cost, and options that raise them."""

from collections.abc import Iterator
from typing import Any

import pytest

from inspector.forms.patterns import PatternUnusable, WorkBounds, bounds, matches, move
from inspector.forms.validate import validate


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = bounds()
    yield
    move(before)


def test_a_schema_with_more_parts_than_are_let_is_judged_once_more_are_let() -> None:
    wide: Any = {"properties": {f"p{n}": {} for n in range(200)}, "type": "object"}
    move(WorkBounds(schema=100))
    refused = validate(wide, {})
    assert refused.ok is None
    assert "more than 100 parts (--max schema=N raises that)" in refused.note
    move(WorkBounds(schema=10_000))
    assert validate(wide, {}).ok is True


def test_steps_and_time_grow_with_it() -> None:
    move(WorkBounds(schema=50))
    many = validate({"type": "array", "items": {"type": "integer"}}, [1] * 100)
    assert many.ok is None
    assert "--max schema=N" in many.note
    assert WorkBounds(schema=200_000).seconds == 2 * WorkBounds().seconds == 2 * WorkBounds(schema=10).seconds


def test_a_pattern_gets_the_time_that_is_let() -> None:
    move(WorkBounds(pattern_ms=1))
    with pytest.raises(PatternUnusable, match="--max pattern=MS raises that"):
        matches("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 5000)
