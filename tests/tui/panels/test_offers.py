"""What the screens of resources and prompts share: requests that run, are cancelled, and outlive a connection."""

import asyncio

from inspector.tui.panels.offers import OffersPanel
from inspector.tui.panels.resources import RESOURCES
from tests.tui.panels.offering import Offering, Offers
from tests.tui.screen_text import text
from tests.waiting import until

SIZE = (160, 40)


async def shows(app: Offers, words: str) -> None:
    await until(lambda: words in text(app), f"{words!r} is on the screen:\n{text(app)}")


async def test_a_request_that_runs_is_cancelled_by_a_key() -> None:
    subject = Offering()
    subject.gate = asyncio.Event()
    app = Offers(OffersPanel(subject, RESOURCES))
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.panel.form.thing is not None, "a thing is chosen")
        await app.panel.action_send()
        await shows(app, "× cancel")
        await app.panel.cancel_running()
        await shows(app, "× Cancelled")
        assert [exchange.target for exchange in subject.cancelled] == ["x://welcome"]
        await pilot.pause()


async def test_another_connection_keeps_the_choice_and_begins_a_new_history() -> None:
    app = Offers(OffersPanel(Offering(), RESOURCES))
    async with app.run_test(size=SIZE):
        await until(lambda: app.panel.form.thing is not None, "a thing is chosen")
        await app.panel.action_send()
        await shows(app, "History 1")
        other = Offering()
        app.panel.rebind(other)
        await until(lambda: "History 1" not in text(app), "the history is another one")
        await app.panel.action_send()
        await shows(app, "History 1")
        assert other.wanted == [{"uri": "x://welcome"}]


async def test_without_a_result_there_is_nothing_to_save_or_to_repeat() -> None:
    subject = Offering()
    app = Offers(OffersPanel(subject, RESOURCES))
    async with app.run_test(size=SIZE, notifications=True):
        await until(lambda: app.panel.form.thing is not None, "a thing is chosen")
        await app.panel.action_do("save")
        await shows(app, "There is nothing to save yet")
        await app.panel.action_do("repeat")
        await shows(app, "✓ Succeeded")
        assert len(subject.wanted) == 1
