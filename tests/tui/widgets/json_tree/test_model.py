"""The mapping between rows and lines."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.present.json_text import JsonLines
from inspector.present.spans import Span
from inspector.tui.widgets.json_tree.model import (
    BIG,
    Folds,
    JsonRows,
    big_values,
    values_at,
    values_below,
    values_beside,
)
from tests.present.test_json_text import JSON_SCAN_JSON


def shown(folds: Folds) -> list[tuple[int, int]]:
    return [folds.locate(row) for row in range(folds.rows)]


def test_without_folds_rows_are_lines() -> None:
    folds = Folds(3)
    assert shown(folds) == [(0, 0), (1, 0), (2, 0)]
    assert folds.row_of(2) == 2


def test_a_fold_hides_what_is_behind_its_first_line() -> None:
    folds = Folds(6)
    folds.fold(1, 3)
    assert [line for line, _ in shown(folds)] == [0, 1, 4, 5]
    assert [folds.row_of(line) for line in range(6)] == [0, 1, 1, 1, 2, 3]
    assert folds.folded(1)
    folds.unfold(1)
    assert folds.rows == 6


def test_a_fold_inside_a_fold_is_still_there_when_the_outer_is_opened() -> None:
    folds = Folds(10)
    folds.fold(3, 5)
    folds.fold(1, 8)
    assert [line for line, _ in shown(folds)] == [0, 1, 9]
    folds.unfold(1)
    assert [line for line, _ in shown(folds)] == [0, 1, 2, 3, 6, 7, 8, 9]


def test_an_opened_line_takes_more_rows() -> None:
    folds = Folds(3)
    folds.open(1, 3)
    assert shown(folds) == [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0)]
    assert [folds.row_of(line) for line in range(3)] == [0, 1, 4]
    assert folds.opened(1)
    folds.close(1)
    assert folds.rows == 3
    folds.open(0, 2)
    folds.close()
    assert folds.rows == 3


def test_one_line_is_neither_folded_nor_opened() -> None:
    folds = Folds(3)
    folds.fold(1, 1)
    folds.open(2, 1)
    assert folds.rows == 3


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12), st.booleans()), max_size=12))
def test_every_row_has_its_line_and_every_line_its_row(steps: list[tuple[int, int, bool]]) -> None:
    folds = Folds(40)
    for line, size, fold in steps:
        nested = all(not (start < line <= start + hidden < line + size) for start, hidden in folds._hidden.items())
        crossing = any(line < start <= line + size < start + hidden for start, hidden in folds._hidden.items())
        if not fold:
            folds.open(line, size)
        elif nested and not crossing:  # the folds of JSON never cross
            folds.fold(line, min(line + size, 39))
    rows = shown(folds)
    assert rows == sorted(set(rows))
    for line in range(40):
        first, part = folds.locate(folds.row_of(line))
        assert part == 0
        assert first <= line
        assert first == line or line <= first + folds._hidden[first]


SAMPLE = JsonLines(b'{"a": {"b": [1, [2]], "c": {}}, "d": [3], "e": "{["}')


def openings(value: Any) -> int:
    """How many values of more than one line stand inside of a value."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum((isinstance(each, dict | list) and bool(each)) + openings(each) for each in inside)


@given(JSON_SCAN_JSON)
def test_all_values_of_more_than_one_line_are_found_each_with_its_end(value: Any) -> None:
    lines = JsonLines(json.dumps(value).encode())
    if lines.problem or lines.count < 2:
        return
    folds = values_below(lines, 0, lines.count - 1)
    assert len(folds) == openings(value)
    assert all(lines.fold_partner(first) == last for first, last in folds)


@given(JSON_SCAN_JSON)
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


def test_big_values_are_the_innermost() -> None:
    rows = [{"n": n, "x": [n]} for n in range(BIG)]
    lines = JsonLines(json.dumps({"small": [1, 2], "outer": {"rows": rows, "more": rows}, "flat": [0] * 3000}).encode())
    found = [lines.path(first) for first, _ in big_values(lines)]
    assert sorted(found) == ["flat", "outer.more", "outer.rows"]


def test_a_list_that_is_the_whole_payload_is_not_folded_into_one_line() -> None:
    assert big_values(JsonLines(json.dumps([[1]] * 9000).encode())) == []


