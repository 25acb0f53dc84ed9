"""Several captures opened as one timeline: one cursor for all, which the tabs follow."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from inspector.protocol.frames import Channel, Direction
from inspector.session.opened import Opened
from inspector.tui.app import InspectApp
from inspector.tui.common_playback import CommonPlayback
from inspector.tui.common_replaying import CommonReplaying
from inspector.tui.panels.timeline import TimelinePanel
from inspector.tui.screens.go_to import GoToScreen
from inspector.tui.subject import Stage
from tests.capture.recording import recorded
from tests.captures.record import sample
from tests.tui.screen_text import text
from tests.waiting import until


@asynccontextmanager
async def both(size: tuple[int, int] = (120, 36)) -> AsyncIterator[tuple[InspectApp, Pilot[None], CommonPlayback]]:
    """The timeline of two captures: 65 entries of a lighthouse and 36 of a shipyard."""
    app = InspectApp(replay=sample("lighthouse"), beside=[Opened("shipyard", capture=sample("shipyard"))])
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(lambda: [tab.subject.stage for tab in app.tabs] == [Stage.RECORDED] * 2, "both were read")
        await pilot.press("&")
        await until(lambda: "101 entries  everything known" in bar(app), "the bar of both")
        await until(lambda: panel(app).timeline.count == 101, "all rows")
        common = app.common
        assert common is not None
        yield app, pilot, common
    for tab in app.tabs:
        await tab.subject.end()


def bar(app: InspectApp) -> str:
    return text(app).splitlines()[-2]


def panel(app: InspectApp) -> TimelinePanel:
    assert app.timeline is not None
    return app.timeline


async def test_the_cursor_of_the_timeline_is_where_one_stands_in_every_tab() -> None:
    async with both() as (app, pilot, common):
        await pilot.press("^")
        await until(lambda: "#1 of 101" in bar(app), "the first")
        await pilot.press("right", "right", "right")
        await until(lambda: "#4 of 101" in bar(app) and panel(app).chosen == (2, 2), "the row of it")
        await pilot.press("k")
        await until(lambda: "#3 of 101" in bar(app), "the reader's own move")
        await pilot.press("o")
        await until(lambda: "#2 of 65" in bar(app) and not app.shows_timeline, "the first tab stands there")
        await pilot.press("2")
        await until(lambda: "as at #2" in text(app) and "not been listed yet" in text(app), "so do its screens")
        for _ in range(15):
            await pilot.press("right")
        await until(lambda: "#17 of 65" in bar(app), "steps in a tab")
        await pilot.press("comma")
        await until(lambda: app.tab.number == 2 and "of 36" in bar(app), "the other tab")
        assert app.playback is not None
        wall = [tab.subject.journal.store.wall_ns for tab in app.tabs]
        at = app.playback.at
        assert wall[1](at) <= wall[0](17) < wall[1](at + 1), "has come along"
        await pilot.press("&")
        await until(lambda: f"#{17 + at} of 101" in bar(app), "and so has the timeline")
        await until(lambda: panel(app).chosen == (1, 17), "its cursor")
        await pilot.press("$")
        await until(lambda: "101 entries  everything known" in bar(app), "the end of all")
        await pilot.press("comma", "2")
        await until(lambda: "19 tools" in text(app), "everything is known in the tabs, too")
        assert not common.stands_somewhere
        await app.close_tab(app.tabs[1])
        assert app._common is None, "nothing of it is kept"


def test_a_row_of_a_tab_that_was_closed_leads_nowhere() -> None:
    entries = {0: (SimpleNamespace(number=1), 3), 1: (SimpleNamespace(number=2), 1)}
    timeline = SimpleNamespace(row_at=lambda number, n: 0, count=2, entry=entries.get)
    common = SimpleNamespace(entry=(1, 3), numbers=(1,), place_of=lambda number, n: (1,).index(number) + n)
    app: Any = SimpleNamespace(common=common, timeline=SimpleNamespace(timeline=timeline))
    assert CommonReplaying.common_match(app, 1) is None


async def test_a_time_and_requests_and_matches_lead_on_in_all() -> None:
    async with both() as (app, pilot, common):
        await pilot.press("#")
        await until(lambda: isinstance(app.screen, GoToScreen), "where to")
        app.screen.query_one(Input).value = "+2"
        await pilot.press("enter")
        await until(lambda: common.stands_somewhere, "there")
        moment = common.moment
        assert moment is not None
        assert 2_000_000_000 <= moment[1] < 3_000_000_000
        at = common.at
        await pilot.press("}")
        await until(lambda: common.at > at, "the next request")
        entry = common.entry
        assert entry is not None
        journal = app.tabs[entry[0] - 1].subject.journal
        assert entry[1] in journal.conversation.exchanges.request_frames
        await pilot.press("slash")
        await pilot.press(*"method == initialize", "enter")
        await until(lambda: panel(app).timeline.count == 4, "the matches")
        await app.run_action("step_match(-1)")
        await until(lambda: common.at < at, "the match before")
        await until(lambda: panel(app).chosen == common.entry, "its cursor")
        for _ in range(4):
            await app.run_action("step_match(-1)")
        await until(lambda: "Nothing more matches" in text(app), "the first one")


async def test_rows_of_all_come_in_their_time_and_rest_while_a_tab_is_in_sight() -> None:
    async with both() as (app, pilot, common):
        now = [0]
        common._clock = lambda: now[0]
        await pilot.press("_")
        await until(lambda: "playing" in bar(app) and panel(app).timeline.count < 20, "that they are played")
        now[0] += 2_500_000_000
        await until(lambda: common.shown > 30, "what has come")
        await until(lambda: panel(app).timeline.count == common.shown, "is shown")
        names = {panel(app).timeline.entry(at)[0].name for at in range(common.shown)}
        assert len(names) == 2
        came = common.shown
        await pilot.press("comma")
        await until(lambda: "paused" in bar(app), "the tab rests")
        own = app.playback
        assert own is not None
        assert own.shown < 65
        now[0] += 60_000_000_000
        await pilot.press("&")
        await until(lambda: f"#{came} of 101" in bar(app) and "paused" in bar(app), "nothing has come meanwhile")
        common.player.speed = math.inf
        await pilot.press("_")
        await until(lambda: common.shown == 101 and not common.player.playing, "the end")
        await until(lambda: panel(app).timeline.count == 101, "all rows")
        await pilot.press("$")
        await until(lambda: "everything known" in bar(app), "everything")


async def test_captures_that_grow_stand_where_the_cursor_is_until_they_are_followed_again(tmp_path: Path) -> None:
    journals = [recorded(tmp_path / f"{name}.mcpcap") for name in "ab"]

    def ask(which: int, id_: int) -> None:
        call = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}' % id_
        journals[which].frame(Direction.TO_SERVER, Channel.STDIN, call)

    for id_ in range(3):
        ask(0, id_)
        ask(1, id_)
    for name in "ab":
        await until(lambda name=name: (tmp_path / f"{name}.mcpcap").read_bytes().count(b"frame") == 3, "all is kept")  # type: ignore[misc]
    app = InspectApp(replay=tmp_path / "a.mcpcap", beside=[Opened("b", capture=tmp_path / "b.mcpcap")])
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await until(lambda: len(app.tabs) == 2 and all(tab.subject.grows for tab in app.tabs), "both grow")
        await pilot.press("&")
        await until(lambda: "6 entries  followed" in bar(app), "both are followed")
        await pilot.press("left")
        await until(lambda: "#5 of 6" in bar(app), "one back")
        ask(1, 3)
        await until(lambda: "#5 of 7" in bar(app), "there still")
        await pilot.press("_")
        await until(lambda: "#7 of 7" in bar(app) and "playing" in bar(app), "played up to the newest")
        ask(0, 3)
        await until(lambda: "#8 of 8" in bar(app) and panel(app).timeline.count == 8, "what comes then")
        await pilot.press("$")
        await until(lambda: "8 entries  followed" in bar(app), "followed again")
    for tab in app.tabs:
        await tab.subject.end()
    for journal in journals:
        journal.close()


def test_it_is_the_app_that_goes_through_several() -> None:
    assert issubclass(InspectApp, CommonReplaying)
