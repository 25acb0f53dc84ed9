"""What the screen is told of streams: each thing once."""

from types import SimpleNamespace
from typing import Any

from inspector.tui.watch_view import LiveWatchView, WatchView


class Told(LiveWatchView):
    def __init__(self, live: Any) -> None:
        self._live = live


def test_a_recording_has_no_news() -> None:
    assert WatchView().watch_news() == ()


def test_each_thing_is_told_once_and_nothing_before_there_is_a_session() -> None:
    live = SimpleNamespace(session=None)
    told = Told(live)
    assert told.watch_news() == ()
    said = ["cut"]
    live.session = SimpleNamespace(watching=SimpleNamespace(said=said))
    assert told.watch_news() == ("cut",)
    said.append("open again")
    assert told.watch_news() == ("open again",)
    assert told.watch_news() == ()


def test_a_recording_wants_nothing_watched() -> None:
    WatchView().watch_first(("a:b",))
    assert WatchView().wants_watched == ()


def test_what_is_watched_goes_on_to_the_next_connection_even_one_that_never_opened() -> None:
    live = SimpleNamespace(session=None, watch_first=())
    told = Told(live)
    told.watch_first(("a:b",))
    assert told.wants_watched == ("a:b",)
    live.session = SimpleNamespace(watching=SimpleNamespace(wanted=SimpleNamespace(uris=("c:d",))))
    assert told.wants_watched == ("c:d",)
