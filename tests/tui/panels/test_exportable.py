"""What of the traffic can be exported."""

from inspector.tui.panels.exportable import Exportable
from inspector.tui.panels.traffic import TrafficPanel
from tests.tui.panels.test_detail_state import One
from tests.tui.screen_text import text
from tests.tui.staging import Staged, handshake
from tests.viewmodels.tape import Tape
from tests.waiting import until


async def test_it_is_what_the_filter_shows_and_the_operation_under_the_cursor(tape: Tape) -> None:
    call = handshake(tape).call(3, "buy")
    noise = tape.stderr(b"creak")
    answer = tape.answer(3, {"content": []})
    app = One(Staged(tape))
    async with app.run_test(size=(110, 24)) as pilot:
        await until(lambda: "tools/call buy" in text(app), "the rows")
        await pilot.press("g", "G", "k")

        def scopes() -> list[tuple[str, list[int]]]:
            return [(each.name, [*each.entries]) for each in app.panel.export_scopes]

        await until(lambda: ("this operation", [call, noise, answer]) in scopes(), "the operation")
        await pilot.press("/", *"kind:stderr", "enter")
        await until(lambda: ("what the filter shows", [noise]) in scopes(), "what the filter shows")
    assert issubclass(TrafficPanel, Exportable)
