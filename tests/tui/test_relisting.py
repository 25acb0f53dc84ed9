"""Lists are fetched anew by a key; another key says whether they are fetched by themselves."""

from inspector.tui.app import InspectApp
from inspector.tui.relisting import Relisting
from tests.captures.record import sample
from tests.stories.persons import PATIENCE_S
from tests.stories.test_lists_change_below_the_hands import before_the_demo, listings
from tests.tui.screen_text import text
from tests.waiting import until


async def test_the_lists_are_fetched_anew_and_the_mode_is_switched() -> None:
    async with before_the_demo("--legacy-only") as person:
        await person.press("L")
        await person.sees("The lists were fetched anew.")
        assert listings(person) == [None, None]
        await person.press("B")
        await person.sees("Lists that change wait until L fetches them.")
        await person.press("B")
        await person.sees("Lists that change are fetched by themselves.")


async def test_a_recording_has_no_connection_to_ask() -> None:
    app = InspectApp(replay=sample("handshake"))
    assert isinstance(app, Relisting)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.press("B")
        await until(
            lambda: "this is a recording. ^r starts its server in a tab beside." in text(app), "it says so", PATIENCE_S
        )
    await app.subject.end()
