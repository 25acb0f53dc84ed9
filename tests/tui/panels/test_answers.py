"""What came of asking stays with the thing that was asked for."""

from inspector.tui.panels.answers import Answers
from tests.tui.panels.acting import WIDE, Acting, Tools, chosen, shows
from tests.tui.panels.schemas import TOOLS
from tests.tui.screen_text import text
from tests.waiting import until


async def test_another_tool_shows_no_answer_of_the_first_and_the_first_its_newest_again() -> None:
    app = Tools(Acting(TOOLS))
    async with app.run_test(size=WIDE) as pilot:
        await chosen(app, pilot, "add")
        await pilot.press("ctrl+j")
        await shows(app, "✓ Succeeded")
        assert isinstance(app.panel, Answers)
        assert len(app.panel.past) == 1
        app.panel.side.focus_list()
        await pilot.press("j")
        await until(lambda: "✓ Succeeded" not in text(app), "no answer is shown")
        assert not app.panel.past
        await pilot.press("k")
        await shows(app, "✓ Succeeded")
