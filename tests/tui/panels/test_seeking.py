"""Long lists are searched without a key waiting for it, and the newest search is the one that counts."""

import threading
from collections.abc import Callable, Sequence

import pytest

from inspector.protocol.things import Tool
from inspector.tui.panels.seeking import Seeking
from inspector.tui.panels.taking import MANY
from inspector.tui.panels.tool_list import ToolSide
from inspector.viewmodels.ranking import always
from inspector.viewmodels.tools import ToolList, ToolRow
from tests.tui.panels.acting import Acting
from tests.tui.panels.test_tool_list import Side
from tests.tui.screen_text import text
from tests.waiting import until

Sought = list[tuple[str, bool]]


@pytest.fixture
def sought(monkeypatch: pytest.MonkeyPatch) -> Sought:
    """What was searched for, and whether on the thread that answers keys. "slow" is found once nobody waits for it."""
    seen: Sought = []
    search = ToolList.sought

    def noting(
        self: ToolList, tools: Sequence[Tool], wanted: str, goes_on: Callable[[], bool] = always
    ) -> Sequence[ToolRow]:
        seen.append((wanted, threading.current_thread() is threading.main_thread()))
        if wanted and "slow".startswith(wanted):
            pause = threading.Event()
            while goes_on():
                pause.wait(0.001)
        return search(self, tools, wanted, goes_on)

    monkeypatch.setattr(ToolList, "sought", noting)
    return seen


async def test_a_long_list_is_searched_on_a_thread_and_only_the_newest_search_is_shown(sought: Sought) -> None:
    app = Side(Acting([{"name": f"{'slow' if n % 2 else 'red'}_{n}"} for n in range(MANY + 2)]))
    async with app.run_test(size=(60, 12)) as pilot:
        await until(lambda: app.meant == [("red_0", False)], "the tools are there")
        sought.clear()
        app.side.search()
        await pilot.press(*"slow")
        await until(lambda: ("slow", False) in sought, "it is sought")
        assert app.side.chosen is not None
        assert app.side.chosen.name == "red_0"
        await pilot.press("escape", *"red_2000", "enter", "enter")
        await until(lambda: app.meant[-1:] == [("red_2000", True)], "what was found last is opened")
        assert "1 of 2,002" in text(app)
        assert ("red_2000", False) in sought
        assert not any(name == "slow_1" for name, _ in app.meant)
        assert all(not wanted for wanted, here in sought if here)


async def test_a_short_list_is_searched_at_once(sought: Sought) -> None:
    app = Side(Acting([{"name": "red"}, {"name": "blue"}]))
    async with app.run_test(size=(60, 12)) as pilot:
        await until(lambda: app.meant == [("red", False)], "the tools are there")
        app.side.search()
        await pilot.press(*"blu", "enter")
        await until(lambda: app.meant[-1:] == [("blue", False)], "it is found")
        assert ("blu", True) in sought
        assert isinstance(app.side, ToolSide)


def test_the_list_of_tools_is_searched_so() -> None:
    assert issubclass(ToolSide, Seeking)
