"""The detail of Traffic: one message in its four forms."""

import pytest
from textual.app import App, ComposeResult
from textual.message import Message

from inspector.capture.format.records import EditRecord
from inspector.capture.store import history
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from inspector.tui.panels import Panel
from inspector.tui.screens.traffic.detail import DetailPanel
from inspector.tui.screens.traffic.panel import TrafficPanel
from inspector.tui.widgets.payload import PayloadView
from inspector.tui.widgets.payload_actions import PayloadActions
from tests.captures.record import sample
from tests.present.tape import Tape
from tests.tui.screen_text import drawn, press, shows, text
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
from tests.waiting import until


def panel_on(tape: Tape) -> DetailPanel:
    return DetailPanel(Staged(tape))


async def test_the_tabs_show_tree_text_bytes_and_facts(tape: Tape) -> None:
    async with Showing(panel := panel_on(handshake(tape))).run_test(size=(100, 40)) as pilot:
        panel.show(4)
        assert '"method": "tools/list"' in await drawn(pilot)
        panel.turn(1)
        assert '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' in await drawn(pilot)
        panel.turn(1)
        assert "00000000  7b 22 6a" in await drawn(pilot)
        panel.turn(1)
        assert "Trace of tools/list" in await drawn(pilot)
        panel.turn(1)
        shown = await drawn(pilot)
        assert "to the server on stdin" in shown
        assert "not sent over HTTP" in shown


async def test_a_call_shows_the_schemas_of_its_tool_and_what_differs_from_the_call_before(tape: Tape) -> None:
    handshake(tape)
    number = {"a": {"type": "number"}}
    tape.request(5, "tools/list")
    tape.answer(5, {"tools": [{"name": "add", "inputSchema": {"type": "object", "properties": number}}]})
    entries = []
    for id_, value in ((6, 1), (7, 2)):
        entries.append(tape.request(id_, "tools/call", {"name": "add", "arguments": {"a": value}}))
        tape.answer(id_, {"content": [{"type": "text", "text": f"is {value}"}]})
    async with Showing(panel := panel_on(tape)).run_test(size=(100, 40)) as pilot:
        panel.show(entries[0])
        shown = await drawn(pilot)
        assert " Schema " in shown
        assert " Diff " not in shown, "there was no such call before"
        panel.turn(5)
        assert '"properties": {' in await drawn(pilot)
        panel.show(entries[1])
        panel.turn(2)
        shown = await drawn(pilot)
    for said in (f"#{entries[0]} → #{entries[1]}", "params.arguments.a", "− 1", "+ 2", '+ "is 2"'):
        assert said in shown, said


async def test_narrow_detail_switches_between_request_and_response(tape: Tape) -> None:
    async with Showing(panel := panel_on(handshake(tape))).run_test(size=(80, 15)) as pilot:
        panel.show(4)
        shown = await drawn(pilot)
        assert "Request  #4" in shown
        assert "g p Request/response" in shown
        panel.switch_side()
        shown = await drawn(pilot)
        assert "Response  #5" in shown
        assert "Request  #4" not in shown


async def test_non_json_payload_is_shown_raw_with_a_reason(tape: Tape) -> None:
    tape.from_server(b"Server listening on 3000")
    async with Showing(panel := panel_on(tape)).run_test(size=(100, 40)) as pilot:
        panel.show(1)
        shown = await drawn(pilot)
    assert "not JSON-RPC: not JSON" in shown
    assert "Server listening on 3000" in shown


async def test_an_answer_that_comes_while_its_request_is_shown_appears(tape: Tape) -> None:
    tape.request(1, "tools/call", {"name": "slow"})
    async with Showing(panel := panel_on(tape)).run_test(size=(100, 40)) as pilot:
        panel.show(1)
        assert "Pending" in await drawn(pilot)
        tape.wait(3000).answer(1, {"content": [{"type": "text", "text": "done at last"}]})
        for _ in range(3):
            panel.sync()
        shown = await drawn(pilot)
    assert "done at last" in shown
    assert "OK after 3.00 s" in shown


async def test_a_message_that_a_tap_edits_while_it_is_shown_has_both_sides(tape: Tape) -> None:
    n = tape.request(1, "tools/call", {"name": "create", "arguments": {"repo": "prod"}})
    async with Showing(panel := panel_on(tape)).run_test(size=(100, 40)) as pilot:
        panel.show(n)
        assert "Request" in await drawn(pilot)
        tape.journal.edited(EditRecord(of=n, act="modify", by="user", raw='{"repo":"sandbox"}'))
        tape.answer(1, {})
        for _ in range(3):
            panel.sync()
        shown = await drawn(pilot)
    assert "sandbox" in shown
    assert "Client sent" in shown
    assert "Server saw" in shown
    assert "#0" not in shown


async def test_y_copies_the_value_under_the_cursor(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Showing(panel := panel_on(handshake(tape))).run_test(size=(100, 40)) as pilot:
        copied: list[str] = []
        monkeypatch.setattr(pilot.app, "copy_to_clipboard", copied.append)
        panel.show(4)
        await drawn(pilot)
        panel.focus_content()
        await pilot.press("down", "down", "down")
        panel.copy()
    assert copied == ['"tools/list"']


async def test_the_place_in_a_payload_is_kept_while_the_same_message_is_looked_at_again(tape: Tape) -> None:
    tape.request(1, "tools/call", {"name": "slow"})
    async with Showing(panel := panel_on(tape)).run_test(size=(100, 40)) as pilot:
        panel.show(1)
        await drawn(pilot)
        panel.focus_content()
        await pilot.press("down", "down")
        before = panel.query_one("#first", PayloadView).path
        for _ in range(6):
            panel.sync()
        await drawn(pilot)
        assert panel.query_one("#first", PayloadView).path == before == "id"


async def test_detail_head_omits_facts_that_do_not_fit(tape: Tape) -> None:
    async with Showing(panel := panel_on(handshake(tape))).run_test(size=(30, 40)) as pilot:
        panel.show(4)
        facts = (await drawn(pilot)).split("\n")[1]
    assert "OK after" in facts
    assert facts.rstrip()[-1] not in "·…"


async def test_the_focus_goes_along_from_the_bytes_to_the_headers() -> None:
    async with (app := InspectApp(replay=sample("harbour"))).run_test(size=(160, 45)) as pilot:
        await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "the capture is read")
        await press(pilot, "g g", *["g x"] * 5, "enter", "]", "]", "]", "]", shows="HTTP/1.1 after")
        await app._tick()
        await pilot.pause()
        assert app.focused is not None
        assert app.focused.id == "headers"
    await app.conversation.end()


