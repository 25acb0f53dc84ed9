"""Search in a payload with a long string: every hit is shown and marked, one after the other."""

import json

import pytest

from inspector.present.json_text import JsonLines
from inspector.present.spans import Span
from inspector.tui.widgets.json_tree.model import JsonRows

PARTS = [f"{n:02} needle " + "filler " * 300 for n in range(5)]
VALUE = {"before": "needle 98", "text": "".join(PARTS), "after": "needle 99"}


def _shown(rows: JsonRows, row: int) -> str:
    """The number that stands before the hit that is marked in a row; "" if none is marked."""
    spans: list[Span] = rows.row(row, 60)[1]
    at = next((place for place, (_, role) in enumerate(spans) if role == "match"), None)
    return "" if at is None else spans[at - 1][0].strip()[-2:]


@pytest.mark.parametrize("backwards", [False, True])
def test_json_rows_step_through_all_hits_of_a_long_line(backwards: bool) -> None:
    rows = JsonRows(JsonLines(json.dumps(VALUE).encode()))
    rows.needle = "needle"
    rows.enter(2, backwards=backwards)
    seen = [_shown(rows, 2)]
    while rows.step(2, 60, backwards=backwards) is not None:
        seen.append(_shown(rows, 2))
    assert seen == (["04", "03", "02", "01", "00"] if backwards else ["00", "01", "02", "03", "04"])


def test_json_rows_step_goes_to_the_row_of_the_hit_in_an_expanded_line() -> None:
    rows = JsonRows(JsonLines(json.dumps(VALUE).encode()))
    rows.needle = "needle"
    rows.unfold(2, 60)
    row, seen = 2, [2]
    while (found := rows.step(row, 60, backwards=False)) is not None:
        row = found
        seen.append(row)
        assert any(role == "match" for _, role in rows.row(row, 60)[1])
    assert len(seen) == len(PARTS)
    assert seen == sorted(set(seen))


def test_json_rows_do_not_step_within_a_line_that_is_visible_as_a_whole() -> None:
    rows = JsonRows(JsonLines(json.dumps(VALUE).encode()))
    rows.needle = "needle"
    assert rows.step(1, 60, backwards=False) is None
    rows.needle = ""
    assert rows.step(2, 60, backwards=False) is None
