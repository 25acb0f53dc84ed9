"""The widget that builds only the lines it shows: scrolling, the cursor and its room."""

from collections.abc import Sequence

import pytest
from textual.app import ComposeResult
from textual.events import MouseScrollDown, MouseScrollUp
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from inspector.present.spans import Section, Span, paragraph
from inspector.tui import theme
from inspector.tui.widgets.section_card import SectionCard
from inspector.tui.widgets.virtual_lines import (
    CHROME,
    Ground,
    Lines,
    LinesView,
    NoLines,
    Painter,
    Scroller,
    VirtualLines,
)
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing


class Shelf(Ground):
    DEFAULT_CSS = "Shelf { background: #102030; } Shelf Static { width: 4; height: 1; background: red; }"

    def compose(self) -> ComposeResult:
        yield Static("here", markup=False)


async def test_content_has_the_widget_background() -> None:
    async with (app := Showing(Shelf())).run_test(size=(10, 3)):
        assert app.rows() == ["here", "", ""]
        strips = app.screen._compositor.render_strips()
        grounds = [[str(segment.style and segment.style.bgcolor) for segment in strip] for strip in strips]
        assert all("102030" in ground for ground in grounds[2])
        assert "102030" in grounds[0][-1]
        assert "102030" not in grounds[0][0]


async def test_no_color_removes_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with (app := Showing(Shelf())).run_test(size=(10, 3)):
        last = app.screen._compositor.render_strips()[2]
        for segment in last:
            assert segment.style is not None
            assert segment.style.bgcolor is not None
            assert len(set(segment.style.bgcolor.triplet or ())) == 1


class Squares(Lines):
    """As many lines as there are columns."""

    def count(self, width: int) -> int:
        return width

    def line(self, index: int, width: int) -> Sequence[Span]:
        return [(f"{index} of {width}", "text")]


async def test_lines_are_wrapped_again_for_another_width() -> None:
    async with Showing(view := LinesView()).run_test(size=(40, 10)) as pilot:
        view.show(Squares())
        await pilot.pause()
        assert f"0 of {view.line_width}" in text(pilot.app)
        assert not view.spans(25, 25), "painted before it knows that a narrower layout has fewer lines"
        before = view.line_width
        await pilot.resize_terminal(60, 10)
        await pilot.pause()
        assert view.line_width == before + 20
        assert f"1 of {before + 20}" in text(pilot.app)


async def test_empty_lines_view_has_a_note() -> None:
    async with Showing(view := LinesView()).run_test(size=(40, 10)) as pilot:
        view.show(NoLines())
        await pilot.pause()
        assert "Nothing to show" in text(pilot.app)


class Numbers(VirtualLines):
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
    async with Showing(widget := Numbers()).run_test(size=(40, 20)) as pilot:
        places = []
        for key in ("j", "down", "k", "up", "pagedown", "pagedown", "pageup", "G", "g g", "end", "home"):
            await pilot.press(key)
            places.append(widget.view.cursor)
    assert places == [1, 2, 1, 0, 19, 38, 19, 99, 0, 99, 0]


async def test_the_wheel_moves_the_window_and_leaves_the_cursor() -> None:
    async with Showing(widget := Numbers()).run_test(size=(40, 20)) as pilot:
        for turn in (MouseScrollDown, MouseScrollDown, MouseScrollUp):
            await pilot._post_mouse_events([turn], widget)
    assert (widget.view.top, widget.view.cursor) == (3, 0)


async def test_a_click_opens_once_and_so_does_a_double_click() -> None:
    async with Showing(widget := Numbers()).run_test(size=(40, 20)) as pilot:
        await pilot.click(widget, offset=(5, 7))
        assert (widget.view.cursor, widget.opens) == (7, [7])
        await pilot.click(widget, offset=(5, 9), times=2)
    assert widget.opens == [7, 9]


