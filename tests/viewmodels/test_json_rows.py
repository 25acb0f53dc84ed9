"""A payload, arranged by its reader."""

from inspector.viewmodels.json_lines import JsonLines
from inspector.viewmodels.json_rows import JsonRows
from inspector.viewmodels.roles import Span

SAMPLE = b'{"a": {"b": [1, 2], "c": 3}, "text": "' + b"lorem ipsum " * 30 + b'", "z": 0}'


def plain(spans: list[Span]) -> str:
    return "".join(text for text, _ in spans)


def shown(rows: JsonRows, width: int = 60) -> list[str]:
    return [plain(rows.row(index, width)[1]) for index in range(rows.count)]


def test_a_folded_value_says_how_much_it_hides() -> None:
    rows = JsonRows(JsonLines(SAMPLE))
    assert rows.toggle(1, 60) == 1
    assert shown(rows)[1:3] == ['  "a": { 2 members, 5 lines },', shown(rows)[2]]
    assert rows.row(1, 60)[0] == "closed"
    assert [rows.line_of(1), rows.line_of(2), rows.row_of(4)] == [1, 8, 1]
    rows.toggle(1, 60)
    assert rows.count == 11
    assert rows.row(1, 60)[0] == "opened"


def test_one_hidden_item_is_one_item() -> None:
    rows = JsonRows(JsonLines(b'{"a": [1]}'))
    rows.fold(1)
    assert shown(rows) == ["{", '  "a": [ 1 item ]', "}"]


def test_the_end_of_a_value_folds_it_too() -> None:
    rows = JsonRows(JsonLines(SAMPLE))
    assert rows.toggle(7, 60) == 1
    assert rows.count == 5


def test_a_long_line_is_opened_into_rows_and_closed_again() -> None:
    rows = JsonRows(JsonLines(SAMPLE))
    before = shown(rows)
    assert before[8].endswith("…")
    assert len(before[8]) == 60
    assert rows.row(8, 60)[0] == "closed"
    rows.toggle(8, 60)
    opened = shown(rows)[8:-2]
    assert "".join([opened[0], *(row[4:] for row in opened[1:])]) == '  "text": "' + "lorem ipsum " * 30 + '",'
    assert all(len(row) <= 60 for row in opened)
    assert [rows.row(index, 60)[0] for index in (8, 9)] == ["opened", ""]
    assert rows.line_of(9) == 8
    assert rows.toggle(8, 60) == 8
    assert shown(rows) == before
    rows.toggle(8, 60)
    rows.close_all()
    assert shown(rows) == before


def test_the_size_of_a_very_long_line_stays_in_sight() -> None:
    rows = JsonRows(JsonLines(b'["' + b"x" * 5_000 + b'"]'))
    assert plain(rows.row(1, 30)[1]) == '  "xxxxxxxxxxxxxxxxxxx… 5.0 kB'


def test_folding_what_cannot_be_folded_goes_out() -> None:
    rows = JsonRows(JsonLines(SAMPLE))
    assert rows.fold(3) == 2
    assert rows.count == 11
    rows.fold(2)
    assert rows.fold(2) == 1
    assert rows.fold(0) == 0
    assert rows.fold(0) == 0
    assert rows.count == 1


def test_unfolding_a_short_line_changes_nothing() -> None:
    rows = JsonRows(JsonLines(SAMPLE))
    assert rows.unfold(6, 60) == 6
    assert rows.unfold(1, 60) == 1
    assert rows.count == 11


def test_a_line_is_revealed_out_of_every_fold() -> None:
    rows = JsonRows(JsonLines(SAMPLE))
    for line in (2, 1, 0):
        rows.fold(line)
    assert rows.count == 1
    assert rows.reveal(3) == 3
    assert rows.count == 11


def test_what_is_searched_is_marked() -> None:
    rows = JsonRows(JsonLines(SAMPLE))
    rows.needle = "LOREM".lower()
    assert ("lorem", "match") in rows.row(8, 60)[1]


def test_text_that_is_no_json_is_opened_too() -> None:
    rows = JsonRows(JsonLines(b"x" * 100))
    rows.toggle(0, 40)
    assert shown(rows, 40) == ["x" * 40, "  " + "x" * 38, "  " + "x" * 22]
