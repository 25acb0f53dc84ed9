"""The list of rows that grows: cursor, following and freezing."""

from collections.abc import Sequence

import pytest
from textual.events import Click, MouseUp
from textual.message import Message

from inspector.present.rows import RowSource, RowView, SpanRows
from inspector.present.spans import Span, plain
from inspector.tui.widgets.viewport import Viewport
from inspector.tui.widgets.virtual_list import Growth, LogList
from tests.tui.widgets.showing import Showing
from tests.waiting import until


def growing(count: int = 100) -> tuple[Growth, Viewport]:
    view = Viewport(height=10)
    growth = Growth(view, grows=True)
    growth.take(count)
    return growth, view


def _said(growth: Growth) -> list[str]:
    """What it says of its state, at length and in fewer cells."""
    return [plain(label) for label in growth.labels()]


def test_a_list_that_grows_starts_at_its_end() -> None:
    growth, view = growing()
    assert (view.cursor, growth.following) == (99, True)
    assert _said(growth) == ["▼ follow"]


def test_rows_that_come_while_the_reader_is_elsewhere_are_counted() -> None:
    growth, view = growing()
    view.go_to(5)
    assert _said(growth) == []
    growth.take(1_332)
    assert growth.unseen == 1_232
    assert _said(growth) == ["▼ 1,232 new", "▼ +1,232", "▼"]


def test_rows_in_sight_are_seen() -> None:
    growth, view = growing()
    view.go_to(5)
    growth.take(102)
    assert growth.unseen == 2
    view.go_to(101)
    growth.take(102)
    assert (growth.unseen, growth.following, _said(growth)) == (0, False, [])


def test_a_filter_that_leaves_rows_on_one_page_leaves_nothing_new() -> None:
    growth, view = growing()
    view.go_to(5)
    growth.take(102)
    growth.restart(4)
    assert growth.unseen == 0


def test_a_frozen_view_has_the_rows_that_it_had() -> None:
    growth, view = growing()
    growth.freeze()
    growth.take(150)
    assert (view.count, growth.unseen, growth.following) == (100, 50, False)
    assert _said(growth) == ["‖ frozen 50 new", "‖ +50", "‖ frozen"]
    growth.thaw()
    assert view.count == 150


def test_other_rows_thaw_nothing() -> None:
    growth, view = growing()
    growth.freeze()
    growth.restart(7)
    growth.take(20)
    assert (view.count, growth.frozen) == (7, True)


def test_a_list_that_does_not_grow_has_no_state() -> None:
    view = Viewport(height=10)
    growth = Growth(view, grows=False)
    growth.take(3)
    growth.take(5)
    assert (view.cursor, growth.following, _said(growth)) == (0, False, [])


def test_errors_among_what_has_come_are_counted_apart() -> None:
    growth, view = growing()
    growth.take(100, 5)
    view.go_to(3)
    growth.take(110, 7)
    assert _said(growth)[:2] == ["▼ 10 new ✗ 2 errors", "▼ +10 ✗2"]
    growth.take(110, 7, (40, 1))
    assert _said(growth)[:1] == ["▼ 50 new ✗ 3 errors"]
    view.go_last(follow=True)
    growth.take(150, 8)
    assert _said(growth) == ["▼ follow"]


def test_restart_keeps_the_unseen_count() -> None:
    growth, view = growing()
    view.go_to(3)
    growth.take(110, 0, (40, 0))
    growth.restart(60)
    assert growth.unseen == 50


class Rows(RowSource):
    """Numbered rows; some change by themselves."""

    def __init__(self, count: int) -> None:
        self.rows: Sequence[int] = range(count)
        self.version = 0
        self.live: dict[int, str] = {}
        self.asked: list[int] = []

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def generation(self) -> int:
        return self.version

    def row(self, index: int, width: int) -> RowView:
        self.asked.append(index)
        key = self.rows[index]
        if key in self.live:
            return RowView([(f"row {key} {self.live[key]}", "pending")], live=True)
        return RowView([(f"row {key}", "text")])

    def header(self, width: int) -> Sequence[Span]:
        return [("#    ", "muted"), ("Message".ljust(width - 13), "muted"), ("    Size", "muted")]

    def key(self, index: int) -> int:
        return self.rows[index]

    def index_of(self, key: int) -> int:
        return sum(row <= key for row in self.rows) - 1


