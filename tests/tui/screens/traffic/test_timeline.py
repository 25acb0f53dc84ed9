"""The timeline of all servers on the screen: rows, detail, filter, and the way to a server's own tab."""

from textual.widgets import Input

from inspector.filters.language.parser import parse
from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.traffic.timeline import TimelineConversations, TimelinePanel
from inspector.tui.tabs import Tab
from tests.present.tape import Tape
from tests.tui.screen_text import press, text
from tests.tui.several import aboard
from tests.tui.staging import Staged, handshake
from tests.waiting import until


async def test_rows_of_all_servers_stand_in_one_list_and_the_chosen_one_beside_it() -> None:
    async with aboard("pier", "quay", size=(150, 40)) as (app, pilot, _):
        await press(pilot, "g a", shows="2 servers, chronological")
        total = sum(tab.conversation.journal.count for tab in app.tabs)
        await until(lambda: f"{total} entries" in text(app) and "pier " in text(app) and "quay " in text(app), "all")
        assert "mcp-inspect  gull" not in text(app)  # the header is about one server
        timeline = app.tabs.timeline
        assert isinstance(timeline, TimelinePanel)
        await until(lambda: timeline.timeline.count >= total, "rows for all")
        await pilot.press("g g")
        await until(lambda: "stdio opened" in text(app).partition("│")[2], "the detail of the first")
        await pilot.press("G", "enter")
        await until(lambda: timeline.detail.has_focus_within, "in the detail")
        await pilot.press("escape")
        await until(lambda: timeline.rows.has_focus, "definition again")


async def test_a_line_leads_to_its_servers_own_tab() -> None:
    async with aboard("pier", "quay") as (app, pilot, _):
        await pilot.press("g a")
        timeline = app.tabs.timeline
        assert isinstance(timeline, TimelinePanel)
        await until(lambda: timeline.timeline.count > 20, "rows")
        wire, n = timeline.timeline.entry(timeline.timeline.count - 1)
        await until(lambda: timeline.chosen == (wire.number, n), "the last one is chosen")
        await pilot.press("o")
        await until(lambda: app.tab.number == wire.number and not app.tabs.shows_timeline, "its server's tab")
        await until(lambda: f"#{n}" in text(app), "the message itself")


async def test_narrow_terminals_show_list_and_detail_in_turn() -> None:
    async with aboard("pier", "quay", size=(80, 24)) as (app, pilot, _):
        await press(pilot, "g a", shows=("Method and target", "server "))
        timeline = app.tabs.timeline
        assert isinstance(timeline, TimelinePanel)
        await until(lambda: timeline.timeline.count > 20, "rows")
        await pilot.press("enter")
        await until(lambda: "Tree  Raw" in text(app) and "method and target" not in text(app), "the detail alone")
        await press(pilot, "escape", shows="Method and target")


async def test_the_filter_holds_for_all_and_what_comes_later_is_filtered_too() -> None:
    async with aboard("pier", "quay") as (app, pilot, _):
        await press(pilot, "g a", shows="servers, chronological")
        await press(pilot, "slash", *"server==quay and t:echo", shows="0 of ")
        await pilot.press("enter")
        for tab in app.tabs:
            await tab.conversation.call(
                "tools/call", {"name": "echo", "arguments": {"text": "ahoy"}}, lambda exchange: None
            )
        await until(lambda: "2 of " in text(app), "the call and its answer")
        rows = [line for line in text(app).splitlines() if "tools/call echo" in line]
        assert rows
        assert all("quay" in line for line in rows)
        await press(pilot, "f c", shows="tools/list")


async def test_keys_behind_a_filter_without_a_match_stay_in_its_line() -> None:
    async with aboard("pier", "quay") as (app, pilot, _):
        await press(pilot, "g a", shows="servers, chronological")
        for opening in ("slash",), ("f", "slash"):
            for key in (*opening, *"zqzq", "enter", "enter", "3", "q", "o", "enter", "2"):
                app.simulate_key(key)
            await until(lambda: isinstance(app.focused, Input) and app.focused.value == "zqzq3qo2", "all are typed")
            assert "servers, chronological" in text(app)
            await pilot.press("escape")


