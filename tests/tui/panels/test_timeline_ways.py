"""Finding in the timeline, the partners of what matches there, and what it says it can't do."""

from inspector.tui.panels.timeline import TimelinePanel
from inspector.tui.panels.timeline_ways import TimelineWays
from tests.tui.screen_text import text
from tests.tui.several import aboard
from tests.waiting import until


async def test_a_text_is_found_in_all_servers_and_a_match_brings_its_partner() -> None:
    async with aboard("pier", "quay", size=(150, 40)) as (app, pilot, _):
        for tab in app.tabs:
            await tab.subject.call("tools/call", {"name": "echo", "arguments": {"text": "ahoy"}}, lambda exchange: None)
        await pilot.press("&")
        panel = app.timeline
        assert isinstance(panel, TimelinePanel)
        assert isinstance(panel, TimelineWays)
        total = sum(tab.subject.journal.count for tab in app.tabs)
        await until(lambda: panel.timeline.count >= total, "rows for all")
        await pilot.press("n")
        await until(lambda: "Nothing is looked for" in text(app), "what n would need")
        await pilot.press("g", "*", *"ahoy")
        await until(lambda: panel.find_step() == 4, "two calls and their answers")
        await pilot.press("enter")
        await until(lambda: panel.rows.has_focus, "in the rows")
        seen = set()
        for _ in range(4):
            wire, n = panel.timeline.entry(panel.rows.view.cursor)
            assert b"ahoy" in wire.journal.store.entry(n).what.payload  # type: ignore[union-attr]
            seen.add((wire.number, n))
            await pilot.press("n")
        assert len(seen) == 4

        await pilot.press("T")
        await until(lambda: "one order of time here" in text(app), "where the tree is")
        await pilot.press("slash", *"kind == request and t:echo", "enter")
        await until(lambda: panel.timeline.count == 2 and not panel.timeline.is_behind, "the calls alone")
        await pilot.press("V")
        await until(lambda: panel.timeline.count == 4, "with their answers")


async def test_all_exchanges_of_all_servers_stand_on_one_axis_and_lead_back_to_their_lines() -> None:
    async with aboard("pier", "quay", size=(150, 40)) as (app, pilot, _):
        await pilot.press("&")
        panel = app.timeline
        assert isinstance(panel, TimelinePanel)
        await until(lambda: panel.timeline.count > 20, "rows")
        await pilot.press("g", "W")
        await until(lambda: "Waterfall  of 2 servers" in text(app), "the lanes of both")
        lanes = [line for line in text(app).splitlines() if "tools/list" in line]
        assert sorted(line.split()[0].strip("▌") or line.split()[1] for line in lanes) == ["pier", "quay"]
        await pilot.press("j", "j", "j", "enter")
        await until(lambda: "Waterfall" not in text(app), "back")
        wire, n = panel.timeline.entry(panel.rows.view.cursor)
        assert wire.journal.store.message_kind(n).name == "REQUEST"
