"""What the screens of resources and prompts share: requests that run, are cancelled, and outlive a connection."""

import asyncio

from inspector.tui.panels.offers import OffersPanel
from inspector.tui.panels.resources import RESOURCES, ResourcesPanel
from inspector.tui.subject import Stage
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


async def test_another_connection_keeps_the_choice_and_the_history() -> None:
    app = Offers(ResourcesPanel(Offering()))
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.panel.form.thing is not None, "a thing is chosen")
        await app.panel.action_send()
        await shows(app, "✓ Succeeded")
        await shows(app, "History 1")
        app.panel.subject.journal.close()
        other = Offering()
        app.panel.rebind(other)
        await shows(app, "of the connection before")
        await pilot.press("h")
        await until(lambda: app.panel.result.body.history.has_focus, "the history has the focus")
        await shows(app, "x://welcome  · earlie")
        await pilot.press("enter")
        await shows(app, "ended with it")
        await pilot.press(".")
        await shows(app, "History 2")
        await until(lambda: "of the connection before" not in text(app), "the new answer is shown")
        assert other.wanted == [{"uri": "x://welcome"}]


async def test_why_nothing_was_sent_stands_on_the_bar() -> None:
    subject = Offering()
    subject.now_stage = Stage.CLOSED
    app = Offers(OffersPanel(subject, RESOURCES))
    async with app.run_test(size=SIZE):
        await until(lambda: app.panel.form.thing is not None, "a thing is chosen")
        await shows(app, "not connected")
        assert "Nothing was sent" not in text(app)
        await app.panel.action_send()
        await shows(app, "Nothing was sent: not connected")
        assert subject.wanted == []


async def test_a_key_ends_the_search() -> None:
    app = Offers(ResourcesPanel(Offering()))
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.panel.form.thing is not None, "a thing is chosen")
        await pilot.press("/", *"tides", "enter")
        await until(lambda: "Welcome" not in text(app), "others are hidden")
        await pilot.press("\\")
        await shows(app, "Welcome")


async def test_without_a_result_there_is_nothing_to_save_or_to_repeat() -> None:
    subject = Offering()
    app = Offers(OffersPanel(subject, RESOURCES))
    async with app.run_test(size=SIZE, notifications=True):
        await until(lambda: app.panel.form.thing is not None, "a thing is chosen")
        await app.panel.action_do("save")
        await shows(app, "There is nothing to save yet: ask for it first.")
        await app.panel.action_do("repeat")
        await shows(app, "✓ Succeeded")
        assert len(subject.wanted) == 1


async def test_a_read_means_the_resource_under_the_cursor_however_fast_the_keys_came() -> None:
    subject = Offering()
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.panel.form.thing is not None, "a thing is chosen")
        await until(lambda: app.panel.side.has_focus_within, "the list has the focus")
        await pilot.press("j", "ctrl+j")
        await until(lambda: bool(subject.wanted), "something is read")
        assert subject.wanted == [{"uri": "x://b"}]
