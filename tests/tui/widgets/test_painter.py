"""One line, painted."""

import pytest
from textual.widget import Widget

from inspector.tui import styles
from inspector.tui.widgets.painter import CHROME, Painter
from inspector.viewmodels.roles import Span
from tests.tui.widgets.showing import Showing


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
    widget = Bare()
    async with Showing(widget).run_test(size=(width, 5)):
        strip = Painter(widget).line(spans, widget.rich_style, mark=True, thumb=True)
        assert strip.cell_length == width
        assert strip.text.isprintable()
        assert strip.text.startswith(styles.glyphs().cursor)
        assert strip.text.endswith(styles.glyphs().scrollbar)


async def test_brackets_are_text() -> None:
    widget = Bare()
    async with Showing(widget).run_test(size=(60, 5)):
        strip = Painter(widget).line([("[@click=app.quit]x[/]", "ok")], widget.rich_style)
        assert strip.text.strip() == "[@click=app.quit]x[/]"
        assert not any(segment.style and segment.style.meta for segment in strip)


async def test_a_role_is_drawn_in_its_ink_on_the_ground_it_stands_on() -> None:
    widget = Bare()
    async with Showing(widget).run_test(size=(60, 5)):
        segment = list(Painter(widget).line([("bad", "error")], widget.rich_style))[1]
        assert segment.style is not None
        assert segment.style.color == styles.role_styles(dark=True)["error"].color
        assert segment.style.bgcolor == widget.rich_style.bgcolor


async def test_no_color_reaches_our_own_lines_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    widget = Bare()
    async with Showing(widget).run_test(size=(60, 5)):
        for segment in Painter(widget).line([("bad", "error")], widget.rich_style):
            colour = segment.style.color if segment.style else None
            assert colour is None or colour.triplet is None or len(set(colour.triplet)) == 1


async def test_the_chrome_is_three_columns() -> None:
    widget = Bare()
    async with Showing(widget).run_test(size=(20, 5)):
        line = Painter(widget).line([("x" * (20 - CHROME), "text")], widget.rich_style)
        assert line.text == "  " + "x" * 17 + " "
