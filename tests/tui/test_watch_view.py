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
