"""The pace of updates: fast while something happens, slow otherwise; only differences are written."""

import re
from queue import Queue
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType
from rich.segment import ControlType, Segment
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.events import AppFocus, Blur, Event, Key, Resize
from textual.geometry import Region, Size
from textual.strip import Strip

from inspector.tui.pacing import FLOOD, QUIET_AFTER, SLOWER, TICKS_PER_SECOND, Pacing, Painted


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


async def test_idle_clock_slows_down_until_traffic_or_keys() -> None:
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


async def test_replaying_clock_is_never_quiet() -> None:
    clock = Clock()
    clock.replaying = True
    await clock.turn(1000)
    assert clock.looks_often()


async def test_clock_is_slow_in_a_flood_and_fast_again_after_it() -> None:
    clock = Clock()
    await clock.turn(1)
    clock.count += FLOOD
    await clock.turn(1)
    assert not clock.looks_often()
    clock.count += FLOOD * SLOWER
    await clock.turn(1)
    assert not clock.looks_often()
    clock.count += FLOOD * SLOWER - 1
    await clock.turn(1)
    assert clock.looks_often()
    clock.count += FLOOD - 1
    await clock.turn(1)
    assert clock.looks_often()
    assert clock.looks == 5


async def test_key_makes_the_clock_fast_in_a_flood() -> None:
    clock = Clock()
    clock.count += FLOOD
    await clock.turn(1)
    clock.notice(Key("a", "a"))
    assert clock.looks_often()


class Screenful:
    """A terminal of a few cells, with the sequences that move its cursor and set its style."""

    def __init__(self) -> None:
        self.cells = [[" "] * WIDTH for _ in range(HEIGHT)]

    def take(self, sent: str) -> None:
        x = y = 0
        for row, column, style, char in re.findall(r"\x1b\[(\d+);(\d+)H|(\x1b\[[\d;]*m)|(.)", sent, re.DOTALL):
            if row:
                x, y = int(column) - 1, int(row) - 1
            elif char and not style:
                self.cells[y][x] = char
                x += 1


WIDTH, HEIGHT = 12, 4
LINES = st.lists(st.text("ab ", min_size=WIDTH, max_size=WIDTH), min_size=HEIGHT, max_size=HEIGHT)
CUTS = st.sets(st.integers(1, WIDTH - 1), max_size=3)
SPAN = st.tuples(st.integers(0, HEIGHT - 1), st.integers(0, WIDTH - 1), st.integers(1, WIDTH))


def _cut(line: str, cuts: set[int]) -> tuple[dict[int, Strip], list[int]]:
    starts, ends = [0, *sorted(cuts)], [*sorted(cuts), WIDTH]
    return {start: Strip([Segment(line[start:end])]) for start, end in zip(starts, ends, strict=True)}, ends


def _sent(painted: Painted, update: RenderableType) -> str:
    difference: Any = painted.without_known(update)
    return str(difference.render_segments(Console()))


def _layout(*lines: str) -> LayoutUpdate:
    return LayoutUpdate([[Strip([Segment(line)])] for line in lines], Region(0, 0, WIDTH, len(lines)))


@given(st.lists(st.tuples(LINES, CUTS, st.none() | SPAN), max_size=8))
def test_a_terminal_shows_the_same_if_it_only_gets_what_differs(updates: list[Any]) -> None:
    painted, whole, partial = Painted(App()), Screenful(), Screenful()
    for lines, cuts, span in updates:
        chops, ends = zip(*(_cut(line, cuts) for line in lines), strict=True)
        update: LayoutUpdate | ChopsUpdate
        if span is None or span[1] >= span[2]:
            update = LayoutUpdate([line.values() for line in chops], Region(0, 0, WIDTH, HEIGHT))
        else:
            update = ChopsUpdate(chops, [span], list(ends))
        whole.take(update.render_segments(Console()).replace("\n", ""))
        partial.take(_sent(painted, update))
        assert partial.cells == whole.cells


def test_only_the_piece_that_differs_is_sent() -> None:
    painted = Painted(App())
    before, after = ("header      ", "a row       ", "the same    ", "footer      "), "another row "
    assert "footer" in _sent(painted, _layout(*before))
    sent = _sent(painted, _layout(before[0], after, *before[2:]))
    assert after in sent
    assert "header" not in sent
    assert "footer" not in sent


@pytest.mark.parametrize("event", [Resize(Size(WIDTH, 1), Size(WIDTH, 1)), AppFocus()])
def test_after_a_change_of_size_or_window_everything_is_sent(event: Event) -> None:
    painted = Painted(App())
    update = _layout("a row       ")
    assert _sent(painted, update)
    assert not _sent(painted, update)
    painted.notice(event)
    assert _sent(painted, update)


def test_text_after_a_wide_character_is_repainted() -> None:
    painted = Painted(App())
    update = LayoutUpdate([[Strip([Segment("wide 家")]), Strip([Segment("after")])]], Region(0, 0, WIDTH, 1))
    assert "after" in _sent(painted, update)
    assert "after" in _sent(painted, update)


def test_a_piece_that_no_widget_has_drawn_is_blank_up_to_the_next_cut() -> None:
    shown: dict[int, Strip | None] = {0: Strip([Segment("ab")]), 2: None, 5: Strip([Segment("c")]), 6: None}
    screen = Screenful()
    screen.take("\x1b[1;1H" + "x" * WIDTH)
    screen.take(_sent(Painted(App()), LayoutUpdate([shown.values()], Region(0, 0, WIDTH, 1))))  # type: ignore[list-item]
    assert "".join(screen.cells[0]) == "ab   c" + " " * 6


def test_lines_above_a_picture_are_sent_again_with_it() -> None:
    painted = Painted(App())
    picture = Strip([Segment("\x1bP0;0;0q\x1b\\", None, [(ControlType.BELL,)])])
    update = LayoutUpdate([[Strip([Segment("a row       ")])], [picture]], Region(0, 0, WIDTH, 2))
    first = _sent(painted, update)
    assert "a row" in first
    assert _sent(painted, update) == first


def test_a_terminal_that_always_lags_gets_an_update_each_second() -> None:
    app: Any = SimpleNamespace(_driver=SimpleNamespace(_writer_thread=SimpleNamespace(_queue=Queue())))
    painted = Painted(app)
    assert all(painted.may_update() for _ in range(3))
    app._driver._writer_thread._queue.put("a paint")
    updated = [painted.may_update() for _ in range(5 * (TICKS_PER_SECOND + 1))]
    assert updated.count(True) == 5
    assert not updated[0]
