"""What a finding rests on is shown in the traffic, also where list and detail take turns."""

from inspector.filters.language.parser import parse
from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.traffic.detail import DetailPanel
from inspector.tui.screens.traffic.filter_bar import FilterBar
from inspector.tui.screens.traffic.filter_pane import FilterPane
from inspector.tui.screens.traffic.panel import TrafficPanel
from inspector.tui.widgets.virtual_list import LogList
from tests.present.tape import Tape
from tests.tui.checked import checked
from tests.tui.screen_text import press, shown, text
from tests.tui.screens.traffic.opening import LOOKS, NARROW, WIDE, opened
from tests.tui.screens.traffic.test_detail import One
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
from tests.waiting import until


async def test_hidden_detail_points_when_opened() -> None:
    async with checked("lighthouse", (80, 24)) as (app, pilot):
        await until(lambda: "✗→ " in text(app), "marks were there")
        await press(pilot, "g g", "slash", *"finding == structured-content-invalid", "enter", shows="1 of 65")
        await pilot.press("f c", "g g")
        for _ in range(4):
            await pilot.press("g f")
        assert "structuredContent.hectopascal" not in text(app)
        await press(pilot, "enter", shows="structuredContent.hectopascal")


async def test_y_copies_the_selected_message_where_there_is_room_for_the_list_alone() -> None:
    async with checked("lighthouse", (80, 24)) as (app, pilot):
        await until(lambda: "initialize" in text(app), "the rows")
        await press(pilot, "g g", "slash", *"method == initialize", "enter", shows="2 of 65")
        await pilot.press("y")
        await until(lambda: app.clipboard, "a copy")
        assert '"method":"initialize"' in app.clipboard.replace(" ", "")


async def test_escape_leaves_the_facts_of_an_entry_without_a_message() -> None:
    async with checked("lighthouse", (80, 24)) as (app, pilot):
        await until(lambda: "initialize" in text(app), "the rows")
        await pilot.press("g g", "enter")
        await until(lambda: "Facts" in text(app), "the facts")
        await pilot.press("escape")
        await until(lambda: "initialize" in text(app), "the rows")


async def test_export_scopes_are_filter_and_operation(tape: Tape) -> None:
    call = handshake(tape).call(3, "buy")
    noise = tape.stderr(b"creak")
    answer = tape.answer(3, {"content": []})
    async with (app := One(Staged(tape))).run_test(size=(110, 24)) as pilot:
        await until(lambda: "tools/call buy" in text(app), "the rows")
        await pilot.press("g g", "G", "k")

        def scopes() -> list[tuple[str, list[int]]]:
            return [(each.name, [*each.entries]) for each in app.panel.export_scopes]

        await until(lambda: ("this operation", [call, noise, answer]) in scopes(), "the operation")
        await pilot.press("/", *"kind:stderr", "enter")
        await until(lambda: ("filtered entries", [noise]) in scopes(), "filtered entries")


async def test_an_exchange_is_a_row_with_what_became_of_it(tape: Tape) -> None:
    async with Showing(panel := TrafficPanel(Staged(handshake(tape)))).run_test(size=WIDE) as pilot:
        screen = await shown(pilot, panel, LOOKS)
    rows = [line for line in screen.split("\n") if "tools/list" in line]
    assert any("✓ OK" in row and "7.0 ms" in row for row in rows)


async def test_the_detail_beside_the_list_shows_request_and_answer(tape: Tape) -> None:
    async with opened(Staged(handshake(tape))) as (pilot, panel):
        screen = await shown(pilot, panel, LOOKS)
    assert "Request  #4" in screen
    assert "Response  #5" in screen
    assert '"name": "buy"' in screen


async def test_a_narrow_terminal_shows_one_at_a_time_and_escape_goes_back(tape: Tape) -> None:
    async with opened(Staged(handshake(tape)), NARROW) as (pilot, panel):
        assert "Request  #" not in await shown(pilot, panel, LOOKS)
        await pilot.press("enter")
        assert "Request  #4" in await shown(pilot, panel, LOOKS)
        assert panel.go_back()
        await pilot.pause()
        screen = await shown(pilot, panel, LOOKS)
        assert "Request  #" not in screen
        assert "initialize" in screen
        assert not panel.go_back()


async def test_traffic_filter_hides_rows_and_counts_matches(tape: Tape) -> None:
    async with opened(Staged(handshake(tape))) as (pilot, panel):
        await pilot.press("slash", *"sell", "enter")
        await until(lambda: panel.query_one(FilterBar).text == "sell", "what was typed")
        while "1 of 5" not in await shown(pilot, panel, LOOKS):
            pass
        assert "initialize" not in await shown(pilot, panel, LOOKS)
        await pilot.press("f c")
        assert "initialize" in await shown(pilot, panel, LOOKS)


