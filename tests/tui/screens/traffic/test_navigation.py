"""Filtering by the selection, by request and response, and searching, as a user does it."""

from textual.pilot import Pilot

from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.traffic.panel import TrafficPanel
from tests.present.tape import Tape
from tests.tui.screen_text import shown, text
from tests.tui.screens.traffic.opening import LOOKS, opened
from tests.tui.staging import Staged, handshake
from tests.waiting import until


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
    async with opened(Staged(shop(tape))) as (pilot, panel):
        await pilot.press("f o")
        await filtered(panel, 4)
        assert panel.list.filters.text == 'tool == "buy"'
        assert panel.list.model.count == 2
        await pilot.press("f c", "f x")
        await filtered(panel, 7)
        assert panel.list.filters.text == 'not tool == "buy"'


async def test_a_value_in_the_payload_is_added_to_the_filter(tape: Tape) -> None:
    async with opened(Staged(shop(tape))) as (pilot, panel):
        await pilot.press("f o")
        await filtered(panel, 4)
        await pilot.press("enter")
        await shown(pilot, panel, LOOKS)
        for _ in range(20):
            if (panel.detail.chosen_value() or ("",))[0] == "params.arguments.city":
                break
            await pilot.press("down")
        await pilot.press("f f")
        await filtered(panel, 1)
        assert panel.list.filters.text == 'tool == "buy" and args.city == "Bergen"'


async def test_partners_are_shown_in_the_order_of_the_wire(tape: Tape) -> None:
    async with opened(Staged(shop(tape))) as (pilot, panel):
        await pilot.press("v t")
        panel.list.filters.set("args.city == Bergen")
        await filtered(panel, 1)
        assert panel.list.model.count == 1
        await pilot.press("f p")
        assert "with request/response pairs" in await shown(pilot, panel, LOOKS)
        assert panel.list.model.count == 2
        await pilot.press("f2")
        await shown(pilot, panel, LOOKS)
        assert panel.list.model.count == 1


async def test_finding_jumps_and_hides_nothing(tape: Tape) -> None:
    async with opened(Staged(shop(tape))) as (pilot, panel):
        before = panel.list.model.count
        await pilot.press("g g", "f /", *"pearl")

        def has_found() -> bool:
            panel.sync()
            return panel.list.model.finder.matches == 3

        await until(has_found, "what is sought")
        await shown(pilot, panel, LOOKS)
        assert "3" in text(pilot.app).split("find", 1)[1].split("\n")[0]
        await pilot.press("enter")
        cursors = [panel.list.rows.view.cursor]
        for key in ("n", "n", "n", "N"):
            await pilot.press(key)
            cursors.append(panel.list.rows.view.cursor)
        first = cursors[0]
        assert cursors == [first, first + 1, first + 2, first, first + 2]
        assert panel.list.model.count == before


def _busy(tape: Tape) -> Staged:
    """A handshake, a call that logs a lot, and one that fails."""
    handshake(tape)
    tape.call(3, "slow", {"q": "herring"})
    for number in range(20):
        tape.wait(10).notify("notifications/message", {"level": "info", "data": f"line {number}"})
    tape.wait(10).answer(3, {"content": []})
    tape.wait(10).call(4, "broken", {"q": "cod"})
    tape.wait(10).error(4, -32603, "the net is torn")
    tape.wait(10).stderr(b"the end")
    return Staged(tape, stage=ConversationStage.RECORDED)


def _row(screen: str, words: str) -> str:
    return next(line.split("│")[0] for line in screen.split("\n")[1:] if words in line.split("│")[0])


async def _at(pilot: Pilot[None], panel: TrafficPanel, words: str) -> None:
    """The cursor is on the row with these words."""
    screen = await shown(pilot, panel, LOOKS)
    (row,) = [line for line in screen.split("\n") if line.startswith("▌") and "│" in line and words in line]
    assert row


async def test_space_unfolds_runs_and_calls(tape: Tape) -> None:
    async with opened(_busy(tape)) as (pilot, panel):
        assert "▸ ×20" in await shown(pilot, panel, LOOKS)
        await pilot.press("g g", "g x", "g x", "j", "space")
        screen = await shown(pilot, panel, LOOKS)
        assert "▾ ×20" in screen
        assert "line 7" in screen
        await pilot.press("j", "j", "space")
        assert "▸ ×20" in await shown(pilot, panel, LOOKS)
        await pilot.press("k", "space")
        assert "▸ 1 more" in await shown(pilot, panel, LOOKS)


async def test_brackets_go_from_error_to_error_and_say_when_there_is_none(tape: Tape) -> None:
    async with opened(_busy(tape), notifications=True) as (pilot, panel):
        await pilot.press("g g", "g e")
        await _at(pilot, panel, "tools/call broken")
        await pilot.press("g e")
        await until(lambda: "No next error." in text(pilot.app), "it is said")
        await pilot.press("G", "g e")
        await until(lambda: "g E goes to the one before this row." in text(pilot.app), "where there is one")
        await pilot.press("g E")
        await _at(pilot, panel, "tools/call broken")
        await pilot.press("g g", "g E")
        await until(lambda: "g e goes to the one after this row." in text(pilot.app), "where there is one")


