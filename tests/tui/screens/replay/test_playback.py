"""Several recordings, moved together by the clock that they share."""

from collections.abc import Iterator

import pytest

from inspector.errors import FilterError
from inspector.tui.conversation import ConversationStage, ReplayedConversation
from inspector.tui.screens.replay.playback import CommonPlayback, Playback, parts_of
from tests.present.tape import Tape
from tests.tui.staging import Staged, handshake

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
    return Playback(Staged(tape, stage=ConversationStage.RECORDED), clock)


def tools(playback: Playback) -> int:
    return len(playback.state().journal.conversation.catalogue.tools)


def test_a_recording_is_known_whole_at_first(playback: Playback) -> None:
    assert (playback.at, playback.is_at_end, playback.shown) == (7, True, 7)
    assert playback.state() is playback.recording


def test_state_at_a_position_is_the_state_then(playback: Playback) -> None:
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
    assert isinstance(playback.traffic, ReplayedConversation)
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


@pytest.fixture
def common(clock: Clock) -> Iterator[CommonPlayback]:
    """Requests at 1 s (first), 2 s (second), 3 s (both, the first one first), and 5 s (second)."""
    tapes = Tape(), Tape()
    for tape, moments in zip(tapes, ((1, 3), (2, 3, 5)), strict=True):
        for id_, moment in enumerate(moments):
            tape.now = moment * SECOND
            tape.call(id_, "a")
    parts = {
        n: Playback(Staged(tape, stage=ConversationStage.RECORDED), clock)
        for n, tape in zip((1, 4), tapes, strict=True)
    }
    yield CommonPlayback(parts, clock)
    for tape in tapes:
        tape.journal.close()


def stands(common: CommonPlayback) -> list[int]:
    return [part.at for part in common.parts]


def shown(common: CommonPlayback) -> list[int]:
    return [part.traffic.journal.count for part in common.parts]


def since(common: CommonPlayback) -> int:
    return common.moment[1] if common.moment is not None else -1


def test_common_clock_moves_every_capture(common: CommonPlayback) -> None:
    assert (common.at, common.count, common.is_at_end, common.has_position) == (5, 5, True, False)
    found = {}
    for n in range(1, 6):
        common.go(n)
        found[n] = stands(common), common.entry
    assert found == {
        1: ([1, 0], (1, 1)),
        2: ([1, 1], (4, 1)),
        3: ([2, 1], (1, 2)),
        4: ([2, 2], (4, 2)),
        5: ([2, 3], (4, 3)),
    }
    assert common.is_at_end
    common.go(1)
    assert common.parts[1].state().journal.count == 0, "the second has not begun"
    assert since(common) == 0
    common.go_to_entry(4, 2)
    assert (common.at, stands(common), common.place_of(1, 2)) == (4, [2, 2], 3)
    assert since(common) == 2 * SECOND
    common.go_to_entry(7, 1)
    assert common.at == 4, "no such tab"
    common.show_all()
    assert (common.has_position, stands(common)) == (False, [2, 3])


def test_apply_moves_back_a_moved_capture(common: CommonPlayback) -> None:
    common.go(2)
    common.parts[1].go(3)
    assert stands(common) == [1, 3]
    common.apply()
    assert stands(common) == [1, 1]


def test_they_are_played_in_one_order(common: CommonPlayback, clock: Clock) -> None:
    common.play()
    assert (shown(common), common.is_fronted, common.at) == ([0, 0], True, 0)
    seen = []
    for _ in range(4):
        common.tick()
        seen.append(shown(common))
        clock.now += SECOND
    assert seen == [[1, 0], [1, 1], [2, 2], [2, 2]]
    first = common.parts[0].traffic
    assert first.now_ns - first.journal.store.time_ns(2) == pytest.approx(SECOND, rel=0.01), "time goes by in both"
    assert common.tick(), "that was the end"
    assert (shown(common), common.player.playing) == ([2, 3], False)
    common.go(2)
    assert (stands(common), shown(common)) == ([1, 1], [2, 3])
    common.play()
    assert shown(common) == [1, 1], "on from there"
    assert common.pause is not None
    common.change_speed()
    assert common.player.speed == 2


def test_common_position_moves_by_exchange_and_time(common: CommonPlayback) -> None:
    common.go(2)
    assert (common.next_exchange(1), common.next_exchange(-1)) == (3, 1)
    assert common.parse_position("4") == 4
    assert common.parse_position("+1.5") == 3
    assert common.parse_position("+99") == 5
    with pytest.raises(FilterError):
        common.parse_position("nowhere")


def test_recordings_alone_have_a_common_clock(common: CommonPlayback) -> None:
    first, second = common.parts
    assert parts_of([(1, first), (2, second)]) == {1: first, 2: second}
    assert parts_of([(1, first), (2, None)]) is None
    assert parts_of([(1, first)]) is None
    second.recording.now_stage = ConversationStage.LOADING  # type: ignore[attr-defined]
    assert parts_of([(1, first), (2, second)]) is None
