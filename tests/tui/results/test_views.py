"""The views of a result."""

import base64
import json
from typing import Any

import pytest

from inspector.demo import tools_content
from inspector.present.calls import view_call
from inspector.present.json_text import JsonLines
from inspector.present.result import Finished, result_view
from inspector.present.rows import SpanRows
from inspector.present.spans import plain, words_wrapped
from inspector.tui.results.views import CONTENT, HISTORY, RAW, STRUCTURED, JsonBlockLines, ResultBody, result_lines
from tests.present.tape import Tape
from tests.tui.screen_text import press, shows, text
from tests.tui.screens.schemas import SUM
from tests.tui.widgets.showing import Showing
from tests.waiting import until

PICTURE = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(tools_content.tide_picture(4)).decode()}


def looked(result: Any, schema: Any = None) -> Any:
    tape = Tape()
    tape.call(1, "add")
    tape.answer(1, result)
    return view_call(tape.journal, tape.journal.conversation.exchanges[0], schema)


async def test_each_tab_shows_its_view() -> None:
    async with (app := Showing(body := ResultBody())).run_test(size=(80, 20)) as pilot:
        body.show(looked({"content": [{"type": "text", "text": "words"}], "structuredContent": {"sum": 3}}, SUM))
        seen = []
        for tab in (CONTENT, STRUCTURED, RAW, HISTORY):
            body.show_tab(tab)
            body.focus_body()
            await pilot.pause()
            seen.append(text(app))
        assert "words" in seen[0]
        assert "✓ matches its outputSchema" in seen[1]
        assert '"sum": 3' in seen[1]
        assert '"jsonrpc": "2.0"' in seen[2]
        assert "No calls yet" in seen[3]
        assert "Structured ✓" in seen[0]


async def test_the_block_under_the_cursor_is_known() -> None:
    async with Showing(body := ResultBody()).run_test(size=(80, 30)) as pilot:
        looks = [body.block and body.block.look]
        body.show(looked({"content": [{"type": "text", "text": "words"}, PICTURE]}))
        body.focus_body()
        for key in ("G", "home"):
            await pilot.press(key)
            looks.append(body.block and body.block.look)
        assert looks == [None, "image", "plain"]


async def test_markdown_is_rendered_on_demand_and_back() -> None:
    async with (app := Showing(body := ResultBody())).run_test(size=(80, 20)) as pilot:
        assert not await body.toggle_markdown()
        body.show(looked({"content": [{"type": "text", "text": "# Head\n\n**bold** [/] \x1b[2J"}]}))
        await shows(app, "**bold**")
        assert await body.toggle_markdown()
        await pilot.pause()
        assert "**bold**" not in text(app)
        assert "bold [/] ␛[2J" in text(app)
        assert await body.toggle_markdown()
        await shows(app, "**bold**")


async def test_result_lines_rewrap_for_another_width() -> None:
    async with Showing(body := ResultBody()).run_test(size=(100, 20)) as pilot:
        body.show(looked({"content": [{"type": "text", "text": "word " * 18}]}))
        await pilot.pause()
        before = body.content.source.count
        await pilot.resize_terminal(50, 20)
        await pilot.pause()
        await pilot.pause()
        assert body.content.source.count > before


async def test_the_begin_of_a_long_text_is_shown_before_all_of_it_is_wrapped() -> None:
    async with (app := Showing(body := ResultBody())).run_test(size=(80, 20)):
        body.show(looked({"content": [{"type": "text", "text": "word " * 40_000 + "end"}]}))
        first = body.content.source.count
        await shows(app, "word word")
        await until(lambda: body.content.source.count > 3 * first, "the rest is there")
        row = body.content.source.row(body.content.source.count - 1, 80)
        assert "end" in str(row)


