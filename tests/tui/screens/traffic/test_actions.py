"""How the traffic is looked at, as a view, and back; `test_marking` of the app marks lines."""

import pytest
from textual.binding import Binding

from inspector.capture.format.notes import View
from inspector.config.targets import OpenCapture
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.traffic.panel import TrafficPanel
from inspector.tui.widgets.dialogs import ConfirmScreen
from tests.captures.record import sample
from tests.present.tape import Tape
from tests.tui.screen_text import press, text
from tests.tui.screens.traffic.opening import opened
from tests.tui.screens.traffic.test_detail import One
from tests.tui.several import aboard
from tests.tui.staging import Staged, handshake
from tests.waiting import until


async def test_a_view_is_taken_and_looked_through_again(tape: Tape) -> None:
    handshake(tape).call(3, "buy")
    async with (app := One(Staged(tape))).run_test(size=(140, 30)) as pilot:
        await until(lambda: "tools/call buy" in text(app), "the rows")
        await press(pilot, "Y", shows="raw message")
        await pilot.press("escape")
        await pilot.press("v t")
        app.panel.list.filters.set("method == tools/call")
        await until(lambda: app.panel.list.model.count == 1, "the filter")
        view = app.panel.present_view()
        assert (view.filter, view.tree, view.columns) == ("method == tools/call", False, ())
        app.panel.apply_view(View("", "", ("time", "what", "nonsense\x1b")))
        await until(lambda: app.panel.list.model.tree and app.panel.list.model.count > 1, "another view")
        assert app.panel.list.look.now.chosen == ("time", "what")
        app.panel.apply_view(view)
        await until(lambda: not app.panel.list.model.tree and app.panel.list.model.count == 1, "the one before")


async def test_a_call_is_sent_again_and_what_came_is_held_against_what_came_before() -> None:
    async with aboard("pier") as (app, pilot, _):
        arguments = {"a": 2, "b": 3}
        await app.conversation.call("tools/call", {"name": "add", "arguments": arguments}, lambda exchange: None)
        exchanges = app.conversation.journal.conversation.exchanges
        await until(lambda: exchanges[-1].target == "add", "the call")
        await press(pilot, "1", "G", shows="tools/call add")
        await pilot.press("x r")
        await until(lambda: "Identical response" in text(app) or isinstance(app.screen, ConfirmScreen), "the answer")
        assert not isinstance(app.screen, ConfirmScreen), "it says that it only reads"
        assert [each.target for each in exchanges[-2:]] == ["add", "add"]
        await app.navigation.open_tab(OpenCapture(sample("lighthouse")))
        await until(
            lambda: app.conversation.stage is ConversationStage.RECORDED and "tools/call" in text(app), "the recording"
        )
        entry = next(
            each.request_frame for each in app.conversation.journal.conversation.exchanges if each.target == "add"
        )
        app.panel.show_entry(entry)
        await until(lambda: isinstance(app.panel, TrafficPanel) and app.panel.list.chosen == entry, "the recorded call")
        count = len(exchanges)
        await pilot.press("x r")
        await until(lambda: isinstance(app.screen, ConfirmScreen), "the question whether to send it there")
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, ConfirmScreen), "the recording")
        assert len(exchanges) == count
        await pilot.press("x r")
        await until(lambda: isinstance(app.screen, ConfirmScreen), "the question again")
        await pilot.press("f5")
        await until(lambda: len(exchanges) == count + 1 and not exchanges[-1].is_open, "the live call")
        await until(lambda: "tools/call add: " in text(app), "what came of it")


async def test_a_panel_that_is_still_composed_takes_no_focus(monkeypatch: pytest.MonkeyPatch) -> None:
    async with aboard("pier") as (app, pilot, _):
        monkeypatch.setattr(type(app.panel), "is_mounted", False)
        app.set_focus(None)
        app.refocus()
        await pilot.pause()
        assert app.focused is None
        monkeypatch.undo()
        app.refocus()
        await until(lambda: app.focused is not None, "the list has the focus")


async def test_unsendable_entry_has_a_reason() -> None:
    async with (app := InspectApp(replay=sample("lighthouse"))).run_test(size=(120, 30), notifications=True) as pilot:
        await until(
            lambda: app.conversation.stage is ConversationStage.RECORDED and "tools/call add" in text(app),
            "the recording",
        )
        exchanges = app.conversation.journal.conversation.exchanges
        for method, why in (("initialize", "opens a session"), ("tools/list", "no server is open")):
            entry = next(each.request_frame for each in exchanges if each.method == method)
            app.panel.show_entry(entry)
            await until(lambda at=entry: app.panel.list.chosen == at, "the row")  # type: ignore[attr-defined, misc]
            await pilot.press("x r")
            await until(lambda said=why: said in text(app), "why not")  # type: ignore[misc]
    await app.conversation.end()


async def test_only_messages_are_sent_again(tape: Tape) -> None:
    noise = handshake(tape).stderr(b"creak")
    async with opened(Staged(tape)) as (pilot, panel):
        for key, sent in (("G", []), ("k", ["resend", "edit"])):
            await pilot.press(key)
            await until(lambda last=key == "G": (panel.list.chosen == noise) is last, "the row")  # type: ignore[misc]
            assert [each for each in ("resend", "edit") if panel.check_action(each, ())] == sent


def test_each_key_of_the_panel_has_an_action_and_each_action_a_key(tape: Tape) -> None:
    panel = TrafficPanel(Staged(tape))
    bound = {f"action_{each.action.partition('(')[0]}" for each in TrafficPanel.BINDINGS if isinstance(each, Binding)}
    parts = {name for part in panel.actions() for name in dir(part) if name.startswith("action_")}
    assert parts <= bound
    assert not [each for each in bound - parts if "." not in each and not hasattr(TrafficPanel, each)]
