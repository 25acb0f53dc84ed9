"""`r` sends a request of the traffic again: to its own server, or from a recording to the one that is open."""

from inspector.tui.app import InspectApp
from inspector.tui.panels.resending import Resending
from inspector.tui.panels.traffic import TrafficPanel
from inspector.tui.screens.confirm import ConfirmScreen
from inspector.tui.subject import Stage
from inspector.viewmodels.start import OpenCapture
from tests.captures.record import sample
from tests.tui.screen_text import text
from tests.tui.several import aboard
from tests.waiting import until


async def test_a_call_is_sent_again_and_what_came_is_held_against_what_came_before() -> None:
    async with aboard("pier") as (app, pilot, _):
        arguments = {"a": 2, "b": 3}
        await app.subject.call("tools/call", {"name": "add", "arguments": arguments}, lambda exchange: None)
        exchanges = app.subject.journal.conversation.exchanges
        await until(lambda: exchanges[-1].target == "add", "the call")
        await pilot.press("1", "G")
        await until(lambda: "tools/call add" in text(app), "its row")
        await pilot.press("r")
        await until(
            lambda: "The same came as before" in text(app) or isinstance(app.screen, ConfirmScreen), "the answer"
        )
        assert not isinstance(app.screen, ConfirmScreen), "it says that it only reads"
        assert [each.target for each in exchanges[-2:]] == ["add", "add"]

        await app.open_tab(OpenCapture(sample("lighthouse")))
        await until(lambda: app.subject.stage is Stage.RECORDED and "tools/call" in text(app), "the recording")
        entry = next(each.request_frame for each in app.subject.journal.conversation.exchanges if each.target == "add")
        app.panel.show_entry(entry)
        await until(lambda: isinstance(app.panel, TrafficPanel) and app.panel.list.chosen == entry, "the recorded call")
        count = len(exchanges)
        await pilot.press("r")
        await until(lambda: isinstance(app.screen, ConfirmScreen), "the question whether to send it there")
        await pilot.press("n")
        await until(lambda: not isinstance(app.screen, ConfirmScreen), "the recording")
        assert len(exchanges) == count
        await pilot.press("r")
        await until(lambda: isinstance(app.screen, ConfirmScreen), "the question again")
        await pilot.press("y")
        await until(lambda: len(exchanges) == count + 1 and not exchanges[-1].is_open, "the live call")
        await until(lambda: "tools/call add: " in text(app), "what came of it")


async def test_what_cannot_be_sent_says_why() -> None:
    app = InspectApp(replay=sample("lighthouse"))
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await until(lambda: app.subject.stage is Stage.RECORDED and "tools/call add" in text(app), "the recording")
        exchanges = app.subject.journal.conversation.exchanges
        for method, why in (("initialize", "opens a session"), ("tools/list", "no server is open")):
            entry = next(each.request_frame for each in exchanges if each.method == method)
            app.panel.show_entry(entry)
            await until(lambda at=entry: app.panel.list.chosen == at, "the row")  # type: ignore[attr-defined, misc]
            await pilot.press("r")
            await until(lambda said=why: said in text(app), "why not")  # type: ignore[misc]
    await app.subject.end()


def test_the_traffic_can_do_it() -> None:
    assert issubclass(TrafficPanel, Resending)
