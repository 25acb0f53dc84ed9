"""The plain answers of a source of rows."""

from inspector.viewmodels.roles import Span
from inspector.viewmodels.rows import RowView, SpanRows, clip, spans_width


def test_a_short_list_gives_its_rows_and_their_places() -> None:
    rows = SpanRows([[("a", "text")], [("b", "error")]], titles=[("name", "muted")])
    assert rows.count == 2
    assert rows.row(1, 10) == RowView([("b", "error")], live=False)
    assert rows.header(10) == [("name", "muted")]
    assert [rows.key(0), rows.index_of(1), rows.index_of(7)] == [0, 1, 1]


def test_other_rows_are_another_generation() -> None:
    rows = SpanRows([[("a", "text")]])
    before = rows.generation
    rows.replace([])
    assert rows.generation != before
    assert rows.count == 0
    assert rows.index_of(0) == -1
    assert rows.header(5) == ()


def test_spans_are_cut_where_the_room_ends() -> None:
    spans: list[Span] = [("tools/", "muted"), ("数据", "method"), ("x", "error")]
    assert spans_width(spans) == 11
    assert clip(spans, 11) == spans
    assert clip(spans, 9) == [("tools/", "muted"), ("数…", "method")]
    assert clip(spans, 6) == [("tools/", "muted")]
    assert clip(spans, 0) == [("", "muted")]
