"""The line that calls."""

from inspector.tui.panels.call_bar import CallBar
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing


class Bar(Showing):
    def on_call_bar_pressed(self, event: CallBar.Pressed) -> None:
        self.posted.append(event)


async def test_its_words_say_what_a_press_does() -> None:
    app = Bar(CallBar())
    async with app.run_test(size=(70, 3)) as pilot:
        bar = app.query_one(CallBar)
        shown = []
        for problems, armed, why_not in ((0, False, ""), (2, False, ""), (2, True, ""), (1, True, "")):
            bar.say(problems=problems, armed=armed, as_json=False, why_not=why_not)
            await pilot.pause()
            shown.append(app.rows()[0])
        bar.say(problems=0, armed=False, as_json=True, why_not="a recording")
        await pilot.pause()
        assert "▸ Call ^j  ✓ valid" in shown[0]
        assert "✗ 2 errors" in shown[1]
        assert "Call anyway (2 errors)" in shown[2]
        assert "Call anyway (1 error)" in shown[3]
        assert "▲ a recording" in text(app)


async def test_enter_calls_and_a_click_shows_the_other_view() -> None:
    app = Bar(CallBar())
    async with app.run_test(size=(70, 3)) as pilot:
        bar = app.query_one(CallBar)
        bar.say(problems=0, armed=False, as_json=False, why_not="")
        bar.focus()
        await pilot.press("enter")
        await pilot.click(CallBar, offset=(text(app).index("JSON"), 0))
        assert [message.deed for message in app.posted if isinstance(message, CallBar.Pressed)] == ["call", "json"]
