"""The bar of a recording: what a click on it does, and what has room."""

from pathlib import Path

import pytest

from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.replay.model import Player
from tests.captures.record import sample
from tests.settling import click, settled
from tests.tui.screen_text import shows, text
from tests.waiting import until


@pytest.mark.parametrize(("width", "track"), [(80, False), (160, True)])
async def test_a_click_leads_to_the_place_or_does_what_the_key_does(
    width: int, track: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Player, "due", lambda player, *_: player._at)  # it is not at the end before the picture comes
    async with (app := InspectApp(replay=sample("evening"))).run_test(size=(width, 24)):
        await until(
            lambda: app.conversation.stage is ConversationStage.RECORDED and "x Space Play" in text(app), "the bar"
        )
        await until(lambda: ("─●" in text(app).splitlines()[-2]) == track, "the track where there is room")
        await until(lambda: app.conversation.checks.is_done, "all is checked, and moves the bar no more")
        await settled(app)
        line = text(app).splitlines()[-2]
        count = app.conversation.journal.count
        if track:
            await click(app, (line.index("─") + (line.rindex("●") - line.index("─")) // 2, 22))
            await until(lambda: app.playback is not None and 0.3 < app.playback.at / count < 0.7, "the middle")
            # The line is another one there: it says the time, and all keys stand elsewhere.
            await until(lambda: f"#{app.playback.at} of" in text(app).splitlines()[-2], "the line says so")  # type: ignore[union-attr]
        await settled(app)
        line = text(app).splitlines()[-2]
        await click(app, (line.rindex("Play"), 22))
        await until(lambda: app.playback is not None and app.playback.player.playing, "that it is played")
        await until(lambda: "Pause" in text(app).splitlines()[-2], "how to pause it")
    await app.conversation.end()


async def test_an_empty_capture_offers_nothing_to_play(tmp_path: Path) -> None:
    path = tmp_path / "empty.mcpcap"
    path.write_bytes(sample("evening").read_bytes().split(b"\n")[0] + b"\n")
    async with (app := InspectApp(replay=path)).run_test(size=(80, 24)):
        await shows(app, "This capture is empty", "0 entries")
        assert ["Play" in text(app), "Start server" in text(app), app.check_action("play", ())] == [False] * 3
    await app.conversation.end()
