"""Rows that keep coming, without a screen."""

from inspector.tui.widgets.growth import Growth
from inspector.tui.widgets.viewport import Viewport


def growing(count: int = 100) -> tuple[Growth, Viewport]:
    view = Viewport(height=10)
    growth = Growth(view, grows=True)
    growth.take(count)
    return growth, view


def test_a_list_that_grows_starts_at_its_end() -> None:
    growth, view = growing()
    assert (view.cursor, growth.following) == (99, True)
    assert growth.label() == [("▼ follow", "accent")]


def test_rows_that_come_while_the_reader_is_elsewhere_are_counted() -> None:
    growth, view = growing()
    view.go_to(5)
    assert growth.label() == []
    growth.take(1_332)
    assert growth.unseen == 1_232
    assert growth.label() == [("▼ 1,232 new", "warning")]


def test_a_frozen_view_has_the_rows_that_it_had() -> None:
    growth, view = growing()
    growth.freeze()
    growth.take(150)
    assert (view.count, growth.unseen, growth.following) == (100, 50, False)
    assert growth.label() == [("‖ frozen 50 new", "warning")]
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
    assert (view.cursor, growth.following, growth.label()) == (0, False, [])
