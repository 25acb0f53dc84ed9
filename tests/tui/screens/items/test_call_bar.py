"""The line that calls."""

from inspector.tui.screens.items.form import CallBar, CallBarContent
from tests.tui.screen_text import shows, text
from tests.tui.widgets.showing import Showing


class Bar(Showing):
    def on_press_bar_pressed(self, event: CallBar.Pressed) -> None:
        self.posted.append(event)


async def test_call_bar_describes_its_button() -> None:
    async with (app := Bar(CallBar())).run_test(size=(70, 3)) as pilot:
        bar = app.query_one(CallBar)
        shown = []
        for problems, armed, why_not in ((0, False, ""), (2, False, ""), (2, True, ""), (1, True, "")):
            bar.say(CallBarContent(problems, armed=armed, why_not=why_not))
            await pilot.pause()
            shown.append(app.rows()[0])
        bar.say(CallBarContent(as_json=True, why_not="a recording"))
        await pilot.pause()
        assert "[ Call ^j ]  ✓ Valid" in shown[0]
        assert "✗ 2 errors" in shown[1]
        assert "Call anyway (2 errors)" in shown[2]
        assert "Call anyway (1 error)" in shown[3]
        assert "▲ a recording" in text(app)


async def test_missing_values_are_no_errors_until_something_is_wrong() -> None:
    async with (app := Bar(CallBar())).run_test(size=(70, 3)) as pilot:
        bar = app.query_one(CallBar)
        for problems, awaited, said in ((2, 2, "[ Call ^j ]  2 required"), (3, 2, "✗ 1 error"), (2, 0, "✗ 2 errors")):
            bar.say(CallBarContent(problems, awaited))
            await pilot.pause()
            assert said in text(app)
            assert ("required" in text(app)) == (problems == awaited)
        await pilot.resize_terminal(38, 3)
        await shows(app, "[ Call ^j ]", "JSON ^o")


async def test_enter_calls_and_a_click_shows_the_other_view() -> None:
    async with (app := Bar(CallBar())).run_test(size=(70, 3)) as pilot:
        bar = app.query_one(CallBar)
        bar.say(CallBarContent())
        await pilot.press("tab")
        assert text(app).lstrip("\n").startswith("▌[ Call"), "the focus is visible also without colors"
        await pilot.press("enter")
        await pilot.click(CallBar, offset=(text(app).index("JSON"), 0))
        assert [message.action for message in app.posted if isinstance(message, CallBar.Pressed)] == ["call", "json"]


async def test_without_a_verdict_it_does_not_say_valid() -> None:
    async with (app := Bar(CallBar())).run_test(size=(70, 3)) as pilot:
        bar = app.query_one(CallBar)
        bar.say(CallBarContent(verdict="none"))
        await pilot.pause()
        assert "valid" not in text(app).replace("Not validated", "")
        assert "▲ Not validated" in text(app)
        bar.say(CallBarContent(verdict="awaited"))
        await pilot.pause()
        assert "valid" not in text(app)


async def test_task_toggle_is_shown_and_clickable() -> None:
    async with (app := Bar(CallBar())).run_test(size=(70, 3)) as pilot:
        app.query_one(CallBar).say(CallBarContent(task="○ as a task t"))
        await pilot.pause()
        await pilot.click(CallBar, offset=(text(app).index("as a task"), 0))
        assert [message.action for message in app.posted if isinstance(message, CallBar.Pressed)] == ["task"]
