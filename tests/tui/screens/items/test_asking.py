"""The result of a request stays with the item that it was requested for."""

import threading
from typing import Any

import pytest

from inspector.present.calls import view_call
from inspector.tui.screens.items import panel as items_panel
from inspector.tui.screens.items.panel import ItemsPanel, RequestFinished
from inspector.tui.screens.items.prompts import PromptsPanel
from inspector.tui.screens.items.resources import ResourcesPanel
from inspector.tui.screens.items.tools import ToolsPanel
from tests.tui.screen_text import press, text
from tests.tui.screens.acting import WIDE, Acting, Tools, at_tool, chosen
from tests.tui.screens.schemas import TOOLS
from tests.waiting import until


async def test_another_tool_shows_no_answer_of_the_first_and_the_first_its_newest_again() -> None:
    async with at_tool(Acting(TOOLS), "add", "ctrl+j", shows="✓ OK") as (app, pilot):
        assert len(app.panel.requests.past) == 1
        app.panel.items.list.focus()
        await pilot.press("j")
        await until(lambda: "✓ OK" not in text(app), "no answer is shown")
        assert not app.panel.requests.past
        await press(pilot, "k", shows="✓ OK")


async def test_an_answer_that_is_read_while_another_tool_is_chosen_is_not_shown_as_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_read, read = threading.Event(), list[object]()

    def late(*args: Any, **kwargs: Any) -> object:
        assert may_read.wait(20)
        read.append(view_call(*args, **kwargs))
        return read[-1]

    async with at_tool(Acting(TOOLS), "add") as (app, pilot):
        monkeypatch.setattr(items_panel, "view_call", late)
        await pilot.press("ctrl+j")
        await until(lambda: app.panel.requests.reading is not None, "the answer is being read")
        app.panel.items.list.focus()
        await pilot.press("j")
        await until(lambda: not app.panel.requests.past and app.panel.result.is_empty, "another tool is chosen")
        may_read.set()
        await until(lambda: bool(read), "the answer was read")
        await pilot.pause()
        assert "✓ OK" not in text(app)
        await press(pilot, "k", shows="✓ OK")


@pytest.mark.parametrize(
    ("panel", "method"), [(ToolsPanel, "tools/call"), (ResourcesPanel, "resources/read"), (PromptsPanel, "prompts/get")]
)
def test_a_screen_asks_by_one_method(panel: type[ItemsPanel], method: str) -> None:  # type: ignore[type-arg]
    assert panel(Acting(TOOLS)).items.kind.method == method  # type: ignore[call-arg]


async def test_end_of_a_call_is_posted() -> None:
    class Hearing(Tools):
        heard: list[str]

        def on_request_finished(self, event: RequestFinished) -> None:
            self.heard = [*getattr(self, "heard", []), event.call.item.name]

    async with (app := Hearing(Acting(TOOLS))).run_test(size=WIDE) as pilot:
        await chosen(app, pilot, "add", "ctrl+j")
        await until(lambda: getattr(app, "heard", []) == ["add"], "the end is told")
