"""A line of tabs."""

from inspector.tui.widgets.tab_line import TabLine
from tests.tui.screen_text import lines
from tests.tui.widgets.showing import Showing


async def test_a_click_on_a_tab_tells_its_name() -> None:
    tabs, clicked = TabLine(), []

    class Listening(Showing):
        def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
            clicked.append(message.name)

    async with Listening(tabs).run_test(size=(40, 3)) as pilot:
        tabs.show_tabs(("Tree", "Raw"), "Tree", [("p turns over", "faint")])
        await pilot.pause()
        assert lines(pilot.app)[0].startswith(" Tree  Raw ")
        assert lines(pilot.app)[0].rstrip().endswith("p turns over")
        await pilot.click(tabs, offset=(8, 0))
        await pilot.pause()
        assert clicked == ["Raw"]
