"""A comparison as rows of two halves."""

from inspector.capture.compare.differences import compare
from inspector.capture.compare.normal import Normal
from inspector.present.changes.captures import Names
from inspector.present.spans import plain
from inspector.tui.screens.sessions.model import CompareRows, value_lines
from tests.capture.compare.talk import calls, says, told

_BEFORE = told(calls(1, "a"), says(1, "one"), calls(2, "b"), says(2, "b"), calls(3, "gone"), says(3, ""))
_AFTER = told(calls(1, "a"), says(1, "tw\x1bo"), calls(2, "b"), says(2, "b"), calls(3, "new"), says(3, ""))


def _rows() -> CompareRows:
    return CompareRows(compare(_BEFORE, _AFTER, Normal()), Names("old", "new"))


def test_comparison_rows_are_aligned() -> None:
    rows = _rows()
    halves = [plain(rows.row(at, 83).spans).split(" │ ") for at in range(rows.count)]
    assert [(left.split("  #")[0].strip(), right.split("  #")[0].strip()) for left, right in halves] == [
        ("≠ tools/call a", "≠ tools/call a"),
        ('text  "one"', 'text  "tw\\u001bo"'),
        ("tools/call b", "tools/call b"),
        ("− tools/call gone", "−"),
        ("+", "+ tools/call new"),
    ]
    assert {len(plain(rows.row(at, 83).spans)) for at in range(rows.count)} == {83}


def test_differences_are_found_in_both_directions() -> None:
    rows = _rows()
    assert rows.differences == [0, 3, 4]
    assert (rows.next(-1), rows.next(0), rows.next(4)) == (0, 3, None)
    assert (rows.next(3, back=True), rows.next(0, back=True)) == (0, None)


def test_a_place_has_its_path_and_both_values() -> None:
    rows = _rows()
    assert plain(rows.about(1)) == "result.content[0].text"
    assert rows.values(1) == ('"one"', '"tw\\u001bo"')
    assert rows.values(0) is None
    assert rows.entries(0) == (1, 1)
    assert rows.about(99) == ()


def test_texts_and_objects_are_spread_over_lines_and_the_words_that_differ_are_marked() -> None:
    lines = [plain(line).strip() for line in value_lines('"one\\ntwo boats"', '"one\\nthree boats"')]
    assert lines[-2:] == ["- [two] boats", "+ [three] boats"]
    told = "\n".join(plain(line) for line in value_lines('{"a":1,"b":2}', '{"a":1,"b":3}'))
    assert '"b": [2]' in told
    assert "[3]" in told


def test_one_sided_value_is_shown_in_full() -> None:
    assert [plain(line) for line in value_lines("", '{"a":[1],"b":"\\u001b["}')] == [
        "  before: missing",
        "+ {",
        '+   "a": [',
        "+     1",
        "+   ],",
        '+   "b": "\\u001b["',
        "+ }",
    ]
    assert [plain(line) for line in value_lines('"one\\ntwo"', "")] == ["- one", "- two", "  after: missing"]
    long = [plain(line) for line in value_lines(f'"{"x" * 9}' + "\\n" * 9000 + '"', "")]
    assert (len(long), long[-2]) == (5002, "- and 4,000 lines more")
