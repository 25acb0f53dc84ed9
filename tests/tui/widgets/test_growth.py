"""Rows that keep coming, without a screen."""

from inspector.tui.widgets.growth import Growth
from inspector.tui.widgets.viewport import Viewport
from inspector.viewmodels.lines import plain


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


def test_what_waits_is_not_forgotten_when_rows_begin_anew() -> None:
    growth, view = growing()
    view.go_to(3)
    growth.take(110, 0, (40, 0))
    growth.restart(60)
    assert growth.unseen == 50