class Listening(Showing):
    def on_log_list_selected(self, message: LogList.Selected) -> None:
        self.posted.append(message)

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        self.posted.append(message)

    def on_log_list_follow_changed(self, message: LogList.FollowChanged) -> None:
        self.posted.append(message)

    def told(self, kind: type[Message]) -> list[Message]:
        return [message for message in self.posted if type(message) is kind]


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_the_newest_row_is_followed_until_the_reader_moves(size: tuple[int, int]) -> None:
    rows = Rows(100)
    async with (app := Listening(widget := LogList(rows, follow=True))).run_test(size=size) as pilot:
        assert app.marked() == ["row 99"]
        assert app.rows()[0].split() == ["#", "Message", "▼", "follow", "Size"]
        rows.rows = range(140)
        widget.sync()
        await pilot.pause()
        assert app.marked() == ["row 139"]
        await pilot.press("k")
        rows.rows = range(1_372)
        widget.sync()
        await pilot.pause()
        assert app.marked() == ["row 138"]
        assert app.rows()[0].split() == ["#", "Message", "▼", "1,232", "new", "Size"]
        await pilot.press("G")
        assert app.marked() == ["row 1371"]
        following = widget.following
        assert following
    assert [message.control is widget for message in app.told(LogList.FollowChanged)] == [True, True]


async def test_f_follows_and_ceases_to() -> None:
    async with Listening(widget := LogList(Rows(50), follow=True)).run_test() as pilot:
        states = []
        for key in ("v f", "g g", "v f"):
            await pilot.press(key)
            states.append((widget.following, widget.view.cursor))
    assert states == [(False, 49), (False, 0), (True, 49)]


async def test_frozen_list_does_not_move() -> None:
    rows = Rows(100)
    async with (app := Listening(widget := LogList(rows, follow=True))).run_test(size=(80, 24)) as pilot:
        await pilot.press("v p")
        rows.rows = range(150)
        widget.sync()
        await pilot.pause()
        assert app.marked() == ["row 99"]
        assert "‖ frozen 50 new" in app.rows()[0]
        await pilot.press("v p")
        assert app.marked() == ["row 149"]
        assert "▼ follow" in app.rows()[0]


async def test_nothing_is_painted_while_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Rows(100)
    widget = LogList(rows, follow=True)
    painted: list[object] = []
    async with Listening(widget).run_test() as pilot:
        await pilot.press("g g")
        widget.sync()
        await pilot.pause()
        monkeypatch.setattr(widget, "refresh", lambda *regions: painted.append(regions))
        widget.sync()
        widget.sync()
        assert painted == []


async def test_live_row_is_drawn_until_it_settles() -> None:
    rows = Rows(10)
    rows.live = {3: "1 s"}
    async with (app := Listening(widget := LogList(rows))).run_test(size=(40, 8)) as pilot:
        assert "  row 3 1 s" in app.rows()
        rows.live = {3: "2 s"}
        widget.sync()
        await pilot.pause()
        assert "  row 3 2 s" in app.rows()
        rows.live = {}
        widget.sync()
        await pilot.pause()
        assert "  row 3" in app.rows()
        rows.asked.clear()
        widget.sync()
        await pilot.pause()
        assert rows.asked == []


async def test_a_row_that_changed_out_of_sight_is_not_shown_as_it_was() -> None:
    rows = Rows(100)
    rows.live = {0: "old"}
    async with (app := Listening(widget := LogList(rows))).run_test(size=(40, 8)) as pilot:
        await pilot.press("G")
        widget.sync()
        rows.live = {0: "new"}
        await pilot.press("g g")
        assert app.marked() == ["row 0 new"]


