"""Clicks act like Enter, and a changed theme applies everywhere and at the next start."""

import re
from functools import partial

import pytest
from textual.widgets import Input

from inspector.config.paths import places
from inspector.config.remembered import StoredTheme
from inspector.tui.start_app import StartApp
from inspector.tui.theme import _DARK, _LIGHT, DARK_NAME, LIGHT_NAME
from tests.stories.persons import Person
from tests.stories.test_keys_in_one_burst import app_of, at_tool, before, sent
from tests.waiting import until

_LOOKS = 3
"""How many looks in a row have to find a word at the same place before it is clicked."""


async def click(person: Person, word: str) -> None:
    """Click on the first place of a word, as soon as it stays there."""
    places: list[tuple[int, int] | None] = []
    while len(places) < _LOOKS or places[-1] is None or len(set(places[-_LOOKS:])) > 1:
        await person.sees(word)
        await settled(person)
        places.append(place_of(person, word))
    assert places[-1] is not None
    await person.click(places[-1])


LARGER = ((120, 40), (160, 40))
"""Sizes of terminals with more room than the usual one."""


async def click_beside(person: Person, found: str, word: str) -> None:
    """Click on a word to the right of another one in its line."""
    await person.sees(found)
    place = place_of(person, found)
    assert place is not None
    line = person.screen.splitlines()[place[1]]
    await person.click((line.index(word, place[0] + len(found)), place[1]))


def place_of(person: Person, word: str) -> tuple[int, int] | None:
    """Column and line of the second letter of the first such word; None if it is not on the screen."""
    found = ((line.index(word) + 1, at) for at, line in enumerate(person.screen.splitlines()) if word in line)
    return next(found, None)


async def settled(person: Person) -> None:
    """Wait until all that has come was checked, compared with what is remembered, and drawn."""
    app = app_of(person)
    await until(
        lambda: app.conversation.listing is None and app.conversation.memory.comparison is not None,
        "the lists were compared",
    )
    await until(lambda: app.checker is not None and app.conversation.checks.is_done, "all was checked")
    await until(lambda: all(worker.is_finished for worker in app.workers), "the workers have finished")
    await app._tick()
    await person.pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), *(pytest.param(size, marks=pytest.mark.slow) for size in LARGER)])
async def test_a_destructive_call_is_cancelled_and_confirmed_by_clicks(size: tuple[int, int]) -> None:
    async with before(size) as person:
        await at_tool(person, "destroy")
        await click(person, "Call ^j")
        await person.sees("▲ Destructive")
        await click(person, "Back Esc")
        await until(lambda: not app_of(person).screen.is_modal, "the dialog is gone")
        assert not sent(person, "tools/call")
        await click(person, "Call ^j")
        await person.sees("▲ Destructive")
        await click_beside(person, "Back Esc", "Call")
        await person.sees("✓ OK")
        assert len(sent(person, "tools/call")) == 1


@pytest.mark.parametrize("size", [(80, 24), *(pytest.param(size, marks=pytest.mark.slow) for size in LARGER)])
async def test_a_row_a_list_and_the_button_by_clicks(size: tuple[int, int]) -> None:
    async with before(size) as person:
        await click(person, "2 Tools")
        await person.sees("  list")
        await click(person, "  list")
        await person.sees("⏎ open")
        await click(person, "⏎ open")
        await person.sees("+ Add item", "no description")  # the text above has folded
        await until(lambda: isinstance(app_of(person).focused, Input), "the item can be typed")
        await person.press("7")
        await click(person, "+ Add item")
        await person.sees("2 now")
        await click(person, "Call ^j")
        await person.sees("✓ OK")
        assert sent(person, "tools/call")[0]["arguments"] == {"value": [7]}


def column(person: Person, at: int) -> str:
    """Some cells of a column of the screen, from top to bottom."""
    return "".join(line[at] for line in person.screen.splitlines()[10:20])


async def test_the_mouse_alone_finds_a_tool_fills_its_form_calls_it_reads_and_copies() -> None:
    async with before((160, 40)) as person:
        await click(person, "2 Tools")
        await person.sees(" list ")
        for order in ("tool", "size"):
            await click(person, "View")
            await click(person, "O Sort")
            await person.sees(f"Sorted by {order}.")
        sizes = [float(found) for found in re.findall(r"^ .* (\d+) B +│", person.screen, re.MULTILINE)]
        assert len(sizes) > 3
        assert sizes == sorted(sizes, reverse=True)
        await person.drag((38, 20), (60, 20))
        await until(lambda: set(column(person, 60)) <= set("│┃"), "the list is wider")
        await click(person, " list ")
        await click(person, "⏎ open")
        await person.sees("+ Add item", "no description")  # the text above has folded
        await until(lambda: isinstance(app_of(person).focused, Input), "the item is there")
        await click(person, "Call ^j")
        await person.sees("✓ OK")
        assert sent(person, "tools/call")[0]["arguments"] == {"value": []}
        await click(person, 'got {"value"')
        await click(person, "Copy y")
        await until(lambda: app_of(person).clipboard != "", "the result is copied")
        await click(person, "1 Traffic")
        await click(person, "View")
        await click(person, "Tree or wire order")
        await person.sees("Wire order  v t Tree")
        await click(person, "Go to")
        await click(person, "Esc Close")
        await until(lambda: not app_of(person).menus.is_open, "the menu is closed")


