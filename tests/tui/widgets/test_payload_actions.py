"""The menu of what can be copied."""

import pytest

from inspector.present.copies import Copy
from inspector.tui.widgets.payload_actions import CopyScreen
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing

COPIES = [Copy("v", "value", lambda: "one", "one"), Copy("j", "JSON", lambda: '"one"', '"one"\x1b[31m')]


async def chosen(*keys: str, size: tuple[int, int] = (80, 24)) -> tuple[str, list[Copy | None]]:
    answers: list[Copy | None] = []
    async with (app := Showing()).run_test(size=size) as pilot:
        app.push_screen(CopyScreen(COPIES), answers.append)
        await pilot.pause()
        shown = text(app)
        await pilot.press(*keys)
    return shown, answers


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_copy_dialog_lists_keys_and_previews(size: tuple[int, int]) -> None:
    shown, _ = await chosen(size=size)
    assert "v  value" in shown
    assert "j  JSON" in shown
    assert "␛[31m" in shown


async def test_a_letter_chooses_even_one_that_moves_elsewhere() -> None:
    assert (await chosen("j"))[1] == [COPIES[1]]


async def test_enter_chooses_what_is_under_the_cursor() -> None:
    assert (await chosen("down", "enter"))[1] == [COPIES[1]]


async def test_escape_chooses_nothing() -> None:
    assert (await chosen("escape"))[1] == [None]
