"""The form of an offer: what it says, and what it previews."""

from inspector.protocol.things import Prompt, Resource, Template
from inspector.tui.panels.offer_form import OfferForm
from inspector.tui.panels.prompts import PROMPTS
from inspector.tui.panels.resources import RESOURCES
from tests.tui.panels.offering import Offering
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until

LONG = "\n".join(f"line {n}" for n in range(20))


async def test_a_resource_without_arguments_has_no_form_but_facts() -> None:
    form = OfferForm(Offering(), RESOURCES)
    app = Showing(form)
    async with app.run_test(size=(80, 20)) as pilot:
        await form.show(Resource({"uri": "x://a", "name": "a", "mimeType": "text/plain", "icons": [{"src": "x"}]}))
        await pilot.pause()
        assert "x://a" in text(app)
        assert "icon" in text(app)
        assert "Form / JSON" not in text(app)
        assert "valid" not in text(app)


async def test_a_long_description_is_shown_in_full_when_asked_for() -> None:
    form = OfferForm(Offering(), PROMPTS)
    app = Showing(form)
    async with app.run_test(size=(80, 40)) as pilot:
        await form.show(Prompt({"name": "a", "description": LONG}))
        await pilot.pause()
        assert "line 19" not in text(app)
        form.toggle_about()
        await until(lambda: "line 19" in text(app), "all of it is shown")


async def test_the_preview_follows_what_is_typed_and_goes_with_the_thing() -> None:
    form = OfferForm(Offering(), RESOURCES)
    app = Showing(form)
    async with app.run_test(size=(80, 20)) as pilot:
        await form.show(Template({"uriTemplate": "x://{a}{?b}"}))
        form.focus_first()
        await pilot.press("o", "space")
        await until(lambda: "x://o%20" in text(app), "the URI is previewed")
        assert form.request.params == {"uri": "x://o%20"}
        await form.show(None)
        await until(lambda: "x://o%20" not in text(app), "it is gone")
        assert form.withheld() == ""


async def test_without_proposals_the_key_says_so() -> None:
    form = OfferForm(Offering(), PROMPTS)
    app = Showing(form)
    async with app.run_test(size=(80, 20), notifications=True):
        await form.show(Prompt({"name": "a"}))
        form.complete()
        await until(lambda: "nothing to take" in text(app), "it says so")