async def test_a_click_counts_though_the_focus_that_it_takes_moves_everything() -> None:
    async with before() as person:
        await at_tool(person, "all")
        await person.press_quickly(*["tab"] * 8, shows="▌ json")
        await click(person, "⏎ open")
        await person.sees("+ Add item")


def colours(person: Person) -> set[str]:
    """The colours of all letters on the screen."""
    strips = app_of(person).screen._compositor.render_strips()
    styles = [segment.style for strip in strips for segment in strip if segment.style and segment.text.strip()]
    return {each.color.triplet.hex for each in styles if each.color is not None and each.color.triplet is not None}


def _shows_none_of(person: Person, others: set[str]) -> bool:
    return not colours(person) & others


_ONLY_DARK = {getattr(_DARK, name) for name in _DARK.__struct_fields__} - {
    getattr(_LIGHT, name) for name in _LIGHT.__struct_fields__
}
_ONLY_LIGHT = {getattr(_LIGHT, name) for name in _LIGHT.__struct_fields__} - {
    getattr(_DARK, name) for name in _DARK.__struct_fields__
}


async def test_a_theme_reaches_everything_that_was_drawn_before() -> None:
    async with before() as person:
        await at_tool(person, "all")
        await person.press_quickly("ctrl+j", shows="✓ OK")
        screens = ("2", "3", "4", "5", "6", "7", "8", "9", "g o", "1")
        await person.press("escape", "escape", "escape")
        for screen in screens:
            await person.press(screen, "escape")
        await person.press("2", shows="Line 1 of what it does")
        assert colours(person) & _ONLY_DARK
        assert not colours(person) & _ONLY_LIGHT
        for old, new in ((_ONLY_DARK, _ONLY_LIGHT), (_ONLY_LIGHT, _ONLY_DARK)):
            await person.press("v", "T")
            for screen in screens:
                await person.press(screen)
                await until(partial(_shows_none_of, person, old), f"screen {screen} is in the new colours")
                assert colours(person) & new
                await person.press("escape")
            await person.press("2")


async def test_the_theme_is_remembered() -> None:
    async with before() as person:
        await person.press("v", "T")
        assert app_of(person).theme == LIGHT_NAME
    assert StoredTheme(places().state).last() == LIGHT_NAME
    async with before() as person:
        assert app_of(person).theme == LIGHT_NAME
        await person.press("v", "T")
    async with before() as person:
        assert app_of(person).theme == DARK_NAME


@pytest.mark.parametrize("kept", [b"", b"\xff\x00", b"x" * 10_000, b"no-such-theme\n"])
def test_a_file_that_names_no_theme_is_none(kept: bytes) -> None:
    places().state.mkdir(parents=True)
    (places().state / "theme").write_bytes(kept)
    assert StartApp((), ()).theme == DARK_NAME


async def test_a_dragged_line_stays_where_it_is_until_it_is_clicked_twice() -> None:
    async with before((160, 40)) as person:
        await click(person, "2 Tools")
        await person.sees(" list ")
        await person.drag((38, 20), (60, 20))
        await until(lambda: set(column(person, 60)) <= set("│┃"), "the list is wider")
    async with before((160, 40)) as person:
        await click(person, "2 Tools")
        await until(lambda: set(column(person, 60)) == {"│"}, "the list is as wide as it was left")
        await person.click((60, 20))
        await person.click((60, 20))
        await until(lambda: set(column(person, 38)) <= set("│┃"), "the list is as wide as at first")


async def test_the_titles_of_traffic_switch_the_times_and_the_order() -> None:
    async with before((120, 40)) as person:
        await click(person, "Method and target")
        await person.sees("Wire order")
        await click(person, "mm:ss")
        await person.sees("Elapsed")
        await click(person, "Elapsed")
        await person.sees("Delta")


def background_of(person: Person, word: str) -> str:
    """The background of the first segment that contains a word, as a hexadecimal number."""
    strips = app_of(person).screen._compositor.render_strips()
    found = next(segment.style for strip in strips for segment in strip if word in segment.text and segment.style)
    assert found.bgcolor is not None
    assert found.bgcolor.triplet is not None
    return found.bgcolor.triplet.hex


async def test_the_title_of_the_focused_list_is_highlighted() -> None:
    async with before((160, 40)) as person:
        await click(person, "2 Tools")
        await until(lambda: background_of(person, "14 tools") == _DARK.cursor, "the list is focused")
        await person.press("enter")
        await until(lambda: background_of(person, "14 tools") != _DARK.cursor, "the form is focused")
        await person.press("escape", "escape")
        await until(lambda: background_of(person, "14 tools") == _DARK.cursor, "the list is focused again")
