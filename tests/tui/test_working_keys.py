"""Keys that the header advertises: only those that act."""

import pytest

from inspector.tui.app import InspectApp
from inspector.tui.screens.traffic.panel import TrafficPanel
from tests.captures.record import sample
from tests.tui.screen_text import lines, press
from tests.waiting import until


async def test_header_shows_digits_only_while_no_text_field_has_the_focus() -> None:
    async with (app := InspectApp(replay=sample("lighthouse"))).run_test(size=(120, 36)) as pilot:
        await until(lambda: "2 Tools" in lines(app)[1], "digits are shown")
        await pilot.press("/")
        await until(lambda: "2 Tools" not in lines(app)[1] and "Tools" in lines(app)[1], "the field takes digits")
        await pilot.press("escape")
        await until(lambda: "2 Tools" in lines(app)[1], "digits act again")
    await app.conversation.end()


@pytest.mark.parametrize(
    ("shows", "screen", "absent"),
    [
        ("6", "No tasks.", {"Open", "Refresh", "Show in Traffic", "Cancel task", "Watch task"}),
        ("g h", "No HTTP exchanges.", {"Open", "Show in Traffic"}),
        ("g u", "No captures", {"Open", "Note", "Diff", "Delete"}),
        ("g o", "Composer", {"Edit and resend", "Act"}),
    ],
)
async def test_footer_of_an_empty_screen_names_no_action_on_a_row(shows: str, screen: str, absent: set[str]) -> None:
    async with (app := InspectApp(replay=sample("handshake"))).run_test(size=(160, 36)) as pilot:
        await pilot.press(shows)
        await until(lambda: screen in "\n".join(lines(app)), "the screen")
        await until(lambda: not {word for word in absent if f" {word} " in lines(app)[-1]}, "what acts")
        assert "Help" in lines(app)[-1]
    await app.conversation.end()


async def test_footer_and_menu_offer_what_the_row_and_the_tool_have() -> None:
    async with (app := InspectApp(replay=sample("lighthouse"))).run_test(size=(160, 36)) as pilot:
        await until(lambda: " m Mark " in lines(app)[-1], "a row can be marked")
        app.query_one(TrafficPanel).list.filters.set("method == nothing")
        await until(lambda: " Mark " not in lines(app)[-1], "there is no row")
        await press(pilot, "2", shows="echo")
        menu = await press(pilot, "x", shows="Close tab")
        assert "Show app" not in menu
        assert "Call as task" not in menu
    await app.conversation.end()