async def test_a_tab_is_chosen_by_a_click_and_the_history_counts() -> None:
    async with (app := Showing(body := ResultBody())).run_test(size=(80, 20)) as pilot:
        body.show_history(SpanRows([(("one", "text"),)]))
        await shows(app, "History 1")
        await pilot.click("Segments", offset=(app.rows()[0].index("Raw"), 0))
        assert body.tab == RAW


def lines(result: Any, width: int = 60) -> list[str]:
    return [plain(line) for line in result_lines(result_view(Finished("tools/call", result=result)), width).lines]


def test_result_blocks_have_titles_and_wrapped_text() -> None:
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


def test_result_without_blocks_has_a_note() -> None:
    assert lines({"content": []}) == ["No content blocks."]
    assert "Structured" in lines({"content": [], "structuredContent": {"a": 1}})[0]


def test_all_lines_of_a_long_text_are_shown() -> None:
    shown = lines({"content": [{"type": "text", "text": "x\n" * 50_000 + "end"}]})
    assert len(shown) == 50_002
    assert shown[-1] == "end"


def test_all_lines_of_long_json_are_shown_and_long_ones_wrapped() -> None:
    value = [*range(50_000), "x" * 100, {"end": "y"}]
    shown = lines({"content": [{"type": "text", "text": json.dumps(value)}]})
    assert shown[1:4] == ["[", "  0,", "  1,"]
    assert shown[49_999 + 2].strip() == "49999,"
    assert "".join(row.strip() for row in shown[50_002:-4]).count("x") == 100
    assert [row.strip() for row in shown[-4:]] == ["{", '"end": "y"', "}", "]"]


@pytest.mark.parametrize("width", [20, 40, 79])
def test_lines_of_json_built_when_shown_equal_those_built_at_once(width: int) -> None:
    value = {"a": "long " * 30, "b": [1, "数" * 60, 2], "c": {"d": "x" * 90, "e": None}, "f": "short"}
    source = JsonLines(json.dumps(value, ensure_ascii=False).encode())
    at_once = [row for n in range(source.count) for row in words_wrapped(tuple(source.line(n)), width, 4)]
    lazily = JsonBlockLines(source, width)
    assert [plain(row) for row in lazily] == [plain(row) for row in at_once]
    assert plain(lazily[-1]) == plain(at_once[-1])
    assert len(lazily) == len(at_once)


@pytest.mark.parametrize("end", ["", " ", "   "])
def test_a_line_as_wide_as_the_pane_is_not_followed_by_an_empty_row(end: str) -> None:
    assert [plain(row) for row in words_wrapped((("x" * 30 + end, "text"),), 30)] == ["x" * 30]


def test_picture_block_names_its_key() -> None:
    block = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
    assert "  v i shows it" in lines({"content": [block]})


def test_result_text_has_no_terminal_codes() -> None:
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


async def test_content_is_searched_and_escape_closes_the_search() -> None:
    async with (app := Showing(body := ResultBody())).run_test(size=(80, 20)) as pilot:
        lines = "\n".join(f"line {n}" for n in range(400)) + "\nthe harbour"
        body.show(looked({"content": [{"type": "text", "text": lines}]}))
        body.focus_body()
        await press(pilot, "slash", *"harb", "enter", shows=("the harbour", "✓ 1"))
        body.show_tab(RAW)
        await pilot.pause()
        assert "find" not in text(app)
        body.show_tab(CONTENT)
        body.focus_body()
        await pilot.press("slash", "escape")
        await until(lambda: "✓ 1" not in text(app), "the search is closed")
        assert body.content.has_focus


async def test_a_match_inside_a_long_text_of_the_raw_response_is_shown() -> None:
    async with Showing(body := ResultBody()).run_test(size=(80, 20)) as pilot:
        body.show(looked({"content": [{"type": "text", "text": "x" * 9000 + " harbour " + "y" * 9000}]}))
        body.show_tab(RAW)
        body.focus_body()
        await press(pilot, "slash", *"harb", "enter", shows="harbour")
