"""Values behind operators, by the field's type."""

from datetime import UTC, datetime

import pytest

from inspector.capture.filters.fields import BY_NAME
from inspector.capture.filters.lexer import tokens
from inspector.capture.filters.terms import Value
from inspector.capture.filters.values import read, span
from inspector.errors import FilterError

TODAY = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("dur", "500ms", 500_000_000),
        ("dur", "1.5s", 1_500_000_000),
        ("dur", "2m", 120_000_000_000),
        ("dur", "3us", 3000),
        ("size", "200", 200),
        ("size", "10k", 10_000),
        ("size", "1.5MB", 1_500_000),
        ("size", "64KiB", 65_536),
        ("n", "1_000", 1000),
        ("progress", "0.5", 0.5),
        ("kind", "Error", "error"),
        ("status", '"tool error"', "tool-error"),
        ("id", "7", 7),
        ("id", '"7"', "7"),
        ("params", "true", True),
        ("params", "null", None),
        ("params", "1e3", 1000),
        ("params", "abc", "abc"),
        ("tool", "7", "7"),
        ("time", "12:30", 1_795_350_600_000_000_000),
        ("time", "2026-11-22T12:30:00.25", 1_795_350_600_250_000_000),
    ],
)
def test_a_value_is_read_as_its_field_has_it(field: str, text: str, value: Value) -> None:
    found = read(tokens(text)[0], BY_NAME[field], TODAY)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("dur", "5", "a time with its unit"),
        ("dur", "5k", "a time with its unit"),
        ("size", "5parsec", "a size"),
        ("n", "many", "a number"),
        ("kind", "foo", "one of request, notification"),
        ("time", "soon", "a time of day"),
        ("time", "25:61", "there is no time"),
        ("pending", "true", "stands alone"),
    ],
)
def test_a_wrong_value_is_told(field: str, text: str, said: str) -> None:
    with pytest.raises(FilterError, match=said):
        read(tokens(text)[0], BY_NAME[field], TODAY)


def test_a_span_of_time_is_told_from_a_size() -> None:
    assert [span(text) for text in ("500ms", "2s", "10k", "5m", "x")] == [True, True, False, False, False]
