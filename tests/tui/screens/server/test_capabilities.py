"""The switches on the screen."""

from inspector.protocol import capabilities
from inspector.protocol.revisions.table import NEWEST, ROWS
from inspector.tui.screens.server.capabilities import CapabilitiesScreen, CapabilityRows
from tests.tui.screen_text import press, shows
from tests.tui.widgets.showing import Showing
from tests.waiting import until


async def test_enter_switches_and_taking_it_returns_what_is_on() -> None:
    app = Showing()
    taken: list[frozenset[str] | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(CapabilitiesScreen(frozenset({capabilities.ROOTS}), NEWEST), taken.append)
        await shows(app, "Client capabilities", "roots", "applies from the next request")
        await press(pilot, "enter", "down", "down", "enter", shows=("changed", '"tools": {}'))
        await pilot.press("ctrl+j")
        await until(lambda: taken, "it is taken")
    assert taken == [frozenset({capabilities.SAMPLING, capabilities.SAMPLING_TOOLS})]


async def test_capabilities_after_a_handshake_need_a_new_connection() -> None:
    async with (app := Showing()).run_test(size=(80, 24)):
        await app.push_screen(CapabilitiesScreen(frozenset(), ROWS[0]))
        await shows(app, "requires a new connection", "not in this protocol version")


def test_toggle_changes_the_generation() -> None:
    rows = CapabilityRows(frozenset(), None)
    before = rows.generation
    rows.toggle(0)
    assert rows.generation != before
    assert rows.chosen == {capabilities.ALL[0]}
