"""List, form and result of any kind: the parts are arranged alike."""

import pytest

from inspector.tui.panels.offers import OffersPanel
from inspector.tui.panels.resources import RESOURCES
from inspector.tui.panels.steps import NARROW, WIDE, Steps
from tests.tui.panels.offering import Offering
from tests.tui.widgets.showing import Showing


@pytest.mark.parametrize(
    ("width", "shown"), [(NARROW - 1, (True, False, False)), (NARROW, (True, True, False)), (WIDE, (True, True, True))]
)
async def test_the_first_step_is_in_sight_with_as_many_others_as_have_room(width: int, shown: tuple[bool, ...]) -> None:
    panel = OffersPanel(Offering(), RESOURCES)
    assert isinstance(panel, Steps)
    async with Showing(panel).run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        assert tuple(bool(part.region.area) for part in (panel.side, panel.form, panel.result)) == shown


async def test_a_step_that_was_taken_is_where_the_focus_goes() -> None:
    panel = OffersPanel(Offering(), RESOURCES)
    async with Showing(panel).run_test(size=(80, 24)) as pilot:
        panel.go("result")
        await pilot.pause()
        steps = [panel.step]
        assert panel.go_back()
        assert [*steps, panel.step] == ["result", "form"]
