"""Where somebody stands in a recording, and what is known there."""

import pytest

from inspector.tui.past_subject import PastSubject
from inspector.tui.playback import Playback
from inspector.tui.subject import Stage
from tests.tui.staging import Staged, handshake
from tests.viewmodels.tape import Tape

SECOND = 1_000_000_000


class Clock:
    """Stands still until a test moves it."""

    now = 5 * SECOND

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def playback(tape: Tape, clock: Clock) -> Playback:
    """Two tools are listed at entry 5; a call takes a second."""
    handshake(tape).call(3, "buy")
    tape.wait(1000).answer(3, {"content": []})
    return Playback(Staged(tape, stage=Stage.RECORDED), clock)


def tools(playback: Playback) -> int:
    return len(playback.state().journal.conversation.catalogue.tools)


def test_a_recording_is_known_whole_at_first(playback: Playback) -> None:
    assert (playback.at, playback.is_at_end, playback.shown) == (7, True, 7)
    assert playback.state() is playback.recording


def test_what_is_known_is_what_was_known_then(playback: Playback) -> None:
    found = []
    for n in (4, 5, 6):
        playback.go(n)
        pending = [each.method for each in playback.state().journal.conversation.pairs.pending]
        found.append((tools(playback), pending))
    assert found == [(0, ["tools/list"]), (2, []), (2, ["tools/call"])]
    playback.go(99)
    assert playback.is_at_end
    playback.go(-3)
    assert playback.at == 1


def test_going_on_keeps_the_subject_and_going_back_makes_another(playback: Playback) -> None:
    playback.go(3)
    first = playback.state()
    playback.go(5)
    assert playback.state() is first
    playback.go(4)
    assert playback.state() is not first
    assert playback.traffic is playback.recording


def test_played_entries_come_in_their_time_and_the_traffic_shows_no_more(playback: Playback, clock: Clock) -> None:
    playback.play()
    assert (playback.at, playback.shown) == (0, 0)
    assert isinstance(playback.traffic, PastSubject)
    playback.tick()
    clock.now += 100_000_000
    assert not playback.tick()
    assert (playback.shown, playback.traffic.journal.count) == (6, 6)
    clock.now += 500_000_000
    playback.tick()
    assert playback.shown == 6
    assert playback.traffic.now_ns - playback.traffic.journal.store.time_ns(6) == pytest.approx(568_000_000, rel=0.01)
    clock.now += 500_000_000
    assert playback.tick(), "that was the end"
    assert (playback.shown, playback.player.playing) == (7, False)
    playback.play()
    assert playback.shown == 0, "and again from the start"


def test_paused_one_goes_back_within_what_was_shown_and_on_beyond_it(playback: Playback, clock: Clock) -> None:
    playback.go(2)
    playback.play()
    assert (playback.at, playback.shown) == (2, 2)
    playback.player.pause()
    playback.go(1)
    assert (playback.at, playback.shown, playback.state().journal.count) == (1, 2, 1)
    playback.go(5)
    assert (playback.at, playback.shown, playback.position) == (5, 5, None)
    assert playback.state() is playback.traffic
    playback.show_all()
    assert playback.traffic is playback.recording
    assert playback.is_at_end