async def test_a_text_is_found_in_all_servers_and_a_match_brings_its_partner() -> None:
    async with aboard("pier", "quay", size=(150, 40)) as (app, pilot, _):
        for tab in app.tabs:
            await tab.conversation.call(
                "tools/call", {"name": "echo", "arguments": {"text": "ahoy"}}, lambda exchange: None
            )
        await pilot.press("g a")
        panel = app.tabs.timeline
        assert isinstance(panel, TimelinePanel)
        total = sum(tab.conversation.journal.count for tab in app.tabs)
        await until(lambda: panel.timeline.count >= total, "rows for all")
        await press(pilot, "n", shows="No search yet")
        await pilot.press("g g", "f /", *"ahoy")
        await until(lambda: panel.actions.find_step() == 4, "two calls and their answers")
        await pilot.press("enter")
        await until(lambda: panel.rows.has_focus, "in the rows")
        seen = set()
        for _ in range(4):
            wire, n = panel.timeline.entry(panel.rows.view.cursor)
            assert b"ahoy" in wire.journal.store.entry(n).what.payload  # type: ignore[union-attr]
            seen.add((wire.number, n))
            await pilot.press("n")
        assert len(seen) == 4
        await pilot.press("slash", *"kind == request and t:echo", "enter")
        await until(lambda: panel.timeline.count == 2 and not panel.timeline.is_behind, "the calls alone")
        await pilot.press("f p")
        await until(lambda: panel.timeline.count == 4, "with their answers")


async def test_all_exchanges_of_all_servers_stand_on_one_axis_and_lead_back_to_their_lines() -> None:
    async with aboard("pier", "quay", size=(150, 40)) as (app, pilot, _):
        await pilot.press("g a")
        panel = app.tabs.timeline
        assert isinstance(panel, TimelinePanel)
        await until(lambda: panel.timeline.count > 20, "rows")
        await press(pilot, "g g", "v w", shows="Waterfall  of 2 servers")
        lanes = [line for line in text(app).splitlines() if "tools/list" in line]
        assert sorted(line.split()[0].strip("▌") or line.split()[1] for line in lanes) == ["pier", "quay"]
        await pilot.press("j", "j", "j", "enter")
        await until(lambda: "Waterfall" not in text(app), "back")
        wire, n = panel.timeline.entry(panel.rows.view.cursor)
        assert wire.journal.store.message_kind(n).name == "REQUEST"


def _tab(number: int, name: str) -> Tab:
    tab = Tab(number, Staged(handshake(Tape())), name=name)
    tab.conversation.journal.name = name
    return tab


def _settle(wires: TimelineConversations, tabs: list[Tab]) -> int:
    """Look until nothing changes any more; how often there was another timeline."""
    changes = sum(wires.sync(tabs) for _ in range(20))
    while wires.timeline.is_behind:
        changes += wires.sync(tabs)
    return changes


def _names(wires: TimelineConversations) -> list[str]:
    return sorted({wires.timeline.entry(at)[0].name for at in range(wires.timeline.count)})


def test_tabs_that_come_and_go_do_so_in_the_timeline() -> None:
    wires, tabs = TimelineConversations(), [_tab(1, "pier"), _tab(2, "quay")]
    assert _settle(wires, tabs) == 1
    assert _names(wires) == ["pier", "quay"]
    key = wires.timeline.key(0)
    tabs.append(_tab(3, "mole"))
    assert _settle(wires, tabs) == 1
    assert _names(wires) == ["mole", "pier", "quay"]
    assert wires.timeline.key(wires.timeline.index_of(key)) == key
    assert wires.conversation(3) is tabs[2].conversation
    del tabs[0]
    assert _settle(wires, tabs) == 1
    assert _names(wires) == ["mole", "quay"]
    assert wires.conversation(1) is None


def test_another_connection_takes_the_place_of_the_one_before() -> None:
    wires, tabs = TimelineConversations(), [_tab(1, "pier")]
    _settle(wires, tabs)
    before = wires.timeline.count
    again = Staged(Tape())
    again.tape.request(1, "ping")
    tabs[0].conversation = again
    assert _settle(wires, tabs) == 1
    assert (before, wires.timeline.count) == (5, 1)


def test_a_filter_holds_for_what_joins_later() -> None:
    wires, tabs = TimelineConversations(), [_tab(1, "pier")]
    _settle(wires, tabs)
    wires.set_filter(parse("method == tools/list"))
    _settle(wires, tabs)
    tabs.append(_tab(2, "quay"))
    _settle(wires, tabs)
    assert wires.timeline.count == 4
    wires.set_filter(None)
    _settle(wires, tabs)
    assert wires.timeline.count == 10


def test_a_capture_that_is_being_read_joins_when_that_is_done() -> None:
    wires, tabs = TimelineConversations(), [_tab(1, "pier"), _tab(2, "tape")]
    reading = tabs[1].conversation
    assert isinstance(reading, Staged)
    reading.now_stage = ConversationStage.LOADING
    _settle(wires, tabs)
    assert (_names(wires), wires.reading(tabs)) == (["pier"], ["tape"])
    reading.now_stage = ConversationStage.RECORDED
    _settle(wires, tabs)
    assert (_names(wires), wires.reading(tabs)) == (["pier", "tape"], [])
