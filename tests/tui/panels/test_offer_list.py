"""The list of offers, of either kind."""

from inspector.tui.panels.offer_list import OfferSide
from inspector.tui.panels.prompts import PROMPTS
from tests.tui.panels.offering import Offering
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


async def test_prompts_are_listed_with_their_arguments() -> None:
    side = OfferSide(Offering(), PROMPTS)
    app = Showing(side)
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.pause()
        side.sync()
        await until(lambda: "2 prompts" in text(app), "they are listed")
        assert "Hail a ship" in text(app)
        assert "ship*, mood" in text(app)