async def test_the_scrollbar_is_dragged() -> None:
    async with Showing(widget := Numbers()).run_test(size=(40, 20)) as pilot:
        await pilot.mouse_down(widget, offset=(39, 19))
        assert widget.view.top == 80
        await pilot.hover(widget, offset=(20, 0))
        assert widget.view.top == 0
        await pilot.mouse_up(widget, offset=(20, 0))
        await pilot.hover(widget, offset=(20, 15))
        assert widget.view.top == 0
    assert widget.view.cursor == 0


async def test_a_click_on_the_scrollbar_chooses_no_line() -> None:
    async with Showing(widget := Numbers()).run_test(size=(40, 20)) as pilot:
        await pilot.click(widget, offset=(39, 10))
    assert widget.view.cursor == 0


class Bare(Widget):
    """Nothing of its own."""


SAMPLES: list[list[Span]] = [
    [],
    [("short", "text")],
    [("x" * 1_000_000, "error")],
    [("数据" * 60, "method")],
    [("a数" * 60, "method")],
    [("\x1b]52;c;eA==\x07\x9b2J", "target"), ("\u202e\u200bevil\ud800", "key")],
    [("[/", "muted"), ("[@click=app.quit]x[/]", "ok")],
    [("z" + "\u0301" * 400, "string"), ("👨\u200d👩\u200d👧", "text")],
]


@pytest.mark.parametrize("width", [20, 79, 80])
@pytest.mark.parametrize("spans", SAMPLES, ids=lambda spans: ascii(spans)[:24])
async def test_a_line_is_as_wide_as_the_widget_and_acts_on_nothing(spans: list[Span], width: int) -> None:
    async with Showing(widget := Bare()).run_test(size=(width, 5)):
        strip = Painter(widget).line(spans, widget.rich_style, mark="▌", thumb=True)
        assert strip.cell_length == width
        assert strip.text.isprintable()
        assert strip.text.startswith(theme.glyphs().cursor)
        assert strip.text.endswith(theme.glyphs().scrollbar)


async def test_brackets_are_text() -> None:
    async with Showing(widget := Bare()).run_test(size=(60, 5)):
        strip = Painter(widget).line([("[@click=app.quit]x[/]", "ok")], widget.rich_style)
        assert strip.text.strip() == "[@click=app.quit]x[/]"
        assert not any(segment.style and segment.style.meta for segment in strip)


async def test_painter_uses_role_colour_on_the_background() -> None:
    async with Showing(widget := Bare()).run_test(size=(60, 5)):
        segment = list(Painter(widget).line([("bad", "error")], widget.rich_style))[1]
        assert segment.style is not None
        assert segment.style.color == theme.role_styles(dark=True)["error"].color
        assert segment.style.bgcolor == widget.rich_style.bgcolor


async def test_no_color_reaches_our_own_lines_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with Showing(widget := Bare()).run_test(size=(60, 5)):
        for segment in Painter(widget).line([("bad", "error")], widget.rich_style):
            colour = segment.style.color if segment.style else None
            assert colour is None or colour.triplet is None or len(set(colour.triplet)) == 1


async def test_the_chrome_is_three_columns() -> None:
    async with Showing(widget := Bare()).run_test(size=(20, 5)):
        line = Painter(widget).line([("x" * (20 - CHROME), "text")], widget.rich_style)
        assert line.text == "  " + "x" * 17 + " "


def page(*heights: int) -> Scroller:
    texts = ("\n".join(f"card {number} line {line}" for line in range(height)) for number, height in enumerate(heights))
    cards = [SectionCard(Section(f"{number}", lines=paragraph(text))) for number, text in enumerate(texts)]
    return Scroller(*cards)


def chosen(pilot: Pilot[None]) -> str:
    focused = pilot.app.focused
    return focused.section.title if isinstance(focused, SectionCard) else ""


