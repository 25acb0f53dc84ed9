"""A result as lines."""

from typing import Any

from inspector.tui.panels.result_lines import MOST_LINES, result_lines, words_wrapped
from inspector.viewmodels.lines import plain
from inspector.viewmodels.result import Finished, result_view


def lines(result: Any, width: int = 60) -> list[str]:
    return [plain(line) for line in result_lines(result_view(Finished("tools/call", result=result)), width).lines]


def test_each_block_stands_under_its_title_and_long_texts_are_wrapped_at_words() -> None:
    shown = lines({"content": [{"type": "text", "text": "one two three " * 8}, {"type": "text", "text": "end"}]}, 40)
    assert shown[0].startswith("▸ 1/2 text")
    assert all(len(line) <= 40 for line in shown)
    assert shown[1] == "one two three one two three one two"
    assert shown[-2:] == ["▸ 2/2 text · 3 B", "end"]


def test_json_in_a_text_is_laid_out() -> None:
    shown = lines({"content": [{"type": "text", "text": '{"a":[1,2]}'}]})
    assert '  "a": [' in shown


def test_lines_know_their_block() -> None:
    view = result_view(Finished("tools/call", result={"content": [{"type": "text", "text": "a\nb"}] * 2}))
    assert result_lines(view, 60).blocks == (0, 0, 0, -1, 1, 1, 1)


def test_a_result_without_blocks_says_so() -> None:
    assert lines({"content": []}) == ["The result has no content blocks."]
    assert "Structured" in lines({"content": [], "structuredContent": {"a": 1}})[0]


def test_a_text_of_too_many_lines_ends_with_a_word_about_it() -> None:
    shown = lines({"content": [{"type": "text", "text": "x\n" * (MOST_LINES + 10)}]})
    assert len(shown) == MOST_LINES + 2
    assert "raw view" in shown[-1]


def test_a_picture_tells_its_key() -> None:
    block = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
    assert "  press v to see it" in lines({"content": [block]})


def test_what_acts_on_a_terminal_does_not_get_here() -> None:
    shown = "".join(lines({"content": [{"type": "text", "text": "\x1b[2J\x07[/]"}]}))
    assert "\x1b" not in shown
    assert "␛[2J␇[/]" in shown


def test_a_word_longer_than_the_line_is_broken() -> None:
    assert [plain(row) for row in words_wrapped((("x" * 25, "text"),), 10)] == ["x" * 10, "x" * 10, "x" * 5]


def test_a_deep_indent_leaves_room_for_a_long_word() -> None:
    rows = [plain(row) for row in words_wrapped((("x" * 40, "text"),), 20, 18)]
    assert rows == ["x" * 20, " " * 10 + "x" * 10, " " * 10 + "x" * 10]


def test_a_line_of_a_megabyte_is_wrapped_whole() -> None:
    rows = [plain(row) for row in words_wrapped((("[" * 1_000_000, "text"),), 100)]
    assert {len(row) for row in rows} == {100}
    assert len(rows) == 10_000


def test_marks_that_take_no_room_stay_with_their_letters() -> None:
    rows = [plain(row) for row in words_wrapped((("e\u0301" * 90, "text"),), 30)]
    assert rows == ["e\u0301" * 30] * 3
