"""List, form, result: what is in sight at which width."""

import pytest

from inspector.tui.panels.tool_steps import ToolSteps
from tests.tui.panels.acting import Acting
from tests.tui.panels.schemas import TOOLS
from tests.tui.widgets.showing import Showing
from tests.waiting import until


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
async def test_what_is_in_sight_depends_on_the_width(width: int, step: str, shown: tuple[bool, ...]) -> None:
    steps = ToolSteps(Acting(TOOLS))
    app = Showing(steps)
    async with app.run_test(size=(width, 24)) as pilot:
        steps.go(step)  # type: ignore[arg-type]
        await pilot.pause()
        sizes = [bool(part.region.area) for part in (steps.side, steps.form, steps.result)]
        assert tuple(sizes) == shown


async def test_escape_goes_back_step_by_step_by_where_the_focus_is() -> None:
    steps = ToolSteps(Acting(TOOLS))
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