async def test_the_chosen_row_stays_chosen_when_rows_are_filtered() -> None:
    rows = Rows(100)
    async with (app := Listening(widget := LogList(rows))).run_test(size=(40, 8)) as pilot:
        widget.go_to(50)
        rows.rows, rows.version = range(0, 100, 7), 1
        widget.sync()
        await pilot.pause()
        assert app.marked() == ["row 49"]
        rows.rows, rows.version = [], 2
        widget.sync()
        await pilot.pause()
        assert app.marked() == []
    last = app.told(LogList.Selected)[-1]
    assert isinstance(last, LogList.Selected)
    assert (last.index, last.key) == (-1, -1)


async def test_selection_and_opening_are_posted() -> None:
    async with (app := Listening(LogList(Rows(10), follow=True))).run_test() as pilot:
        await pilot.press("k", "enter")
    selected = [(m.index, m.key) for m in app.told(LogList.Selected) if isinstance(m, LogList.Selected)]
    opened = [(m.index, m.key) for m in app.told(LogList.Opened) if isinstance(m, LogList.Opened)]
    assert selected == [(9, 9), (8, 8)]
    assert opened == [(8, 8)]


async def test_opening_the_newest_row_keeps_it() -> None:
    rows = Rows(10)
    async with (app := Listening(widget := LogList(rows, follow=True))).run_test() as pilot:
        await pilot.press("enter")
        rows.rows = range(20)
        widget.sync()
        await pilot.pause()
        assert app.marked() == ["row 9"]


async def test_a_short_list_offers_neither_follow_nor_freeze() -> None:
    async with (app := Listening(widget := LogList(SpanRows([[("only", "text")]])))).run_test() as pilot:
        await pilot.press("F", "P", "G")
        assert not widget.following
        assert not widget.frozen
        assert app.rows()[0].endswith("only")
        offered = {active.binding.action for active in app.screen.active_bindings.values()}
    assert "open" in offered
    assert not {"follow", "freeze"} & offered


async def test_another_source_takes_the_place() -> None:
    async with (app := Listening(widget := LogList(Rows(10)))).run_test() as pilot:
        widget.source = SpanRows([[("other", "text")]])
        await pilot.pause()
        assert app.marked() == ["other"]


async def test_hostile_rows_are_shown_and_not_obeyed() -> None:
    hostile = ["\x1b]52;c;eA==\x07", "[/", "[@click=app.quit]x[/]", "\u202egpj.exe", "数据" * 90, "x" * 1_000_000]
    widget = LogList(SpanRows([[(text, "target")] for text in hostile]))
    async with (app := Listening(widget)).run_test(size=(80, 24)) as pilot:
        rows = app.rows()
        assert rows[0].endswith("␛]52;c;eA==␇")
        assert [row.strip() for row in rows[1:4]] == ["[/", "[@click=app.quit]x[/]", "‹U+202E›gpj.exe"]
        assert all(strip.cell_length == 80 for strip in app.screen._compositor.render_strips())
        await pilot.click(widget, offset=(3, 2))
        assert app.is_running


@pytest.mark.parametrize(
    ("follow", "before", "after", "opened"),
    [(True, range(40), range(43), [36]), (False, range(5, 20), range(20), [8]), (False, range(20), range(5, 20), [])],
    ids=["rows come below", "rows come above", "the row goes"],
)
async def test_a_click_opens_the_row_that_was_pressed_though_rows_come_or_go_before_the_button_is_let_go(
    follow: bool, before: range, after: range, opened: list[int]
) -> None:
    rows = Rows(0)
    rows.rows = before
    widget = LogList(rows, follow=follow)
    app = Listening(widget)

    def told() -> list[int]:
        return [message.key for message in app.posted if isinstance(message, LogList.Opened)]

    async with app.run_test(size=(80, 24)) as pilot:
        y = next(y for y, line in enumerate(app.rows()) if f"row {(opened or [3])[0]}" in line)
        await pilot.mouse_down(widget, offset=(3, y))
        rows.rows = after
        rows.version += not follow
        widget.sync()
        await pilot.pause()
        await pilot._post_mouse_events([MouseUp, Click], widget, offset=(3, y), button=1)
        await pilot.press("home", "enter")
        await until(lambda: after[0] in told(), "the first row is opened by a key")
        assert told() == [*opened, after[0]]
