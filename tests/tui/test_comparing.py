"""The app on two captures begins with both side by side; behind that, each has a tab."""

from inspector.capture.compare.normal import Normal
from inspector.session.engine import OpenedSession
from inspector.tui.app import InspectApp
from inspector.tui.screens.replay.bar import TransportBar
from inspector.tui.screens.sessions.compare import CompareScreen, of_files
from tests.captures.record import sample
from tests.tui.screen_text import text
from tests.waiting import until


async def test_diff_option_opens_the_comparison_first() -> None:
    before, after = sample("lighthouse"), sample("evening")
    app = InspectApp(
        replay=before,
        name=before.stem,
        beside=[OpenedSession(after.stem, capture=after)],
        over=of_files(before, after, Normal(), ["tools/*"]),
    )
    async with app.run_test(size=(120, 30)) as pilot:
        await until(lambda: isinstance(app.screen, CompareScreen) and "only in" in text(app), "the comparison")
        await until(lambda: app.playback is not None and app.replay.bar is not None, "the recording is read")
        await app.screen_stack[0].query(TransportBar).remove()
        app.replay.bar = None  # as where it takes longer to be read than to be compared
        await until(lambda: len(app.screen_stack[0].query(TransportBar)) == 1, "the bar of the recording, behind it")
        assert "x Space Play" not in text(app)
        await pilot.press("escape")
        await until(lambda: len(app.tabs) == 2 and "evening" in text(app), "the tabs")
        await until(lambda: "x Space Play" in text(app), "the bar")
    for tab in app.tabs:
        await tab.conversation.end()
