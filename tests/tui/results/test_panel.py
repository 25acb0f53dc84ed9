"""One call at a time: running, over, and what can be done with it."""

import pytest

from inspector.present.calls import view_call
from inspector.protocol.listed_items import Tool
from inspector.tui.results.calls import CallHistory, HistoryRows, RunningCall
from inspector.tui.results.panel import ResultPanel
from inspector.tui.results.views import HISTORY
from inspector.tui.widgets.picture import PictureScreen
from tests.tui.results.test_views import PICTURE
from tests.tui.screen_text import shows, text
from tests.tui.screens.acting import Acting
from tests.tui.screens.schemas import ADD
from tests.tui.widgets.showing import Showing
from tests.waiting import until

pytestmark = pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")  # of the pictures' library


class Panel(Showing):
    def __init__(self) -> None:
        self.panel = ResultPanel()
        self.subject = Acting()
        super().__init__(self.panel)

    def on_result_panel_wanted(self, event: ResultPanel.Wanted) -> None:
        self.posted.append(event)

    @property
    def wanted(self) -> list[tuple[str, int]]:
        found = [message for message in self.posted if isinstance(message, ResultPanel.Wanted)]
        calls = [(message.action, message.call) for message in found]
        return [(action, call.exchange.number if call and call.exchange else 0) for action, call in calls]

    def running(self) -> RunningCall:
        self.subject.tape.call(1, "add", {"a": 1})
        call = RunningCall(Tool(ADD), {"a": 1}, self.subject.journal)
        call.exchange = self.subject.journal.conversation.exchanges[-1]
        return call


async def test_a_running_call_shows_its_time_and_its_progress() -> None:
    async with (app := Panel()).run_test(size=(80, 20)):
        call = app.running()
        app.panel.show_running(call)
        app.subject.tape.notify("notifications/progress", {"progressToken": 1, "progress": 7, "message": "\x1b[2Jx"})
        app.panel.tick(app.subject.tape.now + 2_300_000_000)
        await shows(app, "⋯ Running", "2.3 s", "7  ␛[2Jx  ×1")
        call.cancelling = True
        app.panel.tick(app.subject.tape.now + 2_300_000_000)
        await shows(app, "cancelling")


async def test_a_call_that_is_over_shows_what_came_of_it() -> None:
    async with (app := Panel()).run_test(size=(80, 20), notifications=True) as pilot:
        assert app.panel.is_empty
        call = app.running()
        app.subject.tape.wait(40)
        app.subject.tape.answer(1, {"content": [PICTURE, {"type": "text", "text": "words"}]})
        app.panel.show(view_call(app.subject.journal, call.exchange, None))
        await shows(app, "✓ OK · 40 ms")
        assert app.panel.exchange is call.exchange
        app.panel.body.focus_body()
        await pilot.press("x e")
        assert app.wanted == [("edit", 1)]
        await pilot.press("v i")
        await until(lambda: isinstance(app.screen, PictureScreen), "the picture is open")


async def test_picture_key_needs_a_picture() -> None:
    async with (app := Panel()).run_test(size=(80, 20), notifications=True) as pilot:
        app.panel.body.focus_body()
        await pilot.press("v", "v m", "x e", "y")
        assert not any(found.binding.id == "result.picture" for found in app.screen.active_bindings.values())
        assert "No text in this result" in text(app)
        assert app.wanted == []


async def test_copying_leaves_control_characters_out() -> None:
    async with (app := Panel()).run_test(size=(80, 20)) as pilot:
        call = app.running()
        app.subject.tape.answer(1, {"content": [{"type": "text", "text": "a\x1bb\nc"}]})
        app.panel.show(view_call(app.subject.journal, call.exchange, None))
        app.panel.body.focus_body()
        await pilot.press("y")
        assert app.clipboard == "ab\nc"


async def test_the_history_is_one_of_the_views_and_enter_shows_a_call() -> None:
    async with (app := Panel()).run_test(size=(80, 20)) as pilot:
        app.running()
        history = CallHistory(app.subject)
        history.take()
        app.panel.body.show_history(HistoryRows(app.subject, lambda: history.of("add")))
        app.panel.body.show_tab(HISTORY)
        app.panel.body.focus_body()
        await pilot.pause()
        assert app.panel.chosen is history.of("add")[0]
        await pilot.press("enter")
        assert app.wanted == [("show", 1)]


async def test_finding_about_a_call_is_below_its_headline() -> None:
    async with (app := Panel()).run_test(size=(80, 20)) as pilot:
        app.panel.show_cause(
            [("▲ warning tool-failure-unmarked ", "warning"), ("a failure [b]is[/] returned as a success", "text")]
        )
        await shows(app, "tool-failure-unmarked a failure [b]is[/] returned as a success")
        app.panel.show_cause([])
        await pilot.pause()
        assert "tool-failure-unmarked" not in text(app)
