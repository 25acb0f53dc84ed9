"""The timeline of all servers on the screen: rows, detail, filter, and the way to a server's own tab."""

from inspector.tui.panels.timeline import TimelinePanel
from tests.tui.screen_text import text
from tests.tui.several import aboard
from tests.waiting import until


async def test_rows_of_all_servers_stand_in_one_list_and_the_chosen_one_beside_it() -> None:
    async with aboard("pier", "quay", size=(150, 40)) as (app, pilot, _):
        await pilot.press("&")
        await until(lambda: "2 servers in one order of time" in text(app), "the timeline")
        total = sum(tab.subject.journal.count for tab in app.tabs)
        await until(lambda: f"{total} entries" in text(app) and "pier " in text(app) and "quay " in text(app), "all")
        assert "mcp-inspect  gull" not in text(app)  # the header is about one server
        timeline = app.timeline
        assert isinstance(timeline, TimelinePanel)
        await until(lambda: timeline.timeline.count >= total, "rows for all")
        await pilot.press("g")
        await until(lambda: "stdio opened" in text(app).partition("│")[2], "the detail of the first")
        await pilot.press("G", "enter")
        await until(lambda: timeline.detail.has_focus_within, "in the detail")
        await pilot.press("escape")
        await until(lambda: timeline.rows.has_focus, "in the list again")


async def test_a_line_leads_to_its_servers_own_tab() -> None:
    async with aboard("pier", "quay") as (app, pilot, _):
        await pilot.press("&")
        timeline = app.timeline
        assert isinstance(timeline, TimelinePanel)
        await until(lambda: timeline.timeline.count > 20, "rows")
        wire, n = timeline.timeline.entry(timeline.timeline.count - 1)
        await until(lambda: timeline.chosen == (wire.number, n), "the last one is chosen")
        await pilot.press("o")
        await until(lambda: app.tab.number == wire.number and not app.shows_timeline, "its server's tab")
        await until(lambda: f"#{n}" in text(app), "the message itself")


async def test_narrow_terminals_show_list_and_detail_in_turn() -> None:
    async with aboard("pier", "quay", size=(80, 24)) as (app, pilot, _):
        await pilot.press("&")
        await until(lambda: "method and target" in text(app) and "server " in text(app), "the list")
        timeline = app.timeline
        assert isinstance(timeline, TimelinePanel)
        await until(lambda: timeline.timeline.count > 20, "rows")
        await pilot.press("enter")
        await until(lambda: "Tree  Raw" in text(app) and "method and target" not in text(app), "the detail alone")
        await pilot.press("escape")
        await until(lambda: "method and target" in text(app), "the list again")


async def test_the_filter_holds_for_all_and_what_comes_later_is_filtered_too() -> None:
    async with aboard("pier", "quay") as (app, pilot, _):
        await pilot.press("&")
        await until(lambda: "servers in one order" in text(app), "the timeline")
        await pilot.press("slash")
        await pilot.press(*"server==quay and t:echo")
        await until(lambda: "0 of " in text(app), "nothing matches yet")
        await pilot.press("enter")
        for tab in app.tabs:
            await tab.subject.call("tools/call", {"name": "echo", "arguments": {"text": "ahoy"}}, lambda exchange: None)
        await until(lambda: "2 of " in text(app), "the call and its answer")
        rows = [line for line in text(app).splitlines() if "tools/call echo" in line]
        assert rows
        assert all("quay" in line for line in rows)
        await pilot.press("backslash")
        await until(lambda: "tools/list" in text(app), "everything again")