async def test_a_page_of_text_moves_at_once_and_stops_at_its_ends() -> None:
    scroller = Scroller(Static("\n".join(map(str, range(100)))))
    async with (app := Showing(scroller)).run_test(size=(20, 10)) as pilot:
        scroller.focus()
        for key, top in (("j", 2), ("down", 4), ("k", 2), ("pagedown", 11), ("pageup", 2), ("G", 90), ("j", 90)):
            await pilot.press(key)
            assert scroller.scroll_y == top, key
        await pilot.press("g g")
        assert app.rows()[0].startswith("0")


async def test_j_goes_to_the_next_card_once_the_end_of_this_one_is_in_sight() -> None:
    async with Showing(scroller := page(3, 3, 30)).run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        scroller.query(SectionCard).first().focus()
        await pilot.press("j")
        assert chosen(pilot) == "1"
        await pilot.press("j")
        assert chosen(pilot) == "2"
        before = scroller.scroll_y
        await pilot.press("j")
        assert chosen(pilot) == "2"
        assert scroller.scroll_y == before + 2


async def test_k_goes_back_to_the_card_before() -> None:
    async with Showing(scroller := page(3, 3)).run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        scroller.query(SectionCard).last().focus()
        await pilot.press("k")
        assert chosen(pilot) == "0"


async def test_the_beginning_of_a_card_higher_than_the_page_is_shown_first() -> None:
    async with (app := Showing(scroller := page(3, 40))).run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        scroller.query(SectionCard).first().focus()
        await pilot.press("j")
        assert any("card 1 line 0" in row for row in app.rows())
        assert not any("card 0" in row for row in app.rows())


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
    async with (app := Showing(widget := Counting(1_000_000, title="Name"))).run_test(size=size) as pilot:
        await pilot.pause()
        assert set(widget.built) == set(range(size[1] - 1))
        assert app.rows()[0] == "  Name"
        await pilot.press("G")
        assert "line 999999" in app.rows()[-1]
        assert app.marked() == ["line 999999"]
        assert len(set(widget.built)) == 2 * (size[1] - 1)


async def test_a_line_is_not_built_again_while_it_stays_the_same() -> None:
    async with Showing(widget := Counting(50)).run_test(size=(40, 10)) as pilot:
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


async def test_failing_line_is_marked_and_others_remain(caplog: pytest.LogCaptureFixture) -> None:
    async with (app := Showing(Counting(20))).run_test(size=(80, 24)):
        rows = app.rows()
        assert rows[12] == "  line 12"
        assert rows[13] == "  ✗ cannot draw this line: ValueError: bad ␛[2J luck"
        assert rows[14] == "  line 14"
    assert "line 13 cannot be drawn" in caplog.text


async def test_empty_list_shows_advice() -> None:
    widget = Counting(0, title="Name")
    widget.empty = [[("Nothing has crossed the wire yet.", "text")], [("2", "accent"), (" shows the tools", "muted")]]
    async with (app := Showing(widget)).run_test(size=(60, 9)):
        rows = [row.strip() for row in app.rows()]
        assert rows[3:5] == ["Nothing has crossed the wire yet.", "2 shows the tools"]


async def test_the_cursor_shows_whether_keys_come_here() -> None:
    one, other = Counting(3), Counting(3)
    async with (app := Showing(one, other)).run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        focused = app.style_of("line 0").bgcolor
        await pilot.press("tab")
        assert app.style_of("line 0").bgcolor != focused
        assert app.marked() == ["line 0"]


async def test_theme_and_width_change_repaint() -> None:
    async with (app := Showing(Counting(3))).run_test(size=(40, 10)) as pilot:
        dark = app.style_of("line 1")
        app.theme = theme.LIGHT_NAME
        await pilot.pause()
        assert app.style_of("line 1") != dark
        await pilot.resize_terminal(60, 12)
        await pilot.pause()
        assert all(strip.cell_length == 60 for strip in app.screen._compositor.render_strips())


async def test_a_part_of_a_widget_is_painted_in_its_place() -> None:
    async with Showing(widget := Counting(3)).run_test(size=(40, 10)):
        (strip,) = widget.render_lines(Region(2, 0, 38, 1))
        assert (strip.cell_length, strip.text.rstrip()) == (38, "line 0")