class Listening(Showing):
    def on_panel_draft_wanted(self, message: Message) -> None:
        self.posted.append(message)


async def test_the_menu_knows_how_to_send_the_request_again(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = DetailPanel(Staged(handshake(tape.started())))
    async with (app := Listening(panel)).run_test(size=(100, 40)) as pilot:
        copied: list[str] = []
        monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
        panel.show(6)
        await pilot.pause()
        panel.focus_content()
        await press(pilot, "Y", shows="mcp-inspect list tools")
        await pilot.press("m")
    assert copied == ["mcp-inspect list tools -- python server.py --verbose"]


async def test_a_message_that_was_edited_becomes_a_draft(tape: Tape) -> None:
    async with (app := Listening(panel := DetailPanel(Staged(handshake(tape))))).run_test(size=(100, 40)) as pilot:
        panel.show(4)
        await pilot.pause()
        view = panel.query_one("#first", PayloadView)
        view.post_message(PayloadActions.Edited(b'{"changed": 1}'))
        await pilot.pause()
        await pilot.pause()
    (wanted,) = app.posted
    assert isinstance(wanted, Panel.DraftWanted)
    assert wanted.message == b'{"changed": 1}'


async def test_the_answer_keeps_the_keys_from_tab_to_tab(tape: Tape) -> None:
    async with Listening(panel := DetailPanel(Staged(handshake(tape)))).run_test(size=(100, 40)) as pilot:
        panel.show(4)
        await pilot.pause()
        panel.query_one("#second", PayloadView).focus_content()
        await pilot.pause()
        panel.turn(1)
        await pilot.pause()
        assert panel.query_one("#second", PayloadView).has_focus_within


async def test_one_goes_from_finding_to_finding_and_sees_what_is_meant() -> None:
    app = InspectApp(replay=sample("lighthouse"))
    app.CHECKS_AFTER_S = 0.01
    async with app.run_test(size=(160, 45)) as pilot:
        await until(lambda: app.checker and app.conversation.checks.is_done and "⚑" in text(app), "all was checked")
        await pilot.press("g g")
        await until(lambda: "stdio opened" in text(app) and "Findings   " not in text(app), "the top was there")
        assert "] Findings" not in text(app)
        for _ in range(4):
            before = app.panel.list.chosen  # type: ignore[attr-defined]
            await pilot.press("g f")
            await until(lambda: app.panel.list.chosen != before, "the next one was chosen")  # type: ignore[attr-defined] # noqa: B023
        value = "structuredContent.hectopascal"
        await shows(app, value, "✗ invalid_output")
        await press(pilot, "left_square_bracket", shows="`structuredContent` does not match `outputSchema`")
        await press(pilot, "g F", shows="▲ the tool failed with a protocol error")
        await press(pilot, "slash", *"finding == structured-content-invalid", "enter", shows="✓ 1 of 65")
        await pilot.press("g f", "g f")
    await app.conversation.end()


class One(App[None]):
    """The traffic alone."""

    def __init__(self, subject: Staged) -> None:
        super().__init__()
        self.panel = TrafficPanel(subject)

    def compose(self) -> ComposeResult:
        yield self.panel

    def on_mount(self) -> None:
        self.call_after_refresh(self.panel.take_focus)
        self.set_interval(0.02, self._look)

    def _look(self) -> None:
        if self.panel.list.query("LogList"):  # it is composed a moment later
            self.panel.sync()


async def test_state_follows_the_line_and_closes(tape: Tape) -> None:
    handshake(tape).call(3, "buy")
    async with (app := One(Staged(tape, stage=ConversationStage.OPEN))).run_test(size=(140, 40)) as pilot:
        await until(lambda: "tools/call buy" in text(app), "the rows")
        await press(pilot, "g g", "v .", shows=("protocol version", "not negotiated yet"))
        await press(pilot, "G", shows="#6  ⋯ for")
        await pilot.press("v .")
        await until(lambda: "#6  ⋯ for" not in text(app), "the message again")


async def test_slow_state_is_computed_aside(tape: Tape) -> None:
    near, history.NEAR = history.NEAR, 2
    try:
        handshake(tape).call(3, "buy")
        async with (app := One(Staged(tape, stage=ConversationStage.RECORDED))).run_test(size=(80, 24)) as pilot:
            await until(lambda: "tools/call buy" in text(app), "the rows")
            await press(pilot, "G", "v .", shows="#6  ⋯ for")
    finally:
        history.NEAR = near


async def test_keys_that_come_before_the_detail_is_laid_out_mean_what_it_will_show(tape: Tape) -> None:
    handshake(tape).call(3, "buy")
    async with (app := One(Staged(tape, stage=ConversationStage.RECORDED))).run_test(size=(140, 40)):
        app.panel.action_state()
        app.panel.detail.copy()
        assert app.panel.detail.chosen_value() is None
        await until(lambda: "Pending" in text(app), "the state, once there is room for it")
