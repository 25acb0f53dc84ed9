"""The views of a result."""

import base64
from typing import Any

from inspector.demo import media
from inspector.tui.panels.calls import look
from inspector.tui.panels.result_body import CONTENT, HISTORY, RAW, STRUCTURED, ResultBody
from inspector.viewmodels.rows import SpanRows
from tests.tui.panels.schemas import SUM
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.viewmodels.tape import Tape

PICTURE = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(media.tide_picture(4)).decode()}


def looked(result: Any, schema: Any = None) -> Any:
    tape = Tape()
    tape.call(1, "add")
    tape.answer(1, result)
    return look(tape.journal, tape.journal.conversation.exchanges[0], schema)


async def test_each_tab_shows_its_view() -> None:
    body = ResultBody()
    app = Showing(body)
    async with app.run_test(size=(80, 20)) as pilot:
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
        assert "No calls of this tool yet" in seen[3]
        assert "Structured ✓" in seen[0]


async def test_the_block_under_the_cursor_is_known() -> None:
    body = ResultBody()
    app = Showing(body)
    async with app.run_test(size=(80, 30)) as pilot:
        looks = [body.block and body.block.look]
        body.show(looked({"content": [{"type": "text", "text": "words"}, PICTURE]}))
        body.focus_body()
        for key in ("G", "g"):
            await pilot.press(key)
            looks.append(body.block and body.block.look)
        assert looks == [None, "image", "plain"]


async def test_markdown_is_rendered_on_demand_and_back() -> None:
    body = ResultBody()
    app = Showing(body)
    async with app.run_test(size=(80, 20)) as pilot:
        assert not await body.toggle_markdown()
        body.show(looked({"content": [{"type": "text", "text": "# Head\n\n**bold** [/] \x1b[2J"}]}))
        await pilot.pause()
        assert "**bold**" in text(app)
        assert await body.toggle_markdown()
        await pilot.pause()
        assert "**bold**" not in text(app)
        assert "bold [/] ␛[2J" in text(app)
        assert await body.toggle_markdown()
        await pilot.pause()
        assert "**bold**" in text(app)


async def test_lines_are_wrapped_anew_for_another_width() -> None:
    body = ResultBody()
    app = Showing(body)
    async with app.run_test(size=(100, 20)) as pilot:
        body.show(looked({"content": [{"type": "text", "text": "word " * 18}]}))
        await pilot.pause()
        before = body.content.source.count
        await pilot.resize_terminal(50, 20)
        await pilot.pause()
        await pilot.pause()
        assert body.content.source.count > before


async def test_a_tab_is_chosen_by_a_click_and_the_history_counts() -> None:
    body = ResultBody()
    app = Showing(body)
    async with app.run_test(size=(80, 20)) as pilot:
        body.show_history(SpanRows([(("one", "text"),)]))
        await pilot.pause()
        assert "History 1" in text(app)
        await pilot.click("Segments", offset=(app.rows()[0].index("Raw"), 0))
        assert body.tab == RAW
