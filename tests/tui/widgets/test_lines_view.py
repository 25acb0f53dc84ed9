"""Lines that somebody else lays out."""

from collections.abc import Sequence

from inspector.tui.widgets.lines_view import Lines, LinesView, NoLines
from inspector.viewmodels.roles import Span
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing


class Squares(Lines):
    """As many lines as there are columns."""

    def count(self, width: int) -> int:
        return width

    def line(self, index: int, width: int) -> Sequence[Span]:
        return [(f"{index} of {width}", "text")]


async def test_lines_are_asked_for_anew_when_the_width_changes() -> None:
    view = LinesView()
    async with Showing(view).run_test(size=(40, 10)) as pilot:
        view.show(Squares())
        await pilot.pause()
        assert f"0 of {view.line_width}" in text(pilot.app)
        before = view.line_width
        await pilot.resize_terminal(60, 10)
        await pilot.pause()
        assert view.line_width == before + 20
        assert f"1 of {before + 20}" in text(pilot.app)


async def test_nothing_says_so() -> None:
    view = LinesView()
    async with Showing(view).run_test(size=(40, 10)) as pilot:
        view.show(NoLines())
        await pilot.pause()
        assert "Nothing to show" in text(pilot.app)
