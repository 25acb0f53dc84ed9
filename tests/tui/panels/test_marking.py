"""How the traffic is looked at, as a view, and back; `test_marking` of the app marks lines."""

from inspector.capture.notes import View
from inspector.tui.panels.marking import Marking
from inspector.tui.panels.traffic import TrafficPanel
from tests.tui.panels.test_detail_state import One
from tests.tui.screen_text import text
from tests.tui.staging import Staged, handshake
from tests.viewmodels.tape import Tape
from tests.waiting import until


async def test_a_view_is_taken_and_looked_through_again(tape: Tape) -> None:
    handshake(tape).call(3, "buy")
    app = One(Staged(tape))
    async with app.run_test(size=(140, 30)) as pilot:
        await until(lambda: "tools/call buy" in text(app), "the rows")
        await pilot.press("T")
        app.panel.list.filters.set("method == tools/call")
        await until(lambda: app.panel.list.model.count == 1, "the filter")
        view = app.panel.present_view()
        assert (view.filter, view.tree, view.columns) == ("method == tools/call", False, ())
        app.panel.look_as(View("", "", ("time", "what", "nonsense\x1b")))
        await until(lambda: app.panel.list.model.tree and app.panel.list.model.count > 1, "another view")
        assert app.panel.list.look.now.chosen == ("time", "what")
        app.panel.look_as(view)
        await until(lambda: not app.panel.list.model.tree and app.panel.list.model.count == 1, "the one before")


def test_it_is_the_traffic_that_is_looked_at_so() -> None:
    assert issubclass(TrafficPanel, Marking)
