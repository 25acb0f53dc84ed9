"""Filtering by the selection, by request and response, and searching, as a user does it."""

from textual.pilot import Pilot

from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.traffic.panel import TrafficPanel
from tests.present.tape import Tape
from tests.tui.screen_text import text
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
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
        await pilot.press("f o")
        await filtered(panel, 4)
        assert panel.list.filters.text == 'tool == "buy"'
        assert panel.list.model.count == 2
        await pilot.press("f c")
        await pilot.press("f x")
        await filtered(panel, 7)
        assert panel.list.filters.text == 'not tool == "buy"'


async def test_a_value_in_the_payload_is_added_to_the_filter(tape: Tape) -> None:
    panel = TrafficPanel(Staged(shop(tape)))
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await looked(pilot, panel)
        await pilot.press("f o")
        await filtered(panel, 4)
        await pilot.press("enter")
        await looked(pilot, panel)
        for _ in range(20):
            if (panel.detail.chosen_value() or ("",))[0] == "params.arguments.city":
                break
            await pilot.press("down")
        await pilot.press("f f")
        await filtered(panel, 1)
        assert panel.list.filters.text == 'tool == "buy" and args.city == "Bergen"'


async def test_partners_are_shown_in_the_order_of_the_wire(tape: Tape) -> None:
    panel = TrafficPanel(Staged(shop(tape)))
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await looked(pilot, panel)
        await pilot.press("v t")
        panel.list.filters.set("args.city == Bergen")
        await filtered(panel, 1)
        assert panel.list.model.count == 1
        await pilot.press("f p")
        assert "with request/response pairs" in await looked(pilot, panel)
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
        await pilot.press("g g", "f /", *"pearl")

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


async def _shown(pilot: Pilot[None], panel: TrafficPanel) -> str:
    for _ in range(6):
        panel.sync()
        await pilot.pause()
    return text(pilot.app)


def _busy(tape: Tape) -> TrafficPanel:
    """A handshake, a call that logs a lot, and one that fails."""
    handshake(tape)
    tape.call(3, "slow", {"q": "herring"})
    for number in range(20):
        tape.wait(10).notify("notifications/message", {"level": "info", "data": f"line {number}"})
    tape.wait(10).answer(3, {"content": []})
    tape.wait(10).call(4, "broken", {"q": "cod"})
    tape.wait(10).error(4, -32603, "the net is torn")
    tape.wait(10).stderr(b"the end")
    return TrafficPanel(Staged(tape, stage=ConversationStage.RECORDED))


def _row(screen: str, words: str) -> str:
    """The row of the list with these words."""
    return next(line.split("│")[0] for line in screen.split("\n")[1:] if words in line.split("│")[0])


async def _at(pilot: Pilot[None], panel: TrafficPanel, words: str) -> None:
    """The cursor is on the row with these words."""
    screen = await _shown(pilot, panel)
    (row,) = [line for line in screen.split("\n") if line.startswith("▌") and "│" in line and words in line]
    assert row


async def test_space_unfolds_a_run_and_what_stands_under_a_call(tape: Tape) -> None:
    panel = _busy(tape)
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        assert "▸ ×20" in await _shown(pilot, panel)
        await pilot.press("g g", "g x", "g x", "j", "space")
        screen = await _shown(pilot, panel)
        assert "▾ ×20" in screen
        assert "line 7" in screen
        await pilot.press("j", "j", "space")
        assert "▸ ×20" in await _shown(pilot, panel)
        await pilot.press("k", "space")
        assert "▸ 1 more" in await _shown(pilot, panel)


async def test_brackets_go_from_error_to_error_and_say_when_there_is_none(tape: Tape) -> None:
    panel = _busy(tape)
    async with Showing(panel).run_test(size=WIDE, notifications=True) as pilot:
        panel.take_focus()
        await _shown(pilot, panel)
        await pilot.press("g g", "g e")
        await _at(pilot, panel, "tools/call broken")
        await pilot.press("g e")
        await until(lambda: "No next error." in text(pilot.app), "it is said")
        await pilot.press("G", "g E")
        await _at(pilot, panel, "tools/call broken")


async def test_what_is_nested_leads_to_its_call(tape: Tape) -> None:
    panel = _busy(tape)
    async with Showing(panel).run_test(size=WIDE, notifications=True) as pilot:
        panel.take_focus()
        await _shown(pilot, panel)
        await pilot.press("g g", "g x", "g x", "g w")
        await _at(pilot, panel, "message")
        await pilot.press("g c")
        await _at(pilot, panel, "tools/call slow")
        await pilot.press("g c")
        await until(lambda: "No cause found for this entry." in text(pilot.app), "it is said")
        await pilot.press("g w", "g W")
        await _at(pilot, panel, "tools/call slow")


