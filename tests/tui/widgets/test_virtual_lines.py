"""Lines that are built only when they are in sight."""

from collections.abc import Sequence

import pytest
from textual.geometry import Region

from inspector.tui import styles
from inspector.tui.widgets.virtual_lines import VirtualLines
from inspector.viewmodels.roles import Span
from tests.tui.widgets.showing import Showing


class Counting(VirtualLines):
    """Remembers which lines were built; line 13 cannot be."""

    def __init__(self, count: int, *, title: str = "") -> None:
        super().__init__()
        self.built: list[int] = []
        self.title_text = title
        self.view.set_count(count)

    def spans(self, index: int, width: int) -> Sequence[Span]:
        self.built.append(index)
        if index == 13:
            raise ValueError("bad \x1b[2J luck")
        return [(f"line {index}", "text")]

    def header(self, width: int) -> Sequence[Span]:
        return [(self.title_text, "muted")] if self.title_text else ()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_only_lines_in_sight_are_built(size: tuple[int, int]) -> None:
    widget = Counting(1_000_000, title="Name")
    app = Showing(widget)
    async with app.run_test(size=size) as pilot:
        assert set(widget.built) == set(range(size[1] - 1))
        assert app.rows()[0] == "  Name"
        await pilot.press("G")
        assert "line 999999" in app.rows()[-1]
        assert app.marked() == ["line 999999"]
        assert len(set(widget.built)) == 2 * (size[1] - 1)


async def test_a_line_is_not_built_again_while_it_stays_the_same() -> None:
    widget = Counting(50)
    app = Showing(widget)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("j", "k")
        before = len(widget.built)
        await pilot.press("j", "k", "j", "k")
        assert len(widget.built) == before
        widget.forget(3)
        await pilot.pause()
        assert widget.built[before:] == [3]
        widget.forget()
        await pilot.pause()
        assert set(widget.built[before + 1 :]) == set(range(10))


async def test_a_line_that_fails_says_so_and_the_others_stay(caplog: pytest.LogCaptureFixture) -> None:
    app = Showing(Counting(20))
    async with app.run_test(size=(80, 24)):
        rows = app.rows()
        assert rows[12] == "  line 12"
        assert rows[13] == "  ✗ this line cannot be drawn: ValueError: bad ␛[2J luck"
        assert rows[14] == "  line 14"
    assert "line 13 cannot be drawn" in caplog.text


async def test_an_empty_list_says_what_to_do() -> None:
    widget = Counting(0, title="Name")
    widget.empty = [[("Nothing has crossed the wire yet.", "text")], [("2", "accent"), (" shows the tools", "muted")]]
    app = Showing(widget)
    async with app.run_test(size=(60, 9)):
        rows = [row.strip() for row in app.rows()]
        assert rows[3:5] == ["Nothing has crossed the wire yet.", "2 shows the tools"]


async def test_the_cursor_shows_whether_keys_come_here() -> None:
    one, other = Counting(3), Counting(3)
    app = Showing(one, other)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        focused = app.style_of("line 0").bgcolor
        await pilot.press("tab")
        assert app.style_of("line 0").bgcolor != focused
        assert app.marked() == ["line 0", "line 0"]


async def test_another_theme_and_another_width_paint_anew() -> None:
    widget = Counting(3)
    app = Showing(widget)
    async with app.run_test(size=(40, 10)) as pilot:
        dark = app.style_of("line 1")
        app.theme = styles.LIGHT_NAME
        await pilot.pause()
        assert app.style_of("line 1") != dark
        await pilot.resize_terminal(60, 12)
        await pilot.pause()
        assert all(strip.cell_length == 60 for strip in app.screen._compositor.render_strips())


async def test_a_part_of_a_widget_is_painted_in_its_place() -> None:
    widget = Counting(3)
    async with Showing(widget).run_test(size=(40, 10)):
        (strip,) = widget.render_lines(Region(2, 0, 38, 1))
        assert (strip.cell_length, strip.text.rstrip()) == (38, "line 0")