async def test_nested_entry_leads_to_its_call(tape: Tape) -> None:
    async with opened(_busy(tape), notifications=True) as (pilot, panel):
        await pilot.press("g g", "g x", "g x", "g w")
        await _at(pilot, panel, "message")
        await pilot.press("g c")
        await _at(pilot, panel, "tools/call slow")
        await pilot.press("g c")
        await until(lambda: "No cause found for this entry." in text(pilot.app), "it is said")
        await pilot.press("g w", "g W")
        await _at(pilot, panel, "tools/call slow")


async def test_a_number_or_a_time_can_be_gone_to(tape: Tape) -> None:
    async with opened(_busy(tape)) as (pilot, panel):
        await pilot.press("g n", *"6", "enter")
        await _at(pilot, panel, "tools/call slow")
        await pilot.press("g n", *"soon", "enter")
        await until(lambda: "time of day, such as" in text(pilot.app), "what is wrong is said")
        await pilot.press("escape", "g n", *"+99", "enter")
        await _at(pilot, panel, "the end")


async def test_time_modes_rotate_and_count_from_a_line(tape: Tape) -> None:
    async with opened(_busy(tape)) as (pilot, panel):
        await pilot.press("v k")
        assert "Elapsed" in await shown(pilot, panel, LOOKS)
        await pilot.press("v k")
        assert "Delta" in await shown(pilot, panel, LOOKS)
        await pilot.press("g g", "g x", "v z")
        screen = await shown(pilot, panel, LOOKS)
        assert "From #4" in screen
        assert "◆ 0.000" in screen
        assert "-0.025" in screen
        await pilot.press("v z")
        assert "From #4" not in await shown(pilot, panel, LOOKS)


async def test_a_value_becomes_a_column_and_the_next_list_has_it_too(tape: Tape) -> None:
    async with opened(_busy(tape)) as (pilot, panel):
        await pilot.press("g g", "g x", "g x", "enter")
        await shown(pilot, panel, LOOKS)
        while (chosen := panel.detail.chosen_value()) is None or not chosen[0].endswith(".q"):
            await pilot.press("j")
        await pilot.press("f a")
        screen = await shown(pilot, panel, LOOKS)
        assert "args.q" in screen.split("\n")[0]
        assert "herring" in _row(screen, "tools/call slow")
        assert "cod" in _row(screen, "tools/call broken")
    async with opened(_busy(Tape())) as (pilot, again):
        assert "args.q" in (await shown(pilot, again, LOOKS)).split("\n")[0]


async def test_frozen_list_counts_new_entries(tape: Tape) -> None:
    async with opened(Staged(handshake(tape))) as (pilot, panel):
        await pilot.press("v p")
        before = [line.split("│")[0] for line in (await shown(pilot, panel, LOOKS)).split("\n")[1:-2]]
        tape.call(5, "late")
        tape.error(5, -1, "x")
        tape.stderr(b"x")
        screen = await shown(pilot, panel, LOOKS)
        assert "‖ frozen 3 new ✗ 1 error" in screen
        assert [line.split("│")[0] for line in screen.split("\n")[1:-2]] == before
        await pilot.press("v p")
        assert "tools/call late" in await shown(pilot, panel, LOOKS)


async def test_scrolled_list_counts_new_rows_and_errors(tape: Tape) -> None:
    async with opened(Staged(handshake(tape))) as (pilot, panel):
        await pilot.press("g g")
        for number in range(5, 65):
            tape.call(number, "late")
            tape.error(number, -1, "x")
        assert "▼ 60 new ✗ 60 errors" in await shown(pilot, panel, LOOKS)
        await pilot.press("G")
        assert "▼ follow" in await shown(pilot, panel, LOOKS)


async def test_a_wide_list_has_a_small_waterfall_of_what_is_in_sight(tape: Tape) -> None:
    async with opened(_busy(tape)) as (pilot, panel):
        panel.cycle_layout()
        panel.cycle_layout()
        screen = await shown(pilot, panel, LOOKS)
        slow = next(line for line in screen.split("\n") if "tools/call slow" in line)
        assert "━━" in slow
        broken = next(line for line in screen.split("\n") if "tools/call broken" in line)
        assert broken.index("━") > slow.index("━━")


async def test_the_waterfall_opens_at_the_chosen_exchange_and_leads_back_with_another(tape: Tape) -> None:
    async with opened(_busy(tape)) as (pilot, panel):
        await pilot.press("g g", "g x", "g x", "v w")
        await until(lambda: "Waterfall" in text(pilot.app).split("\n")[0], "it is open")
        (row,) = [line for line in text(pilot.app).split("\n") if line.startswith("▌")]
        assert "tools/call slow" in row
        await pilot.press("j", "enter")
        await until(lambda: "Waterfall  " not in text(pilot.app), "it is closed")
        await _at(pilot, panel, "tools/call broken")
