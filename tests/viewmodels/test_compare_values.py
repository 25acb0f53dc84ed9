"""Two values, line by line."""

from inspector.viewmodels.compare_values import value_lines
from inspector.viewmodels.lines import plain


def test_texts_and_objects_are_spread_over_lines_and_the_words_that_differ_are_marked() -> None:
    lines = [plain(line).strip() for line in value_lines('"one\\ntwo boats"', '"one\\nthree boats"')]
    assert lines[-2:] == ["- [two] boats", "+ [three] boats"]
    told = "\n".join(plain(line) for line in value_lines('{"a":1,"b":2}', '{"a":1,"b":3}'))
    assert '"b": [2]' in told
    assert "[3]" in told


def test_a_value_that_is_not_there_is_no_value() -> None:
    assert "1" in "".join(plain(line) for line in value_lines("", "1"))
