"""Room for other widgets."""

import pytest
from textual.app import ComposeResult
from textual.widgets import Static

from inspector.tui.widgets.ground import Ground
from tests.tui.widgets.showing import Showing


class Shelf(Ground):
    DEFAULT_CSS = "Shelf { background: #102030; } Shelf Static { width: 4; height: 1; background: red; }"

    def compose(self) -> ComposeResult:
        yield Static("here", markup=False)


async def test_what_it_holds_stands_on_its_colour() -> None:
    app = Showing(Shelf())
    async with app.run_test(size=(10, 3)):
        assert app.rows() == ["here", "", ""]
        strips = app.screen._compositor.render_strips()
        grounds = [[str(segment.style and segment.style.bgcolor) for segment in strip] for strip in strips]
        assert all("102030" in ground for ground in grounds[2])
        assert "102030" in grounds[0][-1]
        assert "102030" not in grounds[0][0]


async def test_its_colour_goes_where_no_colour_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = Showing(Shelf())
    async with app.run_test(size=(10, 3)):
        last = app.screen._compositor.render_strips()[2]
        for segment in last:
            assert segment.style is not None
            assert segment.style.bgcolor is not None
            assert len(set(segment.style.bgcolor.triplet or ())) == 1
