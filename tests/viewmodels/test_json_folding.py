"""Which values are folded when many are."""

import json
from typing import Any

from hypothesis import given

from inspector.viewmodels.json_folding import BIG, big_values, values_at, values_below, values_beside
from inspector.viewmodels.json_lines import JsonLines
from tests.viewmodels.test_json_scan import JSON

SAMPLE = JsonLines(b'{"a": {"b": [1, [2]], "c": {}}, "d": [3], "e": "{["}')


def openings(value: Any) -> int:
    """How many values of more than one line stand inside of a value."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum((isinstance(each, dict | list) and bool(each)) + openings(each) for each in inside)


@given(JSON)
def test_all_values_of_more_than_one_line_are_found_each_with_its_end(value: Any) -> None:
    lines = JsonLines(json.dumps(value).encode())
    if lines.problem or lines.count < 2:
        return
    folds = values_below(lines, 0, lines.count - 1)
    assert len(folds) == openings(value)
    assert all(lines.fold_partner(first) == last for first, last in folds)


@given(JSON)
def test_each_value_is_found_at_its_depth(value: Any) -> None:
    lines = JsonLines(json.dumps(value).encode())
    if lines.problem or lines.count < 2:
        return
    deepest = max(map(lines.depth, range(lines.count)))
    found = sorted(fold for depth in range(deepest + 1) for fold in values_at(lines, depth, 0, lines.count - 1))
    assert found == sorted([(0, lines.count - 1), *values_below(lines, 0, lines.count - 1)])


def test_beside_a_value_are_those_in_the_same_object() -> None:
    a = SAMPLE.find('"a"')
    d = SAMPLE.find('"d"')
    assert a is not None
    assert d is not None
    assert [first for first, _ in values_beside(SAMPLE, a)] == [a, d]
    assert [first for first, _ in values_beside(SAMPLE, d + 1)] == []
    assert values_beside(SAMPLE, 0) == [(0, SAMPLE.count - 1)]


def test_nothing_of_a_short_payload_is_big() -> None:
    assert big_values(JsonLines(json.dumps({"rows": [[1]] * BIG}).encode())) == []


def test_of_a_long_payload_the_innermost_big_values_are_found() -> None:
    rows = [{"n": n, "x": [n]} for n in range(BIG)]
    lines = JsonLines(json.dumps({"small": [1, 2], "outer": {"rows": rows, "more": rows}, "flat": [0] * 3000}).encode())
    found = [lines.path(first) for first, _ in big_values(lines)]
    assert sorted(found) == ["flat", "outer.more", "outer.rows"]


def test_a_list_that_is_the_whole_payload_is_not_folded_into_one_line() -> None:
    assert big_values(JsonLines(json.dumps([[1]] * 9000).encode())) == []


def test_what_is_no_json_has_no_values() -> None:
    assert big_values(JsonLines(b"x\n" * 9000)) == []
