"""Two values, line by line."""

from inspector.viewmodels.compare_values import value_lines
from inspector.viewmodels.lines import plain


def test_texts_and_objects_are_spread_over_lines_and_the_words_that_differ_are_marked() -> None:
    lines = [plain(line).strip() for line in value_lines('"one\\ntwo boats"', '"one\\nthree boats"')]
    assert lines[-2:] == ["- [two] boats", "+ [three] boats"]
    told = "\n".join(plain(line) for line in value_lines('{"a":1,"b":2}', '{"a":1,"b":3}'))
    assert '"b": [2]' in told
    assert "[3]" in told


def test_of_a_value_on_one_side_alone_all_of_it_is_shown() -> None:
    assert [plain(line) for line in value_lines("", '{"a":[1],"b":"\\u001b["}')] == [
        "  before: not there",
        "+ {",
        '+   "a": [',
        "+     1",
        "+   ],",
        '+   "b": "\\u001b["',
        "+ }",
    ]
    assert [plain(line) for line in value_lines('"one\\ntwo"', "")] == ["- one", "- two", "  after: not there"]
    long = [plain(line) for line in value_lines(f'"{"x" * 9}' + "\\n" * 9000 + '"', "")]
    assert (len(long), long[-2]) == (5002, "- and 4,000 lines more")
