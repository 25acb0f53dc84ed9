"""Filtering by what is chosen, with partners, and finding, as a person does it."""

from textual.pilot import Pilot

from inspector.tui.panels.filtering import Filtering
from inspector.tui.panels.traffic import TrafficPanel
from tests.tui.screen_text import text
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
from tests.viewmodels.tape import Tape
from tests.waiting import until

WIDE = (160, 45)


async def looked(pilot: Pilot[None], panel: TrafficPanel) -> str:
    for _ in range(6):
        panel.sync()
        await pilot.pause()
    return text(pilot.app)


async def filtered(panel: TrafficPanel, matches: int) -> None:
    def is_so() -> bool:
        panel.sync()
        return panel.list.model.has_filter and not panel.list.model.is_filtering and panel.list.model.matches == matches

    await until(is_so, f"{matches} matches")


def shop(tape: Tape) -> Tape:
    handshake(tape)
    for number, tool in enumerate(("buy", "sell", "buy"), 3):
        tape.call(number, tool, {"city": "Oslo" if number < 5 else "Bergen"})
        tape.wait(2).answer(number, {"content": [{"type": "text", "text": f"pearl {number}"}]})
    return tape


async def test_the_chosen_row_becomes_the_filter(tape: Tape) -> None:
    panel = TrafficPanel(Staged(shop(tape)))
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await looked(pilot, panel)
        await pilot.press("equals_sign")
        await filtered(panel, 4)
        assert panel.list.filters.text == 'tool == "buy"'
        assert panel.list.model.count == 2
        await pilot.press("backslash")
        await pilot.press("tilde")
        await filtered(panel, 7)
        assert panel.list.filters.text == 'not tool == "buy"'


async def test_a_value_in_the_payload_is_added_to_the_filter(tape: Tape) -> None:
    panel = TrafficPanel(Staged(shop(tape)))
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await looked(pilot, panel)
        await pilot.press("equals_sign")
        await filtered(panel, 4)
        await pilot.press("enter")
        await looked(pilot, panel)
        for _ in range(20):
            if (panel.detail.chosen_value() or ("",))[0] == "params.arguments.city":
                break
            await pilot.press("down")
        await pilot.press("plus")
        await filtered(panel, 1)
        assert panel.list.filters.text == 'tool == "buy" and args.city == "Bergen"'


async def test_partners_are_shown_in_the_order_of_the_wire(tape: Tape) -> None:
    panel = TrafficPanel(Staged(shop(tape)))
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await looked(pilot, panel)
        await pilot.press("T")
        panel.list.filters.set("args.city == Bergen")
        await filtered(panel, 1)
        assert panel.list.model.count == 1
        await pilot.press("V")
        assert "with partners" in await looked(pilot, panel)
        assert panel.list.model.count == 2
        await pilot.press("f2")
        await looked(pilot, panel)
        assert panel.list.model.count == 1


async def test_finding_jumps_and_hides_nothing(tape: Tape) -> None:
    panel = TrafficPanel(Staged(shop(tape)))
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await looked(pilot, panel)
        before = panel.list.model.count
        await pilot.press("g", "asterisk", *"pearl")

        def has_found() -> bool:
            panel.sync()
            return panel.list.model.finder.matches == 3

        await until(has_found, "what is sought")
        await looked(pilot, panel)
        assert "3" in text(pilot.app).split("find", 1)[1].split("\n")[0]
        await pilot.press("enter")
        await pilot.pause()
        cursors = [panel.list.rows.view.cursor]
        for key in ("n", "n", "n", "N"):
            await pilot.press(key)
            cursors.append(panel.list.rows.view.cursor)
        first = cursors[0]
        assert cursors == [first, first + 1, first + 2, first, first + 2]
        assert panel.list.model.count == before


def test_the_panel_has_these_actions() -> None:
    assert issubclass(TrafficPanel, Filtering)