async def test_a_number_or_a_time_can_be_gone_to(tape: Tape) -> None:
    panel = _busy(tape)
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await _shown(pilot, panel)
        await pilot.press("g n", *"6", "enter")
        await _at(pilot, panel, "tools/call slow")
        await pilot.press("g n", *"soon", "enter")
        await until(lambda: "time of day, such as" in text(pilot.app), "what is wrong is said")
        await pilot.press("escape", "g n", *"+99", "enter")
        await _at(pilot, panel, "the end")


async def test_times_are_told_in_turn_and_count_from_a_line(tape: Tape) -> None:
    panel = _busy(tape)
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await _shown(pilot, panel)
        await pilot.press("v k")
        assert "Elapsed" in await _shown(pilot, panel)
        await pilot.press("v k")
        assert "Delta" in await _shown(pilot, panel)
        await pilot.press("g g", "g x", "v z")
        screen = await _shown(pilot, panel)
        assert "From #4" in screen
        assert "◆ 0.000" in screen
        assert "-0.025" in screen
        await pilot.press("v z")
        assert "From #4" not in await _shown(pilot, panel)


async def test_a_value_becomes_a_column_and_the_next_list_has_it_too(tape: Tape) -> None:
    panel = _busy(tape)
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await _shown(pilot, panel)
        await pilot.press("g g", "g x", "g x", "enter")
        await _shown(pilot, panel)
        while (chosen := panel.detail.chosen_value()) is None or not chosen[0].endswith(".q"):
            await pilot.press("j")
        await pilot.press("f a")
        screen = await _shown(pilot, panel)
        assert "args.q" in screen.split("\n")[0]
        assert "herring" in _row(screen, "tools/call slow")
        assert "cod" in _row(screen, "tools/call broken")
    again = _busy(Tape())
    async with Showing(again).run_test(size=WIDE) as pilot:
        again.take_focus()
        assert "args.q" in (await _shown(pilot, again)).split("\n")[0]
        again.list.journal.close()


async def test_a_frozen_list_stands_still_and_counts_what_has_come(tape: Tape) -> None:
    panel = TrafficPanel(Staged(handshake(tape)))
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await _shown(pilot, panel)
        await pilot.press("v p")
        before = [line.split("│")[0] for line in (await _shown(pilot, panel)).split("\n")[1:-2]]
        tape.call(5, "late")
        tape.error(5, -1, "x")
        tape.stderr(b"x")
        screen = await _shown(pilot, panel)
        assert "‖ frozen 3 new ✗ 1 error" in screen
        assert [line.split("│")[0] for line in screen.split("\n")[1:-2]] == before
        await pilot.press("v p")
        assert "tools/call late" in await _shown(pilot, panel)


async def test_who_reads_further_up_is_told_of_rows_and_errors(tape: Tape) -> None:
    panel = TrafficPanel(Staged(handshake(tape)))
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await _shown(pilot, panel)
        await pilot.press("g g")
        for number in range(5, 65):
            tape.call(number, "late")
            tape.error(number, -1, "x")
        assert "▼ 60 new ✗ 60 errors" in await _shown(pilot, panel)
        await pilot.press("G")
        assert "▼ follow" in await _shown(pilot, panel)


async def test_a_wide_list_has_a_small_waterfall_of_what_is_in_sight(tape: Tape) -> None:
    panel = _busy(tape)
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await _shown(pilot, panel)
        panel.cycle_layout()
        panel.cycle_layout()
        screen = await _shown(pilot, panel)
        slow = next(line for line in screen.split("\n") if "tools/call slow" in line)
        assert "━━" in slow
        broken = next(line for line in screen.split("\n") if "tools/call broken" in line)
        assert broken.index("━") > slow.index("━━")


async def test_the_waterfall_opens_at_the_chosen_exchange_and_leads_back_with_another(tape: Tape) -> None:
    panel = _busy(tape)
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await _shown(pilot, panel)
        await pilot.press("g g", "g x", "g x", "v w")
        await until(lambda: "Waterfall" in text(pilot.app).split("\n")[0], "it is open")
        (row,) = [line for line in text(pilot.app).split("\n") if line.startswith("▌")]
        assert "tools/call slow" in row
        await pilot.press("j", "enter")
        await until(lambda: "Waterfall  " not in text(pilot.app), "it is closed")
        await _at(pilot, panel, "tools/call broken")
