"""The app looks often while something happens, and less often where nothing does."""

from types import SimpleNamespace
from typing import Any

from textual.events import Blur, Event, Key

from inspector.tui.pacing import QUIET_AFTER, Pacing


class Hand:
    """A timer that is turned by hand."""

    def __init__(self, *, runs: bool) -> None:
        self.runs = runs

    def pause(self) -> None:
        self.runs = False

    def resume(self) -> None:
        self.runs = True


class Base:
    """What an app does with events is not what is looked at."""

    async def on_event(self, event: Event) -> None:
        """Nothing."""


class Clock(Pacing, Base):
    """An app that has as many entries as it is told."""

    def __init__(self) -> None:
        self.journal = SimpleNamespace(count=5)
        self.tabs: Any = [SimpleNamespace(subject=SimpleNamespace(journal=self.journal))]
        self.playback: object = None
        self.looks = 0
        self.hands: list[Hand] = []
        Pacing.start_clock(self)  # type: ignore[arg-type]

    def set_interval(self, interval: float, *args: Any, pause: bool = False, **kwargs: Any) -> Any:
        self.hands.append(Hand(runs=not pause))
        return self.hands[-1]

    async def _tick(self) -> None:
        self.looks += 1

    async def turn(self, beats: int) -> None:
        for _ in range(beats):
            await Pacing.beat(self)  # type: ignore[arg-type]

    def looks_often(self) -> bool:
        often, seldom = self.hands
        assert often.runs is not seldom.runs
        return often.runs


async def test_where_nothing_happens_it_looks_less_often_and_traffic_and_keys_wake_it() -> None:
    clock = Clock()
    await clock.turn(QUIET_AFTER - 1)
    assert clock.looks_often()
    await clock.turn(1)
    assert not clock.looks_often()
    await clock.turn(100)
    assert not clock.looks_often()
    assert clock.looks == QUIET_AFTER + 100

    clock.journal.count += 1
    await clock.turn(1)
    assert clock.looks_often()

    await clock.turn(100)
    await clock.on_event(Blur())
    assert not clock.looks_often()
    await clock.on_event(Key("a", "a"))
    assert clock.looks_often()


async def test_what_is_played_is_never_quiet() -> None:
    clock = Clock()
    clock.playback = object()
    await clock.turn(1000)
    assert clock.looks_often()
