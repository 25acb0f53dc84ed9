"""The plain answers of a source of rows."""

from inspector.present.rows import RowView, SpanRows


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