def test_big_values_of_invalid_json_are_none() -> None:
    assert big_values(JsonLines(b"x\n" * 9000)) == []


JSON_ROWS_SAMPLE = b'{"a": {"b": [1, 2], "c": 3}, "text": "' + b"lorem ipsum " * 30 + b'", "z": 0}'


def plain(spans: list[Span]) -> str:
    return "".join(text for text, _ in spans)


def json_rows_shown(rows: JsonRows, width: int = 60) -> list[str]:
    return [plain(rows.row(index, width)[1]) for index in range(rows.count)]


def test_folded_value_counts_hidden_lines() -> None:
    rows = JsonRows(JsonLines(JSON_ROWS_SAMPLE))
    assert rows.toggle(1, 60) == 1
    assert json_rows_shown(rows)[1:3] == ['  "a": { 2 members, 5 lines },', json_rows_shown(rows)[2]]
    assert rows.row(1, 60)[0] == "closed"
    assert [rows.line_of(1), rows.line_of(2), rows.row_of(4)] == [1, 8, 1]
    rows.toggle(1, 60)
    assert rows.count == 11
    assert rows.row(1, 60)[0] == "opened"


def test_one_hidden_item_is_one_item() -> None:
    rows = JsonRows(JsonLines(b'{"a": [1]}'))
    rows.fold(1)
    assert json_rows_shown(rows) == ["{", '  "a": [ 1 item ]', "}"]


def test_the_end_of_a_value_folds_it_too() -> None:
    rows = JsonRows(JsonLines(JSON_ROWS_SAMPLE))
    assert rows.toggle(7, 60) == 1
    assert rows.count == 5


def test_a_long_line_is_opened_into_rows_and_closed_again() -> None:
    rows = JsonRows(JsonLines(JSON_ROWS_SAMPLE))
    before = json_rows_shown(rows)
    assert before[8].endswith("…")
    assert len(before[8]) == 60
    assert rows.row(8, 60)[0] == "closed"
    rows.toggle(8, 60)
    opened = json_rows_shown(rows)[8:-2]
    assert "".join([opened[0], *(row[4:] for row in opened[1:])]) == '  "text": "' + "lorem ipsum " * 30 + '",'
    assert all(len(row) <= 60 for row in opened)
    assert [rows.row(index, 60)[0] for index in (8, 9)] == ["opened", ""]
    assert rows.line_of(9) == 8
    assert rows.toggle(8, 60) == 8
    assert json_rows_shown(rows) == before
    rows.toggle(8, 60)
    rows.close_all()
    assert json_rows_shown(rows) == before


def test_the_size_of_a_very_long_line_stays_in_sight() -> None:
    rows = JsonRows(JsonLines(b'["' + b"x" * 5_000 + b'"]'))
    assert plain(rows.row(1, 30)[1]) == '  "xxxxxxxxxxxxxxxxxxx… 5.0 kB'


def test_folding_what_cannot_be_folded_goes_out() -> None:
    rows = JsonRows(JsonLines(JSON_ROWS_SAMPLE))
    assert rows.fold(3) == 2
    assert rows.count == 11
    rows.fold(2)
    assert rows.fold(2) == 1
    assert rows.fold(0) == 0
    assert rows.fold(0) == 0
    assert rows.count == 1


def test_unfolding_a_short_line_changes_nothing() -> None:
    rows = JsonRows(JsonLines(JSON_ROWS_SAMPLE))
    assert rows.unfold(6, 60) == 6
    assert rows.unfold(1, 60) == 1
    assert rows.count == 11


def test_a_line_is_revealed_out_of_every_fold() -> None:
    rows = JsonRows(JsonLines(JSON_ROWS_SAMPLE))
    for line in (2, 1, 0):
        rows.fold(line)
    assert rows.count == 1
    assert rows.reveal(3) == 3
    assert rows.count == 11


def test_needle_is_marked_in_the_row() -> None:
    rows = JsonRows(JsonLines(JSON_ROWS_SAMPLE))
    rows.needle = "LOREM".lower()
    assert ("lorem", "match") in rows.row(8, 60)[1]


def test_text_that_is_no_json_is_opened_too() -> None:
    rows = JsonRows(JsonLines(b"x" * 100))
    rows.toggle(0, 40)
    assert json_rows_shown(rows, 40) == ["x" * 40, "  " + "x" * 38, "  " + "x" * 22]
