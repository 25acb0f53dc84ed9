"""The app looks often while something happens, and less often where nothing does."""

from types import SimpleNamespace
from typing import Any

from textual.events import Blur, Key

from inspector.tui.pacing import QUIET_AFTER, Pacing


class Hand:
    """A timer that is turned by hand."""

    def __init__(self, *, runs: bool) -> None:
        self.runs = runs

    def pause(self) -> None:
        self.runs = False

    def resume(self) -> None:
        self.runs = True


class Clock(Pacing):
    """One of an app that has as many entries as it is told."""

    def __init__(self) -> None:
        self.count = 5
        self.replaying = False
        self.looks = 0
        self.hands: list[Hand] = []
        app: Any = SimpleNamespace(set_interval=self._interval)
        super().__init__(app, self._looked, lambda: self.count, lambda: self.replaying)
        self.start()

    def _interval(self, interval: float, *args: Any, pause: bool = False, **kwargs: Any) -> Any:
        self.hands.append(Hand(runs=not pause))
        return self.hands[-1]

    async def _looked(self) -> None:
        self.looks += 1

    async def turn(self, beats: int) -> None:
        for _ in range(beats):
            await self.tick()

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

    clock.count += 1
    await clock.turn(1)
    assert clock.looks_often()

    await clock.turn(100)
    clock.notice(Blur())
    assert not clock.looks_often()
    clock.notice(Key("a", "a"))
    assert clock.looks_often()


async def test_what_is_played_is_never_quiet() -> None:
    clock = Clock()
    clock.replaying = True
    await clock.turn(1000)
    assert clock.looks_often()
