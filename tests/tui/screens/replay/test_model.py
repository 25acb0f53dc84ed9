"""Entries come in their own time, or in another one."""

import math

import pytest

from inspector.present.spans import Span
from inspector.tui.screens.replay import model
from inspector.tui.screens.replay.model import LONGEST_NS, SPEEDS, PlaybackState, Player

SECOND = 1_000_000_000
MOMENTS = [0, 0, 1 * SECOND, 1 * SECOND, 61 * SECOND, 60 * SECOND, 60_500_000_000]
"""Of entries 1 to 6; the clock went back once."""


def player(speed: float = 1.0) -> Player:
    made = Player(MOMENTS.__getitem__)
    made.speed = speed
    made.play(0, 0)
    return made


@pytest.mark.parametrize(
    ("speed", "seconds", "due"),
    [(1.0, 0, 1), (1.0, 0.9, 1), (1.0, 1, 3), (1.0, 2.9, 3), (1.0, 3, 5), (2.0, 0.5, 3), (0.5, 1.9, 1), (0.5, 2, 3)],
)
def test_an_entry_is_due_when_its_time_has_come(speed: float, seconds: float, due: int) -> None:
    assert player(speed).due(int(seconds * SECOND), 6) == due


def test_long_pause_is_cut_and_short_one_kept() -> None:
    one = player()
    assert one.due(SECOND, 6) == 3
    pause = one.pause_at(SECOND, 6)
    assert pause is not None
    assert (pause.own_ns, pause.left_ns, pause.cut) == (60 * SECOND, LONGEST_NS, True)
    assert one.passed_ns(2 * SECOND, 6) == 30 * SECOND
    assert one.due(3 * SECOND, 6) == 5
    last = one.pause_at(3 * SECOND, 6)
    assert last is not None
    assert not last.cut
    assert one.due(4 * SECOND, 6) == 6
    assert one.pause_at(4 * SECOND, 6) is None


def test_fastest_speed_advances_in_bounded_steps() -> None:
    one = Player(lambda n: n * SECOND)
    one.speed = math.inf
    one.play(0, 0)
    first = one.due(0, 1_000_000)
    assert 0 < first < 10_000
    assert one.due(0, 1_000_000) == 2 * first


def test_later_recorded_entries_play_at_their_time() -> None:
    one = player()
    assert one.due(50 * SECOND, 1) == 1
    assert one.due(100 * SECOND, 1) == 1
    assert one.due(100 * SECOND + 1, 2) == 1
    assert one.due(101 * SECOND, 2) == 2


def test_speed_steps_to_the_fastest_and_pause_restarts() -> None:
    one = player()
    seen = []
    for _ in SPEEDS:
        one.change_speed(0)
        seen.append(one.speed)
    assert seen == [*SPEEDS[2:], SPEEDS[-1], SPEEDS[-1]]
    one.pause()
    assert one.due(100 * SECOND, 6) == 0
    assert one.passed_ns(SECOND, 6) == 0


def said(spans: list[Span]) -> str:
    return "".join(text for text, _ in spans)


WHOLE = PlaybackState(9, 9, 9, True)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (WHOLE, "■ stopped 9 entries  end of capture"),
        (PlaybackState(9, 9, 9, True, reading=True), "■ reading 9 entries read so far"),
        (PlaybackState(3, 1900, 1900, False), "■ stopped #3 of 1,900"),
        (PlaybackState(3, 9, 3, False, playing=True, fronted=True), "► playing #3 of 9"),
        (PlaybackState(3, 9, 3, False, fronted=True), "‖ paused #3 of 9"),
    ],
)
def test_state_and_place_text_describe_playback(state: PlaybackState, expected: str) -> None:
    assert f"{said(model.state_text(state))} {said(model.place_text(state))}" == expected


def test_growing_capture_is_followed_at_its_end() -> None:
    state = PlaybackState(9, 9, 9, True, grows=True)
    assert state.is_live
    assert said(model.place_text(state)) == "9 entries  following"


def test_the_time_is_that_of_the_entry_and_since_the_start() -> None:
    assert said(model.time_text((1_795_305_600_000_000_000, 1_500_000_000))).endswith("  +1.500 s")
    assert model.time_text(None) == []


def test_pause_text_appears_from_one_second() -> None:
    state = PlaybackState(3, 9, 3, False, playing=True, left_ns=1_200_000_000, own_ns=3_000_000_000)
    assert said(model.pause_text(state)) == "next in 1.20 s"
    cut = PlaybackState(3, 9, 3, False, playing=True, own_ns=61_000_000_000, cut=True)
    assert said(model.pause_text(cut)) == "a pause of 61.0 s is shortened"
    assert model.pause_text(PlaybackState(3, 9, 3, False, playing=True, own_ns=5)) == []
    assert said(model.speed_text(PlaybackState(3, 9, 3, False, speed=math.inf))) == "no delay"
    assert said(model.speed_text(PlaybackState(3, 9, 3, False, speed=0.5))) == "×0.5"


@pytest.mark.parametrize(("at", "place"), [(0, 0), (1, 0), (50, 9), (100, 19)])
def test_track_knob_and_clicks_agree(at: int, place: int) -> None:
    cells = said(model.track(PlaybackState(at, 100, 100, False), 20))
    assert (cells.index("●"), len(cells)) == (place, 20)
    assert abs(model.entry_at(place, 20, 100) - max(1, at)) <= 3
    assert model.track(WHOLE, 2) == []
