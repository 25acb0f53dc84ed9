"""A comparison as text: nothing foreign acts, and nothing long fills the screen."""

from inspector.capture.compare.differences import Comparison, compare
from inspector.capture.compare.normal import Normal
from inspector.present.changes.captures import Names, comparison_data, comparison_lines, summary
from inspector.present.spans import plain
from tests.capture.compare.talk import calls, says, told

_NAMES = Names("old", "new")


def _found(before: str, after: str) -> Comparison:
    return compare(told(calls(1, "a\x1b[31m"), says(1, before)), told(calls(1, "a\x1b[31m"), says(1, after)), Normal())


def test_both_sides_of_a_difference_are_shown_and_what_acts_is_made_visible() -> None:
    lines = [plain(line) for line in comparison_lines(_found("one", "tw\x1bo" + "x" * 1000), _NAMES)]
    assert lines[0] == "0 unchanged, 1 changed."
    assert lines[2].startswith("≠ tools/call a")
    assert lines[3:5] == ["    result.content[0].text", '      − "one"']
    assert len(lines[5]) < 300
    assert "\x1b" not in "".join(lines)


def test_comparison_without_common_operations_is_named() -> None:
    found = compare(told(calls(1, "a"), says(1, "")), told(calls(1, "b"), says(1, "")), Normal())
    assert summary(found, _NAMES) == (
        "0 unchanged, 0 changed, 1 only in old, 1 only in new. The captures have no operation in common."
    )
    assert summary(Comparison(()), _NAMES) == "Nothing to compare."


def test_data_have_the_values_whole_and_leave_out_the_side_where_nothing_is() -> None:
    found = compare(told(calls(1, "a", x=1), says(1, "1")), told(calls(1, "a"), says(1, "1")), Normal())
    (row,) = comparison_data(found, _NAMES)["operations"]
    assert row["changes"] == [{"path": "params.arguments.x", "before": 1}]
