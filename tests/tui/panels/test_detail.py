"""One message in full, in its four forms."""

import pytest
from textual.pilot import Pilot

from inspector.tui.app import InspectApp
from inspector.tui.panels.detail import DetailPanel
from inspector.tui.panels.payload_view import PayloadView
from inspector.tui.subject import Stage
from tests.captures.record import sample
from tests.tui.screen_text import text
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
from tests.viewmodels.tape import Tape
from tests.waiting import until


async def screen(pilot: Pilot[None]) -> str:
    await pilot.pause()
    await pilot.pause()
    return text(pilot.app)


def panel_on(tape: Tape) -> DetailPanel:
    return DetailPanel(Staged(tape))


async def test_the_tabs_show_tree_text_bytes_and_facts(tape: Tape) -> None:
    panel = panel_on(handshake(tape))
    async with Showing(panel).run_test(size=(100, 40)) as pilot:
        panel.show(4)
        assert '"method": "tools/list"' in await screen(pilot)
        panel.turn(1)
        assert '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' in await screen(pilot)
        panel.turn(1)
        assert "00000000  7b 22 6a" in await screen(pilot)
        panel.turn(1)
        shown = await screen(pilot)
        assert "to the server on stdin" in shown
        assert "this did not travel over HTTP" in shown


async def test_where_room_is_short_p_turns_from_request_to_answer(tape: Tape) -> None:
    panel = panel_on(handshake(tape))
    async with Showing(panel).run_test(size=(80, 15)) as pilot:
        panel.show(4)
        shown = await screen(pilot)
        assert "request  #4" in shown
        assert "p turns over" in shown
        panel.turn_over()
        shown = await screen(pilot)
        assert "answer  #5" in shown
        assert "request  #4" not in shown


async def test_what_is_no_json_stands_as_it_came_with_the_reason(tape: Tape) -> None:
    tape.from_server(b"Server listening on 3000")
    panel = panel_on(tape)
    async with Showing(panel).run_test(size=(100, 40)) as pilot:
        panel.show(1)
        shown = await screen(pilot)
    assert "not JSON-RPC: not JSON" in shown
    assert "Server listening on 3000" in shown


async def test_an_answer_that_comes_while_its_request_is_shown_appears(tape: Tape) -> None:
    tape.request(1, "tools/call", {"name": "slow"})
    panel = panel_on(tape)
    async with Showing(panel).run_test(size=(100, 40)) as pilot:
        panel.show(1)
        assert "pending" in await screen(pilot)
        tape.wait(3000).answer(1, {"content": [{"type": "text", "text": "done at last"}]})
        for _ in range(3):
            panel.sync()
        shown = await screen(pilot)
    assert "done at last" in shown
    assert "ok after 3.00 s" in shown


async def test_y_copies_the_value_under_the_cursor(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = panel_on(handshake(tape))
    async with Showing(panel).run_test(size=(100, 40)) as pilot:
        copied: list[str] = []
        monkeypatch.setattr(pilot.app, "copy_to_clipboard", copied.append)
        panel.show(4)
        await screen(pilot)
        panel.focus_content()
        await pilot.press("down", "down", "down")
        panel.copy()
    assert copied == ['"tools/list"']


async def test_the_place_in_a_payload_is_kept_while_the_same_message_is_looked_at_again(tape: Tape) -> None:
    tape.request(1, "tools/call", {"name": "slow"})
    panel = panel_on(tape)
    async with Showing(panel).run_test(size=(100, 40)) as pilot:
        panel.show(1)
        await screen(pilot)
        panel.focus_content()
        await pilot.press("down", "down")
        before = panel.query_one("#first", PayloadView).path
        for _ in range(6):
            panel.sync()
        await screen(pilot)
        assert panel.query_one("#first", PayloadView).path == before == "id"


async def test_of_the_facts_in_the_head_those_are_left_out_that_do_not_fit_whole(tape: Tape) -> None:
    panel = panel_on(handshake(tape))
    async with Showing(panel).run_test(size=(30, 40)) as pilot:
        panel.show(4)
        facts = (await screen(pilot)).split("\n")[1]
    assert "ok after" in facts
    assert facts.rstrip()[-1] not in "·…"


async def test_the_focus_goes_along_from_the_bytes_to_the_headers() -> None:
    app = InspectApp(replay=sample("harbour"))
    async with app.run_test(size=(160, 45)) as pilot:
        await until(lambda: app.subject.stage is Stage.RECORDED, "the capture is read")
        await pilot.press("g", *["}"] * 5, "enter", "]", "]", "]")
        await until(lambda: "HTTP/1.1 after" in text(app), "the headers are shown")
        await app._tick()
        await pilot.pause()
        assert app.focused is not None
        assert app.focused.id == "headers"
    await app.subject.end()
