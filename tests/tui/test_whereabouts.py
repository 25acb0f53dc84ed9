"""What there is to know where somebody stands in one recording, and in several."""

from inspector.tui.playback import Playback
from inspector.tui.subject import Stage
from inspector.tui.whereabouts import CommonWhereabouts, Whereabouts
from tests.tui.staging import Staged, handshake
from tests.viewmodels.tape import Tape


def test_the_moment_and_the_requests_around_it_are_known(tape: Tape) -> None:
    place: Whereabouts = Playback(Staged(handshake(tape), stage=Stage.RECORDED))
    assert isinstance(place, Playback)
    assert (place.count, place.grows, place.is_reading) == (5, False, False)
    place.go(4)
    moment = place.moment
    assert moment is not None
    assert moment[1] == 25_000_000
    assert (place.next_exchange(1), place.next_exchange(-1), place.next_exchange(-1, here=True)) == (None, 1, 4)
    assert (place.meant("2"), place.meant("+0.01")) == (2, 2)
    place.stand(0, None)
    assert (place.at, place.moment) == (0, None)
    assert place.state().journal.count == 0


def test_of_several_each_has_its_own() -> None:
    assert {"moment", "next_exchange", "meant", "place_of"} <= set(vars(CommonWhereabouts))
