"""Tools, resources and prompts are asked for alike: whoever listens is told when a request is over."""

import pytest

from inspector.tui.panels.asking import Asking
from inspector.tui.panels.prompts import PromptsPanel
from inspector.tui.panels.resources import ResourcesPanel
from inspector.tui.panels.tools import ToolsPanel
from tests.tui.panels.acting import WIDE, Acting, Tools, chosen
from tests.tui.panels.schemas import TOOLS
from tests.waiting import until


@pytest.mark.parametrize(
    ("panel", "method"),
    [(ToolsPanel, "tools/call"), (ResourcesPanel, "resources/read"), (PromptsPanel, "prompts/get")],
)
def test_a_screen_asks_by_one_method(panel: type[Asking], method: str) -> None:  # type: ignore[type-arg]
    assert panel(Acting(TOOLS)).method == method  # type: ignore[call-arg]


async def test_the_end_of_a_call_is_told() -> None:
    class Hearing(Tools):
        heard: list[str]

        def on_asking_request_finished(self, event: ToolsPanel.RequestFinished) -> None:
            self.heard = [*getattr(self, "heard", []), event.call.thing.name]

    app = Hearing(Acting(TOOLS))
    async with app.run_test(size=WIDE) as pilot:
        await chosen(app, pilot, "add")
        await pilot.press("ctrl+j")
        await until(lambda: getattr(app, "heard", []) == ["add"], "the end is told")
