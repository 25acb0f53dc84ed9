"""One line with a left and a right group."""

from inspector.tui.widgets.status_line import StatusLine
from tests.tui.screen_text import lines
from tests.tui.widgets.showing import Showing


async def test_the_groups_stand_at_the_edges_and_the_left_one_is_cut_first() -> None:
    line = StatusLine()
    async with Showing(line).run_test(size=(30, 3)) as pilot:
        line.show([("left", "muted")], [("right", "muted")])
        await pilot.pause()
        assert lines(pilot.app)[0] == " left" + " " * 19 + "right "
        line.show([("a long text at the left edge", "muted")], [("right", "muted")])
        await pilot.pause()
        assert lines(pilot.app)[0].endswith("…  right ")
