"""Long lines of exact text go on below or to the right, as somebody wants them."""

import json

from inspector.tui.panels.payload_view import RAW, TREE, PayloadView
from inspector.tui.panels.raw_text import RawText
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until

LONG = json.dumps({"image": "A" * 700, "uri": "data:x", "z": [1, 2, 3]}).encode()


async def test_long_lines_of_exact_text_go_on_below_or_to_the_right_whatever_payload_comes() -> None:
    view = PayloadView()
    assert isinstance(view, RawText)
    app = Showing(view)
    async with app.run_test(size=(90, 12)) as pilot:
        view.show([], [], LONG, RAW)
        await pilot.pause()
        view.focus_content()
        await until(lambda: "↪" in text(app) and '"z": [1, 2, 3]' in text(app), "it goes on below")
        await pilot.press("right")
        assert "↪" in text(app)
        await pilot.press("w")
        await until(lambda: "↪" not in text(app) and "›" in text(app), "one line, and more to the right")
        for _ in range(30):
            await pilot.press("right")
        await until(lambda: '"z": [1, 2, 3]' in text(app) and "‹" in text(app), "its end")
        await pilot.press("left")
        await until(lambda: "A" * 30 in text(app) and "›" in text(app), "a little back")
        view.show([], [], b"[" + LONG + b"]", RAW)
        await until(lambda: '  [{"image"' in text(app) and "›" in text(app), "the next payload likewise")
        await pilot.press("w")
        await until(lambda: "↪" in text(app), "below again")


async def test_only_exact_text_has_these_keys() -> None:
    view = PayloadView()
    app = Showing(view)
    async with app.run_test(size=(90, 12)) as pilot:
        view.show([], [], LONG, TREE)
        await pilot.pause()
        assert [view.check_action(name, ()) for name in ("wrap", "sideways", "copy_as")] == [False, False, True]
        view.show([], [], LONG, RAW)
        assert [view.check_action(name, ()) for name in ("wrap", "sideways")] == [True, False]
