"""A window over a list, without a screen."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.tui.widgets.viewport import Viewport


def view(count: int = 100, height: int = 10, *, following: bool = False) -> Viewport:
    made = Viewport(following=following)
    made.resize(height)
    made.set_count(count)
    return made


def test_an_empty_list_has_no_cursor() -> None:
    assert view(0).cursor == -1
    assert list(view(0).visible) == []


def test_the_first_line_is_chosen_when_lines_come() -> None:
    assert view(3).cursor == 0


def test_the_cursor_pulls_the_window_along() -> None:
    shown = view()
    shown.go_to(10)
    assert shown.visible == range(1, 11)
    shown.go_to(0)
    assert shown.visible == range(10)
    shown.go_to(1_000)
    assert (shown.cursor, shown.visible) == (99, range(90, 100))


def test_new_lines_are_followed_until_the_reader_moves() -> None:
    shown = view(following=True)
    shown.set_count(200)
    assert (shown.cursor, shown.top) == (199, 190)
    shown.go_to(198)
    shown.set_count(300)
    assert (shown.cursor, shown.top, shown.following) == (198, 190, False)
    shown.go_last(follow=True)
    shown.set_count(301)
    assert shown.cursor == 300


def test_scrolling_away_ends_following_and_leaves_the_cursor() -> None:
    shown = view(following=True)
    shown.scroll_to(80)
    assert (shown.following, shown.cursor, shown.top) == (False, 99, 80)


def test_a_lower_window_keeps_the_cursor_in_sight() -> None:
    shown = view()
    shown.go_to(9)
    shown.resize(4)
    assert 9 in shown.visible


def test_fewer_lines_leave_no_cursor_behind_the_end() -> None:
    shown = view()
    shown.go_to(99)
    shown.set_count(5)
    assert (shown.cursor, shown.visible) == (4, range(5))


def test_the_thumb_touches_both_ends() -> None:
    shown = view(1_000_000, 20)
    assert shown.thumb(20) == range(2)
    shown.go_last(follow=False)
    assert shown.thumb(20) == range(18, 20)
    assert view(20, 20).thumb(20) == range(0)


@given(st.integers(0, 10_000), st.integers(1, 60), st.lists(st.integers(-5, 12_000)), st.integers(0, 60))
def test_viewport_stays_on_the_list(count: int, height: int, steps: list[int], cell: int) -> None:
    shown = view(count, height)
    for step in steps:
        shown.go_to(step) if step % 2 else shown.scroll_to(shown.top_at(cell, height))
        assert 0 <= shown.top <= shown.last_top
        assert -1 <= shown.cursor < max(count, 1)
        assert set(shown.thumb(height)) <= set(range(height))


def test_a_line_chosen_before_there_is_room_is_shown_as_if_it_had_been_chosen_afterwards() -> None:
    for chosen in (0, 3, 50, 99):
        before = Viewport(count=100)
        before.go_to(chosen)
        before.resize(10)
        after = Viewport(count=100)
        after.resize(10)
        after.go_to(chosen)
        assert (before.top, before.cursor) == (after.top, after.cursor)
