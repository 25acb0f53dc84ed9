"""List, form and result of any kind: the parts are arranged alike."""

import pytest

from inspector.tui.panels.offers import OffersPanel
from inspector.tui.panels.resources import RESOURCES
from inspector.tui.panels.steps import NARROW, WIDE, Steps
from inspector.tui.panels.tools import ToolsPanel
from tests.tui.panels.acting import Acting
from tests.tui.panels.offering import Offering
from tests.tui.panels.schemas import TOOLS
from tests.tui.widgets.showing import Showing
from tests.waiting import until


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


@pytest.mark.parametrize(
    ("width", "step", "shown"),
    [
        (80, "list", (True, False, False)),
        (80, "form", (False, True, False)),
        (80, "result", (False, False, True)),
        (120, "list", (True, True, False)),
        (160, "list", (True, True, True)),
        (160, "result", (True, True, True)),
    ],
)
async def test_the_step_that_was_taken_is_in_sight(width: int, step: str, shown: tuple[bool, ...]) -> None:
    steps = ToolsPanel(Acting(TOOLS))
    app = Showing(steps)
    async with app.run_test(size=(width, 24)) as pilot:
        steps.go(step)  # type: ignore[arg-type]
        await pilot.pause()
        sizes = [bool(part.region.area) for part in (steps.side, steps.form, steps.result)]
        assert tuple(sizes) == shown


async def test_escape_goes_back_step_by_step_by_where_the_focus_is() -> None:
    steps = ToolsPanel(Acting(TOOLS))
    app = Showing(steps)
    async with app.run_test(size=(160, 24)) as pilot:
        await until(lambda: steps.is_ready, "all is laid out")
        steps.go("result")
        await pilot.pause()
        assert steps.go_back()
        assert steps.step == "form"
        await pilot.pause()
        assert steps.go_back()
        await pilot.pause()
        assert steps.side.has_focus_within
        assert steps.go_back()
        await pilot.pause()
        assert steps.side.has_focus_within
