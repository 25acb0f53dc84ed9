"""The order of the entries of several recordings: places in it are found from anywhere, and agree with steps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.replay.playback import CommonOrder, Playback, Track
from tests.present.tape import Tape
from tests.tui.staging import Staged, handshake


def order_of(*times: list[int]) -> CommonOrder:
    return CommonOrder([Track(lambda each=each: len(each), lambda n, each=each: each[n - 1]) for each in times])  # type: ignore[misc]


TWO = ([10, 20, 20, 50], [5, 20, 60])


def test_entries_come_in_the_order_of_their_moments_and_the_first_recording_goes_first() -> None:
    order = order_of(*TWO)
    assert [order.at(n) for n in range(8)] == [(0, 0), (0, 1), (1, 1), (2, 1), (3, 1), (3, 2), (4, 2), (4, 3)]
    assert [order.time_of(n) for n in range(8)] == [0, 5, 10, 20, 20, 20, 50, 60]
    assert (order.at(-3), order.at(99)) == ((0, 0), (4, 3))
    assert (order.by(20), order.by(4)) == ((3, 2), (0, 0))


@pytest.mark.parametrize(("which", "n", "place"), [(0, 1, (1, 1)), (0, 3, (3, 1)), (1, 2, (3, 2)), (1, 3, (4, 3))])
def test_an_entry_has_its_place(which: int, n: int, place: tuple[int, int]) -> None:
    order = order_of(*TWO)
    assert order.of(which, n) == place
    assert order.at(sum(place)) == place


def test_later_entries_follow_in_the_order() -> None:
    first, second = [10, 20], [15]
    order = order_of(first, second)
    assert order.at(3) == order.end == (2, 1)
    second += [30]
    first += [40]
    assert [order.at(n) for n in (3, 4, 5)] == [(2, 1), (2, 2), (3, 2)]


@given(st.lists(st.lists(st.integers(0, 30), max_size=12).map(sorted), min_size=1, max_size=3), st.data())
def test_a_far_place_is_the_one_that_steps_lead_to(times: list[list[int]], data: st.DataObject) -> None:
    total = sum(map(len, times))
    n = data.draw(st.integers(0, total))
    stepped, sought = order_of(*times), order_of(*times)
    place = (0,) * len(times)
    for _ in range(n):
        which = stepped.after(place)
        place = tuple(each + (at == which) for at, each in enumerate(place))
    assert stepped.at(n) == place
    assert sum(sought._place_near(n)) <= n
    assert all(a <= b for a, b in zip(sought._place_near(n), place, strict=True))


def test_the_moment_and_the_requests_around_it_are_known(tape: Tape) -> None:
    place = Playback(Staged(handshake(tape), stage=ConversationStage.RECORDED))
    assert (place.count, place.grows, place.is_reading) == (5, False, False)
    place.go(4)
    moment = place.moment
    assert moment is not None
    assert moment[1] == 25_000_000
    assert (place.next_exchange(1), place.next_exchange(-1), place.next_exchange(-1, here=True)) == (None, 1, 4)
    assert (place.parse_position("2"), place.parse_position("+0.01")) == (2, 2)
    place.move_to(0, None)
    assert (place.at, place.moment) == (0, None)
    assert place.state().journal.count == 0
