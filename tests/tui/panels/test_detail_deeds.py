"""What the detail does with the message in sight."""

import pytest
from textual.message import Message

from inspector.tui.panels import Panel
from inspector.tui.panels.detail import DetailPanel
from inspector.tui.panels.detail_deeds import DetailDeeds
from inspector.tui.panels.payload_view import PayloadView
from inspector.tui.widgets.payload_deeds import PayloadDeeds
from tests.tui.screen_text import text
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
from tests.viewmodels.tape import Tape


class Listening(Showing):
    def on_panel_draft_wanted(self, message: Message) -> None:
        self.posted.append(message)


async def test_the_menu_knows_how_to_send_the_request_again(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = DetailPanel(Staged(handshake(tape.started())))
    app = Listening(panel)
    async with app.run_test(size=(100, 40)) as pilot:
        copied: list[str] = []
        monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
        panel.show(6)
        await pilot.pause()
        panel.focus_content()
        await pilot.press("Y")
        await pilot.pause()
        assert "mcp-inspect list tools" in text(app)
        await pilot.press("m")
        await pilot.pause()
    assert copied == ["mcp-inspect list tools -- python server.py --verbose"]


async def test_a_message_that_was_edited_becomes_a_draft(tape: Tape) -> None:
    panel = DetailPanel(Staged(handshake(tape)))
    app = Listening(panel)
    async with app.run_test(size=(100, 40)) as pilot:
        panel.show(4)
        await pilot.pause()
        view = panel.query_one("#first", PayloadView)
        view.post_message(PayloadDeeds.Edited(view, b'{"changed": 1}'))
        await pilot.pause()
        await pilot.pause()
    (wanted,) = app.posted
    assert isinstance(wanted, Panel.DraftWanted)
    assert wanted.message == b'{"changed": 1}'


async def test_the_answer_keeps_the_keys_from_tab_to_tab(tape: Tape) -> None:
    panel = DetailPanel(Staged(handshake(tape)))
    app = Listening(panel)
    async with app.run_test(size=(100, 40)) as pilot:
        panel.show(4)
        await pilot.pause()
        panel.query_one("#second", PayloadView).focus_content()
        await pilot.pause()
        panel.turn(1)
        await pilot.pause()
        assert panel.query_one("#second", PayloadView).has_focus_within


def test_the_detail_of_the_traffic_can_do_all_of_it() -> None:
    assert issubclass(DetailPanel, DetailDeeds)
