"""Keys, wheel and scrollbar move a window."""

from textual.events import MouseScrollDown, MouseScrollUp
from textual.strip import Strip

from inspector.tui.widgets.movable import Movable
from tests.tui.widgets.showing import Showing


class Numbers(Movable):
    """A hundred lines, twenty in sight."""

    DEFAULT_CSS = "Numbers { height: 20; }"

    def __init__(self) -> None:
        super().__init__()
        self.view.resize(20)
        self.view.set_count(100)
        self.moves = 0
        self.opens: list[int] = []

    def render_line(self, y: int) -> Strip:
        return Strip.blank(self.size.width)

    def moved(self) -> None:
        super().moved()
        self.moves += 1

    def opened(self) -> None:
        self.opens.append(self.view.cursor)


async def test_keys_move_the_cursor() -> None:
    widget = Numbers()
    async with Showing(widget).run_test(size=(40, 20)) as pilot:
        places = []
        for key in ("j", "down", "k", "up", "pagedown", "ctrl+f", "ctrl+b", "G", "g", "end", "home"):
            await pilot.press(key)
            places.append(widget.view.cursor)
    assert places == [1, 2, 1, 0, 19, 38, 19, 99, 0, 99, 0]


async def test_the_wheel_moves_the_window_and_leaves_the_cursor() -> None:
    widget = Numbers()
    async with Showing(widget).run_test(size=(40, 20)) as pilot:
        for turn in (MouseScrollDown, MouseScrollDown, MouseScrollUp):
            await pilot._post_mouse_events([turn], widget)
    assert (widget.view.top, widget.view.cursor) == (3, 0)


async def test_a_click_opens_once_and_so_does_a_double_click() -> None:
    widget = Numbers()
    async with Showing(widget).run_test(size=(40, 20)) as pilot:
        await pilot.click(widget, offset=(5, 7))
        assert (widget.view.cursor, widget.opens) == (7, [7])
        await pilot.click(widget, offset=(5, 9), times=2)
    assert widget.opens == [7, 9]


async def test_the_scrollbar_is_dragged() -> None:
    widget = Numbers()
    async with Showing(widget).run_test(size=(40, 20)) as pilot:
        await pilot.mouse_down(widget, offset=(39, 19))
        assert widget.view.top == 80
        await pilot.hover(widget, offset=(20, 0))
        assert widget.view.top == 0
        await pilot.mouse_up(widget, offset=(20, 0))
        await pilot.hover(widget, offset=(20, 15))
        assert widget.view.top == 0
    assert widget.view.cursor == 0


async def test_a_click_on_the_scrollbar_chooses_no_line() -> None:
    widget = Numbers()
    async with Showing(widget).run_test(size=(40, 20)) as pilot:
        await pilot.click(widget, offset=(39, 10))
    assert widget.view.cursor == 0
