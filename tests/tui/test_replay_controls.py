"""Replay: one capture, and several as one timeline with one cursor."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.config.targets import OpenServer
from inspector.protocol.credentials import MASK
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import Channel, Direction
from inspector.session.engine import OpenedSession
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from inspector.tui.replay_controls import CommonReplay, recorded_server
from inspector.tui.screens.replay.playback import CommonPlayback, Playback
from inspector.tui.screens.traffic.dialogs import GoToScreen
from inspector.tui.screens.traffic.timeline import TimelinePanel
from inspector.tui.widgets.virtual_list import LogList
from tests.capture.recording import recorded
from tests.captures.record import sample
from tests.present.tape import Tape
from tests.tui.checked import checked
from tests.tui.screen_text import press, text
from tests.tui.several import Fleet
from tests.waiting import until


@asynccontextmanager
async def both(size: tuple[int, int] = (120, 36)) -> AsyncIterator[tuple[InspectApp, Pilot[None], CommonPlayback]]:
    """The timeline of two captures: 65 entries of a lighthouse and 36 of a shipyard."""
    app = InspectApp(replay=sample("lighthouse"), beside=[OpenedSession("shipyard", capture=sample("shipyard"))])
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(
            lambda: [tab.conversation.stage for tab in app.tabs] == [ConversationStage.RECORDED] * 2, "both were read"
        )
        await pilot.press("g a")
        await until(lambda: "101 entries  end of capture" in bar(app), "the bar of both")
        await until(lambda: panel(app).timeline.count == 101, "all rows")
        common = app.replay.common.playback
        assert common is not None
        yield app, pilot, common
    for tab in app.tabs:
        await tab.conversation.end()


def bar(app: InspectApp) -> str:
    return text(app).splitlines()[-2]


def panel(app: InspectApp) -> TimelinePanel:
    assert isinstance(app.tabs.timeline, TimelinePanel)
    return app.tabs.timeline


async def test_timeline_cursor_is_the_moment_in_every_tab() -> None:
    async with both() as (app, pilot, common):
        await pilot.press("g <")
        await until(lambda: "#1 of 101" in bar(app), "the first")
        await pilot.press("right", "right", "right")
        await until(lambda: "#4 of 101" in bar(app) and panel(app).chosen == (2, 2), "the row of it")
        await pilot.press("k")
        await until(lambda: "#3 of 101" in bar(app), "the reader's own move")
        await pilot.press("o")
        await until(lambda: "#2 of 65" in bar(app) and not app.tabs.shows_timeline, "the first tab stands there")
        await press(pilot, "2", shows=("Replay at #2", "not listed yet"))
        for _ in range(15):
            await pilot.press("right")
        await until(lambda: "#17 of 65" in bar(app), "steps in a tab")
        await pilot.press("g tab")
        await until(lambda: app.tab.number == 2 and "of 36" in bar(app), "the other tab")
        assert app.playback is not None
        wall = [tab.conversation.journal.store.wall_ns for tab in app.tabs]
        at = app.playback.at
        assert wall[1](at) <= wall[0](17) < wall[1](at + 1), "has come along"
        await pilot.press("g a")
        await until(lambda: f"#{17 + at} of 101" in bar(app), "and so has the timeline")
        await until(lambda: panel(app).chosen == (1, 17), "its cursor")
        await pilot.press("g >")
        await until(lambda: "101 entries  end of capture" in bar(app), "the end of all")
        await press(pilot, "g tab", "2", shows="19 tools")
        assert not common.has_position
        await app.navigation.close_tab(app.tabs[1])
        assert app.replay.common._found is None, "nothing of it is kept"


def test_a_row_of_a_tab_that_was_closed_leads_nowhere() -> None:
    entries = {0: (SimpleNamespace(number=1), 3), 1: (SimpleNamespace(number=2), 1)}
    timeline = SimpleNamespace(row_at=lambda number, n: 0, count=2, entry=entries.get)
    common = SimpleNamespace(entry=(1, 3), numbers=(1,), place_of=lambda number, n: (1,).index(number) + n)
    replay: Any = SimpleNamespace(playback=common, _timeline=SimpleNamespace(timeline=timeline))
    assert CommonReplay.next_match(replay, 1) is None


async def test_a_time_and_requests_and_matches_lead_on_in_all() -> None:
    async with both() as (app, pilot, common):
        await pilot.press("g n")
        await until(lambda: isinstance(app.screen, GoToScreen), "where to")
        app.screen.query_one(Input).value = "+2"
        await pilot.press("enter")
        await until(lambda: common.has_position, "there")
        moment = common.moment
        assert moment is not None
        assert 2_000_000_000 <= moment[1] < 3_000_000_000
        at = common.at
        await pilot.press("g x")
        await until(lambda: common.at > at, "the next request")
        entry = common.entry
        assert entry is not None
        journal = app.tabs[entry[0] - 1].conversation.journal
        assert entry[1] in journal.conversation.exchanges.request_frames
        await pilot.press("slash", *"method == initialize", "enter")
        await until(lambda: panel(app).timeline.count == 4, "the matches")
        await app.run_action("step_match(-1)")
        await until(lambda: common.at < at, "the match before")
        await until(lambda: panel(app).chosen == common.entry, "its cursor")
        for _ in range(4):
            await app.run_action("step_match(-1)")
        await until(lambda: "No more matches" in text(app), "the first one")
        for _ in range(4):
            await app.run_action("step_exchange(-1)")
        await until(lambda: "No previous request." in text(app), "the first request")


async def test_rows_of_all_come_in_their_time_and_rest_while_a_tab_is_in_sight() -> None:
    async with both() as (app, pilot, common):
        now = [0]
        common._clock = lambda: now[0]
        await pilot.press("x space")
        await until(lambda: "playing" in bar(app) and panel(app).timeline.count < 20, "that they are played")
        now[0] += 2_500_000_000
        await until(lambda: common.shown > 30, "what has come")
        await until(lambda: panel(app).timeline.count == common.shown, "is shown")
        names = {panel(app).timeline.entry(at)[0].name for at in range(common.shown)}
        assert len(names) == 2
        came = common.shown
        await pilot.press("g tab")
        await until(lambda: "paused" in bar(app), "the tab rests")
        own = app.playback
        assert own is not None
        assert own.shown < 65
        now[0] += 60_000_000_000
        await pilot.press("g a")
        await until(lambda: f"#{came} of 101" in bar(app) and "paused" in bar(app), "nothing has come meanwhile")
        common.player.speed = math.inf
        await pilot.press("x space")
        await until(lambda: common.shown == 101 and not common.player.playing, "the end")
        await until(lambda: panel(app).timeline.count == 101, "all rows")
        await pilot.press("g >")
        await until(lambda: "end of capture" in bar(app), "everything")


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
    app = InspectApp(replay=tmp_path / "a.mcpcap", beside=[OpenedSession("b", capture=tmp_path / "b.mcpcap")])
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await until(lambda: len(app.tabs) == 2 and all(tab.conversation.grows for tab in app.tabs), "both grow")
        await pilot.press("g a")
        await until(lambda: "6 entries  following" in bar(app), "both are followed")
        await pilot.press("left")
        await until(lambda: "#5 of 6" in bar(app), "one back")
        ask(1, 3)
        await until(lambda: "#5 of 7" in bar(app), "there still")
        await pilot.press("x space")
        await until(lambda: "#7 of 7" in bar(app) and "playing" in bar(app), "played up to the newest")
        ask(0, 3)
        await until(lambda: "#8 of 8" in bar(app) and panel(app).timeline.count == 8, "what comes then")
        await pilot.press("g >")
        await until(lambda: "8 entries  following" in bar(app), "followed again")
    for tab in app.tabs:
        await tab.conversation.end()
    for journal in journals:
        journal.close()


@asynccontextmanager
async def opened(path: Path, size: tuple[int, int] = (110, 30)) -> AsyncIterator[tuple[InspectApp, Pilot[None]]]:
    async with (app := InspectApp(replay=path)).run_test(size=size, notifications=True) as pilot:
        await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "the capture was read")
        await until(lambda: "Step" in text(app), "the bar")
        yield app, pilot
    await app.conversation.end()


def playback_of(app: InspectApp) -> Playback:
    assert isinstance(app.playback, Playback)
    return app.playback


async def test_screens_show_what_was_known_where_the_cursor_of_the_traffic_is() -> None:
    async with opened(sample("lighthouse")) as (app, pilot):
        assert "65 entries  end of capture" in bar(app)
        await press(pilot, "2", shows="19 tools")
        await pilot.press("1", "j", "j")
        await until(lambda: "stopped   #3 of 65" in bar(app), "that one stands there")
        await press(pilot, "2", shows="not listed yet")
        await until(lambda: "Tools 19" not in text(app), "none in the header")
        for _ in range(30):
            await pilot.press("right")
        await until(lambda: "19 tools" in text(app), "the tools, once they came")
        at = playback_of(app).at
        await pilot.press("g X", "g X")
        await until(lambda: playback_of(app).at < at, "back by requests")
        await pilot.press("g <")
        await until(lambda: "not listed yet" in text(app) and "#1 of 65" in bar(app), "back at the first")
        await pilot.press("1")
        await until(lambda: app.panel.list.chosen == 1, "the traffic's cursor is there too")  # type: ignore[attr-defined]
        await pilot.press("g >", "2")
        await until(lambda: "19 tools" in text(app) and "end of capture" in bar(app), "all of it again")


async def test_findings_at_a_moment_are_those_known_then() -> None:
    async with checked("lighthouse", (110, 30)) as (app, pilot):
        await until(lambda: "x Space Play" in text(app), "the bar")
        count = len(app.conversation.checks.all)
        await press(pilot, "j", "j", "8", shows=(f"{count} more after this moment", "No findings up to"))
        assert "Replay at #3" in text(app)
        await press(pilot, "right", "right", shows=("✗ 1 error", "#5 bytes", "8 Findings ✗1"))
        await press(pilot, "2", shows=("not listed yet", "8 Findings ✗1"))
        await pilot.press("8", "g >")
        await until(lambda: "more after" not in text(app) and "65 entries checked" in text(app), "all of it again")
        assert "Replay at #" not in text(app)


async def test_moment_is_kept_while_viewing_evidence_of_the_end() -> None:
    async with checked("lighthouse", (110, 30)) as (app, pilot):
        await until(lambda: "x Space Play" in text(app), "the bar")
        await press(pilot, "8", shows="65 entries checked")
        await pilot.press("enter")
        await until(lambda: app.tab.shown == "traffic" and app.panel.list.chosen == 5, "the evidence")  # type: ignore[attr-defined]
        await until(lambda: playback_of(app).chosen == 5, "that it is told")
        traffic = app.panel.list  # type: ignore[attr-defined]
        assert "end of capture" in bar(app)
        playback_of(app).visit(34)
        app.on_log_list_selected(LogList.Selected(traffic.rows, 0, 1))  # a list tells its first choice
        assert playback_of(app).visited == 34
        await press(pilot, "8", shows="65 entries checked")
        await pilot.press("1", "j")
        await until(lambda: "end of capture" not in bar(app), "a move of one's own is one")


async def test_a_number_leads_there_from_any_screen_and_the_filter_from_match_to_match() -> None:
    async with opened(sample("lighthouse")) as (app, pilot):
        await press(pilot, "2", "n", shows="No filter set")
        await pilot.press("1")
        app.panel.list.filters.set("method == tools/call")  # type: ignore[attr-defined]
        await until(lambda: app.panel.list.model.has_filter, "a filter")  # type: ignore[attr-defined]
        await pilot.press("9", "g n")
        await until(lambda: isinstance(app.screen, GoToScreen), "where to")
        app.screen.query_one(Input).value = "20"
        await pilot.press("enter")
        await until(lambda: "#20 of 65" in bar(app), "there")
        await pilot.press("n")
        await until(lambda: playback_of(app).at > 20, "the next match")
        at = playback_of(app).at
        assert app.conversation.journal.store.method(at) == "tools/call"
        await pilot.press("N", "N")
        await until(lambda: playback_of(app).at < 20, "those before")


async def test_played_rows_come_one_by_one_and_pausing_keeps_what_came() -> None:
    async with opened(sample("lighthouse")) as (app, pilot):
        playback = playback_of(app)
        now = [0]
        playback._clock = lambda: now[0]
        await pilot.press("x space")
        await until(lambda: "playing" in bar(app) and playback.front is not None, "that it is played")
        traffic = app.panel.list  # type: ignore[attr-defined]
        await until(lambda: 0 < traffic.model.taken < 10, "the first rows alone")
        now[0] += 26_000_000_000
        await until(lambda: traffic.model.taken > 10, "more rows")
        now[0] += 1
        await until(lambda: playback.pause is not None, "a pause")
        shown = playback.shown
        assert 10 < shown < 65
        await pilot.press("x space")
        await until(lambda: "paused" in bar(app), "the pause")
        await until(lambda: traffic.model.taken == shown, "all that came are rows")
        await press(pilot, "v e", shows="was still open")
        await pilot.press("right")
        await until(lambda: traffic.model.taken == shown + 1, "one row more")
        await pilot.press(">")
        await until(lambda: "×2" in bar(app), "another speed")
        playback.player.speed = math.inf
        await pilot.press("x space")
        await until(lambda: playback.shown == 65 and not playback.player.playing, "the end")
        await until(lambda: "#65 of 65" in bar(app), "that this is where one stands")
        await pilot.press("g >")
        await until(lambda: "end of capture" in bar(app), "everything")


async def test_a_capture_that_grows_is_followed_until_one_goes_back_in_it(tmp_path: Path) -> None:
    journal = recorded(tmp_path / "x.mcpcap")

    def ask(id_: int) -> None:
        call = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}' % id_
        journal.frame(Direction.TO_SERVER, Channel.STDIN, call)

    for id_ in range(5):
        ask(id_)
    await until(lambda: (tmp_path / "x.mcpcap").read_bytes().count(b"frame") == 5, "that they are in the file")
    async with opened(tmp_path / "x.mcpcap") as (app, pilot):
        await until(lambda: app.conversation.grows and "5 entries  following" in bar(app), "that it is followed")
        await press(pilot, "x", shows="Act   Esc Close")
        assert "Play or pause" not in text(app)
        await pilot.press("escape")
        ask(5)
        await until(lambda: "6 entries  following" in bar(app), "what is new")
        await pilot.press("k", "k")
        await until(lambda: "▼ follow" not in text(app), "an earlier row")
        assert "6 entries  following" in bar(app), "the other screens stay at the newest entry"
        await pilot.press("left")
        await until(lambda: "#3 of 6" in bar(app), "one back from it")
        ask(6)
        await until(lambda: "#3 of 7" in bar(app), "there still")
        await pilot.press("x space")
        await until(lambda: playback_of(app).shown == 7, "played up to the newest")
        assert playback_of(app).player.playing
        ask(7)
        await until(lambda: playback_of(app).shown == 8, "what comes then")
        await pilot.press("g >")
        await until(lambda: "8 entries  following" in bar(app), "followed again")


async def test_a_recording_offers_to_start_its_server_again() -> None:
    fleet = Fleet()
    try:
        app = InspectApp(replay=sample("lighthouse"), opener=fleet)
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "the capture was read")
            await until(lambda: "^r Start server" in text(app), "the offer")
            started = app.conversation.journal.connection
            assert started is not None
            await press(pilot, "ctrl+r", shows="Run this command with your permissions?")
            assert all(word in text(app) for word in (*started.argv, "lighthouse.mcpcap"))
            await pilot.press("escape")
            assert fleet.wanted == []
            await pilot.press("ctrl+r", "enter")
            await until(lambda: len(app.tabs) == 2 and app.tab is app.tabs[1], "its server in a new tab")
        (wanted,) = fleet.wanted
        assert isinstance(wanted, OpenServer)
        assert (wanted.server.argv, wanted.server.cwd) == (started.argv, started.cwd)
        await app.tabs[0].conversation.end()
    finally:
        fleet.end()


def test_recorded_server_is_offered_if_complete(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "does not contain the command" in recorded_server(tape.journal, "x.mcpcap")[1]
    monkeypatch.setenv("TIDE_KEY", "s3cret")
    monkeypatch.delenv("GONE", raising=False)
    fact = ConnectionFact(
        ConnectionEvent.OPEN, "stdio", argv=("tides", "--x"), cwd="/srv", env_names=("PATH", "TIDE_KEY", "GONE")
    )
    tape.fact(fact)
    server, missing = recorded_server(tape.journal, "x.mcpcap")
    assert server is not None
    assert (server.argv, server.cwd, server.env) == (("tides", "--x"), "/srv", (("TIDE_KEY", "s3cret"),))
    assert missing == "Environment variables that are not set here: GONE."
    tape.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("tides", "--token", MASK)))
    server, missing = recorded_server(tape.journal, "x.mcpcap")
    assert server is None
    assert "redacted in the capture" in missing