async def test_rows_that_a_filter_has_just_taken_away_are_not_drawn_any_more(tape: Tape) -> None:
    async with Showing(panel := TrafficPanel(Staged(handshake(tape)))).run_test(size=WIDE) as pilot:
        await shown(pilot, panel, LOOKS)
        panel.list.on_filter_pane_filtered(FilterPane.Filtered(parse("sell")))
        panel.list.rows.forget()  # as a line of the filter that opens above them makes it do
        await pilot.pause()
        assert "cannot be drawn" not in text(pilot.app)


async def test_t_changes_to_the_order_of_the_wire_and_keeps_the_chosen_entry(tape: Tape) -> None:
    async with opened(Staged(handshake(tape))) as (pilot, panel):
        await pilot.press("g g")
        await shown(pilot, panel, LOOKS)
        assert panel.query_one(DetailPanel).entry == 1
        await pilot.press("v t")
        screen = await shown(pilot, panel, LOOKS)
        assert "Wire order" in screen
        assert panel.list.model.count == 5
        assert panel.query_one(DetailPanel).entry == 1


async def test_braces_go_from_request_to_request(tape: Tape) -> None:
    async with opened(Staged(handshake(tape))) as (pilot, panel):
        await pilot.press("v t", "g g")
        await shown(pilot, panel, LOOKS)
        await pilot.press("g x")
        await shown(pilot, panel, LOOKS)
        assert panel.query_one(DetailPanel).entry == 4
        await pilot.press("g p")
        await shown(pilot, panel, LOOKS)
        assert panel.query_one(DetailPanel).entry == 5


async def test_new_rows_come_in_while_it_follows(tape: Tape) -> None:
    async with opened(subject := Staged(handshake(tape))) as (pilot, panel):
        subject.tape.request(3, "tools/call", {"name": "sell"})
        subject.tape.wait(14_200)
        screen = await shown(pilot, panel, LOOKS)
        row = next(line for line in screen.split("\n") if "tools/call" in line[:80])
        assert "sell" in row
        assert "Pending" in row
        assert panel.query_one(DetailPanel).entry == 6


async def test_the_layout_goes_beside_below_and_away(tape: Tape) -> None:
    async with opened(Staged(handshake(tape))) as (pilot, panel):
        rows = panel.query_one(LogList)
        await shown(pilot, panel, LOOKS)
        detail = panel.query_one(DetailPanel)
        assert detail.region.x > rows.region.right - 2
        panel.cycle_layout()
        await shown(pilot, panel, LOOKS)
        assert detail.region.y >= rows.region.bottom
        panel.cycle_layout()
        await shown(pilot, panel, LOOKS)
        assert detail.region.area == 0


async def test_hostile_text_is_shown_and_does_nothing(tape: Tape) -> None:
    handshake(tape)
    tape.from_server(b"\x1b[31mred \x1b]52;c;eA==\x07 [/] [@click=app.quit]x[/]")
    tape.request(9, "tools/call", {"name": "\x1b[2J[bold]"})
    async with opened(Staged(tape)) as (pilot, panel):
        await pilot.press("k")
        screen = await shown(pilot, panel, LOOKS)
        assert "\x1b" not in screen
        assert "\x07" not in screen
        assert "[@click=app.quit]x[/]" in screen
        assert "␛[2J[bold]" in screen


async def test_another_conversation_begins_with_an_empty_detail(tape: Tape) -> None:
    async with opened(Staged(handshake(tape))) as (pilot, panel):
        fresh = Tape()
        panel.rebind(Staged(fresh, stage=ConversationStage.CONNECTING))
        screen = await shown(pilot, panel, LOOKS)
        fresh.journal.close()
    assert "Connecting…" in screen
    assert "No message selected" in screen
    assert "tools/list" not in screen


async def test_an_entry_that_another_screen_wants_shown_is_chosen_and_shown_in_full(tape: Tape) -> None:
    panel = TrafficPanel(Staged(handshake(tape)))
    n = tape.notify("notifications/message", {"level": "info", "data": "lit"})
    async with Showing(panel).run_test(size=NARROW) as pilot:
        panel.show_entry(n)
        panel.take_focus()
        screen = await shown(pilot, panel, LOOKS)
        assert f"#{n}" in screen
        assert "notifications/message" in screen


async def test_a_filter_that_hides_what_is_wanted_goes(tape: Tape) -> None:
    panel = TrafficPanel(Staged(handshake(tape)))
    n = tape.notify("notifications/message", {"level": "info", "data": "lit"})
    async with Showing(panel).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await pilot.press("slash", *"sell", "enter")
        await until(lambda: panel.query_one(FilterBar).text == "sell", "what was typed")
        panel.show_entry(n)
        await shown(pilot, panel, LOOKS)
        assert panel.list.chosen == n
        assert not panel.query_one(FilterBar).text
