"""Bars: what is left out where space is short, and clicks on items."""

import pytest

from inspector.tui.theme import DARK_NAME, LIGHT_NAME, role_styles
from inspector.tui.widgets.bars import BarItem, BarLine, ItemBar, StatusLine, TabLine, button_spans
from tests.tui.screen_text import lines
from tests.tui.widgets.showing import Showing


def item(text: str, **more: object) -> BarItem:
    return BarItem(((text, "text"),), **more)  # type: ignore[arg-type]


class Bar(ItemBar):
    """Remembers what was pressed."""

    def __init__(self, *lines: BarLine) -> None:
        super().__init__()
        self.pressed_names: list[str] = []
        self.show(lines)

    def pressed(self, name: str) -> None:
        self.pressed_names.append(name)


LINE = BarLine((item("name"), item("version", rank=2)), (item("state", rank=0), item("file", rank=3)))


async def shown(bar: ItemBar, width: int) -> list[str]:
    async with (app := Showing(bar)).run_test(size=(width, 5)) as pilot:
        await pilot.pause()
        return app.rows()


async def test_left_and_right_stand_at_their_edges() -> None:
    assert (await shown(Bar(LINE), 30))[0] == "name  version      state  file"


@pytest.mark.parametrize(
    ("width", "seen"),
    [(28, "name version state file"), (27, "name version state"), (22, "name version state"), (21, "name state")],
)
async def test_bar_drops_items_by_rank(width: int, seen: str) -> None:
    assert (await shown(Bar(LINE), width))[0].split() == seen.split()


async def test_bar_cuts_the_first_item_at_last() -> None:
    rows = await shown(Bar(BarLine((item("a long name"),), (item("state"),))), 14)
    assert rows[0] == "a lo…    state"


async def test_bar_marks_omitted_items() -> None:
    line = BarLine((item("one", rank=1), item("two", rank=2)), (item("help"),), says_more=True)
    assert (await shown(Bar(line), 16))[0].split() == ["one", "two", "help"]
    assert (await shown(Bar(line), 15))[0].split() == ["one", "…", "help"]


async def test_bar_shortens_items_before_dropping() -> None:
    items = (
        item("here"),
        item("3 three", rank=1, short=(("3", "text"),)),
        item("8 eight", rank=2, short=(("8", "text"),)),
    )
    line = BarLine(items, (item("end"),), says_more=True)
    assert (await shown(Bar(line), 31))[0].split() == ["here", "3", "three", "8", "eight", "end"]
    assert (await shown(Bar(line), 28))[0].split() == ["here", "3", "three", "8", "end"]
    assert (await shown(Bar(line), 20))[0].split() == ["here", "3", "8", "end"]
    assert (await shown(Bar(line), 16))[0].split() == ["here", "…", "end"]


async def test_the_inset_is_kept_free_at_both_edges() -> None:
    rows = await shown(Bar(BarLine((item("left"),), (item("right"),), inset=1)), 20)
    assert rows[0] == " left         right"


async def test_each_line_takes_one_row_and_another_line_another() -> None:
    async with (app := Showing(bar := Bar(BarLine((item("one"),))))).run_test(size=(20, 5)) as pilot:
        assert bar.region.height == 1
        bar.show([BarLine((item("one"),)), BarLine((item("two"),), grave=True)])
        await pilot.pause()
        assert bar.region.height == 2
        assert app.rows()[:2] == ["one", "two"]


async def test_a_click_presses_what_is_under_it_and_the_ground_does_nothing() -> None:
    bar = Bar(BarLine((item("one", name="1"), item("two", name="2"), item("three"))))
    async with Showing(bar).run_test(size=(30, 5)) as pilot:
        for x in (0, 2, 3, 5, 7, 8, 10, 20):
            await pilot.click(bar, offset=(x, 0))
    assert bar.pressed_names == ["1", "1", "2", "2"]


async def test_bar_text_has_no_terminal_codes() -> None:
    assert (await shown(Bar(BarLine((item("a\x1b[2J"),))), 20))[0] == "a␛[2J"


@pytest.mark.parametrize("theme", [DARK_NAME, LIGHT_NAME])
async def test_inks_are_those_of_the_theme(theme: str) -> None:
    async with (app := Showing(Bar(BarLine((BarItem((("fine", "ok"),)),))), theme=theme)).run_test(size=(20, 3)):
        assert app.style_of("fine").color == role_styles(dark=theme == DARK_NAME)["ok"].color


async def test_the_same_again_is_not_painted_again() -> None:
    async with Showing(bar := Bar(LINE)).run_test(size=(40, 5)) as pilot:
        await pilot.pause()
        painted = 0

        def count(*regions: object, **more: object) -> ItemBar:
            nonlocal painted
            painted += 1
            return bar

        bar.refresh = count  # type: ignore[method-assign, assignment]
        bar.show([BarLine(LINE.left, LINE.right)])
        assert painted == 0
        bar.show([BarLine(LINE.left)])
        assert painted == 1


async def test_the_groups_stand_at_the_edges_and_the_left_one_is_cut_first() -> None:
    async with Showing(line := StatusLine()).run_test(size=(30, 3)) as pilot:
        line.show([("left", "muted")], [("right", "muted")])
        await pilot.pause()
        assert lines(pilot.app)[0] == " left" + " " * 19 + "right "
        line.show([("a long text at the left edge", "muted")], [("right", "muted")])
        await pilot.pause()
        assert lines(pilot.app)[0].endswith("…  right ")


async def test_click_on_a_tab_line_is_posted() -> None:
    tabs, clicked = TabLine(), []

    class Listening(Showing):
        def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
            clicked.append(message.name)

    async with Listening(tabs).run_test(size=(40, 3)) as pilot:
        tabs.show_tabs(("Tree", "Raw"), "Tree", [("p switches", "faint")])
        await pilot.pause()
        assert lines(pilot.app)[0].startswith(" Tree  Raw ")
        assert lines(pilot.app)[0].rstrip().endswith("p switches")
        await pilot.click(tabs, offset=(8, 0))
        await pilot.pause()
        assert clicked == ["Raw"]


def test_main_button_is_filled_in_both_themes_and_keeps_its_brackets() -> None:
    ((label, role),) = button_spans("Call", "^j", "button")
    assert label == "[ Call ^j ]"
    assert all(role_styles(dark=dark)[role].bgcolor is not None for dark in (True, False))
    assert "".join(text for text, _ in button_spans("Back", "Esc")) == "[ Back Esc ]"
